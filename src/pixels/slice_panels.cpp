#include "pixels/slice_panels.h"

#include <algorithm>
#include <cmath>

#include "tesela/error.h"

namespace tesela {

bool has_patient(const Geometry& geometry) {
    const Geometry nowhere;
    return geometry.unit == Unit::millimeter &&
           (geometry.direction != nowhere.direction || geometry.origin != nowhere.origin);
}

namespace {

// The image axis that runs along each anatomical axis (left, back, head), and whether against it.
struct Anatomy {
    std::array<int, 3> axis{0, 1, 2};
    std::array<bool, 3> reversed{false, false, false};
    bool known = false;
};

Anatomy anatomy_of(const Geometry& geometry) {
    Anatomy best;
    best.known = geometry.known();
    if (!best.known) return best;
    // Oblique volumes: of the six assignments the one that follows the directions most closely.
    double closest = -1;
    std::array<int, 3> axis{0, 1, 2};
    do {
        double sum = 0;
        for (int side = 0; side < 3; ++side)
            sum += std::abs(geometry.direction[static_cast<std::size_t>(3 * side + axis[side])]);
        if (sum <= closest) continue;
        closest = sum;
        best.axis = axis;
    } while (std::next_permutation(axis.begin(), axis.end()));
    for (int side = 0; side < 3; ++side)
        best.reversed[static_cast<std::size_t>(side)] =
            geometry.direction[static_cast<std::size_t>(3 * side + best.axis[side])] < 0;
    return best;
}

// For each pixel along an axis of `length` voxels the voxel it shows.
std::vector<std::int64_t> positions(std::int64_t length, double pixels_per_voxel, bool reversed) {
    const auto pixels =
        std::max<std::int64_t>(1, std::llround(static_cast<double>(length) * pixels_per_voxel));
    std::vector<std::int64_t> shown(static_cast<std::size_t>(pixels));
    for (std::int64_t i = 0; i < pixels; ++i) {
        const std::int64_t voxel = (2 * i + 1) * length / (2 * pixels);
        shown[static_cast<std::size_t>(reversed ? pixels - 1 - i : i)] = voxel;
    }
    return shown;
}

// The size of a pixel in the unit of the spacing: the finest spacing, but no axis gets more pixels
// than a screen can show several times over.
double pixel_size(const Shape& shape, const std::array<double, 3>& spacing) {
    constexpr double most_pixels = 4096;
    const double lengths[] = {static_cast<double>(shape.x), static_cast<double>(shape.y),
                              static_cast<double>(shape.z)};
    double size = *std::min_element(spacing.begin(), spacing.end());
    for (std::size_t axis = 0; axis < 3; ++axis)
        size = std::max(size, lengths[axis] * spacing[axis] / most_pixels);
    return size;
}

// Views of a volume: which side of the patient their columns and rows run to.
enum Side { left, back, head };
struct View {
    Side right, down, through;
    std::string_view column_sides, row_sides;  // of the first and the last one
    bool head_on_top;
};
constexpr View axial{left, back, head, "RL", "AP", false},
    coronal{left, head, back, "RL", "SI", true}, sagittal{back, head, left, "AP", "SI", true};

// The middle slice.
Panel panel_of(const View& view, const Shape& shape, const Geometry& geometry) {
    const Anatomy anatomy = anatomy_of(geometry);
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    const double size = pixel_size(shape, geometry.spacing);
    const auto along = [&](Side side, bool flipped) {
        const auto axis = static_cast<std::size_t>(anatomy.axis[side]);
        return positions(lengths[axis], geometry.spacing[axis] / size,
                         anatomy.reversed[side] != flipped);
    };
    Panel panel;
    panel.column_axis = anatomy.axis[view.right];
    panel.row_axis = anatomy.axis[view.down];
    panel.slice = lengths[static_cast<std::size_t>(anatomy.axis[view.through])] / 2;
    panel.columns = along(view.right, false);
    panel.rows = along(view.down, view.head_on_top && anatomy.known);
    if (has_patient(geometry)) {
        panel.column_sides = view.column_sides;
        panel.row_sides = view.row_sides;
    }
    return panel;
}

constexpr std::int64_t gap = 4;

// Axial, coronal and sagittal, side by side.
std::vector<Panel> middle_panels(const Shape& shape, const Geometry& geometry) {
    std::vector<Panel> panels;
    std::int64_t height = 0, left_edge = 0;
    for (const View& view : {axial, coronal, sagittal}) {
        panels.push_back(panel_of(view, shape, geometry));
        panels.back().left = left_edge;
        left_edge += panels.back().width() + gap;
        height = std::max<std::int64_t>(height, panels.back().height());
    }
    for (Panel& panel : panels) panel.top = (height - panel.height()) / 2;
    return panels;
}

// As many slices as fit, with equal rests at both ends.
std::vector<std::int64_t> slices_at(const Length& distance, std::int64_t count,
                                    const Geometry& geometry, std::size_t axis) {
    double step = distance.value;
    if (distance.physical()) {
        if (!geometry.known())
            throw InvalidArgument("slices " + distance.to_string() +
                                  " apart: the image has no known spacing: give it with --spacing, "
                                  "or write the distance in slices");
        step = std::max(1.0, distance.millimeters() / geometry.spacing_mm()[axis]);
    }
    const double last = static_cast<double>(count - 1);
    const auto steps = static_cast<std::int64_t>(last / step + 1e-9);
    std::vector<std::int64_t> slices;
    for (std::int64_t i = 0; i <= steps; ++i)
        slices.push_back(std::llround((last - static_cast<double>(steps) * step) / 2 +
                                      static_cast<double>(i) * step));
    return slices;
}

// Row by row, in a picture that is about square.
std::vector<Panel> axial_panels(const Shape& shape, const Geometry& geometry,
                                const Length& distance) {
    const Panel first = panel_of(axial, shape, geometry);
    const auto axis = static_cast<std::size_t>(3 - first.column_axis - first.row_axis);
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    const auto slices = slices_at(distance, lengths[axis], geometry, axis);
    const double ratio = static_cast<double>(first.height()) / first.width();
    const auto in_a_row = std::clamp<std::int64_t>(
        std::llround(std::sqrt(static_cast<double>(slices.size()) * ratio)), 1,
        static_cast<std::int64_t>(slices.size()));
    std::vector<Panel> panels(slices.size(), first);
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        panels[i].slice = slices[i];
        panels[i].left = number % in_a_row * (first.width() + gap);
        panels[i].top = number / in_a_row * (first.height() + gap);
    }
    return panels;
}

std::vector<Panel> panels_by_pixels(const Shape& shape, const Geometry& geometry,
                                    const SliceChoice& slices) {
    if (shape.z > 1)
        return slices.distance ? axial_panels(shape, geometry, *slices.distance)
                               : middle_panels(shape, geometry);
    Panel whole;
    whole.columns = positions(shape.x, 1, false);
    whole.rows = positions(shape.y, 1, false);
    return {whole};
}

std::vector<std::int64_t> repeated(const std::vector<std::int64_t>& positions, int times) {
    std::vector<std::int64_t> all;
    for (const std::int64_t position : positions)
        all.insert(all.end(), static_cast<std::size_t>(times), position);
    return all;
}

}  // namespace

