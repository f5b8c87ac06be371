#include "levelset/tidy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "tesela/distance.h"

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
    std::array<std::uint32_t, 3> place(std::uint32_t point) const {
        return {point % nx_, point / nx_ % ny_, point / nx_ / ny_};
    }

    // Calls `use` with each neighbor. Gives whether the point is at the border of the image.
    template <class Use>
    bool for_neighbors(std::uint32_t point, const Use& use) const {
        const auto [x, y, z] = place(point);
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

    // The points that hang together with `start` among those that `takes` says, `start` first. They
    // are marked in `seen`.
    template <class Takes>
    Points flood(Points start, std::vector<bool>& seen, const Takes& takes,
                 bool* border = nullptr) const {
        for (const std::uint32_t point : start) seen[point] = true;
        for (std::size_t i = 0; i < start.size(); ++i) {
            const bool at_border = for_neighbors(start[i], [&](std::uint32_t beside) {
                if (seen[beside] || !takes(beside)) return;
                seen[beside] = true;
                start.push_back(beside);
            });
            if (border && at_border) *border = true;
        }
        return start;
    }

  private:
    std::uint32_t nx_, ny_, nz_;
};

// The distance of each point to what is not of its own label, negative where it has one.
std::vector<float> depths(Queue& queue, const Shape& shape, const std::array<double, 3>& spacing,
                          const std::vector<std::uint8_t>& inside) {
    const Buffer<const std::uint8_t> device = queue.lend(std::span(inside), "object");
    return queue.download(signed_distance(queue, shape, spacing, device));
}

}  // namespace

std::vector<CutPart> cut_necks(Queue& queue, LabelImage& labels,
                               const std::array<double, 3>& spacing, double radius,
                               const Points& seeds) {
    const Grid grid(labels.shape());
    std::vector<std::uint32_t>& of = labels.pixels();
    const std::set<std::uint32_t> objects(of.begin(), of.end());
    std::vector<CutPart> cut;
    for (const std::uint32_t object : objects) {
        if (object == 0) continue;
        std::vector<std::uint8_t> inside(of.size());
        for (std::size_t i = 0; i < of.size(); ++i) inside[i] = of[i] == object;
        const std::vector<float> depth = depths(queue, labels.shape(), spacing, inside);
        const auto in_core = [&](std::uint32_t i) { return -depth[i] >= radius; };
        std::vector<bool> seen(of.size(), false), seeded(of.size(), false);
        for (const std::uint32_t seed : seeds) seeded[seed] = of[seed] == object;
        std::vector<std::uint8_t> kept(of.size(), 0);
        Points largest;
        bool any = false;
        for (std::uint32_t i = 0; i < of.size(); ++i) {
            if (seen[i] || !in_core(i)) continue;
            const Points part = grid.flood({i}, seen, in_core);
            const bool wanted =
                std::any_of(part.begin(), part.end(), [&](std::uint32_t p) { return seeded[p]; });
            any = any || wanted;
            if (wanted)
                for (const std::uint32_t p : part) kept[p] = 1;
            else if (part.size() > largest.size())
                largest = part;
        }
        if (!any)
            for (const std::uint32_t p : largest) kept[p] = 1;
        if (!any && largest.empty()) continue;  // thinner than the neck everywhere
        const std::vector<float> away = depths(queue, labels.shape(), spacing, kept);
        CutPart gone{object};
        for (std::uint32_t i = 0; i < of.size(); ++i) {
            if (of[i] != object || away[i] <= 2 * radius) continue;
            of[i] = 0;
            ++gone.points;
            const auto place = grid.place(i);
            for (std::size_t axis = 0; axis < 3; ++axis) gone.middle[axis] += place[axis];
        }
        for (double& coordinate : gone.middle) coordinate /= static_cast<double>(gone.points);
        if (gone.points > 0) cut.push_back(gone);
    }
    return cut;
}

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
            {i}, seen,
            [&](std::uint32_t p) {
                if (of[p] != 0 && around.size() < 2) around.insert(of[p]);
                return of[p] == 0;
            },
            &border);
        if (border || around.size() != 1) continue;
        for (const std::uint32_t p : hole) of[p] = *around.begin();
        filled += static_cast<std::int64_t>(hole.size());
    }
    return filled;
}

}  // namespace tesela
