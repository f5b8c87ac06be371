// The fast two-cycle method by lists of voxels, as it was published.
#include <algorithm>

#include "levelset/thesis/methods.h"

namespace tesela {
namespace {

using std::int64_t;
using std::int8_t;

class Lists {
  public:
    Lists(ThesisFront& front, const ThesisFtcOptions& options)
        : shape_(front.shape),
          u_(front.state),
          speed_(front.speed),
          filter_(thesis_filter(options)) {
        for (int64_t i = 0; i < shape_.points(); ++i)
            if (at(i) == 1)
                outer_.push_back(i);
            else if (at(i) == -1)
                inner_.push_back(i);
    }

    void data_step() {
        step([&](int64_t i) { return int{speed_[static_cast<std::size_t>(i)]}; });
    }
    void smoothing_step() {
        // Speeds are those before the step: what moves does not change them.
        std::vector<int> outer, inner;
        for (const int64_t i : outer_) outer.push_back(smoothing(i));
        for (const int64_t i : inner_) inner.push_back(smoothing(i));
        std::vector<int64_t> up, down;
        for (std::size_t k = 0; k < outer.size(); ++k)
            if (outer[k] > 0) up.push_back(outer_[k]);
        for (std::size_t k = 0; k < inner.size(); ++k)
            if (inner[k] < 0) down.push_back(inner_[k]);
        std::sort(up.begin(), up.end());
        std::sort(down.begin(), down.end());
        step([&](int64_t i) {
            return std::binary_search(up.begin(), up.end(), i)       ? 1
                   : std::binary_search(down.begin(), down.end(), i) ? -1
                                                                     : 0;
        });
    }
    // Eq. 4.3
    bool is_stable() const {
        const auto speed = [&](int64_t i) { return speed_[static_cast<std::size_t>(i)]; };
        return std::none_of(outer_.begin(), outer_.end(),
                            [&](int64_t i) { return speed(i) > 0; }) &&
               std::none_of(inner_.begin(), inner_.end(), [&](int64_t i) { return speed(i) < 0; });
    }

  private:
    int8_t& at(int64_t i) { return u_[static_cast<std::size_t>(i)]; }

    template <class Visit>
    void for_neighbors(int64_t i, const Visit& visit) const {
        const int64_t x = i % shape_.x, y = i / shape_.x % shape_.y, z = i / shape_.x / shape_.y;
        const int64_t plane = shape_.x * shape_.y;
        if (x > 0) visit(i - 1);
        if (x + 1 < shape_.x) visit(i + 1);
        if (y > 0) visit(i - shape_.x);
        if (y + 1 < shape_.y) visit(i + shape_.x);
        if (z > 0) visit(i - plane);
        if (z + 1 < shape_.z) visit(i + plane);
    }

    // Moves voxels of `from` whose speed has this sign to `to`, where what lies behind them joins.
    template <class Speed>
    void move(std::vector<int64_t>& from, std::vector<int64_t>& to, int sign, const Speed& speed) {
        std::vector<int64_t> stay, behind;
        for (const int64_t i : from) {
            if (speed(i) * sign <= 0) {
                stay.push_back(i);
                continue;
            }
            at(i) = static_cast<int8_t>(-sign);
            to.push_back(i);
            for_neighbors(i, [&](int64_t beside) {
                if (at(beside) != 3 * sign) return;
                at(beside) = static_cast<int8_t>(sign);
                behind.push_back(beside);
            });
        }
        from = std::move(stay);
        from.insert(from.end(), behind.begin(), behind.end());
    }
    // Voxels of a list that touch no voxel of the other side are no longer at the front.
    void leave(std::vector<int64_t>& list, int sign) {
        std::erase_if(list, [&](int64_t i) {
            bool touches = false;
            for_neighbors(i, [&](int64_t beside) { touches = touches || at(beside) * sign < 0; });
            if (!touches) at(i) = static_cast<int8_t>(3 * sign);
            return !touches;
        });
    }
    template <class Speed>
    void step(const Speed& speed) {
        move(outer_, inner_, 1, speed);
        leave(inner_, -1);
        move(inner_, outer_, -1, speed);
        leave(outer_, 1);
    }

    // Eq. 4.4 to 4.7; beyond the volume nothing is inside.
    int smoothing(int64_t i) {
        const int64_t x = i % shape_.x, y = i / shape_.x % shape_.y, z = i / shape_.x / shape_.y;
        const auto radius = static_cast<int64_t>(filter_.size() / 2);
        const auto weight = [&](int64_t k) {
            return filter_[static_cast<std::size_t>(k + radius)];
        };
        std::uint32_t sum = 0;
        for (int64_t w = std::max(-radius, -z); w <= std::min(radius, shape_.z - 1 - z); ++w)
            for (int64_t v = std::max(-radius, -y); v <= std::min(radius, shape_.y - 1 - y); ++v)
                for (int64_t u = std::max(-radius, -x); u <= std::min(radius, shape_.x - 1 - x);
                     ++u)
                    if (at(i + (w * shape_.y + v) * shape_.x + u) < 0)
                        sum += weight(u) * weight(v) * weight(w);
        constexpr std::uint32_t half = 1u << 23;
        return at(i) == 1 && sum > half ? 1 : at(i) == -1 && sum < half ? -1 : 0;
    }

    Shape shape_;
    std::vector<int8_t>& u_;
    const std::vector<int8_t>& speed_;
    std::vector<std::uint32_t> filter_;
    std::vector<int64_t> outer_, inner_;
};

}  // namespace

void run_ftc_lists(ThesisFront& front, const ThesisFtcOptions& options, Queue&,
                   const Progress& progress, ThesisLevelSetResult& result) {
    StageClock clock;
    clock.start("cycles");
    Lists lists(front, options);
    while (!result.is_stable && result.rounds < options.max_rounds) {
        progress.report(static_cast<double>(result.rounds) / options.max_rounds, "cycles");
        ++result.rounds;
        for (int k = 0; k < options.launches * options.data_steps && !result.is_stable; ++k) {
            lists.data_step();
            result.is_stable = lists.is_stable();
        }
        for (int k = 0; k < options.smoothing_steps; ++k) lists.smoothing_step();
    }
    result.stages = clock.take();
}

}  // namespace tesela
