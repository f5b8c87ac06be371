// Registration from host to host, as a program with its images in memory sees it: a pair of
// sections of the size of Rat-Kidney, any rotation and mirrored, and two volumes of 256^3 moved
// rigidly, without a search. Limits: the pair 0.5 s on an H200, the volumes 12 s on two cores.
#include <cmath>
#include <cstdio>
#include <string>

#include "harness.h"
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

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_registration",
                       [](Table& table, const Options& options) {
                           for (const tesela::Device& device : options.devices) {
                               measure_pair(table, options, device);
                               measure_volumes(table, options, device);
                           }
                           table.print_ratios();
                       });
}
