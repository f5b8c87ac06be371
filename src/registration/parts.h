// Parts of the grid of an image, and how well each fits another image at shifts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "registration/levels.h"

namespace tesela {

using Place = std::array<std::int64_t, 3>;

struct Part {
    Place first{}, last{};
    double points() const {
        return static_cast<double>((last[0] - first[0]) * (last[1] - first[1]) *
                                   (last[2] - first[2]));
    }
};

// Calls `visit(first point of a row, the point at the shift, count)` for rows of a part, as far as
// the shift leaves them on the grid.
template <class Visit>
void for_rows(const Shape& shape, const Part& part, const Place& shift, const Visit& visit) {
    const Place size{shape.x, shape.y, shape.z};
    Place from{}, to{};
    for (std::size_t a = 0; a < 3; ++a) {
        from[a] = std::max(part.first[a], -shift[a]);
        to[a] = std::min(part.last[a], size[a] - shift[a]);
    }
    const std::int64_t away = (shift[2] * shape.y + shift[1]) * shape.x + shift[0];
    for (std::int64_t z = from[2]; z < to[2]; ++z)
        for (std::int64_t y = from[1]; y < to[1]; ++y) {
            const std::int64_t row = (z * shape.y + y) * shape.x + from[0];
            visit(row, row + away, to[0] - from[0]);
        }
}

class PartComparison {
  public:
    virtual ~PartComparison() = default;
    // How much there is to tell places apart by, in one image where at least half of the part is
    // compared; else 0.
    virtual double structure(const Part& part, bool is_moving) const = 0;
    // Of the fixed image in a part with the moving one at a shift of it; nothing where less than
    // half of that is compared.
    virtual std::optional<double> fit(const Part& part, const Place& shift) const = 0;
};

// By the cosine between both fields of gradients.
std::unique_ptr<PartComparison> compare_directions(ComparedFields fields);
// By the information that pairs of values have in the whole of both images.
std::unique_ptr<PartComparison> compare_information(ComparedFields values);

}  // namespace tesela
