// Axes and orientation of an object from the covariances of its points.
#pragma once

#include <array>
#include <cstddef>

#include "tesela/measure.h"

namespace tesela::measuring {

// Axes are those of the image, x first.
struct Inertia {
    std::array<std::array<double, 3>, 3> tensor{};
    std::array<double, 3> eigenvalues{};  // descending, as many as there are axes
    std::size_t axes = 2;

    // Of the ellipse or ellipsoid with the same inertia.
    double major_length() const;
    double minor_length() const;
    // Of pictures: 0 of a circle to 1 of a line; and from the column axis to the longest one,
    // counter-clockwise, -pi/2 to pi/2.
    double eccentricity() const;
    double orientation() const;
};

Inertia inertia_of(const MeasuredObject& object, const std::array<double, 3>& spacing,
                   std::size_t axes);

}  // namespace tesela::measuring
