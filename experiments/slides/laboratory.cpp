#include "experiments/slides/laboratory.h"

#include <algorithm>
#include <random>

#include "tesela/synthetic_slide.h"

namespace tesela::experiments {
namespace {

double stage_of(const std::vector<StageTime>& stages, std::string_view name) {
    const auto found = std::find_if(stages.begin(), stages.end(),
                                    [&](const StageTime& stage) { return stage.name == name; });
    return found == stages.end() ? 0 : found->milliseconds;
}

}  // namespace

std::vector<PrintedScene> SlideLaboratory::scenes() const {
    if (quick()) return {printed_scenes[0], printed_scenes[3]};
    return {printed_scenes.begin(), printed_scenes.end()};
}

std::vector<int> SlideLaboratory::orders() const {
    if (quick()) return {4, 12, 34};
    return {4, 8, 12, 16, 20, 24, 28, 32, 34};
}

std::vector<int> SlideLaboratory::sides() const {
    if (quick()) return {64, 128};
    return {64, 128, 256, 512, 1024, 2048};
}

double SlideLaboratory::milliseconds(std::size_t device, const SyntheticCircles& scene,
                                     const ThesisCircleOptions& options, int threads) {
    return milliseconds_of(
        [&] { (void)circles_thesis(scene.image, options, queue(device), threads, progress()); });
}

double SlideLaboratory::milliseconds(std::size_t device, const Image<float>& image,
                                     const ThesisZernikeOptions& options) {
    ThesisZernike work(image, options, queue(device));
    return milliseconds_of([&] { (void)work.compute(); });
}

TextureTimes SlideLaboratory::times(std::size_t device, const AnyImageView& tile,
                                    const ThesisTextureOptions& options) {
    struct Stage {
        std::string_view name;
        double TextureTimes::*time;
    };
    constexpr std::array names{
        Stage{"prepare", &TextureTimes::prepare},   Stage{"upload", &TextureTimes::upload},
        Stage{"color", &TextureTimes::color},       Stage{"matrices", &TextureTimes::matrices},
        Stage{"patterns", &TextureTimes::patterns}, Stage{"histogram", &TextureTimes::histogram},
        Stage{"features", &TextureTimes::features}};
    std::array<std::vector<double>, names.size()> taken;
    for (int i = 0; i <= repetitions(); ++i) {
        const auto stages = texture_thesis(tile, options, queue(device), progress()).stages;
        for (std::size_t k = 0; i > 0 && k < names.size(); ++k)
            taken[k].push_back(stage_of(stages, names[k].name));
    }
    TextureTimes times;
    for (std::size_t k = 0; k < names.size(); ++k) times.*names[k].time = median(taken[k]);
    return times;
}

double SlideLaboratory::milliseconds_of_features(Queue& queue, const AnyImageView& tile,
                                                 int levels) {
    const FeatureSet set("thesis-" + std::to_string(levels));
    return milliseconds_of([&] { (void)tile_features(tile, set, queue); });
}

SyntheticCircles drawn(const PrintedScene& scene) {
    return synthetic_circles(*circles_scene(scene.name));
}

AnyImage section_picture(int side) { return synthetic_section(side).picture; }

Image<float> noise_picture(int side) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<float> any(0, 255);
    Image<float> image({side, side});
    for (float& value : image.pixels()) value = any(generator);
    return image;
}

}  // namespace tesela::experiments
