// Morphology on images of a device: masks, gray pictures and label maps.
#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness.h"
#include "tesela/mask.h"
#include "tesela/morphology.h"

namespace tesela::bench {
namespace {

// Blocks of 8 points along each axis, one of `one_of` set.
std::vector<std::uint8_t> blocks(const Shape& shape, unsigned one_of) {
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(shape.points()));
    std::size_t i = 0;
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x, ++i) {
                const auto block = static_cast<unsigned>((z / 8 * 1000 + y / 8) * 1000 + x / 8);
                mask[i] = block * 2654435761U % one_of == 0 ? 255 : 0;
            }
    return mask;
}
std::vector<std::uint8_t> noise(const Shape& shape) {
    std::mt19937 generator(1);
    std::vector<std::uint8_t> image(static_cast<std::size_t>(shape.points()));
    for (std::uint8_t& value : image) value = static_cast<std::uint8_t>(generator());
    return image;
}

DeviceImage<const std::uint8_t> uploaded(Queue& queue, const std::vector<std::uint8_t>& host,
                                         const Shape& shape) {
    return {queue.upload(std::span<const std::uint8_t>(host), "image"), shape, {}};
}

std::string size_of(const Shape& s) {
    return std::to_string(s.x) + "x" + std::to_string(s.y) +
           (s.z > 1 ? "x" + std::to_string(s.z) : "");
}

template <class T>
Case dilation(const char* name, Queue& queue, const DeviceImage<const T>& image,
              MorphologyOptions options) {
    return {name, size_of(image.shape), 2.0 * sizeof(T) * static_cast<double>(image.shape.points()),
            [&queue, &image, options] {
                morphology(image, MorphologyOperator::dilate, options, queue);
            }};
}

void measure(Table& table, Queue& queue, bool smoke) {
    const Shape picture = smoke ? Shape{256, 256} : Shape{4096, 4096};
    const Shape volume = smoke ? Shape{64, 64, 64} : Shape{512, 512, 512};
    const auto gray = uploaded(queue, noise(picture), picture);
    const auto objects = uploaded(queue, blocks(picture, 20), picture);
    const auto mask = uploaded(queue, blocks(volume, 50), volume);
    const auto box = MorphologyShape::box;
    table.measure(
        queue,
        {dilation("dilate box 21", queue, gray, {.radius = 10, .shape = box}),
         dilation("dilate ball 21", queue, gray, {.radius = 10}),
         dilation("dilate ball 21 of a mask", queue, objects, {.radius = 10}),
         dilation("dilate ball 21 of labels", queue, objects, {.radius = 10, .labels = true}),
         dilation("dilate ball 21 of a mask", queue, mask, {.radius = 10}),
         {"fill holes", size_of(picture), 2.0 * static_cast<double>(picture.points()),
          [&] { fill_holes(objects, {}, queue); }},
         {"split", size_of(picture), 5.0 * static_cast<double>(picture.points()),
          [&] { split_objects(objects, {}, queue); }}});
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_morphology",
                       [](Table& table, const Options& options) {
                           for (const tesela::Device& device : options.devices) {
                               tesela::Queue queue(device);
                               measure(table, queue, options.smoke);
                           }
                       });
}
