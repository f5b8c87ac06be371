// Morphology and distances on images of a device: masks, gray pictures and label maps.
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness.h"
#include "tesela/distance.h"
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
// Winding objects and gaps, some 100 points wide.
std::vector<std::uint8_t> waves(const Shape& shape) {
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(shape.points()));
    const auto sine = [](std::int64_t at, double rate) {
        return std::sin(rate * static_cast<double>(at));
    };
    std::vector<double> slow, fast;
    for (std::int64_t x = 0; x < shape.x; ++x) {
        slow.push_back(sine(x, 0.021));
        fast.push_back(sine(x, 0.034));
    }
    std::size_t i = 0;
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y) {
            const double slope = sine(y, 0.027), rise = sine(y + 40, 0.019) + sine(z, 0.031);
            for (std::size_t x = 0; x < slow.size(); ++x, ++i)
                mask[i] = slow[x] * slope + fast[x] * rise > 0.2 ? 255 : 0;
        }
    return mask;
}
std::vector<std::uint8_t> all_but_one(const Shape& shape) {
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(shape.points()), 255);
    mask[mask.size() / 3] = 0;
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

Case distance(const char* name, Queue& queue, const DeviceImage<const std::uint8_t>& image,
              DistanceSide side) {
    return {name, size_of(image.shape), 5.0 * static_cast<double>(image.shape.points()),
            [&queue, &image, side] { signed_distance(image, {.side = side}, queue); }};
}

void measure_distances(Table& table, Queue& queue, const Shape& shape) {
    const auto winding = uploaded(queue, waves(shape), shape);
    const auto scattered = uploaded(queue, blocks(shape, 20), shape);
    const auto far = uploaded(queue, all_but_one(shape), shape);
    table.measure(queue,
                  {distance("distance inside, winding", queue, winding, DistanceSide::inside),
                   distance("distance both, winding", queue, winding, DistanceSide::both),
                   distance("distance outside, blocks", queue, scattered, DistanceSide::outside),
                   distance("distance inside, to a point", queue, far, DistanceSide::inside)});
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
    measure_distances(table, queue, picture);
    measure_distances(table, queue, volume);
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
