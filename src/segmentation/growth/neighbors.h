// Neighbors of the points of an image, for work on the host.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tesela/image.h"

namespace tesela {

// Points that differ by one along at most `axes` axes, in raster order.
class Neighbors {
  public:
    Neighbors(const Shape& shape, int axes) : lengths_{shape.x, shape.y, shape.z, shape.t} {
        for (int n = 0; n < 81; ++n) {
            const std::array<int, 4> along{n % 3 - 1, n / 3 % 3 - 1, n / 9 % 3 - 1, n / 27 - 1};
            std::int64_t offset = 0, stride = 1;
            int moved = 0;
            for (std::size_t axis = 0; axis < 4; ++axis) {
                offset += along[axis] * stride;
                stride *= lengths_[axis];
                moved += std::abs(along[axis]);
            }
            if (moved > 0 && moved <= axes) steps_.push_back({along, offset});
        }
    }

    std::int64_t count() const { return static_cast<std::int64_t>(steps_.size()); }
    template <class Use>
    void for_each(std::int64_t point, const Use& use) const {
        std::array<std::int64_t, 4> at{};
        for (std::size_t axis = 0, rest = static_cast<std::size_t>(point); axis < 4; ++axis) {
            at[axis] = static_cast<std::int64_t>(rest) % lengths_[axis];
            rest /= static_cast<std::size_t>(lengths_[axis]);
        }
        for (const Step& step : steps_) {
            bool inside = true;
            for (std::size_t axis = 0; axis < 4; ++axis) {
                const std::int64_t place = at[axis] + step.along[axis];
                inside = inside && place >= 0 && place < lengths_[axis];
            }
            if (inside) use(static_cast<std::size_t>(point + step.offset));
        }
    }

  private:
    struct Step {
        std::array<int, 4> along;
        std::int64_t offset;
    };
    std::array<std::int64_t, 4> lengths_;
    std::vector<Step> steps_;
};

}  // namespace tesela
