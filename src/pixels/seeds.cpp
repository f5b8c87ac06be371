#include "pixels/seeds.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/point_text.h"
#include "kernels/pixels/seeds.kernel.h"
#include "tesela/align.h"
#include "tesela/error.h"
#include "tesela/options.h"
#include "tesela/transform.h"

namespace tesela {
namespace {

using Index = std::array<std::int64_t, 4>;

Index lengths_of(const Shape& shape) { return {shape.x, shape.y, shape.z, shape.t}; }

std::int64_t point_at(const Shape& shape, const Index& at) {
    return ((at[3] * shape.z + at[2]) * shape.y + at[1]) * shape.x + at[0];
}

int coordinates_of(const Shape& shape) { return shape.t > 1 ? 4 : shape.z > 1 ? 3 : 2; }

// Of a point in LPS the same in RAS, and back: the first two signs turn.
template <class Point>
Point in_lps(Point point, Frame frame) {
    if (frame == Frame::ras)
        for (std::size_t axis = 0; axis < 2; ++axis) point[axis] = 0.0 - point[axis];
    return point;
}

// x, y and z of a physical point along the axes of the image, in pixels from the first.
std::array<double, 3> along_axes(const SeedPlace& place, const Geometry& geometry) {
    if (!geometry.known())
        throw InvalidArgument("--seeds: the place " + text_of(place) +
                              " is in millimeters, and the image has no spacing: give pixels, or "
                              "--spacing");
    const std::array<double, 3> spacing_mm = geometry.spacing_mm();
    std::array<double, 3> offset{};
    const auto at = in_lps(place.at, place.frame);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double mm_of_unit = spacing_mm[axis] / geometry.spacing[axis];
        const bool given = axis < static_cast<std::size_t>(place.coordinates);
        offset[axis] = given ? at[axis] - geometry.origin[axis] * mm_of_unit : 0;
    }
    const SpaceMatrix inverse = LinearMap{.matrix = geometry.direction}.inverse().matrix;
    std::array<double, 3> result{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        result[axis] = (inverse[3 * axis] * offset[0] + inverse[3 * axis + 1] * offset[1] +
                        inverse[3 * axis + 2] * offset[2]) /
                       spacing_mm[axis];
    return result;
}

void check_coordinates(const SeedPlace& place, const Shape& shape) {
    if (place.coordinates < coordinates_of(shape))
        throw InvalidArgument(
            "--seeds: the place " + text_of(place) + " has " + std::to_string(place.coordinates) +
            " coordinates, and the image has " + std::to_string(coordinates_of(shape)) + " axes (" +
            size_text(shape) + "): give as many");
}

// "from -90,-126,-72mm to 90,90,108mm": the corners of an image.
std::string extent_text(const Shape& shape, const Geometry& geometry, Frame frame) {
    const auto corner = [&](const Index& pixel) {
        SeedPlace place{{}, coordinates_of(shape) > 2 ? 3 : 2, true, frame};
        const auto point = millimeters_of(pixel, geometry, frame);
        std::copy(point.begin(), point.end(), place.at.begin());
        return text_of(place);
    };
    return "from " + corner({}) + " to " + corner({shape.x - 1, shape.y - 1, shape.z - 1, 0});
}

// Of places in millimeters.
const SeedPlace* first_place(const std::vector<SeedPoint>& points) {
    return points.empty() ? nullptr : &points.front().place;
}
const SeedPlace* first_place(const std::vector<SeedBox>& boxes) {
    return boxes.empty() ? nullptr : &boxes.front().first;
}
const SeedPlace* first_place(const std::vector<SeedBall>& balls) {
    return balls.empty() ? nullptr : &balls.front().center;
}
template <class Others>
const SeedPlace* first_place(const Others&) {
    return nullptr;
}
std::optional<Frame> frame_of(const Seeds& seeds) {
    const SeedPlace* place = std::visit([](const auto& s) { return first_place(s); }, seeds);
    return place && place->millimeters ? std::optional(place->frame) : std::nullopt;
}

// Takes seeds in any order, and makes the lists.
class Collector {
  public:
    explicit Collector(const Shape& shape) : shape_(shape) {}

