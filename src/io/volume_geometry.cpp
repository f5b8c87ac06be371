// From the axes that a header gives to the geometry of its volume.
#include <cmath>

#include "core/vectors.h"
#include "io/volume.h"

namespace tesela::io {
namespace {

using detail::dot;

double length(const Vector3& v) { return std::hypot(v[0], v[1], v[2]); }

double determinant(const std::array<Vector3, 3>& d) {
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
           d[1][0] * (d[0][1] * d[2][2] - d[0][2] * d[2][1]) +
           d[2][0] * (d[0][1] * d[1][2] - d[0][2] * d[1][1]);
}

// A direction that is not given stands upright on the others, as near as can be to its own axis of
// the frame.
void complete(std::array<Vector3, 3>& directions) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t i = 0; i < 3 && length(directions[axis]) == 0; ++i) {
            Vector3 upright{};
            upright[(axis + i) % 3] = 1;
            for (const Vector3& other : directions) {
                const double part = dot(upright, other);
                for (std::size_t row = 0; row < 3; ++row) upright[row] -= part * other[row];
            }
            const double left = length(upright);
            if (left < 0.5) continue;
            for (std::size_t row = 0; row < 3; ++row) directions[axis][row] = upright[row] / left;
        }
    }
}

void check_angles(const InputFile& file, const std::array<Vector3, 3>& directions,
                  std::vector<std::string>& warnings) {
    const double worst = std::max({std::abs(dot(directions[0], directions[1])),
                                   std::abs(dot(directions[0], directions[2])),
                                   std::abs(dot(directions[1], directions[2]))});
    constexpr double rounding = 1e-3;
    if (worst < rounding) return;
    char degrees[16];
    std::snprintf(degrees, sizeof degrees, "%.3g", std::asin(std::min(worst, 1.0)) * 180 / M_PI);
    const std::string sheared =
        std::string("its axes are ") + degrees + " degrees off right angles";
    if (!(std::abs(std::abs(determinant(directions)) - 1) < 1e-2))
        throw unsupported(file.path(), sheared + "; resample it on a grid without shear");
    warnings.push_back(sheared + "; lengths and volumes take them for right");
}

}  // namespace

void set_geometry(const InputFile& file, const VolumeAxes& axes, VolumeHeader& header) {
    const Shape shape = header.shape();
    const std::int64_t lengths[] = {shape.x, shape.y, shape.z};
    Geometry& g = header.geometry;
    std::array<Vector3, 3> directions = axes.directions;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double norm = length(directions[axis]);
        double spacing = axes.spacing[axis];
        if (!std::isfinite(norm) || !std::isfinite(spacing) || !std::isfinite(axes.origin[axis]))
            throw unreadable(file.path(), "its header gives no valid spacing, origin or direction");
        constexpr double rounding = 1e-6;
        const bool is_unit = std::abs(norm - 1) < rounding;
        double scale = is_unit || norm == 0 ? 1 : norm;
        if (spacing < 0) scale = -scale;  // the axis runs the other way
        for (double& part : directions[axis]) part /= scale;
        spacing *= scale;
        if (norm == 0 || spacing == 0) {
            spacing = 1;
            if (lengths[axis] > 1)
                header.warnings.push_back("the header gives no spacing along axis " +
                                          std::to_string(axis + 1) + "; 1 " +
                                          std::string(unit_symbol(g.unit)) + " is assumed");
        }
        g.spacing[axis] = spacing;
    }
    complete(directions);
    check_angles(file, directions, header.warnings);
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t row = 0; row < 3; ++row)
            g.direction[3 * row + axis] = directions[axis][row];
    g.origin = axes.origin;
}

}  // namespace tesela::io