std::vector<Panel> panels_of(const Shape& shape, const Geometry& geometry,
                             const SliceChoice& slices, int enlarge) {
    std::vector<Panel> panels = panels_by_pixels(shape, geometry, slices);
    for (Panel& panel : panels) {
        panel.columns = repeated(panel.columns, enlarge);
        panel.rows = repeated(panel.rows, enlarge);
        panel.left *= enlarge;
        panel.top *= enlarge;
    }
    return panels;
}

Image<std::uint8_t> picture_for(const std::vector<Panel>& panels, const Shape& shape,
                                const Geometry& geometry, int enlarge) {
    Shape size{1, 1, 1, 1, 3};
    for (const Panel& panel : panels) {
        size.x = std::max(size.x, panel.left + panel.width());
        size.y = std::max(size.y, panel.top + panel.height());
    }
    Geometry of_pixels = shape.z > 1 ? Geometry{} : geometry;
    if (of_pixels.known())
        for (std::size_t axis = 0; axis < 2; ++axis) {
            // The first pixel is nearer to the corner.
            const double moved = of_pixels.spacing[axis] * (1.0 / enlarge - 1) / 2;
            for (std::size_t row = 0; row < 3; ++row)
                of_pixels.origin[row] += of_pixels.direction[3 * row + axis] * moved;
            of_pixels.spacing[axis] /= enlarge;
        }
    return Image<std::uint8_t>(size, of_pixels);
}

}  // namespace tesela
