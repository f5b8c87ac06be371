// Smoothing of images of a device by Gaussian and median filters.
#include "tesela/smooth.h"

#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness.h"

namespace tesela::bench {
namespace {

// Noise of 16 bits, or of their lower ones.
template <class T>
DeviceImage<const T> noise(Queue& queue, const Shape& shape) {
    std::mt19937 generator(1);
    std::vector<T> image(static_cast<std::size_t>(shape.elements()));
    for (T& value : image) value = static_cast<T>(generator() % 65536);
    return {queue.upload(std::span<const T>(image), "image"), shape, {}};
}

std::string size_of(const Shape& s) {
    return std::to_string(s.x) + "x" + std::to_string(s.y) +
           (s.z > 1 ? "x" + std::to_string(s.z) : "");
}

template <class T>
double bytes_of(const DeviceImage<const T>& image) {
    return 2.0 * sizeof(T) * static_cast<double>(image.shape.elements());
}

template <class T>
Case median(const char* name, Queue& queue, const DeviceImage<const T>& image, double radius) {
    return {name, size_of(image.shape), bytes_of(image),
            [&queue, &image, radius] { smooth_median(image, {radius}, queue); }};
}
template <class T>
Case gaussian(const char* name, Queue& queue, const DeviceImage<const T>& image, double sigma) {
    return {name, size_of(image.shape), bytes_of(image),
            [&queue, &image, sigma] { smooth_gaussian(image, {sigma}, queue); }};
}

void measure(Table& table, Queue& queue, bool smoke) {
    const Shape picture = smoke ? Shape{256, 256} : Shape{4096, 4096};
    const Shape volume = smoke ? Shape{64, 64, 64} : Shape{256, 256, 256};
    const auto bytes = noise<std::uint8_t>(queue, picture);
    const auto words = noise<std::uint16_t>(queue, picture);
    const auto voxels = noise<std::int16_t>(queue, volume);
    table.measure(queue, {median("median 3x3, 8 bits", queue, bytes, 1),
                          median("median 5x5, 8 bits", queue, bytes, 2),
                          median("median 5x5, 16 bits", queue, words, 2),
                          median("median 11x11, 8 bits", queue, bytes, 5),
                          median("median 3x3x3, 16 bits", queue, voxels, 1),
                          gaussian("gaussian, sigma 2, 8 bits", queue, bytes, 2),
                          gaussian("gaussian, sigma 2, 16 bits", queue, voxels, 2)});
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_smooth", [](Table& table, const Options& options) {
        for (const tesela::Device& device : options.devices) {
            tesela::Queue queue(device);
            measure(table, queue, options.smoke);
        }
    });
}
