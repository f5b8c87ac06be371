#include "tesela/camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/vectors.h"
#include "tesela/error.h"

namespace tesela {
namespace {

using namespace detail;

constexpr double degree = std::numbers::pi / 180;

// By the right hand, about an axis of length 1 (O. Rodrigues, 1840).
Vector3 rotated(const Vector3& v, const Vector3& axis, double degrees) {
    const double c = std::cos(degrees * degree), s = std::sin(degrees * degree);
    return c * v + s * cross(axis, v) + ((1 - c) * dot(axis, v)) * axis;
}

// Rays are in single precision.
constexpr double farthest = 1e12, least_height = 1e-12, least_angle = 1e-6;

bool is_within_limits(const Vector3& v) {
    return std::all_of(v.begin(), v.end(),
                       [](double value) { return std::abs(value) <= farthest; });
}

struct Side {
    Vector3 from, up;
};
Side side_of(CameraView view) {
    switch (view) {
        case CameraView::anterior:
            return {{0, -1, 0}, {0, 0, 1}};
        case CameraView::posterior:
            return {{0, 1, 0}, {0, 0, 1}};
        case CameraView::left:
            return {{1, 0, 0}, {0, 0, 1}};
        case CameraView::right:
            return {{-1, 0, 0}, {0, 0, 1}};
        case CameraView::superior:
            return {{0, 0, 1}, {0, -1, 0}};
        default:
            return {{0, 0, -1}, {0, -1, 0}};
    }
}

}  // namespace

void validate(const Camera& camera) {
    if (!is_within_limits(camera.position) || !is_within_limits(camera.target) ||
        !is_within_limits(camera.up))
        throw InvalidArgument("camera: numbers of position, target and up must be within 1e12");
    const Vector3 toward = camera.target - camera.position;
    if (!(length(toward) > 0))
        throw InvalidArgument("camera: position and target are the same point");
    if (!(length(cross(toward, camera.up)) > 1e-9 * length(toward) * length(camera.up)))
        throw InvalidArgument("camera: the up direction lies along the view");
    if (!(camera.view_angle == 0 || (camera.view_angle >= least_angle && camera.view_angle < 170)))
        throw InvalidArgument(
            "camera: the view angle must be 0, or from 1e-6 to below 170 degrees");
    if (!(camera.height >= least_height && camera.height <= farthest))
        throw InvalidArgument("camera: the height must be from 1e-12 to 1e12 mm");
}

Camera turned(const Camera& camera, const CameraTurn& turn) {
    validate(camera);
    if (!(turn.zoom > 0)) throw InvalidArgument("camera: the zoom must be above 0");
    Camera made = camera;
    Vector3 from = camera.position - camera.target;
    const Vector3 right = normalized(cross(camera.up, from));
    made.up = normalized(cross(from, right));
    from = rotated(from, made.up, turn.azimuth);
    const Vector3 turned_right = normalized(cross(made.up, from));
    from = rotated(from, turned_right, -turn.elevation);
    made.up = rotated(made.up, turned_right, -turn.elevation);
    made.up = rotated(made.up, normalized(from), turn.roll);
    made.position = camera.target + from;
    made.height = camera.height / turn.zoom;
    made.view_angle = 2 * std::atan(std::tan(camera.view_angle * degree / 2) / turn.zoom) / degree;
    return made;
}

double fitting_zoom(const Camera& camera, std::span<const Vector3> points, double aspect) {
    validate(camera);
    constexpr double filled = 0.96;
    const Vector3 forward = normalized(camera.target - camera.position);
    const Vector3 right = normalized(cross(forward, camera.up));
    const Vector3 up = cross(right, forward);
    double needed = 0;  // the largest share of half the picture that a point reaches now
    for (const Vector3& point : points) {
        const Vector3 from = point - camera.position;
        const double half = camera.view_angle > 0
                                ? std::tan(camera.view_angle * degree / 2) * dot(from, forward)
                                : camera.height / 2;
        if (half > 0)
            needed = std::max({needed, std::abs(dot(from, right)) / (aspect * half),
                               std::abs(dot(from, up)) / half});
    }
    return needed > 0 ? filled / needed : 1;
}

Camera camera_of(CameraView view, const Vector3& center, double radius, double view_angle) {
    const Side side = side_of(view);
    Camera camera;
    camera.target = center;
    camera.up = side.up;
    camera.view_angle = view_angle;
    camera.height = 2 * radius;
    const double away = view_angle > 0 ? radius / std::sin(view_angle * degree / 2) : 2 * radius;
    camera.position = center + away * side.from;
    validate(camera);
    return camera;
}

}  // namespace tesela
