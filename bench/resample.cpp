// Images of a device on other grids. The rate counts what is read and written once.
#include "tesela/resample.h"

#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness.h"

namespace tesela::bench {
namespace {

template <class T>
DeviceImage<const T> noise(Queue& queue, const Shape& shape) {
    std::mt19937 generator(1);
    std::vector<T> image(static_cast<std::size_t>(shape.elements()));
    for (T& value : image) value = static_cast<T>(generator() % 256);
    return {queue.upload(std::span<const T>(image), "image"), shape, {}};
}

std::string size_of(const Shape& s) {
    return std::to_string(s.x) + "x" + std::to_string(s.y) +
           (s.z > 1 ? "x" + std::to_string(s.z) : "");
}

// From the image to `size`.
template <class T>
Case resampling(const std::string& name, Queue& queue, const DeviceImage<const T>& image,
                const std::array<std::int64_t, 3>& size, const ResampleOptions& options) {
    const ResampleGrid target = grid_of_size({image.shape, image.geometry}, size);
    const double bytes =
        sizeof(T) * static_cast<double>(image.shape.elements() +
                                        size[0] * size[1] * size[2] * image.shape.channels);
    return {name, size_of(image.shape) + " to " + size_of(target.grid.shape), bytes,
            [&queue, &image, target, options] { resample(image, target, options, queue); }};
}

void measure(Table& table, Queue& queue, bool smoke) {
    const std::int64_t side = smoke ? 128 : 4096, cube = smoke ? 32 : 256;
    const auto bytes = noise<std::uint8_t>(queue, {side, side});
    const auto color = noise<std::uint8_t>(queue, {side / 2, side / 2, 1, 1, 3});
    const auto voxels = noise<std::int16_t>(queue, {cube, cube, cube / 2});
    const auto labels = noise<std::uint32_t>(queue, {cube, cube, cube / 2});
    const std::array<std::int64_t, 3> half{side / 2, side / 2, 1}, larger{side, side, 1},
        even{cube, cube, cube};
    const ResampleOptions linear, sharp{.anti_aliasing = AntiAliasing::none};
    const ResampleOptions cubic{.interpolation = Interpolation::cubic};
    const ResampleOptions nearest{.interpolation = Interpolation::nearest};
    table.measure(queue, {resampling("linear, 8 bits", queue, bytes, half, sharp),
                          resampling("linear, smoothed, 8 bits", queue, bytes, half, linear),
                          resampling("linear, color", queue, color, larger, linear),
                          resampling("cubic, color", queue, color, larger, cubic),
                          resampling("linear, 16 bits", queue, voxels, even, linear),
                          resampling("cubic, 16 bits", queue, voxels, even, cubic),
                          resampling("nearest, labels", queue, labels, even, nearest)});
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_resample",
                       [](Table& table, const Options& options) {
                           for (const tesela::Device& device : options.devices) {
                               tesela::Queue queue(device);
                               measure(table, queue, options.smoke);
                           }
                       });
}
