// Fourier transforms, by the device's own way and by the portable kernels, and template matching,
// on data that is on the device. Limits of a match in a batch of 64: 200 us on an H200, 45 ms on
// two cores.
#include <string>
#include <vector>

#include "compute/portable_fft.h"
#include "harness.h"
#include "tesela/compute/fft.h"
#include "tesela/match_template.h"

namespace tesela::bench {
namespace {

std::vector<std::uint16_t> noise(std::int64_t count) {
    std::vector<std::uint16_t> values(static_cast<std::size_t>(count));
    std::uint32_t state = 1;
    for (std::uint16_t& value : values) {
        state = 1664525u * state + 1013904223u;
        value = static_cast<std::uint16_t>(state >> 16);
    }
    return values;
}

void measure_transforms(Table& table, const Device& device, const Options& options) {
    Queue queue(device);
    struct Size {
        FftShape shape;
        const char* name;
    };
    const std::vector<Size> sizes = options.smoke
                                        ? std::vector<Size>{{{{60, 44, 1}, 1}, "60 x 44"}}
                                        : std::vector<Size>{{{{1372, 1372, 1}, 1}, "1372^2"},
                                                            {{{1372, 1372, 1}, 64}, "1372^2 x 64"},
                                                            {{{2048, 2048, 1}, 1}, "2048^2"},
                                                            {{{1499, 1499, 1}, 1}, "1499^2"},
                                                            {{{128, 128, 128}, 1}, "128^3"}};
    for (const auto& [shape, name] : sizes) {
        if (shape.batch > 1 && !device.properties().is_gpu) continue;
        auto real = queue.allocate_filled<float>(shape.values(), 1.0f, "real");
        auto spectrum = queue.allocate<float>(2 * shape.half_values(), "spectrum");
        const auto bytes = static_cast<double>(4 * shape.values() + 8 * shape.half_values());
        const auto forward = [&, shape = shape] { fft_forward(queue, shape, real, spectrum); };
        std::vector<Case> cases{
            {"fft_forward", name, bytes, forward},
            {"fft_inverse", name, bytes,
             [&, shape = shape] { fft_inverse(queue, shape, spectrum, real); }, forward}};
        const std::int64_t tuned = queue.counters().tuned_primitives;
        forward();
        if (queue.counters().tuned_primitives > tuned)
            cases.push_back({"fft_forward, portable", name, bytes, [&, shape = shape] {
                                 detail::portable::fft_forward(queue, shape, real, spectrum);
                             }});
        table.measure(queue, cases);
    }
}

void measure_matches(Table& table, const Device& device, const Options& options) {
    Queue queue(device);
    for (const std::int64_t batch : {1, 64}) {
        if (batch > 1 && (options.smoke || !device.properties().is_gpu)) break;
        MatchShape shape{683, 683, 1366, 1366, batch};
        if (options.smoke) shape = {20, 20, 41, 41, batch};
        const auto pattern_values = noise(shape.pattern_width * shape.pattern_height * batch);
        const auto image_values = noise(shape.width * shape.height * batch);
        const auto patterns =
            queue.lend(std::span<const std::uint16_t>(pattern_values), "patterns");
        const auto images = queue.lend(std::span<const std::uint16_t>(image_values), "images");
        const auto places = (shape.width - shape.pattern_width + 1) *
                            (shape.height - shape.pattern_height + 1) * batch;
        const auto bytes = static_cast<double>(2 * (patterns.size() + images.size()) + 4 * places);
        table.measure(queue, {{"match",
                               std::to_string(shape.pattern_width) + "^2 in " +
                                   std::to_string(shape.width) + "^2 x " + std::to_string(batch),
                               bytes, [&] { match_scores(queue, shape, patterns, images); }}});
        if (options.smoke) continue;
        Queue profiled(device, {.profile = true});
        const auto same_patterns =
            profiled.lend(std::span<const std::uint16_t>(pattern_values), "patterns");
        const auto same_images =
            profiled.lend(std::span<const std::uint16_t>(image_values), "images");
        for (int round = 0; round < 3; ++round)
            match_scores(profiled, shape, same_patterns, same_images);
        print_kernels(device.id() + ", match x " + std::to_string(batch), profiled, 12);
    }
}

void run(Table& table, const Options& options) {
    for (const Device& device : options.devices) {
        measure_transforms(table, device, options);
        measure_matches(table, device, options);
    }
    table.print_ratios();
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    return tesela::bench::run_program(argc, argv, "tesela_bench_fft", tesela::bench::run);
}
