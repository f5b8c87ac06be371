#include "tesela/overlay.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "pixels/same_grid.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// A picture of one slice: which voxel each of its columns and rows shows.
struct Panel {
    int column_axis = 0, row_axis = 1;        // axes of the image: 0, 1, 2
    std::int64_t slice = 0;                   // along the third axis
    std::vector<std::int64_t> columns, rows;  // positions along the two axes
    std::int64_t left = 0, top = 0;           // in the picture

    int width() const { return static_cast<int>(columns.size()); }
    int height() const { return static_cast<int>(rows.size()); }
    std::array<std::int64_t, 3> voxel(int column, int row) const {
        std::array<std::int64_t, 3> position{slice, slice, slice};
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

// Views of a volume: which side of the patient their columns and rows run to.
enum Side { left, back, head };
struct View {
    Side right, down, through;
    bool head_on_top;
};
constexpr View axial{left, back, head, false}, coronal{left, head, back, true},
    sagittal{back, head, left, true};

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

std::vector<Panel> panels_of(const Shape& shape, const Geometry& geometry,
                             const SliceChoice& slices) {
    if (shape.z > 1)
        return slices.distance ? axial_panels(shape, geometry, *slices.distance)
                               : middle_panels(shape, geometry);
    Panel whole;
    whole.columns = positions(shape.x, 1, false);
    whole.rows = positions(shape.y, 1, false);
    return {whole};
}

// An empty picture that holds the panels.
Image<std::uint8_t> picture_for(const std::vector<Panel>& panels, const Shape& shape,
                                const Geometry& geometry) {
    Shape size{1, 1, 1, 1, 3};
    for (const Panel& panel : panels) {
        size.x = std::max(size.x, panel.left + panel.width());
        size.y = std::max(size.y, panel.top + panel.height());
    }
    return Image<std::uint8_t>(size, shape.z > 1 ? Geometry{} : geometry);
}

// Calls `visit(pixel, column, row)` for every pixel of a panel.
template <class Visit>
void paint(Image<std::uint8_t>& picture, const Panel& panel, const Visit& visit) {
    for (int row = 0; row < panel.height(); ++row)
        for (int column = 0; column < panel.width(); ++column)
            visit(&picture(panel.left + column, panel.top + row), column, row);
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
Window percentile_window(const PixelView<T>& image, int channels) {
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

std::uint32_t label_at(const LabelView& labels, const Panel& panel, int column, int row) {
    const auto [x, y, z] = panel.voxel(column, row);
    return labels(x, y, z, shown_frame(labels.shape()));
}

bool is_boundary(const LabelView& labels, const Panel& panel, int column, int row) {
    const std::uint32_t label = label_at(labels, panel, column, row);
    return (column + 1 < panel.width() && label_at(labels, panel, column + 1, row) != label) ||
           (row + 1 < panel.height() && label_at(labels, panel, column, row + 1) != label);
}

int line_width_of(const OverlayOptions& options, const Image<std::uint8_t>& picture) {
    if (options.line_width > 0) return options.line_width;
    constexpr double pixels_of_width = 1000;
    const double longer = static_cast<double>(std::max(picture.shape().x, picture.shape().y));
    return std::max(1, static_cast<int>(std::lround(longer / pixels_of_width)));
}

// Squares of the line's width around the boundaries, the wider part to the right and below.
void draw_lines(Image<std::uint8_t>& picture, const Panel& panel, const LabelView& labels,
                int width, const Rgb& color) {
    const int before = (width - 1) / 2, behind = width / 2;
    for (int row = 0; row < panel.height(); ++row)
        for (int column = 0; column < panel.width(); ++column) {
            if (!is_boundary(labels, panel, column, row)) continue;
            const int bottom = std::min(row + behind, panel.height() - 1);
            const int end = std::min(column + behind, panel.width() - 1);
            for (int y = std::max(row - before, 0); y <= bottom; ++y)
                for (int x = std::max(column - before, 0); x <= end; ++x)
                    std::copy(color.begin(), color.end(), &picture(panel.left + x, panel.top + y));
        }
}

void fill_regions(Image<std::uint8_t>& picture, const Panel& panel, const LabelView& labels,
                  const OverlayOptions& options) {
    paint(picture, panel, [&](std::uint8_t* pixel, int column, int row) {
        const std::uint32_t label = label_at(labels, panel, column, row);
        if (label == 0) return;
        const Rgb color = options.color_of(label);
        for (std::size_t c = 0; c < 3; ++c)
            pixel[c] = static_cast<std::uint8_t>(
                std::lround(pixel[c] + options.fill * (static_cast<double>(color[c]) - pixel[c])));
    });
}

template <class T>
Image<std::uint8_t> picture_on(const PixelView<T>& image, const std::vector<Panel>& panels,
                               const OverlayOptions& options) {
    const int channels = image.shape().channels - (image.has_alpha ? 1 : 0);
    const bool colored = channels == 3;
    const bool as_stored = colored && std::is_same_v<T, std::uint8_t>;
    const Window window = options.window ? Window{options.window->black, options.window->white}
                          : as_stored    ? Window{}
                                         : percentile_window(image, colored ? 3 : 1);
    Image<std::uint8_t> picture = picture_for(panels, image.shape(), image.geometry);
    for (const Panel& panel : panels)
        paint(picture, panel, [&](std::uint8_t* pixel, int column, int row) {
            const auto [x, y, z] = panel.voxel(column, row);
            for (int c = 0; c < 3; ++c)
                pixel[c] = window(static_cast<double>(
                    image(x, y, z, shown_frame(image.shape()), colored ? c : 0)));
        });
    return picture;
}

Image<std::uint8_t> overlay_on(const AnyImageView& image, const LabelView& labels,
                               const OverlayOptions& options) {
    const auto panels = panels_of(image.shape(), image.geometry(), options.slices);
    Image<std::uint8_t> picture =
        image.visit([&](const auto& typed) { return picture_on(typed, panels, options); });
    const int width = line_width_of(options, picture);
    for (const Panel& panel : panels) {
        if (options.fill > 0) fill_regions(picture, panel, labels, options);
        draw_lines(picture, panel, labels, width, options.color);
    }
    return picture;
}

void check_options(const OverlayOptions& options) {
    if (options.line_width < 0)
        throw InvalidArgument("the line width is " + std::to_string(options.line_width) +
                              ": it must be at least 0");
    if (!(options.fill >= 0 && options.fill <= 1))
        throw InvalidArgument("the opacity of filled regions must be from 0 to 1");
    if (options.fill > 0 && !options.color_of)
        throw InvalidArgument("filled regions need a color for each label");
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

SliceChoice SliceChoice::parse(std::string_view text) {
    if (text == "middle") return {};
    if (text == "all") return {Length(1)};
    try {
        const Length distance = Length::parse(text);
        if (distance.value > 0 && (distance.physical() || distance.value >= 1)) return {distance};
    } catch (const InvalidArgument&) {
    }
    throw InvalidArgument("'" + std::string(text) +
                          "' does not choose slices: write middle, all, or a distance such as 12mm "
                          "or 5px, of at least one slice");
}

BrightnessWindow BrightnessWindow::parse(std::string_view text) {
    BrightnessWindow window;
    const char* const end = text.data() + text.size();
    const auto [comma, low] = std::from_chars(text.data(), end, window.black);
    if (low == std::errc() && comma != end && *comma == ',') {
        const auto [last, high] = std::from_chars(comma + 1, end, window.white);
        if (high == std::errc() && last == end && window.black < window.white &&
            std::isfinite(window.black) && std::isfinite(window.white))
            return window;
    }
    throw InvalidArgument("'" + std::string(text) +
                          "' is not a window: write the values that are black and white, LOW,HIGH, "
                          "with LOW below HIGH");
}

Image<std::uint8_t> boundary_overlay(const AnyImageView& image, const LabelView& labels,
                                     const OverlayOptions& options) {
    check_options(options);
    require_same_grid(image.shape(), labels.shape());
    return overlay_on(image, labels, options);
}

Image<std::uint8_t> image_picture(const AnyImageView& image, const SliceChoice& slices) {
    const auto panels = panels_of(image.shape(), image.geometry(), slices);
    return image.visit([&](const auto& typed) { return picture_on(typed, panels, {}); });
}

Image<std::uint8_t> label_picture(const LabelView& labels,
                                  const std::function<Rgb(std::uint32_t)>& color_of,
                                  const SliceChoice& slices) {
    const auto panels = panels_of(labels.shape(), labels.geometry, slices);
    Image<std::uint8_t> picture = picture_for(panels, labels.shape(), labels.geometry);
    for (const Panel& panel : panels)
        paint(picture, panel, [&](std::uint8_t* pixel, int column, int row) {
            const Rgb color = color_of(label_at(labels, panel, column, row));
            std::copy(color.begin(), color.end(), pixel);
        });
    return picture;
}

}  // namespace tesela
