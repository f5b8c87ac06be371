#include "segmentation/mean_shift/window.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace tesela {
namespace {

constexpr int finest_spatial_bits = 20;
constexpr double usual_temporal_bandwidth = 2;  // frames

// Bandwidth and pitch of the voxels in one length unit: pixels, or millimeters.
struct Lattice {
    double bandwidth;
    std::array<double, 3> pitch{1, 1, 1};
};

Lattice make_lattice(const Geometry& geometry, const MeanShiftOptions& options) {
    const Length& length = *options.spatial_bandwidth;
    if (!length.physical()) return {length.value};
    if (!geometry.known())
        throw InvalidArgument("--spatial is " + length.to_string() +
                              ", but the image has no known spacing: give it with --spacing, or "
                              "write the bandwidth in pixels");
    return {length.millimeters(), geometry.spacing_mm()};
}

// Fraction bits of the spatial unit, such that positions stay below 2^31.
int spatial_bits(const Shape& shape, const Lattice& lattice) {
    const std::array<std::int64_t, 3> count{shape.x, shape.y, shape.z};
    double extent = std::max(1.0, lattice.bandwidth);  // its square is one of 63 bits, too
    for (int a = 0; a < 3; ++a)
        extent = std::max(extent, static_cast<double>(count[a]) * lattice.pitch[a]);
    return std::min(static_cast<int>(std::floor(31 - std::log2(extent))), finest_spatial_bits);
}

// Time in units as fine as those of space; an image without time has frame 0 alone.
void set_time(Window& window, const Shape& shape, const MeanShiftOptions& options, double& volume) {
    if (shape.t == 1) return;
    const double bandwidth =
        options.temporal_bandwidth > 0 ? options.temporal_bandwidth : usual_temporal_bandwidth;
    const int bits =
        std::min(static_cast<int>(std::floor(30 - std::log2(std::max(bandwidth, double(shape.t))))),
                 finest_spatial_bits);
    window.steps[3] = 1 << bits;
    const double limit2 = std::pow(std::ldexp(bandwidth, bits), 2);
    window.time_limit2 = static_cast<std::int64_t>(std::ceil(limit2));
    window.inverse_time2 = static_cast<float>(1 / limit2);
    window.temporal_bandwidth = bandwidth;
    volume *= 2 * bandwidth;
}

}  // namespace

Window make_window(const Shape& shape, const Geometry& geometry, const FeatureSpace& space,
                   const MeanShiftOptions& options) {
    const Lattice lattice = make_lattice(geometry, options);
    // The kernel sums x within a row in 32 bits.
    constexpr double longest_row = 92000;
    if (std::min(2 * lattice.bandwidth / lattice.pitch[0], static_cast<double>(shape.x)) >
        longest_row)
        throw InvalidArgument("--spatial is " + options.spatial_bandwidth->to_string() +
                              "; the window may be at most 92000 pixels wide");
    // Places in a row are counted in 31 bits.
    const std::int64_t longest_image_row = ((std::int64_t{1} << 31) - 64) / space.channels;
    if (shape.x > longest_image_row)
        throw InvalidArgument("the image's rows have " + std::to_string(shape.x) +
                              " pixels; mean shift takes at most " +
                              std::to_string(longest_image_row));
    const int bits = spatial_bits(shape, lattice);
    Window window;
    double volume = std::pow(2 * lattice.bandwidth, 3) * std::numbers::pi / 6;
    for (int a = 0; a < 3; ++a) {
        window.steps[a] = static_cast<int>(std::lround(std::ldexp(lattice.pitch[a], bits)));
        volume /= lattice.pitch[a];
        if (window.steps[a] < 1)
            throw InvalidArgument("the image is too long, " + detail::shown(lattice.pitch[a]) +
                                  " mm a voxel on one axis, to be compared in millimeters");
    }
    if (shape.z == 1) volume *= 0.75 * lattice.pitch[2] / lattice.bandwidth;  // a disk, not a ball
    set_time(window, shape, options, volume);
    window.samples = std::clamp(volume, 1.0, static_cast<double>(shape.points()));

    const double spatial2 = std::pow(std::ldexp(lattice.bandwidth, bits), 2);
    const double range2 = std::pow(space.units(*options.range_bandwidth), 2);
    window.spatial_limit2 = static_cast<std::int64_t>(std::ceil(spatial2));
    window.range_limit2 = static_cast<float>(range2);
    window.inverse_spatial2 = static_cast<float>(1 / spatial2);
    window.inverse_range2 = static_cast<float>(1 / range2);
    window.epsilon2 = static_cast<float>(options.epsilon * options.epsilon);
    return window;
}

}  // namespace tesela
