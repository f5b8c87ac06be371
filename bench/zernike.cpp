// Zernike moments in double precision: all of an image to a few orders, data on the device and the
// moments back on the host; and those of many small objects of a label map, from host to host.
#include <cmath>
#include <random>
#include <string>

#include "harness.h"
#include "tesela/zernike.h"

namespace tesela::bench {
namespace {

Image<float> noise(std::int64_t size) {
    std::mt19937 generator(3);
    std::uniform_real_distribution<float> any(0, 255);
    Image<float> image({size, size});
    for (float& value : image.pixels()) value = any(generator);
    return image;
}

// Discs of 30 pixels across, one in each square of 32.
LabelImage discs(std::int64_t across) {
    constexpr int pitch = 32;
    LabelImage labels({across * pitch, across * pitch});
    for (std::int64_t y = 0; y < across * pitch; ++y)
        for (std::int64_t x = 0; x < across * pitch; ++x)
            if (std::hypot(static_cast<double>(x % pitch) - 15.5,
                           static_cast<double>(y % pitch) - 15.5) < 15)
                labels(x, y) = static_cast<std::uint32_t>(y / pitch * across + x / pitch + 1);
    return labels;
}

void measure_image(Table& table, const Options& options, const Device& device, std::int64_t size,
                   int order, const std::string& limits) {
    const std::string name = "order " + std::to_string(order) + limits;
    if (name.find(options.filter) == name.npos) return;
    Queue queue(device);
    const Image<float> image = noise(size);
    const DeviceImage<const float> on_device{
        queue.lend(std::span<const float>(image.pixels()), "image"), image.shape(), {}};
    table.measure(queue, {{name, std::to_string(size) + "^2",
                           4.0 * static_cast<double>(image.shape().points()),
                           [&] { zernike(on_device, {.order = order}, queue); }}});
}

void measure_objects(Table& table, const Options& options, const Device& device,
                     std::int64_t across) {
    const std::string name = "objects, order 9 (H200 20 ms, two cores 1 s)";
    if (name.find(options.filter) == name.npos) return;
    Queue queue(device);
    const LabelImage labels = discs(across);
    const ZernikeOptions moments{.order = 9, .normalization = ZernikeNormalization::area};
    table.measure(queue, {{name, std::to_string(across * across) + " of 30",
                           4.0 * static_cast<double>(labels.shape().points()),
                           [&] { zernike_objects(labels, {}, moments, queue); }}});
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(
        argc, argv, "tesela_bench_zernike", [](Table& table, const Options& options) {
            for (const tesela::Device& device : options.devices) {
                const bool full = !options.smoke, gpu = device.properties().is_gpu;
                measure_image(table, options, device, full ? 1024 : 64, 34,
                              " (H200 0.25 ms, two cores 120 ms)");
                measure_image(table, options, device, full ? 1024 : 64, 12, "");
                if (full) measure_image(table, options, device, gpu ? 16384 : 4096, 12, "");
                if (full && gpu) measure_image(table, options, device, 512, 500, " (H200 20 ms)");
                measure_objects(table, options, device, full ? 100 : 3);
            }
            table.print_ratios();
        });
}
