// Region growing on images that are on the device. By a fixed predicate, 4096 x 4096 in color with
// 1,024 seeds have to take at most 0.3 ms on an H200; by mean, 3840 x 2160 at most 8 ms there, and
// 512 x 512 at most 60 ms on two cores.
#include <cmath>
#include <string>

#include "harness.h"
#include "inputs.h"
#include "tesela/region_grow.h"

namespace tesela::bench {
namespace {

struct Input {
    std::string name;
    Image<std::uint8_t> image;
    Seeds seeds;
    RegionGrowOptions options;
};

void measure(Table& table, const Device& device, const Input& input) {
    const Shape& shape = input.image.shape();
    const double bytes = static_cast<double>(shape.elements() + 4 * shape.points());
    const auto lend = [&](Queue& queue) {
        return DeviceImage<const std::uint8_t>{
            queue.lend(std::span<const std::uint8_t>(input.image.pixels()), "image"), shape, {}};
    };
    Queue queue(device);
    const auto image = lend(queue);
    table.measure(queue, {{input.name, size_text(shape), bytes,
                           [&] { region_grow(image, input.seeds, input.options, queue); }}});
    Queue profiled(device, {.profile = true});
    const auto again = lend(profiled);
    for (int k = 0; k < 2; ++k) region_grow(again, input.seeds, input.options, profiled);
    print_kernels("both calls, kernels", profiled, 12);
}

std::vector<Input> inputs_for(const Device& device, const Options& options,
                              const Pictures& pictures) {
    const bool smoke = options.smoke;
    const auto& [photo, head] = pictures;
    const Shape large = smoke ? Shape{128, 96, 1, 1, 3} : Shape{4096, 4096, 1, 1, 3};
    const Shape volume = smoke ? Shape{32, 24, 20} : Shape{256, 256, 256};
    const Shape small = smoke ? Shape{64, 48, 1, 1, 3} : Shape{512, 512, 1, 1, 3};
    const Shape frame = smoke ? Shape{96, 54, 1, 1, 3} : Shape{3840, 2160, 1, 1, 3};
    const Seeds grid = GridSeeds{static_cast<double>(large.x) / 32};
    const Seeds inside =
        std::vector<SeedPoint>{{{{std::floor(static_cast<double>(volume.x) / 4),
                                  std::floor(static_cast<double>(volume.y) / 2),
                                  std::floor(static_cast<double>(volume.z) / 3), 0},
                                 3}}};
    std::vector<Input> inputs{
        {"limits, 1,024 seeds", repeated(photo.image, large), grid,
         LimitGrowOptions{.lower = 60, .upper = 200}},
        {"limits of boxes, 1,024 seeds", repeated(photo.image, large), grid,
         LimitGrowOptions{.lower = 60, .upper = 200, .radius = 1}},
        {"confidence", repeated(head.image, volume), inside, ConfidenceGrowOptions{}},
        {"mean", repeated(photo.image, small), AutomaticSeeds{}, MeanGrowOptions{}},
        {"mean", repeated(photo.image, frame), AutomaticSeeds{}, MeanGrowOptions{}},
        {"mean, volume", repeated(head.image, volume), AutomaticSeeds{}, MeanGrowOptions{}}};
    if (device.back_end() == BackEnd::cpu)
        inputs.push_back({"compete by mean, grid", repeated(photo.image, small), GridSeeds{},
                          CompeteGrowOptions{.by = GrowthRule::mean}});
    return inputs;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_seeded_growth",
                       [](Table& table, const Options& options) {
                           const Pictures pictures = load_pictures();
                           const auto inputs_of = [&](const tesela::Device& device) {
                               return inputs_for(device, options, pictures);
                           };
                           measure_inputs(table, options, inputs_of, measure);
                       });
}
