#include "tesela/overlay.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "segmentation/same_grid.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// A picture of one slice: which voxel each of its columns and rows shows.
struct Panel {
    int column_axis = 0, row_axis = 1;        // axes of the image: 0, 1, 2
    std::int64_t middle = 0;                  // along the third axis
    std::vector<std::int64_t> columns, rows;  // positions along the two axes

    int width() const { return static_cast<int>(columns.size()); }
    int height() const { return static_cast<int>(rows.size()); }
    std::array<std::int64_t, 3> voxel(int column, int row) const {
        std::array<std::int64_t, 3> position{middle, middle, middle};
        position[static_cast<std::size_t>(column_axis)] = columns[static_cast<std::size_t>(column)];
        position[static_cast<std::size_t>(row_axis)] = rows[static_cast<std::size_t>(row)];
        return position;
    }
};

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

// Axial, coronal and sagittal.
std::vector<Panel> slice_panels(const Shape& shape, const Geometry& geometry) {
    enum Side { left, back, head };
    struct View {
        Side right, down, through;
        bool upside_down;  // the positive end of `down` belongs on top
    };
    const Anatomy anatomy = anatomy_of(geometry);
    const View views[] = {{left, back, head, false},
                          {left, head, back, anatomy.known},
                          {back, head, left, anatomy.known}};
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    const double size = pixel_size(shape, geometry.spacing);
    std::vector<Panel> panels;
    for (const View& view : views) {
        const auto along = [&](Side side, bool flipped) {
            const auto axis = static_cast<std::size_t>(anatomy.axis[side]);
            return positions(lengths[axis], geometry.spacing[axis] / size,
                             anatomy.reversed[side] != flipped);
        };
        Panel panel;
        panel.column_axis = anatomy.axis[view.right];
        panel.row_axis = anatomy.axis[view.down];
        panel.middle = lengths[static_cast<std::size_t>(anatomy.axis[view.through])] / 2;
        panel.columns = along(view.right, false);
        panel.rows = along(view.down, view.upside_down);
        panels.push_back(std::move(panel));
    }
    return panels;
}

Panel whole_picture(const Shape& shape) {
    Panel panel;
    panel.columns = positions(shape.x, 1, false);
    panel.rows = positions(shape.y, 1, false);
    return panel;
}

// An empty picture that holds the panels side by side, and a function that visits every pixel with
// the panel it belongs to and its place there. `visit(pixel, panel, column, row)`.
template <class Visit>
Image<std::uint8_t> paint(const Shape& shape, const Geometry& geometry, Visit visit) {
    const bool volume = shape.z > 1;
    const std::vector<Panel> panels =
        volume ? slice_panels(shape, geometry) : std::vector<Panel>{whole_picture(shape)};
    constexpr int gap = 4;
    Shape size{-gap, 1, 1, 1, 3};
    for (const Panel& panel : panels) {
        size.x += panel.width() + gap;
        size.y = std::max<std::int64_t>(size.y, panel.height());
    }
    Image<std::uint8_t> picture(size, volume ? Geometry{} : geometry);
    std::int64_t left = 0;
    for (const Panel& panel : panels) {
        const std::int64_t top = (size.y - panel.height()) / 2;
        for (int row = 0; row < panel.height(); ++row)
            for (int column = 0; column < panel.width(); ++column)
                visit(&picture(left + column, top + row), panel, column, row);
        left += panel.width() + gap;
    }
    return picture;
}

struct Window {
    double lowest = 0, highest = 255;
    std::uint8_t operator()(double value) const {
        if (!(value > lowest)) return 0;  // NaN as well
        if (value >= highest) return 255;
        return static_cast<std::uint8_t>(std::lround(255 * (value - lowest) / (highest - lowest)));
    }
};

// From the 1st to the 99th percentile of the finite values; of large images every n-th pixel
// counts.
template <class T>
Window percentile_window(const Image<T>& image, int channels) {
    constexpr std::int64_t most_samples = 1 << 22;
    const std::int64_t step = 1 + image.shape().points() / most_samples;
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>((image.shape().points() + step - 1) / step * channels));
    for (std::int64_t point = 0; point < image.shape().points(); point += step)
        for (int c = 0; c < channels; ++c) {
            const auto value =
                static_cast<double>(image.data()[point * image.shape().channels + c]);
            if (std::isfinite(value)) values.push_back(value);
        }
    if (values.empty()) return {};
    const auto percentile = [&](std::size_t percent) {
        const auto place =
            values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * percent / 100);
        std::nth_element(values.begin(), place, values.end());
        return *place;
    };
    Window window{percentile(1), percentile(99)};
    if (window.lowest < window.highest) return window;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    // A constant image is shown in the middle of the scale.
    return *least < *most ? Window{*least, *most} : Window{*least - 1, *least + 1};
}

// Of an image with a time axis the middle frame is shown.
std::int64_t shown_frame(const Shape& shape) { return shape.t / 2; }

std::uint32_t label_at(const LabelImage& labels, const Panel& panel, int column, int row) {
    const auto [x, y, z] = panel.voxel(column, row);
    return labels(x, y, z, shown_frame(labels.shape()));
}

bool is_boundary(const LabelImage& labels, const Panel& panel, int column, int row) {
    const std::uint32_t label = label_at(labels, panel, column, row);
    return (column + 1 < panel.width() && label_at(labels, panel, column + 1, row) != label) ||
           (row + 1 < panel.height() && label_at(labels, panel, column, row + 1) != label);
}

template <class T>
Image<std::uint8_t> overlay_on(const Image<T>& image, const LabelImage& labels, const Rgb& color) {
    const int channels = image.shape().channels - (image.has_alpha ? 1 : 0);
    const bool colored = channels == 3;
    const bool as_stored = colored && std::is_same_v<T, std::uint8_t>;
    const Window window = as_stored ? Window{} : percentile_window(image, colored ? 3 : 1);
    return paint(image.shape(), image.geometry,
                 [&](std::uint8_t* pixel, const Panel& panel, int column, int row) {
                     if (is_boundary(labels, panel, column, row)) {
                         std::copy(color.begin(), color.end(), pixel);
                         return;
                     }
                     const auto [x, y, z] = panel.voxel(column, row);
                     for (int c = 0; c < 3; ++c)
                         pixel[c] = window(static_cast<double>(
                             image(x, y, z, shown_frame(image.shape()), colored ? c : 0)));
                 });
}

}  // namespace

void require_same_grid(const Shape& image, const Shape& labels) {
    if (image.x == labels.x && image.y == labels.y && image.z == labels.z && image.t == labels.t)
        return;
    const auto text = [](const Shape& s) {
        return std::to_string(s.x) + " x " + std::to_string(s.y) + " x " + std::to_string(s.z) +
               " x " + std::to_string(s.t);
    };
    throw InvalidArgument("the labels (" + text(labels) + ") are not of the image's size (" +
                          text(image) + ")");
}

Image<std::uint8_t> boundary_overlay(const AnyImage& image, const LabelImage& labels,
                                     const Rgb& color) {
    require_same_grid(shape_of(image), labels.shape());
    return std::visit([&](const auto& typed) { return overlay_on(typed, labels, color); }, image);
}

Image<std::uint8_t> label_picture(const LabelImage& labels,
                                  const std::function<Rgb(std::uint32_t)>& color_of) {
    return paint(labels.shape(), labels.geometry,
                 [&](std::uint8_t* pixel, const Panel& panel, int column, int row) {
                     const Rgb color = color_of(label_at(labels, panel, column, row));
                     std::copy(color.begin(), color.end(), pixel);
                 });
}

}  // namespace tesela
