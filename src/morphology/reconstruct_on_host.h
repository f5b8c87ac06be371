// Reconstruction by dilation on the host, for values of any type.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "tesela/image.h"
#include "tesela/progress.h"

namespace tesela {

// Vincent's hybrid algorithm: a scan forward, one backward, then what a queue of points still
// changes. `values`, at most those of the mask, become the result. Neighbors differ by one along at
// most `axes` axes.
template <class T>
class HostReconstruction {
  public:
    HostReconstruction(const Shape& shape, int axes, std::vector<T>& values,
                       const std::vector<T>& mask)
        : shape_(shape), values_(values), mask_(mask) {
        for (int n = 0; n < 27; ++n) {
            const std::array<int, 3> step{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
            const int differing = (step[0] != 0) + (step[1] != 0) + (step[2] != 0);
            if (differing > 0 && differing <= axes) (n < 13 ? before_ : after_).push_back(step);
        }
    }

    void run(const Progress& progress) {
        const std::int64_t points = shape_.points();
        for (std::int64_t i = 0; i < points; ++i) {
            look(progress);
            raise(i, before_);
        }
        for (std::int64_t i = points - 1; i >= 0; --i) {
            look(progress);
            raise(i, after_);
            if (raises_any(i, after_)) queue_.push_back(i);
        }
        while (!queue_.empty()) {
            look(progress);
            const std::int64_t i = queue_.front();
            queue_.pop_front();
            spread(i, before_);
            spread(i, after_);
        }
    }

  private:
    using Steps = std::vector<std::array<int, 3>>;

    // Whether to stop, now and then.
    void look(const Progress& progress) {
        if (++steps_ % (1 << 16) == 0) progress.throw_if_cancelled();
    }
    template <class Work>
    void for_each_neighbor(std::int64_t i, const Steps& steps, const Work& work) const {
        const std::array<std::int64_t, 3> at{i % shape_.x, i / shape_.x % shape_.y,
                                             i / shape_.x / shape_.y};
        for (const auto& step : steps) {
            const std::int64_t x = at[0] + step[0], y = at[1] + step[1], z = at[2] + step[2];
            if (x >= 0 && x < shape_.x && y >= 0 && y < shape_.y && z >= 0 && z < shape_.z)
                work(static_cast<std::size_t>((z * shape_.y + y) * shape_.x + x));
        }
    }
    void raise(std::int64_t i, const Steps& steps) {
        const auto own = static_cast<std::size_t>(i);
        T highest = values_[own];
        for_each_neighbor(i, steps,
                          [&](std::size_t j) { highest = std::max(highest, values_[j]); });
        values_[own] = std::min(highest, mask_[own]);
    }
    bool raises_any(std::int64_t i, const Steps& steps) const {
        const auto own = static_cast<std::size_t>(i);
        bool any = false;
        for_each_neighbor(i, steps, [&](std::size_t j) {
            any |= values_[j] < values_[own] && values_[j] < mask_[j];
        });
        return any;
    }
    void spread(std::int64_t i, const Steps& steps) {
        const auto own = static_cast<std::size_t>(i);
        for_each_neighbor(i, steps, [&](std::size_t j) {
            if (values_[j] >= values_[own] || values_[j] >= mask_[j]) return;
            values_[j] = std::min(values_[own], mask_[j]);
            queue_.push_back(static_cast<std::int64_t>(j));
        });
    }

    Shape shape_;
    std::vector<T>& values_;
    const std::vector<T>& mask_;
    Steps before_, after_;
    std::deque<std::int64_t> queue_;
    std::int64_t steps_ = 0;
};

}  // namespace tesela
