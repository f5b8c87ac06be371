// Measures of the objects of a label map that is on the device: what the host gets of each object
// included.
#include <array>
#include <string>
#include <vector>

#include "harness.h"
#include "inputs.h"
#include "tesela/measure.h"

namespace tesela::bench {
namespace {

struct Input {
    std::string name;
    LabelImage labels;
    Image<std::uint16_t> values;
};

// Ellipses or ellipsoids, one in each cube of `pitch` points, with borders of their own.
Input cells(const Shape& shape, std::int64_t pitch) {
    Input input{"", LabelImage(shape), Image<std::uint16_t>(shape)};
    std::uint64_t state = 88172645463325252u;
    std::uint32_t label = 0;
    const bool is_volume = shape.z > 1;
    for (std::int64_t z = 0; z < shape.z; z += pitch)
        for (std::int64_t y = 0; y < shape.y; y += pitch)
            for (std::int64_t x = 0; x < shape.x; x += pitch) {
                const auto draw = [&] {
                    return static_cast<double>(next_random(state) % 100) / 100;
                };
                const double a = 0.8 + draw(), b = 0.8 + draw(), c = is_volume ? 0.8 + draw() : 0;
                const double middle = static_cast<double>(pitch - 1) / 2, limit = middle * middle;
                ++label;
                for (std::int64_t k = z; k < std::min(z + pitch, shape.z); ++k)
                    for (std::int64_t j = y; j < std::min(y + pitch, shape.y); ++j)
                        for (std::int64_t i = x; i < std::min(x + pitch, shape.x); ++i) {
                            const double dx = static_cast<double>(i - x) - middle;
                            const double dy = static_cast<double>(j - y) - middle;
                            const double dz = static_cast<double>(k - z) - middle;
                            if (a * dx * dx + b * dy * dy + c * dz * dz <= limit)
                                input.labels(i, j, k) = label;
                        }
            }
    for (std::uint16_t& value : input.values.pixels())
        value = static_cast<std::uint16_t>(next_random(state) % 4096);
    input.name = std::to_string(label) + " objects";
    return input;
}

// One object that is everywhere, and noise of one pixel each.
Input whole(const Shape& shape) {
    Input input{"1 object", LabelImage(shape), Image<std::uint16_t>(shape)};
    for (std::uint32_t& label : input.labels.pixels()) label = 1;
    return input;
}

std::vector<Input> inputs_for(const Options& options) {
    std::vector<Input> inputs;
    if (options.smoke) {
        inputs.push_back(cells({64, 70}, 13));
        inputs.push_back(cells({20, 18, 12}, 6));
        return inputs;
    }
    inputs.push_back(cells({4096, 4096}, 13));
    inputs.push_back(cells({4096, 4096}, 64));
    inputs.push_back(whole({4096, 4096}));
    inputs.push_back(cells({512, 512, 512}, 11));
    return inputs;
}

void measure_input(Table& table, const Device& device, const Input& input) {
    Queue queue(device);
    const Shape& shape = input.labels.shape();
    const DeviceImage<const std::uint32_t> labels{
        queue.upload(std::span<const std::uint32_t>(input.labels.pixels()), "labels"), shape, {}};
    const AnyDeviceView values = DeviceImage<const std::uint16_t>{
        queue.upload(std::span<const std::uint16_t>(input.values.pixels()), "values"), shape, {}};
    const std::array<const AnyDeviceView*, 1> images{&values};
    const auto points = static_cast<double>(shape.points());
    const auto words = queue.allocate_filled<std::uint32_t>(shape.points(), 1u, "words");
    auto copied = queue.allocate<std::uint32_t>(shape.points(), "copied words");
    const auto all = [&](const MeasureOptions& options, bool on_values) {
        return [&, options, on_values] {
            measure(labels, std::span(images).first(on_values ? 1 : 0), options, queue);
        };
    };
    constexpr MeasureOptions none{.boundaries = false, .hulls = false, .percentiles = false};
    const std::string size = size_text(shape);
    table.measure(queue, {{"copy, driver", size, 8 * points, [&] { queue.copy(words, copied); },
                           nullptr, true},
                          {input.name + ", moments and boxes", size, 4 * points, all(none, false)},
                          {input.name + ", and intensities", size, 6 * points, all(none, true)},
                          {input.name + ", and boundaries", size, 4 * points,
                           all({.boundaries = true, .hulls = false, .percentiles = false}, false)},
                          {input.name + ", and hulls", size, 4 * points,
                           all({.boundaries = false, .hulls = true, .percentiles = false}, false)},
                          {input.name + ", all", size, 6 * points, all({}, true)}});
    Queue profiled(device, {.profile = true});
    for (int call = 0; call < 2; ++call) {
        const std::array<AnyImageView, 1> host{input.values};
        measure(input.labels, host, {}, profiled);
    }
    print_kernels("kernels, two calls of all", profiled);
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(
        argc, argv, "tesela_bench_measure", [](Table& table, const Options& options) {
            const auto inputs = inputs_for(options);
            const auto inputs_of = [&](const tesela::Device&) -> const std::vector<Input>& {
                return inputs;
            };
            measure_inputs(table, options, inputs_of, measure_input);
        });
}
