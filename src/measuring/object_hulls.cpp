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
    std::int64_t pixels;
    double diameter_x, diameter_y, side_x, side_y, area;
};
Hull hull_of(const u32* words) {
    const auto signed_word = [&](int k) {
        return static_cast<double>(static_cast<std::int32_t>(words[k]));
    };
    return {std::int64_t{words[7]} << 32 | words[0],
            signed_word(1),
            signed_word(2),
            signed_word(3),
            signed_word(4),
            words[5] + 0x1p32 * words[6]};
}
double longest(const Hull& hull, double x, double y) {
    return std::hypot(hull.diameter_x * x, hull.diameter_y * y) / 2;
}
double narrowest(const Hull& hull, double x, double y) {
    return hull.area * x * y / std::hypot(hull.side_x * x, hull.side_y * y) / 2;
}

// The hulls of objects, distances compared with a spacing.
class Hulls {
  public:
    Hulls(const RowEnds& ends, std::int64_t nx, Queue& queue)
        : ends_(ends),
          nx_(static_cast<i32>(nx)),
          count_(std::ssize(ends.starts) - 1),
          queue_(queue),
          filled_(queue.allocate<u32>(2 * ends.left.size(), "rows of hulls")),
          chains_(queue.allocate<i32>(4 * ends.left.size() + 2 * count_, "corners of hulls")),
          found_(queue.allocate<u32>(count_ * kernels::measure_hull_words, "hulls")),
          starts_(queue.upload(std::span<const u32>(ends.starts), "first rows of objects")) {}

    std::vector<u32> find(double x, double y) {
        const double longer = std::max(x, y);
        const kernels::hull_weights weights{static_cast<float>(x / longer * (x / longer)),
                                            static_cast<float>(y / longer * (y / longer))};
        queue_.launch(kernels::measure_hull, Range{count_}, ends_.left, ends_.right, starts_, nx_,
                      weights, filled_, chains_, found_);
        return queue_.download(found_);
    }

  private:
    const RowEnds& ends_;
    i32 nx_;
    std::int64_t count_;
    Queue& queue_;
    Buffer<u32> filled_;
    Buffer<i32> chains_;
    Buffer<u32> found_, starts_;
};

}  // namespace

RowEnds row_ends_of(const ObjectMap& objects, std::int64_t first, std::int64_t end,
                    const std::function<std::array<std::int32_t, 2>(std::int64_t object)>& rows,
                    Queue& queue) {
    RowEnds ends;
    std::vector<i32> bases;
    for (std::int64_t object = first; object < end; ++object) {
        const auto [first_row, last_row] = rows(object);
        bases.push_back(static_cast<i32>(ends.starts.back()) - first_row);
        ends.starts.push_back(ends.starts.back() + static_cast<u32>(last_row - first_row + 1));
    }
    const std::int64_t all = ends.starts.back();
    ends.left = queue.allocate_filled<u32>(all, 0u, "left ends of rows");
    ends.right = queue.allocate_filled<u32>(all, 0u, "right ends of rows");
    const auto of_rows = queue.upload(std::span<const i32>(bases), "rows of objects");
    const kernels::measure_span span{static_cast<u32>(first), static_cast<u32>(end)};
    queue.launch(kernels::measure_row_ends, objects.tiles, objects.points, objects.present,
                 objects.before, of_rows, objects.map, span, ends.left, ends.right);
    return ends;
}

void measure_hulls(const RowEnds& ends, std::int64_t nx, const Geometry& geometry, Queue& queue,
                   std::span<MeasuredObject> measured) {
    const auto [x, y, z] = geometry.spacing;
    Hulls hulls(ends, nx, queue);
    const std::vector<u32> in_pixels = hulls.find(1, 1);
    const std::vector<u32> in_space = x == y ? in_pixels : hulls.find(x, y);
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

void for_each_hull_span(std::span<const MeasuredObject> measured, std::int64_t most_rows,
                        const std::function<void(std::size_t first, std::size_t end)>& work) {
    std::size_t first = 0;
    while (first < measured.size()) {
        std::int64_t rows = rows_of(measured[first]);
        std::size_t end = first + 1;
        while (end < measured.size() && rows + rows_of(measured[end]) <= most_rows)
            rows += rows_of(measured[end++]);
        work(first, end);
        first = end;
    }
}

void add_hulls(const ObjectMap& objects, const Geometry& geometry, Queue& queue,
               std::vector<MeasuredObject>& measured) {
    const Shape shape{objects.map.nx, objects.map.ny};
    for_each_hull_span(measured, most_rows(shape), [&](std::size_t first, std::size_t end) {
        const RowEnds ends = row_ends_of(
            objects, static_cast<std::int64_t>(first), static_cast<std::int64_t>(end),
            [&](std::int64_t n) {
                const MeasuredObject& object = measured[static_cast<std::size_t>(n)];
                return std::array{object.first[1], object.last[1]};
            },
            queue);
        measure_hulls(ends, shape.x, geometry, queue,
                      std::span(measured).subspan(first, end - first));
    });
}

std::int64_t hulls_bytes(const Shape& shape, std::int64_t objects) {
    const std::int64_t rows = std::min(most_rows(shape), objects * shape.y);
    return 4 * (words_of_row * rows + (kernels::measure_hull_words + 4) * objects);
}

}  // namespace tesela::measuring
