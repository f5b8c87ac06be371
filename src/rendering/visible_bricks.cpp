#include "rendering/visible_bricks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include "rendering/levels.h"

namespace tesela::rendering {
namespace {

using namespace detail;

constexpr double side = kernels::render_brick_side;

Vector3 taken(const float* from) { return {from[0], from[1], from[2]}; }

// From points, in mm around the middle of the volume, to pixels.
class Projection {
  public:
    explicit Projection(const kernels::render_view& view)
        : origin_(taken(view.origin)), toward_(taken(view.direction)) {
        const Vector3 origin_x = taken(view.origin_x), direction_x = taken(view.direction_x);
        is_perspective_ = length(direction_x) > 0;
        right_ = is_perspective_ ? direction_x : origin_x;
        down_ = is_perspective_ ? taken(view.direction_y) : taken(view.origin_y);
        forward_ = normalized(cross(right_, down_));
        if (dot(forward_, toward_) < 0) forward_ = -1.0 * forward_;
        depth_ = dot(forward_, toward_);
    }

    // Nothing for a point that is not clearly in front of the eye.
    std::optional<std::array<double, 2>> pixel(const Vector3& point) const {
        Vector3 from = point - origin_;
        if (is_perspective_) {
            const double scale = dot(from, forward_) / depth_;
            if (scale < 1e-6) return {};
            from = (1 / scale) * from - toward_;
        }
        return std::array{dot(from, right_) / dot(right_, right_),
                          dot(from, down_) / dot(down_, down_)};
    }
    bool is_behind(const Vector3& point) const {
        return is_perspective_ && dot(point - origin_, forward_) < 0;
    }

  private:
    Vector3 origin_, toward_, right_{}, down_{}, forward_{};
    double depth_ = 1;
    bool is_perspective_ = false;
};

// In voxels of the level, with a voxel around it for what rounding does.
struct Box {
    std::array<double, 3> lowest{}, highest{};

    Vector3 corner(std::size_t i) const {
        Vector3 corner{};
        for (std::size_t a = 0; a < 3; ++a) corner[a] = (i >> a & 1) == 0 ? lowest[a] : highest[a];
        return corner;
    }
};

bool is_clipped_away(const Box& box, const kernels::render_grid& grid) {
    for (std::size_t a = 0; a < 3; ++a)
        if (box.highest[a] < double(grid.lowest[a]) || box.lowest[a] > double(grid.highest[a]))
            return true;
    for (std::int32_t i = 0; i < grid.planes; ++i) {
        const float* plane = grid.plane + 4 * i;
        bool is_kept = false;
        for (std::size_t k = 0; k < 8; ++k)
            is_kept |= dot(taken(plane), box.corner(k)) + double(plane[3]) >= 0;
        if (!is_kept) return true;
    }
    return false;
}

// Where it lies in the picture, a pixel more on each side.
PictureTile pixels_of(const Box& box, const Projection& projection, const Placement& placement,
                      const PictureTile& all) {
    std::array<double, 2> lowest{1e300, 1e300}, highest{-1e300, -1e300};
    int behind = 0;
    bool is_unbounded = false;
    for (std::size_t i = 0; i < 8; ++i) {
        const Vector3 point = placement.to_mm * (box.corner(i) - placement.middle_voxel);
        behind += projection.is_behind(point);
        const auto pixel = projection.pixel(point);
        is_unbounded |= !pixel;
        for (std::size_t a = 0; pixel && a < 2; ++a) {
            lowest[a] = std::min(lowest[a], (*pixel)[a]);
            highest[a] = std::max(highest[a], (*pixel)[a]);
        }
    }
    if (behind == 8) return {};
    if (is_unbounded) return all;
    PictureTile pixels;
    for (std::size_t a = 0; a < 2; ++a) {
        const auto size = static_cast<double>(all.end[a]);
        pixels.begin[a] =
            static_cast<std::int64_t>(std::clamp(std::floor(lowest[a]) - 1, 0.0, size));
        pixels.end[a] = static_cast<std::int64_t>(std::clamp(std::ceil(highest[a]) + 2, 0.0, size));
    }
    return pixels;
}

Box box_of(std::int32_t number, const kernels::render_grid& grid) {
    const auto& count = grid.bricks;
    const std::array<std::int32_t, 3> at{number % count[0], number / count[0] % count[1],
                                         number / count[0] / count[1]};
    Box box;
    for (std::size_t a = 0; a < 3; ++a) {
        box.lowest[a] = double(at[a]) * side - 1;
        box.highest[a] = std::min(box.lowest[a] + side + 2, double(grid.size[a]));
    }
    return box;
}

// The rays of a tile, in voxels: that of its middle, and how far others are from it along each axis
// in the same plane of the picture.
class Beam {
  public:
    Beam(const kernels::render_view& view, const Placement& placement, const PictureTile& tile)
        : origin_(taken(view.origin)), toward_(taken(view.direction)) {
        for (std::size_t a = 0; a < 2; ++a) {
            const double middle = double(tile.begin[a] + tile.end[a] - 1) / 2;
            const double half = double(tile.length(a)) / 2;
            const Vector3 moves = taken(a == 0 ? view.origin_x : view.origin_y);
            const Vector3 turns = taken(a == 0 ? view.direction_x : view.direction_y);
            origin_ = origin_ + middle * moves;
            toward_ = toward_ + middle * turns;
            add(half, placement.to_voxel * moves, around_);
            add(half, placement.to_voxel * turns, widens_);
        }
        // The rays of a perspective are as far along at a point as it is deep.
        const Vector3 forward = cross(taken(view.direction_x), taken(view.direction_y));
        const double depth = dot(forward, toward_);
        for (std::size_t a = 0; a < 3 && depth != 0; ++a)
            deeper_[a] =
                dot(forward, {placement.to_mm[a], placement.to_mm[3 + a], placement.to_mm[6 + a]}) /
                depth;
        origin_ = placement.to_voxel * origin_ + placement.middle_voxel;
        toward_ = placement.to_voxel * toward_;
    }

