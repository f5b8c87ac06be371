// Minimax growth of images that are on the device: many seeds in a picture, two in a volume. From
// values and seeds to labels, weights and the restored seeds included. Limits: 4096x4096 in
// color with 1,024 seeds 10 ms on an H200 and 250 ms on two cores; 512x512x785 0.25 s on an H200.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "harness.h"
#include "inputs.h"
#include "segmentation/watershed/minimax.h"

namespace tesela::bench {
namespace {

struct Input {
    std::string name;
    Shape shape;  // of one channel
    int channels;
    std::vector<std::uint16_t> planes;
    std::vector<std::uint32_t> seeds;
    std::vector<int> axes;  // of neighbors
};

// `count` seeds of one point, one in each cell of a grid, at random places in it.
std::vector<std::uint32_t> seeds_of(const Shape& shape, std::int64_t per_axis) {
    std::vector<std::uint32_t> seeds(static_cast<std::size_t>(shape.points()), 0);
    std::uint64_t state = 12345;
    std::uint32_t label = 0;
    for (std::int64_t row = 0; row < per_axis; ++row)
        for (std::int64_t column = 0; column < per_axis; ++column) {
            const auto place = [&](std::int64_t cell, std::int64_t length) {
                const std::int64_t side = length / per_axis;
                return cell * side + static_cast<std::int64_t>(next_random(state)) % side;
            };
            const std::int64_t x = place(column, shape.x), y = place(row, shape.y);
            seeds[static_cast<std::size_t>(y * shape.x + x)] = ++label;
        }
    return seeds;
}

Input noise(const Shape& shape, int channels, unsigned levels) {
    Input input{"noise " + std::to_string(levels), shape, channels, {}, {}, {1}};
    input.planes.resize(static_cast<std::size_t>(shape.points() * channels));
    std::uint64_t state = 88172645463325252u;
    for (auto& value : input.planes)
        value = static_cast<std::uint16_t>(next_random(state) % levels);
    return input;
}

// Channel c of the picture at fractions of a pixel, in 1/256, between its four neighbors.
int between(const Image<std::uint8_t>& image, std::int64_t x, std::int64_t y, int c) {
    const Shape& s = image.shape();
    const auto at = [&](std::int64_t column, std::int64_t row) {
        return static_cast<int>(image(std::min(column, s.x - 1), std::min(row, s.y - 1), 0, 0, c));
    };
    const int fx = static_cast<int>(x % 256), fy = static_cast<int>(y % 256);
    const int upper = at(x / 256, y / 256) * (256 - fx) + at(x / 256 + 1, y / 256) * fx;
    const int lower = at(x / 256, y / 256 + 1) * (256 - fx) + at(x / 256 + 1, y / 256 + 1) * fx;
    return (upper * (256 - fy) + lower * fy + (1 << 15)) >> 16;
}

// A photograph repeated, or enlarged, to fill the shape.
Input photograph(const Picture& picture, const Shape& shape, bool enlarged) {
    const Shape& from = picture.image.shape();
    Input input{picture.name + (enlarged ? " enlarged" : " repeated"), shape, 3, {}, {}, {1}};
    for (int c = 0; c < 3; ++c)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                input.planes.push_back(static_cast<std::uint16_t>(
                    enlarged ? between(picture.image, x * from.x * 256 / shape.x,
                                       y * from.y * 256 / shape.y, c)
                             : picture.image(x % from.x, y % from.y, 0, 0, c)));
    return input;
}

// A scan repeated to fill the shape, with one seed in its middle and one in a corner.
Input scan(const Picture& picture, const Shape& shape) {
    const Shape& from = picture.image.shape();
    Input input{picture.name, shape, 1, {}, {}, {1}};
    input.planes.reserve(static_cast<std::size_t>(shape.points()));
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                input.planes.push_back(picture.image(x % from.x, y % from.y, z % from.z));
    input.seeds.assign(static_cast<std::size_t>(shape.points()), 0);
    input.seeds[0] = 1;
    const std::int64_t middle = (shape.z / 2 * shape.y + shape.y / 2) * shape.x + shape.x / 2;
    input.seeds[static_cast<std::size_t>(middle)] = 2;
    return input;
}

std::vector<Input> inputs_for(const Device& device, const Options& options,
                              const Pictures& pictures) {
    const auto& [photo, head] = pictures;
    const Shape large = options.smoke ? Shape{64, 70} : Shape{4096, 4096};
    const std::int64_t seeds = options.smoke ? 3 : 32;
    std::vector<Input> inputs;
    inputs.push_back(photograph(photo, large, false));
    inputs.back().axes = {1, 2};
    inputs.push_back(photograph(photo, large, true));
    inputs.push_back(noise(large, 3, 256));
    inputs.push_back(noise(large, 3, 4));
    for (Input& input : inputs) input.seeds = seeds_of(input.shape, seeds);
    if (device.properties().is_gpu && !options.smoke) {
        inputs.push_back(noise({16384, 16384}, 3, 256));
        inputs.back().seeds = seeds_of(inputs.back().shape, 4 * seeds);
    }
    inputs.push_back(scan(head, options.smoke ? Shape{20, 18, 12} : head.image.shape()));
    inputs.back().axes = {1, 3};
    if (device.properties().is_gpu && !options.smoke) inputs.push_back(scan(head, {512, 512, 785}));
    return inputs;
}

void measure(Table& table, const Device& device, const Input& input) {
    Queue queue(device);
    const auto points = static_cast<double>(input.shape.points());
    const auto values = queue.upload(std::span<const std::uint16_t>(input.planes), "values");
    const auto seeds = queue.upload(std::span<const std::uint32_t>(input.seeds), "seeds");
    auto labels = queue.allocate<std::uint32_t>(input.shape.points(), "labels");
    for (const int axes : input.axes) {
        const MinimaxGrid grid(input.shape, axes);
        MinimaxReport report;
        const auto grow = [&] {
            queue.copy(seeds, labels);
            report = minimax_grow(queue, grid, minimax_weights(queue, grid, input.channels, values),
                                  labels);
        };
        table.measure(queue, {{input.name + ", " + std::to_string(grid.neighbors()) + "-n",
                               size_text(input.shape), points * (8 + 2.0 * input.channels), grow}});
        const auto share = [&](std::int64_t visits) {
            return static_cast<double>(visits) / static_cast<double>(report.parts);
        };
        std::printf("  costs: %d rounds, %.2f visits of each part; hops: %d rounds, %.2f visits\n",
                    report.cost_rounds, share(report.cost_visits), report.hop_rounds,
                    share(report.hop_visits));
        Queue profiled(device, {.profile = true});
        const auto own_values =
            profiled.upload(std::span<const std::uint16_t>(input.planes), "values");
        auto own_labels = profiled.upload(std::span<const std::uint32_t>(input.seeds), "labels");
        minimax_grow(profiled, grid, minimax_weights(profiled, grid, input.channels, own_values),
                     own_labels);
        print_kernels("kernels", profiled);
    }
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_minimax",
                       [](Table& table, const Options& options) {
                           const Pictures pictures = load_pictures();
                           const auto inputs_of = [&](const tesela::Device& device) {
                               return inputs_for(device, options, pictures);
                           };
                           measure_inputs(table, options, inputs_of, measure);
                       });
}
