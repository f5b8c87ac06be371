#include "tesela/label_outlines.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tesela/color.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// Corners of pixels; the one with the indices of a pixel is its upper left one.
struct Corner {
    std::int64_t x = 0, y = 0;
};

// A closed way along the edges of pixels with its region on the right: around the outside of a part
// it turns from x towards y, around a hole the other way.
struct Ring {
    std::uint32_t label = 0;
    PlaneLine points;  // where it turns
    bool is_hole = false;
    std::int64_t leftmost = 0, row = 0;  // the edge of a hole that lies farthest left
};

class Tracer {
  public:
    explicit Tracer(const LabelView& labels)
        : labels_(labels.pixels().data()),
          width_(labels.shape().x),
          height_(labels.shape().y),
          ring_of_(static_cast<std::size_t>(width_ * height_)) {}

    // Rings of the regions that have an edge on the left of a pixel of the row.
    void trace_row(std::int64_t y) {
        for (std::int64_t x = 0; x < width_; ++x)
            if (at(x, y) != 0 && begins(x, y) && ring_of_[index(x, y)] == 0) trace({x, y});
    }

    // Outer rings with their holes, in ascending order of labels.
    std::vector<std::pair<std::uint32_t, Polygon>> polygons() {
        const std::vector<std::size_t> owners = owners_of_rings();
        std::vector<std::size_t> places(rings_.size());
        std::vector<std::pair<std::uint32_t, Polygon>> polygons;
        for (std::size_t i = 0; i < rings_.size(); ++i) {
            if (rings_[i].is_hole) continue;
            places[i] = polygons.size();
            polygons.push_back({rings_[i].label, {std::move(rings_[i].points), {}}});
        }
        for (std::size_t i = 0; i < rings_.size(); ++i)
            if (rings_[i].is_hole)
                polygons[places[owners[i]]].second.holes.push_back(std::move(rings_[i].points));
        std::stable_sort(polygons.begin(), polygons.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        return polygons;
    }

  private:
    std::size_t index(std::int64_t x, std::int64_t y) const {
        return static_cast<std::size_t>(y * width_ + x);
    }
    // 0 outside.
    std::uint32_t at(std::int64_t x, std::int64_t y) const {
        return x >= 0 && y >= 0 && x < width_ && y < height_ ? labels_[index(x, y)] : 0;
    }
    bool begins(std::int64_t x, std::int64_t y) const { return at(x - 1, y) != at(x, y); }

    // The pixel on the right in front of who comes to a corner in a direction: +x, +y, -x, -y. The
    // one on the left is that of the direction before.
    std::uint32_t ahead(const Corner& corner, unsigned direction) const {
        static constexpr std::array<std::int64_t, 4> x{0, -1, -1, 0}, y{0, 0, -1, -1};
        return at(corner.x + x[direction % 4], corner.y + y[direction % 4]);
    }

    // Around the pixel's region, first up along the pixel's left edge. Where two pixels of it meet
    // at a corner alone, the way keeps to its pixel, and comes there a second time if both are of
    // one part: there the ring is cut in two.
    void trace(const Corner& pixel) {
        const std::uint32_t label = at(pixel.x, pixel.y);
        std::vector<Corner> way;
        std::unordered_map<std::size_t, std::size_t> met;  // corners of two pixels, in the way
        Corner corner = pixel;
        unsigned direction = 3;
        do {
            const bool right = ahead(corner, direction) == label;
            const bool left = ahead(corner, direction + 3) == label;
            if (left && !right) {
                const auto [found, is_new] = met.emplace(index(corner.x, corner.y), way.size());
                if (!is_new) {
                    const auto first = way.begin() + static_cast<std::ptrdiff_t>(found->second);
                    add_ring({first, way.end()}, label);
                    way.erase(first, way.end());
                }
            }
            way.push_back(corner);
            if (!right)
                direction = (direction + 1) % 4;
            else if (left)
                direction = (direction + 3) % 4;
            static constexpr std::array<std::int64_t, 4> step{1, 0, -1, 0};
            corner.x += step[direction];
            corner.y += step[(direction + 3) % 4];
        } while (direction != 3 || corner.x != pixel.x || corner.y != pixel.y);
        add_ring(way, label);
    }

    void add_ring(const std::vector<Corner>& way, std::uint32_t label) {
        Ring ring{.label = label, .points = {}, .leftmost = width_ + 1};
        const auto id = static_cast<std::uint32_t>(rings_.size() + 1);
        for (std::size_t i = 0; i < way.size(); ++i) {
            const Corner &a = way[i], &b = way[(i + 1) % way.size()],
                         &c = way[(i + 2) % way.size()];
            if (b.y < a.y) ring_of_[index(b.x, b.y)] = id;
            if (b.y > a.y && a.x < ring.leftmost) ring.leftmost = a.x, ring.row = a.y;
            if (c.x - b.x != b.x - a.x || c.y - b.y != b.y - a.y)
                ring.points.push_back({static_cast<double>(b.x), static_cast<double>(b.y)});
        }
        ring.is_hole = signed_area(ring.points) < 0;
        rings_.push_back(std::move(ring));
    }

    // For each hole the outer ring of the part that it is in: the pixels on the left of the hole
    // begin at an edge of that ring, or of a hole farther left.
    std::vector<std::size_t> owners_of_rings() const {
        std::vector<std::size_t> owners(rings_.size()), holes;
        for (std::size_t i = 0; i < rings_.size(); ++i) {
            owners[i] = i;
            if (rings_[i].is_hole) holes.push_back(i);
        }
        std::sort(holes.begin(), holes.end(), [this](std::size_t a, std::size_t b) {
            return rings_[a].leftmost < rings_[b].leftmost;
        });
        for (const std::size_t hole : holes) {
            std::int64_t x = rings_[hole].leftmost - 1;
            while (!begins(x, rings_[hole].row)) --x;
            owners[hole] = owners[ring_of_[index(x, rings_[hole].row)] - 1];
        }
        return owners;
    }

    const std::uint32_t* labels_;
    std::int64_t width_, height_;
    std::vector<std::uint32_t> ring_of_;  // each left edge of a region: its ring, from 1 on
    std::vector<Ring> rings_;
};

Annotation annotation_of(std::uint32_t label, const LabelTable& table) {
    Annotation annotation{.shape = Polygons{}, .name = std::to_string(label)};
    if (const std::string name = label_name(table, label); !name.empty()) {
        annotation.name = name;
        annotation.classes = {name};
        annotation.color = color_of(&table, label);
    }
    annotation.measurements = {{"label", label}};
    return annotation;
}

}  // namespace

Annotations label_outlines(const LabelView& labels, const LabelTable& table,
                           const Progress& progress) {
    if (labels.shape().z > 1 || labels.shape().t > 1)
        throw InvalidArgument("outlines are of one picture, and this is a " +
                              std::string(labels.shape().z > 1 ? "volume" : "series") +
                              ": take one slice or frame");
    Tracer tracer(labels);
    for (std::int64_t y = 0; y < labels.shape().y; ++y) {
        progress.throw_if_cancelled();
        tracer.trace_row(y);
    }
    Annotations outlines;
    std::uint32_t last = 0;
    for (auto& [label, polygon] : tracer.polygons()) {
        if (label != last) outlines.list.push_back(annotation_of(label, table));
        std::get<Polygons>(outlines.list.back().shape).push_back(std::move(polygon));
        last = label;
    }
    return outlines;
}

}  // namespace tesela
