#include "evaluation/boundaries.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace tesela::evaluation {

namespace {

constexpr std::int64_t none = -1;

// Calls `use` with whether a boundary is there for each pixel, row by row.
template <class Use>
void for_each_pixel(const LabelView& labels, const Use& use) {
    const std::int64_t width = labels.shape().x, height = labels.shape().y;
    const std::uint32_t* row = labels.data();
    for (std::int64_t y = 0; y < height; ++y, row += width) {
        const std::uint32_t* below = y + 1 < height ? row + width : row;
        for (std::int64_t x = 0; x < width; ++x) {
            const std::int64_t right = x + 1 < width ? x + 1 : x;
            use(row[x] != row[right] || row[x] != below[x] || row[x] != below[right]);
        }
    }
}

// The largest whole offset along an axis of `length` pixels.
std::int64_t within(double radius, std::int64_t length) {
    return std::min(static_cast<std::int64_t>(radius), length - 1);
}

// Boundary pixels of the truth around one of the segmentation, in rows from top to bottom. The
// candidates of a row are consecutive numbers, so that no list of pairs is ever stored.
class Neighborhood {
  public:
    Neighborhood(const BoundarySet& truth, double radius) : truth_(truth) {
        const std::int64_t reach = within(radius, truth.height());
        for (std::int64_t dy = -reach; dy <= reach; ++dy)
            half_widths_.push_back(static_cast<std::int64_t>(
                std::sqrt(radius * radius - static_cast<double>(dy * dy))));
    }

    std::int32_t rows() const { return static_cast<std::int32_t>(half_widths_.size()); }
    std::pair<std::int64_t, std::int64_t> row(BoundarySet::Pixel center, std::int32_t index) const {
        const std::int64_t half = half_widths_[static_cast<std::size_t>(index)];
        return truth_.in_row(center.y + index - rows() / 2, center.x - half, center.x + half);
    }

  private:
    const BoundarySet& truth_;
    std::vector<std::int64_t> half_widths_;
};

struct Offset {
    std::int64_t dx, dy;
    std::int64_t squared() const { return dx * dx + dy * dy; }
};

std::vector<Offset> offsets_by_distance(const BoundarySet& picture, double radius) {
    const std::int64_t reach_x = within(radius, picture.width());
    const std::int64_t reach_y = within(radius, picture.height());
    std::vector<Offset> offsets;
    for (std::int64_t dy = -reach_y; dy <= reach_y; ++dy)
        for (std::int64_t dx = -reach_x; dx <= reach_x; ++dx)
            if (const Offset o{dx, dy}; static_cast<double>(o.squared()) <= radius * radius)
                offsets.push_back(o);
    std::stable_sort(offsets.begin(), offsets.end(),
                     [](const Offset& a, const Offset& b) { return a.squared() < b.squared(); });
    return offsets;
}

// Hopcroft-Karp over pixels instead of lists of edges.
class Assignment {
  public:
    Assignment(const BoundarySet& segmentation, const BoundarySet& truth, double radius)
        : segmentation_(segmentation.pixels()),
          truth_(truth),
          neighborhood_(truth, radius),
          partner_(segmentation_.size(), none),
          partner_of_truth_(truth.pixels().size(), none) {
        pair_by_distance(radius);
    }

    std::vector<std::int64_t> maximum() {
        while (measure_layers()) {
            cursor_.assign(segmentation_.size(), Cursor{});
            for (const std::int64_t root : free_)
                if (partner_[at(root)] == none) exchange_from(root);
            drop_paired(free_);
        }
        return std::move(partner_);
    }

  private:
    struct Cursor {  // the next candidate of a pixel that a search has not looked at
        std::int32_t row = -1;
        std::uint32_t next = 0, end = 0;  // boundary pixels are counted in 32 bits
    };

    static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

    void pair(std::int64_t pixel, std::int64_t of_truth) {
        partner_[at(pixel)] = of_truth;
        partner_of_truth_[at(of_truth)] = pixel;
    }

    void drop_paired(std::vector<std::int64_t>& pixels) const {
        pixels.erase(std::remove_if(pixels.begin(), pixels.end(),
                                    [&](std::int64_t i) { return partner_[at(i)] != none; }),
                     pixels.end());
    }

    template <class Wanted>
    bool has_candidate(std::int64_t pixel, Wanted wanted) const {
        for (std::int32_t r = 0; r < neighborhood_.rows(); ++r) {
            const auto [first, end] = neighborhood_.row(segmentation_[at(pixel)], r);
            for (std::int64_t t = first; t < end; ++t)
                if (wanted(t)) return true;
        }
        return false;
    }

    void pair_by_distance(double radius) {
        for (std::size_t i = 0; i < segmentation_.size(); ++i)
            if (const auto pixel = static_cast<std::int64_t>(i);
                has_candidate(pixel, [](std::int64_t) { return true; }))
                free_.push_back(pixel);
        std::vector<std::int64_t> active = free_;
        std::size_t looked_at = 0, next_cleaning = 8;
        for (const Offset& o : offsets_by_distance(truth_, radius)) {
            for (const std::int64_t i : active) {
                const auto [x, y] = segmentation_[at(i)];
                const auto [first, end] = truth_.in_row(y + o.dy, x + o.dx, x + o.dx);
                if (first < end && partner_of_truth_[at(first)] == none) pair(i, first);
            }
            drop_paired(active);
            // A wide radius has thousands of offsets: pixels whose candidates are all taken leave.
            if (++looked_at == next_cleaning) {
                drop_hopeless(active);
                next_cleaning *= 2;
            }
        }
        drop_paired(free_);
    }

