#include <algorithm>

#include "tesela/transfer_function.h"

namespace tesela {
namespace {

// Values of tissues in Hounsfield units: air -1000, lung -900 to -500, fat -120 to -60, water 0,
// muscle 40 to 60, blood with contrast medium 150 to 500, spongy bone from 200, dense bone from
// 700.
const TransferFunction ct_bone{
    .name = "ct-bone",
    .color = {{150, {0.60, 0.32, 0.22}}, {350, {0.88, 0.76, 0.58}}, {900, {1.00, 0.97, 0.90}}},
    .opacity = {{180, 0}, {350, 0.30}, {700, 0.75}, {1500, 0.90}},
    .gradient_opacity = {},
    .reference_length = 1};
const TransferFunction ct_soft{
    .name = "ct-soft",
    .color = {{-150, {0.85, 0.65, 0.45}},
              {-30, {0.86, 0.62, 0.44}},
              {40, {0.72, 0.25, 0.18}},
              {150, {0.85, 0.45, 0.35}},
              {350, {1.00, 0.95, 0.85}}},
    .opacity = {{-180, 0}, {-60, 0.04}, {20, 0.10}, {80, 0.25}, {300, 0.70}},
    .gradient_opacity = {{0, 0.3}, {60, 1}},
    .reference_length = 1};
const TransferFunction ct_lung{
    .name = "ct-lung",
    .color = {{-950, {0.25, 0.30, 0.45}},
              {-750, {0.60, 0.70, 0.85}},
              {-500, {0.90, 0.80, 0.75}},
              {-200, {0.90, 0.55, 0.45}}},
    .opacity = {{-960, 0}, {-850, 0.010}, {-650, 0.06}, {-450, 0.10}, {-350, 0}},
    .gradient_opacity = {},
    .reference_length = 1};
const TransferFunction ct_vessel{
    .name = "ct-vessel",
    .color = {{80, {0.45, 0.05, 0.05}}, {220, {0.85, 0.18, 0.10}}, {500, {1.00, 0.80, 0.60}}},
    .opacity = {{110, 0}, {200, 0.25}, {320, 0.80}, {600, 0.95}},
    .gradient_opacity = {},
    .reference_length = 1};
// Shares of the range between two percentiles.
const TransferFunction mr{
    .name = "mr",
    .color = {{0.1, {0.30, 0.15, 0.10}}, {0.45, {0.80, 0.55, 0.42}}, {1.0, {1.00, 0.96, 0.88}}},
    .opacity = {{0.12, 0}, {0.35, 0.06}, {0.7, 0.25}, {1.1, 0.60}},
    .gradient_opacity = {{0, 0.2}, {0.15, 1}},
    .reference_length = 1,
    .relative = true};
const TransferFunction mr_vessel{
    .name = "mr-vessel",
    .color = {{0.5, {0.50, 0.05, 0.05}}, {1.0, {0.90, 0.25, 0.15}}, {1.8, {1.00, 0.90, 0.75}}},
    .opacity = {{0.75, 0}, {1.0, 0.20}, {1.5, 0.80}},
    .gradient_opacity = {},
    .reference_length = 1,
    .relative = true};
const TransferFunction micro_ct{
    .name = "micro-ct",
    .color = {{0.3, {0.45, 0.40, 0.35}}, {0.6, {0.80, 0.74, 0.62}}, {1.0, {1.00, 0.98, 0.92}}},
    .opacity = {{0.35, 0}, {0.5, 0.5}, {0.8, 0.95}},
    .gradient_opacity = {},
    .reference_length = 0.1,
    .relative = true};

struct Preset {
    std::string_view purpose;
    const TransferFunction& transfer;
};
const std::array all{Preset{"CT: bone", ct_bone},
                     Preset{"CT: skin, muscles and organs", ct_soft},
                     Preset{"CT: lungs and airways", ct_lung},
                     Preset{"CT: bone and vessels with contrast medium", ct_vessel},
                     Preset{"MR: tissue, by percentiles of the volume", mr},
                     Preset{"MR: bright vessels, by percentiles of the volume", mr_vessel},
                     Preset{"micro-CT: dense parts, by percentiles of the volume", micro_ct}};

}  // namespace

const std::vector<TransferPreset>& transfer_presets() {
    static const std::vector<TransferPreset> list = [] {
        std::vector<TransferPreset> made;
        for (const Preset& preset : all) made.push_back({preset.transfer.name, preset.purpose});
        return made;
    }();
    return list;
}

std::optional<TransferFunction> transfer_preset(std::string_view name) {
    for (const Preset& preset : all)
        if (preset.transfer.name == name) return preset.transfer;
    return {};
}

}  // namespace tesela
