// Registration from host to host, as a program with its images in memory sees it: a pair of
// sections of the size of Rat-Kidney, any rotation and mirrored, and two volumes of 256^3 moved
// rigidly, without a search; two slides of 16384^2 pixels from memory, and their windows alone, on
// the device. Limits: the pair 0.5 s on an H200, the volumes 12 s on two cores, the windows 2.5 s
// on an H100.
#include <cmath>
#include <cstdio>
#include <string>

#include "harness.h"
#include "registration/window_matcher.h"
#include "tesela/picture_source.h"
#include "tesela/register_slides.h"
#include "tesela/registration.h"
#include "tesela/synthetic_sections.h"
#include "tesela/synthetic_volume.h"
#include "tesela/warp.h"

namespace tesela::bench {
namespace {

bool is_wanted(const Options& options, const std::string& name) {
    return name.find(options.filter) != name.npos;
}

void print_stages(const RegistrationResult& result) {
    std::printf("  similarity %.3f, margin %.3f;", result.coarse_similarity, result.margin);
    for (const StageTime& stage : result.stages)
        std::printf(" %s %.1f ms", stage.name.c_str(), stage.milliseconds);
    std::printf("\n");
}

void measure_pair(Table& table, const Options& options, const Device& device) {
    const std::string name = "pair of sections (H200 500 ms)";
    if (!is_wanted(options, name)) return;
    SyntheticSectionsOptions series{.width = 1164, .height = 790, .deformation = 0.015, .seed = 3};
    if (options.smoke) series.width = series.height = 64;
    const AnyImage fixed = synthetic_stack_section(series, 0).picture;
    const AnyImage moving = synthetic_stack_section(series, 1).picture;
    Queue queue(device);
    RegistrationResult result;
    const auto run = [&] {
        result = register_images(fixed, moving, {.accept_poor = options.smoke}, queue);
    };
    table.measure(queue,
                  {{name, "1164x790", static_cast<double>(2 * shape_of(fixed).elements()), run}});
    if (!options.smoke) print_stages(result);
}

void measure_volumes(Table& table, const Options& options, const Device& device) {
    const std::string name = "volumes, rigid (2 cores 12 s)";
    if (!is_wanted(options, name)) return;
    const std::int64_t side = options.smoke ? 32 : 256;
    const AnyImage fixed = synthetic_volume({.shape = {side, side, side}}).image;
    const double c = std::cos(0.12), s = std::sin(0.12), middle = static_cast<double>(side) / 2;
    LinearMap turn{LinearKind::rigid, {c, -s, 0, s, c, 0, 0, 0, 1}, {}};
    const SpacePoint turned = turn({middle, middle, middle});
    turn.translation = {middle - turned[0] + 5, middle - turned[1] - 3, middle - turned[2] + 4};
    Queue queue(device);
    const AnyImage moving =
        warp(fixed, {.dimensions = 3, .unit = Unit::millimeter, .steps = {turn}}, grid_of(fixed),
             {.inverse = true}, queue);
    RegistrationResult result;
    const auto run = [&] {
        result = register_images(fixed, moving, {.accept_poor = options.smoke}, queue);
    };
    table.measure(queue, {{name, std::to_string(side) + "^3",
                           static_cast<double>(2 * shape_of(fixed).elements()), run}});
    if (!options.smoke) print_stages(result);
}

// Windows of one section and the next, each in its own box, repeated as often as a batch needs.
WindowBoxes boxes_of(const AnyImage& section, const WindowSizes& sizes, std::int64_t count) {
    const auto& picture = std::get<Image<std::uint8_t>>(section);
    const std::int64_t side = sizes.side(), room = picture.shape().x - side;
    WindowBoxes boxes;
    for (std::int64_t i = 0; i < count; ++i) {
        boxes.firsts.push_back(static_cast<std::int64_t>(boxes.pixels.size()));
        boxes.sizes.insert(boxes.sizes.end(), 2, static_cast<std::int32_t>(side));
        const std::int64_t left = i * 37 % (room + 1), top = i * 53 % (room + 1);
        for (std::int64_t y = 0; y < side; ++y)
            for (std::int64_t x = 0; x < side; ++x)
                boxes.pixels.push_back(
                    static_cast<std::uint16_t>(257 * picture(left + x, top + y, 0, 0, 1)));
        for (const bool is_row : {false, true})
            for (std::int64_t y = 0; y < sizes.nodes(); ++y)
                for (std::int64_t x = 0; x < sizes.nodes(); ++x)
                    boxes.nodes.push_back(static_cast<float>((is_row ? y : x) * WindowSizes::cell));
    }
    return boxes;
}

// As many windows as a slide of 16384^2 pixels has, which lie on the device, W1 = 350 in W2 = 700.
void measure_windows(Table& table, const Options& options, const Device& device) {
    const std::string name = "windows of a slide (H100 2.5 s)";
    if (!is_wanted(options, name)) return;
    const WindowSizes sizes = options.smoke ? WindowSizes{32, 16} : WindowSizes{350, 175};
    const std::int64_t side = options.smoke ? 128 : 1024;
    const SyntheticSectionsOptions series{
        .width = side, .height = side, .rotation = 0, .mirror = SectionMirror::no, .shift = 0.01};
    const std::int64_t batch = WindowMatcher::batch(device);
    const std::int64_t windows = options.smoke ? batch : 2116;
    const WindowBoxes fixed = boxes_of(synthetic_stack_section(series, 0).picture, sizes, batch);
    const WindowBoxes moving = boxes_of(synthetic_stack_section(series, 1).picture, sizes, batch);
    Queue queue(device);
    WindowMatcher matcher(queue, sizes);
    const auto here = matcher.lend(fixed), there = matcher.lend(moving);
    table.measure(queue, {{name, std::to_string(windows) + " of " + std::to_string(sizes.window), 0,
                           [&] {
                               for (std::int64_t i = 0; i < windows; i += batch)
                                   matcher.match(here, there);
                           }},
                          {"upload of a batch", std::to_string(batch),
                           static_cast<double>(2 * 2 * batch * sizes.side() * sizes.side()), [&] {
                               matcher.lend(fixed);
                               matcher.lend(moving);
                           }}});
    if (options.smoke) return;
    Queue profiled(device, {.profile = true});
    WindowMatcher same(profiled, sizes);
    const auto same_here = same.lend(fixed), same_there = same.lend(moving);
    for (int turn = 0; turn < 5; ++turn) same.match(same_here, same_there);
    print_kernels(device.id() + ", windows x " + std::to_string(batch), profiled, 12);
}

void measure_slides(Table& table, const Options& options, const Device& device) {
    const std::string name = "pair of slides, from memory";
    if (!is_wanted(options, name)) return;
    const std::int64_t side = options.smoke ? 128 : 16384;
    const SyntheticSectionsOptions series{.width = side, .height = side, .seed = 3};
    const AnyImage fixed = synthetic_stack_section(series, 0).picture;
    const AnyImage moving = synthetic_stack_section(series, 1).picture;
    SlideRegistrationOptions slides;
    slides.accept_poor = options.smoke;
    if (options.smoke) slides.thumbnail = 64, slides.window = 24, slides.search = 8;
    Queue queue(device);
    SlideRegistration result;
    const auto run = [&] {
        result = register_slides(*picture_source(AnyImageView(fixed)),
                                 *picture_source(AnyImageView(moving)), slides, queue,
                                 {.refine_poor = true});
    };
    table.measure(queue, {{name, std::to_string(side) + "^2",
                           static_cast<double>(2 * shape_of(fixed).elements()), run}});
    if (!options.smoke) print_stages(result);
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_registration",
                       [](Table& table, const Options& options) {
                           for (const tesela::Device& device : options.devices) {
                               measure_pair(table, options, device);
                               measure_volumes(table, options, device);
                               measure_windows(table, options, device);
                               measure_slides(table, options, device);
                           }
                           table.print_ratios();
                       });
}
