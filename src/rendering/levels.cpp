#include "rendering/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include "tesela/error.h"

namespace tesela::rendering {
namespace {

template <class T>
T mean_of(double sum, int count) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN());
    else
        return static_cast<T>(std::floor(sum / count + 0.5));
}

template <class T>
Image<T> half(const Image<T>& volume) {
    const Shape& from = volume.shape();
    Image<T> made({(from.x + 1) / 2, (from.y + 1) / 2, (from.z + 1) / 2, 1, from.channels});
    const Shape& to = made.shape();
    for (std::int64_t z = 0; z < to.z; ++z)
        for (std::int64_t y = 0; y < to.y; ++y)
            for (std::int64_t x = 0; x < to.x; ++x)
                for (int channel = 0; channel < to.channels; ++channel) {
                    double sum = 0;
                    int count = 0;
                    for (std::int64_t dz = 2 * z; dz < std::min(2 * z + 2, from.z); ++dz)
                        for (std::int64_t dy = 2 * y; dy < std::min(2 * y + 2, from.y); ++dy)
                            for (std::int64_t dx = 2 * x; dx < std::min(2 * x + 2, from.x); ++dx) {
                                const auto value =
                                    static_cast<double>(volume(dx, dy, dz, 0, channel));
                                if (!std::isfinite(value)) continue;
                                sum += value;
                                ++count;
                            }
                    made(x, y, z, 0, channel) = mean_of<T>(sum, count);
                }
    return made;
}

}  // namespace

AnyImage half_of(const AnyImage& volume) {
    return std::visit([](const auto& image) { return AnyImage(half(image)); }, volume);
}

Levels::Levels(const AnyImage& volume, int finest, Queue& queue)
    : queue_(queue), place_(geometry_of(volume), shape_of(volume)) {
    levels_.reserve(coarsest + 1);
    AnyImage smaller;
    for (;; ++finest_) {
        const AnyImage& image = finest_ == 0 ? volume : smaller;
        try {
            if (finest_ >= finest) {
                levels_.push_back(level_of_bricks(bricks_of(image, queue), finest_));
                return;
            }
        } catch (const OutOfMemory&) {
            if (finest_ == coarsest) throw;
            queue.trim();
        }
        smaller = half_of(image);
    }
}

Levels::Level Levels::level_of_bricks(Bricks bricks, int level) {
    Buffer<std::uint8_t> hidden =
        queue_.allocate<std::uint8_t>(bricks.blocks(), "what is seen of blocks");
    return {place_.at(level), std::move(bricks), std::move(hidden)};
}

Levels::Level& Levels::at(int level) {
    const auto index = static_cast<std::size_t>(std::max(level - finest_, 0));
    while (levels_.size() <= index) {
        const int next = finest_ + static_cast<int>(levels_.size());
        levels_.push_back(level_of_bricks(coarser(levels_.back().bricks, queue_), next));
    }
    return levels_[index];
}

}  // namespace tesela::rendering
