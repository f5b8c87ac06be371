#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

#include "experiments/volumes/level_sets.h"
#include "tesela/synthetic_volume.h"

namespace tesela::experiments {
namespace {

// Of the values of the object, which lie between these but for a 20th on either side.
void look_for_limits(KnownVolume& volume) {
    std::vector<std::uint8_t> values;
    for (std::size_t i = 0; i < volume.truth.pixels().size(); ++i)
        if (volume.truth.pixels()[i] >= volume.lowest_label)
            values.push_back(volume.image.pixels()[i]);
    std::sort(values.begin(), values.end());
    volume.lower = values[values.size() / 20];
    volume.upper = values[values.size() - 1 - values.size() / 20];
}

// A ball around the voxel of the highest label that is nearest to the middle.
void place_seed(KnownVolume& volume, double radius) {
    const Shape& shape = volume.truth.shape();
    const std::uint32_t highest =
        *std::max_element(volume.truth.pixels().begin(), volume.truth.pixels().end());
    SeedBall ball{.center = {.coordinates = 3}, .radius = radius};
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const std::array<double, 4> at{static_cast<double>(x), static_cast<double>(y),
                                               static_cast<double>(z), 0};
                const double away = std::hypot(at[0] - static_cast<double>(shape.x) / 2,
                                               at[1] - static_cast<double>(shape.y) / 2,
                                               at[2] - static_cast<double>(shape.z) / 2);
                if (volume.truth(x, y, z) != highest || away >= nearest) continue;
                nearest = away;
                ball.center.at = at;
            }
    volume.seeds = std::vector<SeedBall>{ball};
}

KnownVolume made(const std::string& name, VolumeScene scene, const Shape& shape, double bias) {
    SyntheticVolume scene_made = synthetic_volume({.scene = scene, .shape = shape, .bias = bias});
    KnownVolume volume{name, "synthesize volume", std::move(scene_made.image),
                       std::move(scene_made.truth)};
    volume.lowest_label = scene == VolumeScene::head ? 2 : 1;
    look_for_limits(volume);
    place_seed(volume, scene == VolumeScene::head ? 4 : 2);
    return volume;
}

constexpr Shape brainweb_shape{181, 217, 181};
constexpr const char *brainweb_image = "t1_icbm_normal_1mm_pn0_rf20.rawb",
                     *brainweb_truth = "phantom_1.0mm_normal_crisp.rawb";

[[noreturn]] void refuse_brainweb(const std::filesystem::path& path) {
    throw UnreadableInput(path.string() +
                          " is not 181 x 217 x 181 bytes; --brainweb takes BrainWeb's raw files");
}

std::vector<std::uint8_t> raw_bytes(const std::filesystem::path& path) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(brainweb_shape.points()));
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), std::ssize(bytes))) refuse_brainweb(path);
    return bytes;
}

}  // namespace

KnownVolume cube_volume(int side) {
    KnownVolume volume{"cube", "made here", Image<std::uint8_t>(Shape{side, side, side}),
                       LabelImage(Shape{side, side, side})};
    for (std::int64_t z = side / 4; z < 3 * side / 4; ++z)
        for (std::int64_t y = side / 4; y < 3 * side / 4; ++y)
            for (std::int64_t x = side / 4; x < 3 * side / 4; ++x) {
                volume.image(x, y, z) = 255;
                volume.truth(x, y, z) = 1;
            }
    const SeedBall ball{.center = {.at = {side / 2.0, side / 2.0, side / 2.0, 0}, .coordinates = 3},
                        .radius = 0.47 * side};
    volume.seeds = std::vector<SeedBall>{ball};
    return volume;
}

KnownVolume head_volume(const Shape& shape) {
    return made("brainweb-1", VolumeScene::head, shape, 0.2);
}
KnownVolume vessel_volume(const Shape& shape) {
    return made("vessels-1", VolumeScene::vessels, shape, 0);
}

void require_brainweb(const std::filesystem::path& folder) {
    for (const char* name : {brainweb_image, brainweb_truth}) {
        std::error_code error;
        const auto bytes = std::filesystem::file_size(folder / name, error);
        if (error || bytes != static_cast<std::uintmax_t>(brainweb_shape.points()))
            refuse_brainweb(folder / name);
    }
}

KnownVolume brain_volume(const VolumeLaboratory& laboratory) {
    const std::filesystem::path& folder = laboratory.brainweb();
    if (folder.empty()) return head_volume(laboratory.quick() ? Shape{60, 72, 60} : brainweb_shape);
    KnownVolume volume{"brainweb-1", "BrainWeb", Image<std::uint8_t>(brainweb_shape),
                       LabelImage(brainweb_shape)};
    volume.image.pixels() = raw_bytes(folder / brainweb_image);
    const auto tissue = raw_bytes(folder / brainweb_truth);
    // 2 and 3 are gray and white matter; what has other numbers is not the object.
    std::transform(tissue.begin(), tissue.end(), volume.truth.pixels().begin(),
                   [](std::uint8_t t) { return t == 2 || t == 3 ? 1u : 0u; });
    volume.seeds = *parse_seeds("ball:100,103,90,40");  // table 4.1
    volume.lower = 120;
    volume.upper = 160;
    return volume;
}

double dice_of(const LabelImage& labels, const KnownVolume& volume) {
    double both = 0, either = 0;
    for (std::size_t i = 0; i < labels.pixels().size(); ++i) {
        const bool a = labels.pixels()[i] != 0;
        const bool b = volume.truth.pixels()[i] >= volume.lowest_label;
        both += a && b ? 1 : 0;
        either += (a ? 1 : 0) + (b ? 1 : 0);
    }
    return either > 0 ? 2 * both / either : 0;
}

}  // namespace tesela::experiments
