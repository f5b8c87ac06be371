// Region growing of images that are on the device. The thesis's scheme at 477x350 has to take at
// most 0.15 ms on an H200.
#include <cstdio>
#include <string>

#include "harness.h"
#include "segmentation/growth/thesis/shapes.h"
#include "tesela/region_grow_thesis.h"

namespace tesela::bench {
namespace {

using region_thesis::Painting;

std::string size_of(const Painting& painting) {
    return std::to_string(painting.width) + "x" + std::to_string(painting.height);
}

// The five kernels, from RGB to labels and the colored picture.
void measure_thesis(Table& table, const Device& device, const Painting& painting) {
    Queue queue(device);
    const Image<std::uint8_t> image = region_thesis::paint_figure(painting);
    const DeviceImage<const std::uint8_t> picture{
        queue.upload(std::span<const std::uint8_t>(image.pixels()), "picture"), image.shape(), {}};
    std::vector<Case> cases;
    for (const auto& [means, name] : enum_names(ThesisGrowMeans{}))
        cases.push_back({"thesis, means " + std::string(name), size_of(painting),
                         10 * static_cast<double>(image.shape().points()),
                         [&, options = ThesisGrowOptions{.means = means}] {
                             region_grow_thesis(picture, options, queue);
                         }});
    cases.push_back(
        {"thesis, merging by union-find", size_of(painting),
         10 * static_cast<double>(image.shape().points()),
         [&] { region_grow_thesis(picture, {.merging = ThesisGrowMerging::union_find}, queue); }});
    table.measure(queue, cases);
    Queue profiled(device, {.profile = true});
    for (int i = 0; i < 20; ++i) (void)region_grow_thesis(image, {}, profiled);
    print_kernels("kernels", profiled);
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_region_grow",
                       [](Table& table, const Options& options) {
                           for (const tesela::Device& device : options.devices) {
                               Painting painting;
                               painting.noise = 10;
                               if (options.smoke) painting.width = painting.height = 64;
                               measure_thesis(table, device, painting);
                               if (options.smoke) continue;
                               painting.figure = tesela::region_thesis::Figure::two_tones;
                               painting.width = painting.height = 8192;
                               if (device.properties().is_gpu)
                                   measure_thesis(table, device, painting);
                           }
                           table.print_ratios();
                       });
}
