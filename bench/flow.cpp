// Optical flow between frames that are on the device. The work does not depend on what they show.
#include <string>
#include <vector>

#include "harness.h"
#include "tesela/horn_schunck.h"
#include "tesela/lucas_kanade.h"
#include "tesela/synthetic_flow.h"
#include "tesela/tv_l1.h"

namespace tesela::bench {
namespace {

std::vector<float> planes_of(std::int64_t width, std::int64_t height) {
    SyntheticScene scene;
    scene.texture = SyntheticTexture::broadband;
    scene.width = width;
    scene.height = height;
    scene.motion = {0.01, 0.01, 2, 1};
    std::vector<float> planes;
    for (const int index : {0, 1}) {
        const Image<float> frame = synthetic_frame(scene, index);
        for (const float value : frame.pixels()) planes.push_back(value / 255);
    }
    return planes;
}

struct Setting {
    std::string name;
    HornSchunckOptions options;
};

// S1: a fixed amount of work; light: few steps, as the thesis's fast configuration.
std::vector<Setting> settings() {
    HornSchunckOptions fixed{.levels = 5, .warps = 10, .sweeps = 60, .alpha = 60.0 / (255 * 255)};
    fixed.scale = 0.5;
    fixed.solver = FlowSolver::jacobi;
    fixed.medians = 1;
    HornSchunckOptions fixed_sor = fixed;
    fixed_sor.solver = FlowSolver::sor;
    return {{"Horn-Schunck", {}},
            {"Horn-Schunck S1", fixed},
            {"Horn-Schunck S1, over-relaxed", fixed_sor},
            {"Horn-Schunck thesis light", {.variant = HornSchunckVariant::thesis}}};
}

void measure(Table& table, const Device& device, std::int64_t width, std::int64_t height) {
    Queue queue(device);
    const std::vector<float> planes = planes_of(width, height);
    const DeviceImage<const float> frames{
        queue.upload(std::span<const float>(planes), "frames"), {width, height, 1, 2}, {}};
    std::vector<float> interleaved;
    for (const float value : planes) interleaved.insert(interleaved.end(), 3, value);
    const DeviceImage<const float> colors{
        queue.upload(std::span<const float>(interleaved), "frames"), {width, height, 1, 2, 3}, {}};
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    for (const Setting& setting : settings())
        table.measure(queue, {{setting.name, size, 16.0 * static_cast<double>(width * height),
                               [&] { horn_schunck(frames, setting.options, queue); }}});
    for (const auto variant : {LucasKanadeVariant::standard, LucasKanadeVariant::thesis,
                               LucasKanadeVariant::thesis_basic, LucasKanadeVariant::thesis_local})
        table.measure(queue, {{"Lucas-Kanade " + std::string(enum_name(variant)), size,
                               16.0 * static_cast<double>(width * height),
                               [&] { lucas_kanade(frames, {.variant = variant}, queue); }}});
    table.measure(queue, {{"TV-L1", size, 16.0 * static_cast<double>(width * height),
                           [&] { tv_l1(frames, {}, queue); }}});
    table.measure(queue, {{"TV-L1, colors", size, 32.0 * static_cast<double>(width * height),
                           [&] { tv_l1(colors, {}, queue); }}});
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_flow", [](Table& table, const Options& options) {
        for (const tesela::Device& device : options.devices) {
            if (options.smoke) {
                measure(table, device, 40, 30);
                continue;
            }
            measure(table, device, 640, 480);
            measure(table, device, 1920, 1080);
        }
        table.print_ratios();
    });
}