    // The middle ray and the box, grown by how wide the beam is at its far end.
    bool meets(const Box& box) const {
        double far = 0;
        for (std::size_t i = 0; i < 8; ++i)
            far = std::max(far, dot(deeper_, box.corner(i) - origin_));
        double first = 0, last = std::numeric_limits<double>::max();
        for (std::size_t a = 0; a < 3; ++a) {
            const double grows = around_[a] + far * widens_[a];
            const double low = box.lowest[a] - grows - origin_[a];
            const double high = box.highest[a] + grows - origin_[a];
            if (std::abs(toward_[a]) < 1e-12) {
                if (low > 0 || high < 0) return false;
                continue;
            }
            first = std::max(first, std::min(low / toward_[a], high / toward_[a]));
            last = std::min(last, std::max(low / toward_[a], high / toward_[a]));
        }
        return first <= last;
    }

  private:
    static void add(double factor, const Vector3& vector, Vector3& to) {
        for (std::size_t a = 0; a < 3; ++a) to[a] += factor * std::abs(vector[a]);
    }

    Vector3 origin_, toward_, around_{}, widens_{}, deeper_{};
};

}  // namespace

std::vector<SeenBrick> Sight::bricks(const std::vector<std::uint8_t>& wanted) const {
    const Projection projection(view_);
    std::vector<SeenBrick> seen;
    for (std::int32_t number = 0; number < static_cast<std::int32_t>(wanted.size()); ++number) {
        if (!wanted[static_cast<std::size_t>(number)]) continue;
        const Box box = box_of(number, grid_);
        if (is_clipped_away(box, grid_)) continue;
        const PictureTile pixels = pixels_of(box, projection, placement_, picture());
        if (pixels.length(0) > 0 && pixels.length(1) > 0) seen.push_back({number, pixels});
    }
    return seen;
}

std::vector<SeenBrick> Sight::met_by(const PictureTile& tile,
                                     const std::vector<SeenBrick>& bricks) const {
    const Beam beam(view_, placement_, tile);
    std::vector<SeenBrick> met;
    std::copy_if(bricks.begin(), bricks.end(), std::back_inserter(met),
                 [&](const SeenBrick& brick) {
                     const PictureTile& pixels = brick.pixels;
                     for (std::size_t a = 0; a < 2; ++a)
                         if (pixels.begin[a] >= tile.end[a] || pixels.end[a] <= tile.begin[a])
                             return false;
                     return beam.meets(box_of(brick.number, grid_));
                 });
    return met;
}

std::vector<std::uint8_t> bricks_near(const std::vector<std::uint8_t>& distance_map, int distance,
                                      const kernels::render_grid& grid) {
    std::vector<std::uint8_t> near(static_cast<std::size_t>(grid.bricks[0]) *
                                   static_cast<std::size_t>(grid.bricks[1]) *
                                   static_cast<std::size_t>(grid.bricks[2]));
    std::size_t block = 0;
    for (std::int32_t z = 0; z < grid.blocks[2]; ++z)
        for (std::int32_t y = 0; y < grid.blocks[1]; ++y) {
            const std::int32_t row =
                ((z >> grid.brick_shift) * grid.bricks[1] + (y >> grid.brick_shift)) *
                grid.bricks[0];
            for (std::int32_t x = 0; x < grid.blocks[0]; ++x, ++block)
                if (distance_map[block] <= distance)
                    near[static_cast<std::size_t>(row + (x >> grid.brick_shift))] = 1;
        }
    return near;
}

std::int32_t brick_at(const Vector3& voxel, const kernels::render_grid& grid) {
    std::int32_t number = 0;
    for (std::size_t a = 3; a-- > 0;) {
        const double at = std::floor((voxel[a] + double(RENDER_MARGIN)) / side);
        number = number * grid.bricks[a] +
                 static_cast<std::int32_t>(std::clamp(at, 0.0, double(grid.bricks[a] - 1)));
    }
    return number;
}

namespace {

// From the plane of the camera along its view to the nearest of these corners, at least 0.
double nearest_of(const Camera& camera, const std::array<Vector3, 8>& corners) {
    const Vector3 forward = normalized(camera.target - camera.position);
    double nearest = std::numeric_limits<double>::max();
    for (const Vector3& corner : corners)
        nearest = std::min(nearest, dot(corner - camera.position, forward));
    return std::max(nearest, 0.0);
}

// Where pixels are `height` mm apart times their number.
int level_for(double height, const RenderSettings& settings, double voxel) {
    const double pixel = height / static_cast<double>(std::max<std::int64_t>(settings.height, 1));
    const double level = std::floor(std::log2(std::max(pixel / voxel, 1.0)));
    return static_cast<int>(std::min<double>(level, coarsest_level));
}

bool meets_focus(const ClipBox& focus, const std::array<std::int64_t, 3>& brick) {
    for (std::size_t a = 0; a < 3; ++a) {
        const double first = double(brick[a]) * side;
        if (focus.last[a] < first || focus.first[a] >= first + side) return false;
    }
    return true;
}

}  // namespace

LevelChoice levels_of_pixels(const Camera& camera, const RenderSettings& settings,
                             std::optional<int> fixed, const Shape& shape,
                             const Placement& placement,
                             const std::function<void(int level)>& require,
                             const Progress& progress) {
    constexpr int outside_focus = 2;
    validate(camera);
    const bool perspective = camera.view_angle > 0;
    const double per_mm = 2 * std::tan(camera.view_angle * std::numbers::pi / 360);
    const auto level_at = [&](const std::array<Vector3, 8>& corners) {
        if (fixed) return *fixed;
        const double height = perspective ? per_mm * nearest_of(camera, corners) : camera.height;
        return level_for(height, settings, placement.shortest);
    };
    LevelChoice choice{settings.focus ? 0 : level_at(placement.corners), {}};
    if (!settings.focus && (!perspective || fixed)) return choice;
    require(choice.level);
    const double covers = std::exp2(choice.level) * side;
    std::array<std::int64_t, 3> counts{};
    const std::array<std::int64_t, 3> size{shape.x, shape.y, shape.z};
    for (std::size_t a = 0; a < 3; ++a)
        counts[a] = static_cast<std::int64_t>(std::ceil(double(size[a]) / covers));
    choice.coarser.reserve(static_cast<std::size_t>(counts[0] * counts[1] * counts[2]));
    bool is_mixed = false;
    for (std::int64_t z = 0; z < counts[2]; ++z) {
        progress.throw_if_cancelled();
        for (std::int64_t y = 0; y < counts[1]; ++y)
            for (std::int64_t x = 0; x < counts[0]; ++x) {
                std::array<Vector3, 8> corners;
                for (std::size_t i = 0; i < corners.size(); ++i) {
                    const Vector3 voxel{(double(x) + double(i & 1)) * covers,
                                        (double(y) + double(i >> 1 & 1)) * covers,
                                        (double(z) + double(i >> 2)) * covers};
                    corners[i] =
                        placement.middle + placement.to_mm * (voxel - placement.middle_voxel);
                }
                int level = level_at(corners);
                if (settings.focus)
                    level = meets_focus(*settings.focus, {x, y, z})
                                ? 0
                                : std::max(level, fixed ? 0 : outside_focus);
                choice.coarser.push_back(
                    static_cast<std::uint8_t>(std::max(level - choice.level, 0)));
                is_mixed |= choice.coarser.back() > 0;
            }
    }
    if (!is_mixed) choice.coarser.clear();
    return choice;
}

}  // namespace tesela::rendering
