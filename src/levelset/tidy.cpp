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

    std::uint32_t point(const std::array<std::uint32_t, 3>& place) const {
        return (place[2] * ny_ + place[1]) * nx_ + place[0];
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

// The distance of each point to what is not of its own kind, negative inside.
std::vector<float> depths(Queue& queue, const Shape& shape, const std::array<double, 3>& spacing,
                          const std::vector<std::uint8_t>& inside) {
    const Buffer<const std::uint8_t> device = queue.lend(std::span(inside), "object");
    return queue.download(signed_distance(queue, shape, spacing, device));
}

// A box of an image, and its points in the image.
struct Box {
    std::array<std::uint32_t, 3> first{}, last{};
    Shape shape() const {
        return {last[0] - first[0] + 1, last[1] - first[1] + 1, last[2] - first[2] + 1};
    }
    std::uint32_t in_image(const Grid& own, const Grid& image, std::uint32_t point) const {
        const auto [x, y, z] = own.place(point);
        return image.point({first[0] + x, first[1] + y, first[2] + z});
    }
};

// Boxes around objects, a point wider than these, where the image has one.
std::map<std::uint32_t, Box> boxes_of(const LabelImage& labels, const Grid& grid) {
    std::map<std::uint32_t, Box> boxes;
    for (std::uint32_t i = 0; i < labels.pixels().size(); ++i) {
        const std::uint32_t label = labels.pixels()[i];
        if (label == 0) continue;
        const auto place = grid.place(i);
        Box& box = boxes.try_emplace(label, Box{place, place}).first->second;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box.first[axis] = std::min(box.first[axis], place[axis]);
            box.last[axis] = std::max(box.last[axis], place[axis]);
        }
    }
    const std::array<std::int64_t, 3> lengths{labels.shape().x, labels.shape().y, labels.shape().z};
    for (auto& [label, box] : boxes)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box.first[axis] -= box.first[axis] > 0;
            box.last[axis] += box.last[axis] + 1 < lengths[axis];
        }
    return boxes;
}

// 1 at the core's parts that hold seeds, or else at the largest part; 0 everywhere where the object
// has no core.
std::vector<std::uint8_t> kept_core(const Grid& grid, const std::vector<float>& depth,
                                    const std::vector<bool>& seeded, double radius) {
    const auto in_core = [&](std::uint32_t i) { return -depth[i] >= radius; };
    std::vector<bool> seen(depth.size(), false);
    std::vector<std::uint8_t> kept(depth.size(), 0);
    Points largest;
    bool any = false;
    for (std::uint32_t i = 0; i < depth.size(); ++i) {
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
    return kept;
}

}  // namespace

std::vector<CutPart> cut_necks(Queue& queue, LabelImage& labels,
                               const std::array<double, 3>& spacing, double radius,
                               const Points& seeds) {
    const Grid image(labels.shape());
    std::vector<std::uint32_t>& of = labels.pixels();
    std::vector<bool> is_seed(of.size(), false);
    for (const std::uint32_t seed : seeds) is_seed[seed] = true;
    std::vector<CutPart> cut;
    for (const auto& [object, box] : boxes_of(labels, image)) {
        const Shape shape = box.shape();
        const Grid own(shape);
        const auto count = static_cast<std::uint32_t>(shape.points());
        std::vector<std::uint8_t> inside(count);
        std::vector<bool> seeded(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t point = box.in_image(own, image, i);
            inside[i] = of[point] == object;
            seeded[i] = inside[i] && is_seed[point];
        }
        const std::vector<std::uint8_t> kept =
            kept_core(own, depths(queue, shape, spacing, inside), seeded, radius);
        // Thinner than the neck everywhere.
        if (std::find(kept.begin(), kept.end(), 1) == kept.end()) continue;
        const std::vector<float> away = depths(queue, shape, spacing, kept);
        CutPart gone{object};
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!inside[i] || away[i] <= 2 * radius) continue;
            const std::uint32_t point = box.in_image(own, image, i);
            of[point] = 0;
            ++gone.points;
            const auto place = image.place(point);
            for (std::size_t axis = 0; axis < 3; ++axis) gone.middle[axis] += place[axis];
        }
        gone.before = std::count(inside.begin(), inside.end(), 1);
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
