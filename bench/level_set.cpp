// Level sets of a head of 256^3 voxels, from an image on the device to objects at the end of their
// growth. Limits on an H200: one object with smoothing 15 ms, six 40 ms, a changed limit 30 ms;
// one object on two cores 1.5 s. The distance of every voxel to the brain's border. A step of
// additive operator splitting 1 ms, on two cores 250 ms; its whole run 300 ms.
#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "harness.h"
#include "inputs.h"
#include "levelset/aos_surface.h"
#include "tesela/distance.h"
#include "tesela/level_set.h"
#include "tesela/level_set_aos.h"
#include "tesela/synthetic_volume.h"

namespace tesela::bench {
namespace {

// Brain tissue of the synthetic head, and of its phantoms; coordinates are of a side of 256.
struct Growth {
    std::string name, seeds;
    double lower, upper;
};

std::string scaled_ball(std::int64_t side, int x, int y, int z, int radius) {
    const auto at = [&](int v) { return std::to_string(v * side / 256); };
    return "ball:" + at(x) + "," + at(y) + "," + at(z) + "," +
           std::to_string(std::max<std::int64_t>(2, radius * side / 256)) + ";";
}

void measure_growth(Table& table, const Device& device, const AnyImage& image,
                    const std::string& size, const Growth& growth) {
    Queue queue(device);
    LevelSetOptions options{.lower = growth.lower, .upper = growth.upper};
    LevelSetSession session(image, options, queue);
    const Seeds seeds = *parse_seeds(growth.seeds);
    session.add_seeds(seeds);
    const LabelImage start = session.labels();
    LevelSetReport report;
    const auto points = static_cast<double>(shape_of(image).points());
    const auto begin = [&] { session.start_from(start); };
    table.measure(queue, {{.name = growth.name,
                           .size = size,
                           .bytes = 2 * points,
                           .enqueue = [&] { report = session.advance(5000); },
                           .restore = begin,
                           .restores_apart = true}});
    std::printf("  end: %s, %lld iterations, %lld points of the first object\n",
                std::string(enum_name(report.end)).c_str(),
                static_cast<long long>(report.iterations),
                static_cast<long long>(report.objects.front().points));
    table.measure(queue, {{growth.name + ", labels and necks", size, 6 * points, [&] {
                               std::vector<std::string> warnings;
                               session.labels(&warnings);
                           }}});
    // A user moves a limit and looks at the labels.
    table.measure(queue, {{growth.name + ", limit changed, to labels", size, 2 * points, [&] {
                               options.lower =
                                   *options.lower + (*options.lower > growth.lower ? -1 : 1);
                               session.set_options(options);
                               session.advance(5000);
                               session.labels();
                           }}});
    Queue profiled(device, {.profile = true});
    LevelSetSession again(image, options, profiled);
    again.add_seeds(seeds);
    again.advance(5000);
    print_kernels("kernels", profiled, 6);
}

// A step of all voxels, around a ball, and the steps that follow ten of them.
void measure_surface_steps(Table& table, const Device& device, const Shape& shape) {
    Queue queue(device);
    const std::int64_t points = shape.points();
    auto u = queue.allocate_filled<float>(points, 1e6f, "surface");
    const double middle = static_cast<double>(shape.x) / 2;
    add_ball(queue, shape, {{middle, middle, middle}}, middle / 2, 1, u);
    Surface surface(queue, shape, {1, 1, 1}, std::move(u),
                    queue.allocate_filled<float>(points, 0.5f, "stop function"),
                    queue.allocate_filled<std::int8_t>(points, 127, "force"));
    const auto bytes = static_cast<double>(points);
    table.measure(queue, {{"AOS, steps: a dense one", size_text(shape), 73 * bytes,
                           [&] { surface.step({.push = 0.001, .step = 0.5}); }}});
    table.measure(queue, {{"AOS, steps: distances anew", size_text(shape), 64 * bytes,
                           [&] { surface.redistance(); }}});
    Queue profiled(device, {.profile = true});
    auto again = profiled.allocate_filled<float>(points, 1e6f, "surface");
    add_ball(profiled, shape, {{middle, middle, middle}}, middle / 2, 1, again);
    Surface seen(profiled, shape, {1, 1, 1}, std::move(again),
                 profiled.allocate_filled<float>(points, 0.5f, "stop function"),
                 profiled.allocate_filled<std::int8_t>(points, 127, "force"));
    for (int k = 0; k < 10; ++k) seen.step({.push = 0.001, .step = 0.5});
    seen.redistance();
    seen.count();
    print_kernels("kernels", profiled, 6);
}

void measure_surface(Table& table, const Device& device, const AnyImage& image,
                     const std::string& size, std::int64_t side) {
    Queue queue(device);
    const Seeds seeds = *parse_seeds(scaled_ball(side, 170, 128, 128, 10));
    LevelSetAosResult result;
    const auto points = static_cast<double>(shape_of(image).points());
    table.measure(queue, {{"AOS, whole run", size, 2 * points, [&] {
                               result =
                                   level_set_aos(image, seeds, {.lower = 88, .upper = 190}, queue);
                           }}});
    std::printf("  end: %s, %lld iterations, %lld points\n",
                std::string(enum_name(result.end)).c_str(),
                static_cast<long long>(result.iterations),
                static_cast<long long>(result.objects.front().points));
    for (const StageTime& stage : result.stages)
        std::printf("  %s %.1f ms\n", stage.name.c_str(), stage.milliseconds);
}

void measure(Table& table, const Device& device, const Options& options) {
    const std::int64_t side = options.smoke ? 32 : 256;
    const Shape shape{side, side, side};
    const SyntheticVolume made =
        synthetic_volume({.scene = VolumeScene::head, .shape = shape, .noise = 0.05, .bias = 0.2});
    const AnyImage image = made.image;
    const std::string size = size_text(shape);
    const auto is_wanted = [&](const std::string& name) {
        return name.find(options.filter) != std::string::npos;
    };
    std::string six;
    for (const int x : {90, 166})
        for (const int y : {80, 128, 176}) six += scaled_ball(side, x, y, 110, 10);
    for (const Growth& growth :
         {Growth{"one object", scaled_ball(side, 170, 128, 128, 10), 88, 190},
          Growth{"six objects", six, 88, 190}})
        if (is_wanted(growth.name)) measure_growth(table, device, image, size, growth);
    // A made picture has no brain.
    const Picture head = load_pictures().head;
    if (is_wanted("brain of ch2") && head.name == "ch2")
        measure_growth(table, device, head.image, size_text(head.image.shape()),
                       {"brain of ch2", "ball:90,110,80,10", 60, 140});
    if (is_wanted("AOS, steps")) measure_surface_steps(table, device, shape);
    if (is_wanted("AOS, whole run")) measure_surface(table, device, image, size, side);
    Queue queue(device);
    std::vector<std::uint8_t> inside;
    for (const std::uint32_t label : made.truth.pixels()) inside.push_back(label > 1);
    const auto mask = queue.lend(std::span<const std::uint8_t>(inside), "mask");
    table.measure(queue, {{"signed distance", size, 5.0 * static_cast<double>(shape.points()), [&] {
                               signed_distance(queue, shape, {1, 1, 1}, mask);
                           }}});
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_level_set",
                       [](Table& table, const Options& options) {
                           for (const tesela::Device& device : options.devices)
                               measure(table, device, options);
                           table.print_ratios();
                       });
}
