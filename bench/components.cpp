// Connected components of images that are on the device: told apart, with labels 1..N, the wait for
// N included, and with their areas, boxes and centroids as well.
// Equal values of 8-bit images, as the published labelings have it, and features within a distance,
// as mean shift has it.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "harness.h"
#include "inputs.h"
#include "segmentation/components/component_statistics.h"
#include "segmentation/components/components.h"
#include "tesela/error.h"

namespace tesela::bench {
namespace {

constexpr std::int32_t feature_unit = 256;  // features of a step of an 8-bit value

struct Input {
    std::string name;
    Shape shape;  // of one channel
    int channels;
    std::vector<std::uint8_t> values;  // one plane a channel
    std::vector<int> axes;             // of neighbors
    std::int64_t distance = -1;        // of features, in steps of a value; -1: equal values
};

// `percent` of the points are 1.
Input random_input(const Shape& shape, unsigned percent, std::vector<int> axes) {
    Input input{"random " + std::to_string(percent) + " %", shape, 1, {}, std::move(axes)};
    input.values.resize(static_cast<std::size_t>(shape.points()));
    std::uint64_t state = 88172645463325252u;
    for (std::uint8_t& value : input.values) {
        value = next_random(state) % 100 < percent ? 1 : 0;
    }
    return input;
}

// A picture repeated to fill the shape, its channels in planes.
Input repeated(const Picture& picture, const Shape& shape, int channels) {
    const Shape& from = picture.image.shape();
    Input input{picture.name, shape, channels, {}, {2}};
    input.values.reserve(static_cast<std::size_t>(shape.points() * channels));
    for (int c = 0; c < channels; ++c)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const std::int64_t point = y % from.y * from.x + x % from.x;
                input.values.push_back(picture.image.pixels()[static_cast<std::size_t>(
                    point * from.channels + c % from.channels)]);
            }
    return input;
}

Input binary(Input input) {
    for (std::uint8_t& value : input.values) value = value > 127 ? 1 : 0;
    input.name += " > 127";
    input.axes = {1, 2};
    return input;
}

Input near(Input input, std::int64_t distance) {
    input.distance = distance;
    input.name += input.channels == 1 ? " gray" : " color";
    return input;
}

std::vector<Input> inputs_for(const Device& device, const Options& options,
                              const Pictures& pictures) {
    const auto& [photo, head] = pictures;
    if (options.smoke)
        return {random_input({64, 70}, 50, {1, 2}), random_input({20, 18, 12}, 30, {1, 3}),
                near(repeated(photo, {64, 70}, 3), 8)};
    const Shape large{4096, 4096};
    std::vector<Input> inputs;
    inputs.push_back(random_input(large, 50, {1, 2}));
    inputs.push_back(binary(repeated(photo, large, 1)));
    inputs.push_back(repeated(photo, large, 1));
    inputs.back().axes = {1, 2};
    inputs.push_back(near(repeated(photo, large, 1), 4));
    inputs.push_back(near(repeated(photo, large, 3), 8));
    inputs.push_back(near(repeated(photo, {512, 512}, 3), 8));
    Shape flat = head.image.shape();
    flat.channels = 1;
    Input scan{head.name, flat, 1, {}, {1, 3}};
    scan.values.assign(head.image.pixels().begin(), head.image.pixels().end());
    inputs.push_back(near(scan, 4));
    inputs.push_back(random_input({256, 256, 256}, 30, {1, 3}));
    if (device.properties().is_gpu) {
        inputs.push_back(random_input({512, 512, 512}, 30, {1}));
        inputs.push_back(random_input({16384, 16384}, 50, {1}));
    }
    return inputs;
}

int neighbors(const Shape& shape, int axes) {
    if (shape.z == 1) return axes == 1 ? 4 : 8;
    return axes == 1 ? 6 : axes == 2 ? 18 : 26;
}

// Calls `use` with a function that labels the input, on the queue, for an axes count, and gives the
// number of components.
template <class Use>
void with_labeling(Queue& queue, const Input& input, Buffer<std::uint32_t>& labels,
                   const Use& use) {
    if (input.distance < 0) {
        const auto values = queue.lend(std::span<const std::uint8_t>(input.values), "values");
        use([&](int axes) {
            return queue.download(label_components(queue, input.shape, values, axes, labels))[0];
        });
        return;
    }
    std::vector<std::int32_t> host(input.values.begin(), input.values.end());
    for (std::int32_t& value : host) value *= feature_unit;
    const auto features = queue.upload(std::span<const std::int32_t>(host), "features");
    const std::int64_t limit = input.distance * feature_unit;
    use([&](int axes) {
        return queue.download(label_components(queue, input.shape, input.channels, features,
                                               limit * limit, axes, labels))[0];
    });
}

void measure(Table& table, const Device& device, const Input& input) {
    Queue queue(device);
    const Shape& shape = input.shape;
    const std::string size = size_text(shape);
    const bool equal = input.distance < 0;
    const auto points = static_cast<double>(shape.points());
    const auto words = queue.allocate_filled<std::uint32_t>(shape.points(), 1u, "words");
    auto copied = queue.allocate<std::uint32_t>(shape.points(), "copied words");
    auto labels = queue.allocate<std::uint32_t>(shape.points(), "labels");
    Buffer<const std::uint8_t> values;
    if (equal) values = queue.lend(std::span<const std::uint8_t>(input.values), "values");
    const double bytes = points * (4 + static_cast<double>((equal ? 1 : 4) * input.channels));
    with_labeling(queue, input, labels, [&](const auto& label) {
        std::vector<Case> cases{
            {"copy, driver", size, 8 * points, [&] { queue.copy(words, copied); }, nullptr, true}};
        for (const int axes : input.axes) {
            const std::string name =
                input.name + ", " + std::to_string(neighbors(shape, axes)) + "-n";
            cases.push_back({name, size, bytes, [&label, axes] { label(axes); }});
            if (!equal) continue;
            cases.push_back({name + ", told apart", size, bytes, [&, axes] {
                                 tell_components_apart(queue, shape, values, axes, labels);
                             }});
            const double records = 4.0 * label(axes) * component_record_words(shape);
            cases.push_back({name + ", areas, boxes, centroids", size, bytes + records, [&, axes] {
                                 measure_components(queue, shape, values, axes, labels);
                             }});
        }
        table.measure(queue, cases);
        std::printf("  %u components\n", label(input.axes.front()));
    });
    for (const int axes : input.axes) {
        Queue profiled(device, {.profile = true});
        auto profiled_labels = profiled.allocate<std::uint32_t>(shape.points(), "labels");
        with_labeling(profiled, input, profiled_labels, [&](const auto& label) {
            for (int call = 0; call < 2; ++call) label(axes);
        });
        if (equal) {
            const auto lent = profiled.lend(std::span<const std::uint8_t>(input.values), "values");
            for (int call = 0; call < 2; ++call)
                measure_components(profiled, shape, lent, axes, profiled_labels);
        }
        print_kernels(std::to_string(neighbors(shape, axes)) + "-n, kernels, two calls", profiled);
    }
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_components",
                       [](Table& table, const Options& options) {
                           const Pictures pictures = load_pictures();
                           const auto inputs_of = [&](const tesela::Device& device) {
                               return inputs_for(device, options, pictures);
                           };
                           measure_inputs(table, options, inputs_of, measure);
                       });
}
