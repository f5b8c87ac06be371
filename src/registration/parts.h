// Parts of the grid of an image, and how well each matches another image at shifts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "registration/levels.h"

namespace tesela {

using GridShift = std::array<std::int64_t, 3>;

struct Part {
    GridShift first{}, last{};
    double points() const {
        return static_cast<double>((last[0] - first[0]) * (last[1] - first[1]) *
                                   (last[2] - first[2]));
    }
};

// Calls `visit(first point of a row, its shifted point, count)` for the rows of a part, clipped so
// that the shifted row is on the grid.
template <class Visit>
void for_rows(const Shape& shape, const Part& part, const GridShift& shift, const Visit& visit) {
    const GridShift size{shape.x, shape.y, shape.z};
    GridShift from{}, to{};
    for (std::size_t a = 0; a < 3; ++a) {
        from[a] = std::max(part.first[a], -shift[a]);
        to[a] = std::min(part.last[a], size[a] - shift[a]);
    }
    const std::int64_t offset = (shift[2] * shape.y + shift[1]) * shape.x + shift[0];
    for (std::int64_t z = from[2]; z < to[2]; ++z)
        for (std::int64_t y = from[1]; y < to[1]; ++y) {
            const std::int64_t row = (z * shape.y + y) * shape.x + from[0];
            visit(row, row + offset, to[0] - from[0]);
        }
}

class PartComparison {
  public:
    virtual ~PartComparison() = default;
    // The amount of structure of a part in one image; 0 where less than half of the part is
    // compared.
    virtual double structure(const Part& part, bool is_moving) const = 0;
    // Similarity of a part of the fixed image to the shifted moving image; nothing where less than
    // half of it is compared.
    virtual std::optional<double> fit(const Part& part, const GridShift& shift) const = 0;
};

// By the cosine between both gradient fields.
std::unique_ptr<PartComparison> compare_directions(ComparedFields fields);
// By pointwise mutual information, by cell, from the joint histogram of the whole images.
std::unique_ptr<PartComparison> compare_information(ComparedFields values,
                                                    std::vector<float> pointwise);

}  // namespace tesela
