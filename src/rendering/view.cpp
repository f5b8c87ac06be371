#include "rendering/view.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tesela/error.h"

namespace tesela::rendering {
namespace {

using namespace detail;

constexpr double degree = std::numbers::pi / 180;

void put(float* to, const Vector3& from) {
    for (std::size_t a = 0; a < 3; ++a) to[a] = static_cast<float>(from[a]);
}
Vector3 taken(const float* from) { return {from[0], from[1], from[2]}; }

Vector3 column_of(const Matrix& m, std::size_t column) {
    return {m[column], m[3 + column], m[6 + column]};
}

void check(const RenderSettings& settings) {
    constexpr std::int64_t most = 16384;
    for (const std::int64_t side : {settings.width, settings.height})
        if (side < 1 || side > most)
            throw InvalidArgument("render: a picture of " + std::to_string(settings.width) + " x " +
                                  std::to_string(settings.height) +
                                  " pixels is not possible: sides are from 1 to " +
                                  std::to_string(most));
    if (!(settings.step >= 0.05 && settings.step <= 16))
        throw InvalidArgument("render: the step must be from 0.05 to 16 voxels");
}

void add_plane(kernels::render_grid& grid, const ClipPlane& plane, const Placement& placement) {
    const double size = length(plane.normal);
    if (!(size > 0 && std::isfinite(size) && std::isfinite(plane.offset)))
        throw InvalidArgument("render: clip plane " + std::to_string(grid.planes + 1) +
                              " has no direction: its normal must be finite and not 0");
    float* to = grid.plane + 4 * grid.planes++;
    Vector3 normal{};
    for (std::size_t a = 0; a < 3; ++a)
        normal[a] = dot(plane.normal, column_of(placement.to_mm, a)) / size;
    const double at_middle = (dot(plane.normal, placement.middle) + plane.offset) / size;
    put(to, normal);
    to[3] = static_cast<float>(at_middle - dot(normal, placement.middle_voxel));
}

}  // namespace

Placement::Placement(const Geometry& geometry, const Shape& shape) {
    const double mm = geometry.unit == Unit::micrometer ? 1e-3 : 1;
    size = {double(shape.x), double(shape.y), double(shape.z)};
    shortest = 1e300;
    for (std::size_t a = 0; a < 3; ++a) {
        const double spacing = geometry.spacing[a] * mm;
        if (size[a] > 1) shortest = std::min(shortest, spacing);
        for (std::size_t row = 0; row < 3; ++row)
            to_mm[3 * row + a] = geometry.direction[3 * row + a] * spacing;
        middle_voxel[a] = (size[a] - 1) / 2;
    }
    if (shortest == 1e300) shortest = geometry.spacing[0] * mm;
    to_voxel = inverse(to_mm);
    for (const double value : to_voxel)
        if (!std::isfinite(value))
            throw InvalidArgument("render: the axes of the volume do not span a space");
    middle = mm * geometry.origin + to_mm * middle_voxel;
    radius = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        Vector3 half;  // from the middle to the corner, in voxels
        for (std::size_t a = 0; a < 3; ++a) half[a] = ((i >> a & 1) == 0 ? -0.5 : 0.5) * size[a];
        corners[i] = middle + to_mm * half;
        radius = std::max(radius, length(corners[i] - middle));
    }
}

Placement Placement::at(int level) const {
    Placement placement = *this;
    const double scale = std::exp2(level);
    for (double& value : placement.to_mm) value *= scale;
    for (double& value : placement.to_voxel) value /= scale;
    for (double& value : placement.middle_voxel) value = (value + 0.5) / scale - 0.5;
    placement.shortest *= scale;
    placement.covers *= scale;
    return placement;
}

kernels::render_view view_of(const Camera& camera, const RenderSettings& settings,
                             const Placement& placement) {
    validate(camera);
    check(settings);
    kernels::render_view view{};
    view.width = static_cast<std::int32_t>(settings.width);
    view.height = static_cast<std::int32_t>(settings.height);
    view.step = static_cast<float>(settings.step * placement.shortest);
    const Vector3 toward = camera.target - camera.position;
    const Vector3 forward = normalized(toward);
    const Vector3 right = normalized(cross(forward, camera.up));
    const Vector3 down = cross(forward, right);
    const bool perspective = camera.view_angle > 0;
    const double distance = length(toward);
    const double height =
        perspective ? 2 * distance * std::tan(camera.view_angle * degree / 2) : camera.height;
    const double pixel = height / static_cast<double>(settings.height);
    const Vector3 corner = (0.5 - static_cast<double>(settings.width) / 2) * pixel * right +
                           (0.5 - static_cast<double>(settings.height) / 2) * pixel * down;
    const Vector3 eye = camera.position - placement.middle;
    // Positions of cameras farther away are not exact enough in single precision.
    const double farthest = std::exp2(18) * placement.shortest;
    if (length(eye) > farthest)
        throw InvalidArgument("render: the camera is more than " + detail::shown(farthest) +
                              " mm away from the middle of the volume; bring it nearer");
    put(view.origin, perspective ? eye : eye + corner);
    put(view.direction, perspective ? toward + corner : forward);
    put(perspective ? view.direction_x : view.origin_x, pixel * right);
    put(perspective ? view.direction_y : view.origin_y, pixel * down);
    for (std::size_t i = 0; i < 9; ++i)
        view.to_voxel[i] = static_cast<float>(placement.to_voxel[i]);
    put(view.voxel_offset, placement.middle_voxel);
    return view;
}

kernels::render_grid clipped(kernels::render_grid grid, const RenderSettings& settings,
                             const Placement& placement) {
    for (std::size_t a = 0; a < 3; ++a) {
        double lowest = -0.5, highest = placement.size[a] - 0.5;
        if (settings.clip_box) {
            lowest = std::max(lowest, settings.clip_box->first[a] - 0.5);
            highest = std::min(highest, settings.clip_box->last[a] + 0.5);
            if (!(lowest < highest))
                throw InvalidArgument(
                    "render: the clip box holds no voxel: it takes x0,y0,z0,x1,y1,z1 with the "
                    "lower corner first, within the volume");
        }
        grid.lowest[a] = static_cast<float>((lowest + 0.5) / placement.covers - 0.5);
        grid.highest[a] = static_cast<float>((highest + 0.5) / placement.covers - 0.5);
    }
    if (settings.clip_planes.size() > kernels::render_max_planes)
        throw InvalidArgument("render: there are " + std::to_string(settings.clip_planes.size()) +
                              " clip planes, of at most " +
                              std::to_string(kernels::render_max_planes));
    grid.planes = 0;
    for (const ClipPlane& plane : settings.clip_planes) add_plane(grid, plane, placement);
    return grid;
}

Vector3 point_on_ray(const kernels::render_view& view, const Placement& placement, std::int64_t x,
                     std::int64_t y, double distance) {
    const auto at = [&](const float* first, const float* column, const float* row) {
        return taken(first) + double(x) * taken(column) + double(y) * taken(row);
    };
    const Vector3 toward = normalized(at(view.direction, view.direction_x, view.direction_y));
    return placement.middle + at(view.origin, view.origin_x, view.origin_y) + distance * toward;
}

}  // namespace tesela::rendering