    void expect(std::size_t seeds) { seeds_.reserve(seeds); }
    void add(const Index& at, std::uint32_t label) {
        seeds_.emplace_back(static_cast<std::uint32_t>(point_at(shape_, at)), label);
    }
    void add(std::size_t point, std::uint32_t label) {
        seeds_.emplace_back(static_cast<std::uint32_t>(point), label);
    }
    PlacedSeeds finish() {
        std::sort(seeds_.begin(), seeds_.end());
        const auto same_point = [](const Seed& a, const Seed& b) { return a.first == b.first; };
        seeds_.erase(std::unique(seeds_.begin(), seeds_.end(), same_point), seeds_.end());
        std::sort(seeds_.begin(), seeds_.end(), [](const Seed& a, const Seed& b) {
            return std::tie(a.second, a.first) < std::tie(b.second, b.first);
        });
        PlacedSeeds placed;
        placed.points.reserve(seeds_.size());
        placed.labels.reserve(seeds_.size());
        for (const auto& [point, label] : seeds_) {
            placed.points.push_back(point);
            placed.labels.push_back(label);
        }
        return placed;
    }

  private:
    using Seed = std::pair<std::uint32_t, std::uint32_t>;  // point, label
    const Shape& shape_;
    std::vector<Seed> seeds_;
};

std::uint32_t label_of(const std::optional<std::uint32_t>& given, std::size_t index) {
    const auto label = given.value_or(static_cast<std::uint32_t>(index + 1));
    if (label == 0)
        throw InvalidArgument("a seed has label 0, which is no region: labels begin at 1");
    return label;
}

// Calls `use` for each place between two corners.
template <class Use>
void for_each_place(const Index& first, const Index& last, const Index& step, const Use& use) {
    for (std::int64_t t = first[3]; t <= last[3]; t += step[3])
        for (std::int64_t z = first[2]; z <= last[2]; z += step[2])
            for (std::int64_t y = first[1]; y <= last[1]; y += step[1])
                for (std::int64_t x = first[0]; x <= last[0]; x += step[0]) use(Index{x, y, z, t});
}

double squared_distance(const PlacedBall& ball, const Index& at) {
    double sum = 0;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        const double away = (static_cast<double>(at[axis]) - ball.center[axis]) * ball.step[axis];
        sum += away * away;
    }
    return sum;
}

struct Placer {
    const Shape& shape;
    const Geometry& geometry;
    Collector& seeds;

    void operator()(const AutomaticSeeds&) const {
        throw InvalidArgument(
            "--seeds auto: this method grows from seeds that mark objects; give a label "
            "picture, "
            "points 'x,y;...', boxes 'box:x0,y0,x1,y1;...', balls 'ball:x,y,r;...' or grid");
    }
    void operator()(const GridSeeds& grid) const {
        const Index lengths = lengths_of(shape);
        Index first{}, step{};
        for (std::size_t axis = 0; axis < 4; ++axis) {
            step[axis] = axis == 3 ? lengths[axis] : cell(grid.spacing, axis);
            first[axis] = std::min(step[axis], lengths[axis]) / 2;
        }
        std::uint32_t label = 0;
        for_each_place(first, {shape.x - 1, shape.y - 1, shape.z - 1, shape.t - 1}, step,
                       [&](const Index& at) { seeds.add(at, ++label); });
    }
    void operator()(const SeedLabels& seed_labels) const {
        const LabelView& labels = seed_labels.view();
        const Shape& size = labels.shape();
        if (lengths_of(size) != lengths_of(shape) || size.channels != 1)
            throw InvalidArgument(
                "the seed picture has " + size_text(size) + " pixels" +
                (size.channels == 1 ? "" : " of " + std::to_string(size.channels) + " channels") +
                ", and the image has " + size_text(shape) +
                ": it needs the image's size and one channel");
        const auto pixels = labels.pixels();
        seeds.expect(pixels.size() -
                     static_cast<std::size_t>(std::count(pixels.begin(), pixels.end(), 0u)));
        for (std::size_t i = 0; i < pixels.size(); ++i)
            if (pixels[i] != 0) seeds.add(i, pixels[i]);
    }
    void operator()(const std::vector<SeedPoint>& points) const {
        for (std::size_t i = 0; i < points.size(); ++i)
            seeds.add(pixel_of(points[i].place, shape, geometry), label_of(points[i].label, i));
    }
    void operator()(const std::vector<SeedBox>& boxes) const {
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            Index first = pixel_of(boxes[i].first, shape, geometry);
            Index last = pixel_of(boxes[i].last, shape, geometry);
            for (std::size_t axis = 0; axis < 4; ++axis)
                if (first[axis] > last[axis]) std::swap(first[axis], last[axis]);
            const std::uint32_t label = label_of(boxes[i].label, i);
            for_each_place(first, last, {1, 1, 1, 1},
                           [&](const Index& at) { seeds.add(at, label); });
        }
    }
    void operator()(const std::vector<SeedBall>& balls) const {
        for (std::size_t i = 0; i < balls.size(); ++i)
            add_ball(balls[i], label_of(balls[i].label, i));
    }