    void drop_hopeless(std::vector<std::int64_t>& pixels) const {
        const auto unpaired = [&](std::int64_t t) { return partner_of_truth_[at(t)] == none; };
        pixels.erase(std::remove_if(pixels.begin(), pixels.end(),
                                    [&](std::int64_t i) { return !has_candidate(i, unpaired); }),
                     pixels.end());
    }

    // Breadth-first distances from the free pixels, along candidates and back along pairs, up to
    // the nearest free pixel of the truth. False when none can be reached: the pairs are maximal.
    bool measure_layers() {
        layer_.assign(segmentation_.size(), unreached);
        std::vector<std::int64_t> frontier = free_, next;
        for (const std::int64_t i : frontier) layer_[at(i)] = 0;
        bool found = false;
        for (std::int32_t depth = 1; !frontier.empty() && !found; ++depth) {
            next.clear();
            for (const std::int64_t i : frontier)
                for (std::int32_t r = 0; r < neighborhood_.rows(); ++r) {
                    const auto [first, end] = neighborhood_.row(segmentation_[at(i)], r);
                    for (std::int64_t t = first; t < end; ++t) {
                        const std::int64_t owner = partner_of_truth_[at(t)];
                        if (owner == none) {
                            found = true;
                        } else if (layer_[at(owner)] == unreached) {
                            layer_[at(owner)] = depth;
                            next.push_back(owner);
                        }
                    }
                }
            frontier.swap(next);
        }
        return found;
    }

    // The next candidate of the pixel, or none.
    std::int64_t advance(std::int64_t pixel) {
        Cursor& cursor = cursor_[at(pixel)];
        while (cursor.next == cursor.end) {
            if (++cursor.row >= neighborhood_.rows()) {
                --cursor.row;
                return none;
            }
            const auto [next, end] = neighborhood_.row(segmentation_[at(pixel)], cursor.row);
            cursor.next = static_cast<std::uint32_t>(next);
            cursor.end = static_cast<std::uint32_t>(end);
        }
        return cursor.next++;
    }

    // Depth-first along growing layers; without recursion, for paths may be as long as a boundary.
    void exchange_from(std::int64_t root) {
        path_.assign(1, {root, none});
        while (!path_.empty()) {
            auto& [pixel, candidate] = path_.back();
            candidate = advance(pixel);
            if (candidate == none) {
                path_.pop_back();
                continue;
            }
            const std::int64_t owner = partner_of_truth_[at(candidate)];
            if (owner == none) {
                for (const auto& [from, to] : path_) pair(from, to);
                return;
            }
            if (layer_[at(owner)] == layer_[at(pixel)] + 1) path_.push_back({owner, none});
        }
    }

    static constexpr std::int32_t unreached = std::numeric_limits<std::int32_t>::max();

    const std::vector<BoundarySet::Pixel>& segmentation_;
    const BoundarySet& truth_;
    Neighborhood neighborhood_;
    std::vector<std::int64_t> partner_, partner_of_truth_;
    std::vector<std::int64_t> free_;  // of the segmentation, with candidates, without a partner
    std::vector<std::int32_t> layer_;
    std::vector<Cursor> cursor_;
    std::vector<std::pair<std::int64_t, std::int64_t>> path_;
};

}  // namespace

BoundarySet::BoundarySet(const LabelView& labels)
    : width_(labels.shape().x), height_(labels.shape().y) {
    before_.reserve(labels.pixels().size() + 1);
    std::uint32_t count = 0;
    for_each_pixel(labels, [&](bool is_boundary) {
        before_.push_back(count);
        count += is_boundary;
    });
    before_.push_back(count);
    pixels_.reserve(count);
    for (std::size_t i = 0; i + 1 < before_.size(); ++i)
        if (before_[i + 1] != before_[i]) {
            const auto place = static_cast<std::int64_t>(i);
            pixels_.push_back({static_cast<std::int32_t>(place % width_),
                               static_cast<std::int32_t>(place / width_)});
        }
}

std::pair<std::int64_t, std::int64_t> BoundarySet::in_row(std::int64_t y, std::int64_t first_x,
                                                          std::int64_t last_x) const {
    first_x = std::max<std::int64_t>(first_x, 0);
    last_x = std::min(last_x, width_ - 1);
    if (y < 0 || y >= height_ || first_x > last_x) return {0, 0};
    return {before_[static_cast<std::size_t>(y * width_ + first_x)],
            before_[static_cast<std::size_t>(y * width_ + last_x + 1)]};
}

std::int64_t boundary_bytes(const LabelView& segmentation, const LabelView& truth) {
    const auto count = [](const LabelView& labels) {
        std::int64_t pixels = 0;
        for_each_pixel(labels, [&](bool is_boundary) { pixels += is_boundary; });
        return pixels;
    };
    // Both sets; of the segmentation partners, free pixels and those of the frontier, old and new
    // in lists that may grow to double, layers, and cursors; of the truth partners.
    constexpr std::int64_t place = 8, of_segmentation = 2 * place + 4 * place + 4 + 12;
    return 2 * 4 * (segmentation.shape().points() + 1) +
           (place + of_segmentation) * count(segmentation) + 2 * place * count(truth);
}

std::vector<std::int64_t> assign_boundaries(const BoundarySet& segmentation,
                                            const BoundarySet& truth, double radius) {
    return Assignment(segmentation, truth, radius).maximum();
}

}  // namespace tesela::evaluation
