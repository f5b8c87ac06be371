// Region growing on images that are on the device. By a fixed predicate, 4096 x 4096 in color with
// 1,024 seeds have to take at most 0.3 ms on an H200; by mean, 3840 x 2160 at most 8 ms there, and
// 512 x 512 at most 60 ms on two cores.
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "harness.h"
#include "inputs.h"
#include "segmentation/growth/adams_bischof.h"
#include "segmentation/growth/by_mean.h"
#include "segmentation/growth/confidence.h"
#include "segmentation/growth/connected.h"

namespace tesela::bench {
namespace {

struct Input {
    std::string name;
    Image<std::uint8_t> image;
    Seeds seeds;
    RegionGrowOptions options;
};

using Job = GrowthJob<std::uint8_t>;
Buffer<std::uint32_t> grow(Job& job, const MeanGrowOptions& o) { return grow_by_mean(job, o); }
Buffer<std::uint32_t> grow(Job& job, const LimitGrowOptions& o) { return grow_connected(job, o); }
Buffer<std::uint32_t> grow(Job& job, const ToleranceGrowOptions& o) {
    return grow_connected(job, o);
}
Buffer<std::uint32_t> grow(Job& job, const ConfidenceGrowOptions& o) {
    return grow_confidence(job, o);
}
Buffer<std::uint32_t> grow(Job& job, const CompeteGrowOptions& o) {
    return grow_adams_bischof(job, o);
}

// Calls `use` with a function that grows the input's regions on the queue, and one that has to be
// called before it each time, or none: growth by mean gives up the pixels.
template <class Use>
void with_growth(Queue& queue, const Input& input, const Use& use) {
    const Shape& shape = input.image.shape();
    const bool by_mean = std::holds_alternative<MeanGrowOptions>(input.options);
    const PlacedSeeds seeds = by_mean ? PlacedSeeds{} : place_seeds(input.seeds, shape, {});
    const Progress progress;
    RegionGrowReport report;
    LabelImage labels({shape.x, shape.y, shape.z});
    const std::span<const std::uint8_t> host(input.image.pixels());
    Job job{input.image,
            {queue.lend(host, "image"), shape, {}},
            true,
            shape.channels,
            by_mean ? SeedChoice::automatic : SeedChoice::of_objects,
            seeds,
            by_mean ? shape.dimensions() : 1,
            queue,
            progress,
            report,
            std::span<std::uint32_t>(labels.pixels())};
    const auto call = [&] {
        std::visit([&](const auto& options) { grow(job, options); }, input.options);
    };
    if (!by_mean) {
        use(call, nullptr);
        return;
    }
    const auto image = queue.lend(host, "image");
    use(call, [&] {
        auto copied = queue.allocate<std::uint8_t>(image.size(), "copied image");
        queue.copy(image, copied);
        job.pixels.pixels = std::move(copied);
    });
}

void measure(Table& table, const Device& device, const Input& input) {
    const Shape& shape = input.image.shape();
    const double bytes = static_cast<double>(shape.elements() + 4 * shape.points());
    Queue queue(device);
    with_growth(queue, input, [&](const auto& call, const std::function<void()>& restore) {
        table.measure(queue, {{input.name, size_text(shape), bytes, call, restore}});
    });
    Queue profiled(device, {.profile = true});
    with_growth(profiled, input, [&](const auto& call, const std::function<void()>& restore) {
        for (int k = 0; k < 2; ++k) {
            if (restore) restore();
            call();
        }
    });
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
