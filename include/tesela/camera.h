// Cameras for volume rendering.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tesela/options.h"

namespace tesela {

using Vector3 = std::array<double, 3>;

// Named views are those of the LPS frame: `anterior` shows the face of a patient.
enum class CameraView { anterior, posterior, left, right, superior, inferior };
constexpr auto enum_names(CameraView) {
    return std::array{EnumNames<CameraView>{CameraView::anterior, "anterior"},
                      EnumNames<CameraView>{CameraView::posterior, "posterior"},
                      EnumNames<CameraView>{CameraView::left, "left"},
                      EnumNames<CameraView>{CameraView::right, "right"},
                      EnumNames<CameraView>{CameraView::superior, "superior"},
                      EnumNames<CameraView>{CameraView::inferior, "inferior"}};
}

// In millimeters of the volume's physical frame.
struct Camera {
    Vector3 position{0, -1, 0};
    Vector3 target{0, 0, 0};
    Vector3 up{0, 0, 1};
    double view_angle = 0;  // degrees from the lower to the upper edge; 0: orthographic
    double height = 1;      // mm from the lower to the upper edge at the target

    bool operator==(const Camera&) const = default;
};

// Throws InvalidArgument for coordinates beyond 1e12, a target at the position, an up direction
// along the view, an angle that is neither 0 nor in 1e-6 to below 170, and a height not in 1e-12 to
// 1e12.
void validate(const Camera& camera);

// Angles in degrees, each about the target: azimuth to the right of the picture, elevation upwards,
// roll clockwise. A zoom of 2 shows half the height.
struct CameraTurn {
    double azimuth = 0, elevation = 0, roll = 0, zoom = 1;
};
Camera turned(const Camera& camera, const CameraTurn& turn);

// The zoom to turn the camera by, so that a picture whose width is `aspect` times its height shows
// all points with a margin of 4 %; 1 where every point is on the axis of the view. Ignores points
// behind the camera.
double fitting_zoom(const Camera& camera, std::span<const Vector3> points, double aspect);

// The named view of a box around `center`, of which the sphere with this radius fits a square
// picture.
Camera camera_of(CameraView view, const Vector3& center, double radius, double view_angle = 0);

}  // namespace tesela
