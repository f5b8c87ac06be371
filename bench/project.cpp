// Projections of volumes of a device along their axes.
#include "tesela/project.h"

#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness.h"

namespace tesela::bench {
namespace {

// Bytes that the device reads and writes, which is the limit: those of a copy.
Case projection(const char* name, Queue& queue, const DeviceImage<const std::uint16_t>& image,
                const ProjectOptions& options) {
    const std::int64_t edge = image.shape.x;
    return {name, std::to_string(edge) + "^3",
            sizeof(std::uint16_t) * static_cast<double>(image.shape.elements()),
            [&queue, &image, options] { project(image, options, queue); }};
}

void measure(Table& table, Queue& queue, bool smoke) {
    const std::int64_t edge = smoke ? 32 : 512;
    const Shape shape{edge, edge, edge};
    std::mt19937 generator(1);
    std::vector<std::uint16_t> values(static_cast<std::size_t>(shape.elements()));
    for (std::uint16_t& value : values) value = static_cast<std::uint16_t>(generator());
    const DeviceImage<const std::uint16_t> image{
        queue.upload(std::span<const std::uint16_t>(values), "image"), shape, {}};
    using By = ProjectedValue;
    using Axis = ProjectedAxis;
    table.measure(
        queue,
        {projection("maximum along z", queue, image, {.axis = Axis::z}),
         projection("maximum along y", queue, image, {.axis = Axis::y}),
         projection("maximum along x", queue, image, {.axis = Axis::x}),
         projection("mean along z", queue, image, {.by = By::mean, .axis = Axis::z}),
         projection("deviation along z", queue, image, {.by = By::deviation, .axis = Axis::z})});
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_project",
                       [](Table& table, const Options& options) {
                           for (const tesela::Device& device : options.devices) {
                               tesela::Queue queue(device);
                               measure(table, queue, options.smoke);
                           }
                       });
}