    // A ball is of one frame.
    void add_ball(const SeedBall& ball, std::uint32_t label) const {
        const PlacedBall placed = place_ball(ball, shape, geometry);
        const Index lengths = lengths_of(shape);
        Index first{}, last{}, nearest{};
        bool inside = true;
        for (std::size_t axis = 0; axis < 4; ++axis) {
            const double highest = static_cast<double>(lengths[axis] - 1);
            const double center = placed.center[axis];
            const double reach = axis == 3 ? 0 : ball.radius / placed.step[axis];
            first[axis] = static_cast<std::int64_t>(std::clamp(center - reach, 0.0, highest));
            last[axis] = static_cast<std::int64_t>(std::clamp(center + reach, 0.0, highest));
            const double rounded = std::floor(center + 0.5);
            inside = inside && rounded >= 0 && rounded <= highest;
            nearest[axis] = static_cast<std::int64_t>(std::clamp(rounded, 0.0, highest));
        }
        std::int64_t taken = 0;
        for_each_place(first, last, {1, 1, 1, 1}, [&](const Index& at) {
            if (squared_distance(placed, at) > ball.radius * ball.radius) return;
            seeds.add(at, label);
            ++taken;
        });
        if (taken > 0) return;
        if (!inside)
            throw InvalidArgument(
                "--seeds: the ball around " + text_of(ball.center) + " of radius " +
                detail::shown(ball.radius) + " is outside of the image, which " +
                (ball.center.millimeters ? "goes " + extent_text(shape, geometry, ball.center.frame)
                                         : "has " + size_text(shape) + " pixels"));
        seeds.add(nearest, label);
    }

    std::int64_t cell(const Length& spacing, std::size_t axis) const {
        double pixels = spacing.value;
        if (spacing.physical()) {
            if (!geometry.known())
                throw InvalidArgument("--seeds: the grid's spacing is " + spacing.to_string() +
                                      ", and the image has no spacing: give pixels, or --spacing");
            pixels = std::max(1.0, std::round(spacing.millimeters() / geometry.spacing_mm()[axis]));
        }
        if (!(pixels >= 1 && pixels <= 1e9) || pixels != std::floor(pixels))
            throw InvalidArgument("--seeds: the grid's spacing is " + spacing.to_string() +
                                  "; it must be a whole number of pixels from 1 on");
        return static_cast<std::int64_t>(pixels);
    }
};

}  // namespace

std::string text_of(const SeedPlace& place) {
    std::string text = place.millimeters && place.frame == Frame::ras ? "RAS:" : "";
    for (int axis = 0; axis < place.coordinates; ++axis)
        text += (axis ? "," : "") + detail::shown(place.at[static_cast<std::size_t>(axis)]);
    return text + (place.millimeters ? "mm" : "");
}

// Halves are rounded up, as ITK does.
std::array<std::int64_t, 4> pixel_of(const SeedPlace& place, const Shape& shape,
                                     const Geometry& geometry) {
    check_coordinates(place, shape);
    std::array<double, 4> at = place.at;
    if (place.millimeters) {
        const auto physical = along_axes(place, geometry);
        for (std::size_t axis = 0; axis < 3; ++axis) at[axis] = std::floor(physical[axis] + 0.5);
    }
    const Index lengths = lengths_of(shape);
    Index pixel{};
    for (std::size_t axis = 0; axis < 4; ++axis) {
        if (at[axis] != std::floor(at[axis]))
            throw InvalidArgument("--seeds: the place " + text_of(place) +
                                  " is not one pixel: coordinates are whole numbers, or have mm "
                                  "behind the last");
        if (!(at[axis] >= 0 && at[axis] < static_cast<double>(lengths[axis])))
            throw InvalidArgument(
                "--seeds: the place " + text_of(place) + " is outside of the image, which " +
                (place.millimeters ? "goes " + extent_text(shape, geometry, place.frame)
                                   : "has " + size_text(shape) + " pixels, counted from 0"));
        pixel[axis] = static_cast<std::int64_t>(at[axis]);
    }
    return pixel;
}

std::array<double, 3> millimeters_of(const std::array<std::int64_t, 4>& pixel,
                                     const Geometry& geometry, Frame frame) {
    const std::array<double, 3> index{static_cast<double>(pixel[0]), static_cast<double>(pixel[1]),
                                      static_cast<double>(pixel[2])};
    return in_lps(physical_point(geometry, index), frame);
}

