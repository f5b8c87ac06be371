// Convex areas and Feret diameters of the objects of a picture.
#include <algorithm>
#include <cmath>

#include "kernels/measuring/measure_hulls.kernel.h"
#include "measuring/object_measures.h"

namespace tesela::measuring {

using kernels::i32;
using kernels::u32;

namespace {

// Rows of objects that are worked on at once: those of all, but where few objects reach over much
// of the picture.
std::int64_t most_rows(const Shape& shape) {
    constexpr std::int64_t least = 1 << 20;
    return std::max({least, shape.y, shape.points() / 4});
}
// Words for a row: its ends, those of the hull, and the rows of corners.
constexpr std::int64_t words_of_row = 2 + 2 + 4;

std::int64_t rows_of(const MeasuredObject& object) {
    return std::int64_t{object.last[1]} - object.first[1] + 1;
}

// What the kernel finds of an object, in doubled pixels.
struct Hull {
    u32 pixels;
    double diameter_x, diameter_y, side_x, side_y, area;
};
Hull hull_of(const u32* words) {
    const auto signed_word = [&](int k) {
        return static_cast<double>(static_cast<std::int32_t>(words[k]));
    };
    return {words[0],       signed_word(1), signed_word(2),
            signed_word(3), signed_word(4), words[5] + 0x1p32 * words[6]};
}
double longest(const Hull& hull, double x, double y) {
    return std::hypot(hull.diameter_x * x, hull.diameter_y * y) / 2;
}
double narrowest(const Hull& hull, double x, double y) {
    return hull.area * x * y / std::hypot(hull.side_x * x, hull.side_y * y) / 2;
}

// Of the objects from `first` to `end`, whose rows are in memory at once.
class HullSpan {
  public:
    HullSpan(const ObjectMap& objects, std::span<const MeasuredObject> measured, std::int64_t first,
             Queue& queue)
        : objects_(objects),
          queue_(queue),
          span_{static_cast<u32>(first), static_cast<u32>(first + std::ssize(measured))} {
        std::vector<u32> starts{0};
        std::vector<i32> bases;
        for (const MeasuredObject& object : measured) {
            bases.push_back(static_cast<i32>(starts.back()) - object.first[1]);
            starts.push_back(starts.back() + static_cast<u32>(rows_of(object)));
        }
        const std::int64_t rows = starts.back(), count = std::ssize(measured);
        left_ = queue.allocate_filled<u32>(rows, 0u, "left ends of rows");
        right_ = queue.allocate_filled<u32>(rows, 0u, "right ends of rows");
        filled_ = queue.allocate<u32>(2 * rows, "rows of hulls");
        chains_ = queue.allocate<i32>(4 * rows + 2 * count, "corners of hulls");
        found_ = queue.allocate<u32>(count * kernels::measure_hull_words, "hulls");
        starts_ = queue.upload(std::span<const u32>(starts), "first rows of objects");
        const auto of_rows = queue.upload(std::span<const i32>(bases), "rows of objects");
        queue.launch(kernels::measure_row_ends, objects.tiles, objects.points, objects.present,
                     objects.before, of_rows, objects.map, span_, left_, right_);
    }

    // Distances are compared with this spacing.
    std::vector<u32> hulls(double x, double y) {
        const double longer = std::max(x, y);
        const kernels::hull_weights weights{static_cast<float>(x / longer * (x / longer)),
                                            static_cast<float>(y / longer * (y / longer))};
        queue_.launch(kernels::measure_hull, Range{span_.end - span_.first}, left_, right_, starts_,
                      i32{objects_.map.nx}, weights, filled_, chains_, found_);
        return queue_.download(found_);
    }

  private:
    const ObjectMap& objects_;
    Queue& queue_;
    kernels::measure_span span_;
    Buffer<u32> left_, right_, filled_, found_, starts_;
    Buffer<i32> chains_;
};

void measure_span(const ObjectMap& objects, std::span<MeasuredObject> measured, std::int64_t first,
                  const std::array<double, 3>& spacing, Queue& queue) {
    const auto [x, y, z] = spacing;
    HullSpan span(objects, measured, first, queue);
    const std::vector<u32> in_pixels = span.hulls(1, 1);
    const std::vector<u32> in_space = x == y ? in_pixels : span.hulls(x, y);
    for (std::size_t k = 0; k < measured.size(); ++k) {
        MeasuredObject& object = measured[k];
        const Hull hull = hull_of(&in_pixels[k * kernels::measure_hull_words]);
        const Hull spaced = hull_of(&in_space[k * kernels::measure_hull_words]);
        object.convex_points = hull.pixels;
        object.in_pixels.feret_diameter_max = longest(hull, 1, 1);
        object.in_pixels.feret_diameter_min = narrowest(hull, 1, 1);
        object.in_space.feret_diameter_max = longest(spaced, x, y);
        object.in_space.feret_diameter_min = narrowest(spaced, x, y);
    }
}

}  // namespace

void add_hulls(const ObjectMap& objects, const Geometry& geometry, Queue& queue,
               std::vector<MeasuredObject>& measured) {
    const std::int64_t most = most_rows({objects.map.nx, objects.map.ny});
    std::size_t first = 0;
    while (first < measured.size()) {
        std::int64_t rows = 0;
        std::size_t end = first;
        while (end < measured.size() && rows + rows_of(measured[end]) <= most)
            rows += rows_of(measured[end++]);
        measure_span(objects, std::span(measured).subspan(first, end - first),
                     static_cast<std::int64_t>(first), geometry.spacing, queue);
        first = end;
    }
}

std::int64_t hulls_bytes(const Shape& shape, std::int64_t objects) {
    const std::int64_t rows = std::min(most_rows(shape), objects * shape.y);
    return 4 * (words_of_row * rows + (kernels::measure_hull_words + 4) * objects);
}

}  // namespace tesela::measuring
