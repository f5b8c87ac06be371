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

AnyImage part_of(const Image<std::uint8_t>& picture, std::int64_t left, std::int64_t top,
                 std::int64_t side) {
    const int channels = picture.shape().channels;
    Image<std::uint8_t> part({side, side, 1, 1, channels});
    for (std::int64_t y = 0; y < side; ++y) {
        const auto* row = picture.data() + ((top + y) * picture.shape().x + left) * channels;
        std::copy_n(row, side * channels, part.data() + y * side * channels);
    }
    return part;
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
    std::array<std::vector<double>, 6> taken;
    constexpr std::array<std::string_view, 6> names{"upload",   "color",     "matrices",
                                                    "patterns", "histogram", "features"};
    for (int i = 0; i <= repetitions(); ++i) {
        const auto stages = texture_thesis(tile, options, queue(device), progress()).stages;
        for (std::size_t k = 0; i > 0 && k < names.size(); ++k)
            taken[k].push_back(stage_of(stages, names[k]));
    }
    return {median(taken[0]), median(taken[1]), median(taken[2]),
            median(taken[3]), median(taken[4]), median(taken[5])};
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

std::array<std::vector<AnyImage>, 2> tissue_tiles(std::size_t of_each) {
    constexpr std::int64_t side = 64, section_side = 2048;
    std::array<std::vector<AnyImage>, 2> tiles;
    for (std::uint64_t seed = 1; std::min(tiles[0].size(), tiles[1].size()) < of_each; ++seed) {
        const SyntheticSection section = synthetic_section(section_side, {.seed = seed});
        for (std::int64_t y = 0; y < section_side; y += side)
            for (std::int64_t x = 0; x < section_side; x += side) {
                const AnyImage labels = part_of(section.labels, x, y, side);
                const auto& truth = std::get<Image<std::uint8_t>>(labels).pixels();
                const std::uint8_t tissue = truth.front();
                if (tissue == 0 || tiles[tissue - 1u].size() == of_each ||
                    std::count(truth.begin(), truth.end(), tissue) < side * side)
                    continue;
                tiles[tissue - 1u].push_back(part_of(section.picture, x, y, side));
            }
    }
    return tiles;
}

Image<float> noise_picture(int side) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<float> any(0, 255);
    Image<float> image({side, side});
    for (float& value : image.pixels()) value = any(generator);
    return image;
}

}  // namespace tesela::experiments
