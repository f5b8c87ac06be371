#include "levelset/speeds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "kernels/levelset/level_set_levels.kernel.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

constexpr i32 never = -(1 << 30);  // the speed of points that no object may hold

template <class T>
struct Kernels;
#define TESELA_LEVEL_KERNELS(type, suffix)                                      \
    template <>                                                                 \
    struct Kernels<type> {                                                      \
        static constexpr auto& within = kernels::level_set_within_##suffix;     \
        static constexpr auto& quantize = kernels::level_set_quantize_##suffix; \
    }
TESELA_LEVEL_KERNELS(std::uint8_t, u8);
TESELA_LEVEL_KERNELS(std::uint16_t, u16);
TESELA_LEVEL_KERNELS(std::int16_t, i16);
TESELA_LEVEL_KERNELS(float, f32);
#undef TESELA_LEVEL_KERNELS

// Calls `use` with the list's number and the value of each seed.
template <class Use>
void for_seed_values(const SeedValues& seeds, const Use& use) {
    for (std::size_t list = 0; list < seeds.size(); ++list)
        for (const float value : seeds[list]) use(list, static_cast<double>(value));
}

// A limit as the nearest float; integers are compared exactly by the next one inside.
template <class T>
float limit_of(double value, bool upper) {
    if (std::is_integral_v<T>) value = upper ? std::floor(value) : std::ceil(value);
    constexpr double most = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(value, -most, most));
}

u32 level_of(double value, const LevelScale& scale) {
    const float steps = (static_cast<float>(value) - scale.offset) * scale.scale;
    return static_cast<u32>(std::clamp(steps, 0.0f, static_cast<float>(kernels::ftc_outside - 1)));
}

// Of values from `lowest` to `highest` and some beyond.
LevelScale scale_of(double lowest, double highest) {
    // Of one value: steps of a thousandth of it.
    const double span = std::max({highest - lowest, 1e-3 * std::abs(highest), 1e-30});
    return {static_cast<float>(lowest - 0.05 * span),
            static_cast<float>((kernels::ftc_outside - 1) / (1.1 * span))};
}

Buffer<std::uint16_t> quantized(Queue& queue, const LevelSetPixels& pixels,
                                const LevelScale& scale) {
    auto levels = queue.allocate<std::uint16_t>(pixels.shape().points(), "levels");
    pixels.on_device([&]<class T>(const DeviceImage<const T>& image) {
        queue.launch(Kernels<T>::quantize, Range{levels.size()}, image.pixels, scale.offset,
                     scale.scale, levels);
    });
    return levels;
}

}  // namespace

LevelSetSpeed speed_of(const LevelSetOptions& options) {
    if (options.speed != LevelSetSpeed::automatic) return options.speed;
    const bool has_limits = options.lower || options.upper;
    return !has_limits && (options.multiplier || options.drift) ? LevelSetSpeed::statistics
                                                                : LevelSetSpeed::window;
}

bool finds_limits(const LevelSetOptions& options) {
    return speed_of(options) == LevelSetSpeed::window && !options.lower && !options.upper;
}

void check_limits(const SpeedLimits& limits) {
    if (limits.lower && limits.upper && *limits.lower > *limits.upper)
        throw InvalidArgument("--lower is " + detail::shown(*limits.lower) +
                              ", above --upper, which is " + detail::shown(*limits.upper));
}

FrontSpeeds window_speeds(Queue& queue, const LevelSetPixels& pixels, const SpeedLimits& limits,
                          int objects) {
    FrontSpeeds speeds;
    speeds.levels = queue.allocate<std::uint16_t>(pixels.shape().points(), "levels");
    constexpr double infinite = std::numeric_limits<double>::infinity();
    pixels.on_device([&]<class T>(const DeviceImage<const T>& image) {
        queue.launch(Kernels<T>::within, Range{speeds.levels.size()}, image.pixels,
                     limit_of<T>(limits.lower.value_or(-infinite), false),
                     limit_of<T>(limits.upper.value_or(infinite), true), speeds.levels);
    });
    std::vector<i32> table(static_cast<std::size_t>(kernels::ftc_levels * (objects + 1)), never);
    for (int object = 1; object <= objects; ++object) {
        table[static_cast<std::size_t>(object * kernels::ftc_levels)] = -1;
        table[static_cast<std::size_t>(object * kernels::ftc_levels) + 1] = 1;
    }
    speeds.table = queue.upload(std::span<const i32>(table), "speeds");
    return speeds;
}

std::pair<double, double> seed_range(const SeedValues& seeds) {
    std::pair<double, double> range{std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity()};
    for_seed_values(seeds, [&](std::size_t, double value) {
        range = {std::min(range.first, value), std::max(range.second, value)};
    });
    return range;
}

