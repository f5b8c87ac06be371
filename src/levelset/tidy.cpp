#include "levelset/tidy.h"

#include <array>
#include <set>
#include <vector>

namespace tesela {
namespace {

using Points = std::vector<std::uint32_t>;

// Points of a volume and their neighbors that share a face.
class Grid {
  public:
    explicit Grid(const Shape& shape)
        : nx_(static_cast<std::uint32_t>(shape.x)),
          ny_(static_cast<std::uint32_t>(shape.y)),
          nz_(static_cast<std::uint32_t>(shape.z)) {}

    // Calls `use` with each neighbor. Gives whether the point is at the border of the image.
    template <class Use>
    bool for_neighbors(std::uint32_t point, const Use& use) const {
        const std::uint32_t x = point % nx_, y = point / nx_ % ny_, z = point / nx_ / ny_;
        bool border = false;
        const auto axis = [&](std::uint32_t at, std::uint32_t length, std::uint32_t step) {
            if (length == 1) return;
            border = border || at == 0 || at + 1 == length;
            if (at > 0) use(point - step);
            if (at + 1 < length) use(point + step);
        };
        axis(x, nx_, 1);
        axis(y, ny_, nx_);
        axis(z, nz_, nx_ * ny_);
        return border;
    }

    // The connected component of `start` among the points that `takes` accepts. They are marked in
    // `seen`; `border` becomes true if one is at the border of the image.
    template <class Takes>
    Points flood(std::uint32_t start, std::vector<bool>& seen, const Takes& takes,
                 bool& border) const {
        Points points{start};
        seen[start] = true;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const bool at_border = for_neighbors(points[i], [&](std::uint32_t neighbor) {
                if (seen[neighbor] || !takes(neighbor)) return;
                seen[neighbor] = true;
                points.push_back(neighbor);
            });
            border = border || at_border;
        }
        return points;
    }

  private:
    std::uint32_t nx_, ny_, nz_;
};

}  // namespace

std::int64_t fill_holes(LabelImage& labels) {
    const Grid grid(labels.shape());
    std::vector<std::uint32_t>& of = labels.pixels();
    std::vector<bool> seen(of.size(), false);
    std::int64_t filled = 0;
    for (std::uint32_t i = 0; i < of.size(); ++i) {
        if (seen[i] || of[i] != 0) continue;
        std::set<std::uint32_t> around;
        bool border = false;
        const Points hole = grid.flood(
            i, seen,
            [&](std::uint32_t p) {
                if (of[p] != 0 && around.size() < 2) around.insert(of[p]);
                return of[p] == 0;
            },
            border);
        if (border || around.size() != 1) continue;
        for (const std::uint32_t p : hole) of[p] = *around.begin();
        filled += static_cast<std::int64_t>(hole.size());
    }
    return filled;
}

}  // namespace tesela