PlacedBall place_ball(const SeedBall& ball, const Shape& shape, const Geometry& geometry) {
    check_coordinates(ball.center, shape);
    PlacedBall placed{ball.center.at};
    if (!ball.center.millimeters) return placed;
    const auto physical = along_axes(ball.center, geometry);
    std::copy(physical.begin(), physical.end(), placed.center.begin());
    const auto spacing = geometry.spacing_mm();
    std::copy(spacing.begin(), spacing.end(), placed.step.begin());
    return placed;
}

std::vector<PlacedSeeds::Range> PlacedSeeds::by_label() const {
    std::vector<Range> ranges;
    for (std::int64_t first = 0; first < size();) {
        std::int64_t end = first + 1;
        while (end < size() &&
               labels[static_cast<std::size_t>(end)] == labels[static_cast<std::size_t>(first)])
            ++end;
        ranges.push_back({first, end});
        first = end;
    }
    return ranges;
}

PlacedSeeds place_seeds(const Seeds& seeds, const Shape& shape, const Geometry& geometry) {
    Collector collector(shape);
    std::visit(Placer{shape, geometry, collector}, seeds);
    PlacedSeeds placed = collector.finish();
    placed.labeled_by_user = !std::holds_alternative<GridSeeds>(seeds);
    placed.frame = frame_of(seeds);
    if (placed.points.empty())
        throw InvalidArgument(std::holds_alternative<SeedLabels>(seeds)
                                  ? "the seed picture has no seeds: all its pixels are 0"
                                  : "there is no seed: give at least one");
    return placed;
}

std::string seed_text(const Shape& shape, const Geometry& geometry, std::optional<Frame> frame,
                      std::int64_t point) {
    std::string text = point_text(shape, point);
    if (!frame) return text;
    SeedPlace place{{}, coordinates_of(shape) > 2 ? 3 : 2, true, *frame};
    const Index pixel{point % shape.x, point / shape.x % shape.y,
                      point / (shape.x * shape.y) % shape.z, 0};
    const auto at = millimeters_of(pixel, geometry, *frame);
    std::copy(at.begin(), at.end(), place.at.begin());
    return text + " (" + text_of(place) + ")";
}

namespace {

[[noreturn]] void refuse_seed(const Shape& shape, const Geometry& geometry,
                              const PlacedSeeds& seeds, std::uint32_t point) {
    throw InvalidArgument("the seed at " + seed_text(shape, geometry, seeds.frame, point) +
                          " stands on a pixel that is not a finite number: move it");
}

}  // namespace

template <class T>
void check_seed_values(const PixelSource<T>& image, const PlacedSeeds& seeds) {
    if constexpr (std::is_floating_point_v<T>) {
        const Shape& shape = image.shape();
        const std::span<const T> pixels = image.pixels();
        for (const std::uint32_t point : seeds.points)
            for (int c = 0; c < shape.channels; ++c)
                if (!std::isfinite(pixels[static_cast<std::size_t>(point) * shape.channels + c]))
                    refuse_seed(shape, image.geometry, seeds, point);
    }
}
template void check_seed_values(const PixelSource<std::uint8_t>&, const PlacedSeeds&);
template void check_seed_values(const PixelSource<std::uint16_t>&, const PlacedSeeds&);
template void check_seed_values(const PixelSource<std::int16_t>&, const PlacedSeeds&);
template void check_seed_values(const PixelSource<float>&, const PlacedSeeds&);

void check_seed_values(std::span<const float> values, const Shape& shape, const Geometry& geometry,
                       const PlacedSeeds& seeds) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i])) refuse_seed(shape, geometry, seeds, seeds.points[i]);
}

DeviceSeeds upload_seeds(Queue& queue, const PlacedSeeds& seeds) {
    return {queue.upload(std::span<const std::uint32_t>(seeds.points), "seed points"),
            queue.upload(std::span<const std::uint32_t>(seeds.labels), "seed labels")};
}

Buffer<std::uint32_t> seed_label_image(Queue& queue, const DeviceSeeds& seeds,
                                       std::int64_t points) {
    auto image = queue.allocate_filled<std::uint32_t>(points, 0u, "seed label image");
    queue.launch(kernels::seed_labels_to_image, Range{seeds.points.size()}, seeds.points,
                 seeds.labels, image);
    return image;
}

}  // namespace tesela