std::vector<OutsideSeeds> seeds_outside(const SeedValues& seeds, const SpeedLimits& limits) {
    std::vector<OutsideSeeds> found(seeds.size());
    for_seed_values(seeds, [&](std::size_t list, double value) {
        OutsideSeeds& own = found[list];
        ++own.of;
        if (value >= limits.lower.value_or(value) && value <= limits.upper.value_or(value)) return;
        ++own.count;
        own.least = std::min(own.least, value);
        own.most = std::max(own.most, value);
    });
    return found;
}

// From six deviations below the lowest mean to six above the highest: values beyond are far from
// every object.
LevelScale level_scale(const SeedValues& seeds) {
    std::vector<std::array<double, 3>> sums(seeds.size(), {0, 0, 0});
    for_seed_values(seeds, [&](std::size_t list, double value) {
        sums[list][0] += 1;
        sums[list][1] += value;
        sums[list][2] += value * value;
    });
    const auto [least, most] = seed_range(seeds);
    double lowest = least, highest = most;
    for (const auto& [count, sum, squares] : sums) {
        if (count == 0) continue;
        const double mean = sum / count;
        const double deviation = std::sqrt(std::max(squares / count - mean * mean, 0.0));
        lowest = std::min(lowest, mean - 6 * deviation);
        highest = std::max(highest, mean + 6 * deviation);
    }
    return scale_of(lowest, highest);
}

// The lowest and the highest level include all values beyond.
FrontSpeeds windows_speeds(Queue& queue, const LevelSetPixels& pixels,
                           std::span<const SpeedLimits> limits) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (const SpeedLimits& own : limits)
        for (const std::optional<double>& limit : {own.lower, own.upper})
            if (limit) {
                lowest = std::min(lowest, *limit);
                highest = std::max(highest, *limit);
            }
    if (lowest > highest) lowest = highest = 0;
    const LevelScale scale = scale_of(lowest, highest);
    FrontSpeeds speeds;
    speeds.levels = quantized(queue, pixels, scale);
    std::vector<i32> table(static_cast<std::size_t>(kernels::ftc_levels) * (limits.size() + 1),
                           never);
    for (std::size_t object = 0; object < limits.size(); ++object)
        for (int level = 0; level < kernels::ftc_outside; ++level) {
            const double value = scale.offset + (level + 0.5) / scale.scale;
            const bool is_within = value >= limits[object].lower.value_or(value) &&
                                   value <= limits[object].upper.value_or(value);
            table[(object + 1) * kernels::ftc_levels + static_cast<std::size_t>(level)] =
                is_within ? 1 : -1;
        }
    speeds.table = queue.upload(std::span<const i32>(table), "speeds");
    return speeds;
}

FrontSpeeds statistics_speeds(Queue& queue, const LevelSetPixels& pixels, const SeedValues& seeds,
                              std::optional<double> multiplier, std::optional<double> drift) {
    const LevelScale scale = level_scale(seeds);
    const auto objects = static_cast<std::int64_t>(seeds.size());
    FrontSpeeds speeds;
    speeds.levels = quantized(queue, pixels, scale);
    std::vector<u32> sums(static_cast<std::size_t>((objects + 1) * kernels::ftc_sum_words), 0);
    std::vector<std::array<std::uint64_t, 3>> wide(seeds.size(), {0, 0, 0});
    for_seed_values(seeds, [&](std::size_t list, double value) {
        const std::uint64_t level = level_of(value, scale);
        wide[list][0] += 1;
        wide[list][1] += level;
        wide[list][2] += level * level;
    });
    for (std::size_t list = 0; list < wide.size(); ++list)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t at = (list + 1) * kernels::ftc_sum_words + 2 * k;
            sums[at] = static_cast<u32>(wide[list][k]);
            sums[at + 1] = static_cast<u32>(wide[list][k] >> 32);
        }
    auto control = queue.allocate_filled<u32>(kernels::ftc_control_words, 0u, "control");
    speeds.statistics = queue.allocate_filled<i32>((objects + 1) * kernels::ftc_statistics, 0,
                                                   "statistics of objects");
    speeds.drift = static_cast<i32>(std::lround(256 * drift.value_or(1)));
    speeds.multiplier = static_cast<i32>(std::lround(256 * multiplier.value_or(2.5)));
    speeds.table = queue.allocate_filled<i32>((objects + 1) * kernels::ftc_levels, never, "speeds");
    queue.launch(kernels::ftc_update_statistics, Range{objects},
                 queue.upload(std::span<const u32>(sums), "sums of seeds"), speeds.statistics,
                 control, 1, speeds.drift);
    queue.launch(kernels::ftc_update_speeds, Range{kernels::ftc_levels, objects}, speeds.statistics,
                 control, speeds.table, speeds.multiplier);
    return speeds;
}

}  // namespace tesela
