#include "tesela/overlay.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "pixels/overlay_marks.h"
#include "pixels/same_grid.h"
#include "pixels/slice_panels.h"
#include "pixels/smooth_lines.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// Calls `visit(pixel, column, row)` for every pixel of a panel.
template <class Visit>
void paint(Image<std::uint8_t>& picture, const Panel& panel, const Progress& progress,
           const Visit& visit) {
    for (int row = 0; row < panel.height(); ++row) {
        progress.throw_if_cancelled();
        for (int column = 0; column < panel.width(); ++column)
            visit(&picture(panel.left + column, panel.top + row), column, row);
    }
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

bool is_boundary(const LabelView& labels, const Panel& panel, int column, int row) {
    const std::uint32_t label = label_at(labels, panel, column, row);
    return (column + 1 < panel.width() && label_at(labels, panel, column + 1, row) != label) ||
           (row + 1 < panel.height() && label_at(labels, panel, column, row + 1) != label);
}

// That of the region on this side of the line, or where it is background, of the one behind it.
Rgb color_of_line(const LabelView& labels, const Panel& panel, int column, int row,
                  const std::function<Rgb(std::uint32_t)>& color_of) {
    const std::uint32_t here = label_at(labels, panel, column, row);
    if (here > 0) return color_of(here);
    const std::uint32_t behind =
        column + 1 < panel.width() ? label_at(labels, panel, column + 1, row) : 0;
    return color_of(behind > 0 ? behind : label_at(labels, panel, column, row + 1));
}

int line_width_of(const OverlayOptions& options, const Image<std::uint8_t>& picture) {
    if (options.line_width > 0) return options.line_width;
    constexpr double pixels_of_width = 1000;
    const double longer = static_cast<double>(std::max(picture.shape().x, picture.shape().y));
    return std::max(options.smooth_lines ? 2 : 1,
                    static_cast<int>(std::lround(longer / pixels_of_width)));
}

// Squares of the line's width around the boundaries, the wider part to the right and below.
void draw_lines(Image<std::uint8_t>& picture, const Panel& panel, const LabelView& labels,
                int width, const OverlayOptions& options, const Progress& progress) {
    const int before = (width - 1) / 2, behind = width / 2;
    for (int row = 0; row < panel.height(); ++row) {
        progress.throw_if_cancelled();
        for (int column = 0; column < panel.width(); ++column) {
            if (!is_boundary(labels, panel, column, row)) continue;
            const Rgb color = options.colored_lines
                                  ? color_of_line(labels, panel, column, row, options.color_of)
                                  : options.color;
            const int bottom = std::min(row + behind, panel.height() - 1);
            const int end = std::min(column + behind, panel.width() - 1);
            for (int y = std::max(row - before, 0); y <= bottom; ++y)
                for (int x = std::max(column - before, 0); x <= end; ++x)
                    std::copy(color.begin(), color.end(), &picture(panel.left + x, panel.top + y));
        }
    }
}

void fill_regions(Image<std::uint8_t>& picture, const Panel& panel, const LabelView& labels,
                  const OverlayOptions& options, const Progress& progress) {
    paint(picture, panel, progress, [&](std::uint8_t* pixel, int column, int row) {
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
                               const OverlayOptions& options, const Progress& progress) {
    const int channels = image.shape().channels - (image.has_alpha ? 1 : 0);
    const bool colored = channels == 3;
    const bool as_stored = colored && std::is_same_v<T, std::uint8_t>;
    const Window window = options.window ? Window{options.window->black, options.window->white}
                          : as_stored    ? Window{}
                                         : percentile_window(image, colored ? 3 : 1);
    Image<std::uint8_t> picture =
        picture_for(panels, image.shape(), image.geometry, options.enlarge);
    for (const Panel& panel : panels)
        paint(picture, panel, progress, [&](std::uint8_t* pixel, int column, int row) {
            const auto [x, y, z] = panel.voxel(column, row);
            for (int c = 0; c < 3; ++c)
                pixel[c] = window(static_cast<double>(
                    image(x, y, z, shown_frame(image.shape()), colored ? c : 0)));
        });
    return picture;
}

Image<std::uint8_t> overlay_on(const AnyImageView& image, const LabelView& labels,
                               const OverlayOptions& options, const Progress& progress) {
    const auto panels = panels_of(image.shape(), image.geometry(), options.slices, options.enlarge);
    Image<std::uint8_t> picture = image.visit(
        [&](const auto& typed) { return picture_on(typed, panels, options, progress); });
    const int width = line_width_of(options, picture);
    for (const Panel& panel : panels) {
        if (options.fill > 0) fill_regions(picture, panel, labels, options, progress);
        if (options.lines && options.smooth_lines) {
            const auto color_of = [&](std::uint32_t label) {
                return options.colored_lines ? options.color_of(label) : options.color;
            };
            draw_smooth_lines(picture, panel, labels, width, color_of, progress);
        } else if (options.lines) {
            draw_lines(picture, panel, labels, width, options, progress);
        }
        if (options.numbers) draw_numbers(picture, panel, labels, progress);
        if (options.sides) draw_sides(picture, panel);
    }
    return picture;
}

void check_options(const OverlayOptions& options) {
    if (options.line_width < 0)
        throw InvalidArgument("the line width is " + std::to_string(options.line_width) +
                              ": it must be at least 0");
    if (!(options.fill >= 0 && options.fill <= 1))
        throw InvalidArgument("the opacity of filled regions must be from 0 to 1");
    if ((options.fill > 0 || options.colored_lines) && !options.color_of)
        throw InvalidArgument("colored regions and lines need a color for each label");
    if (options.enlarge < 1 || options.enlarge > 16)
        throw InvalidArgument("a pixel can be enlarged 1 to 16 times, not " +
                              std::to_string(options.enlarge) + " times");
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

void require_mask_of(const Shape& image, const Shape& mask) {
    if (mask.channels != 1)
        throw UnsupportedFormat("a mask or marker has one channel, this one has " +
                                std::to_string(mask.channels) + ": choose one of them");
    require_same_grid(image, mask);
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
                                     const OverlayOptions& options, const Progress& progress) {
    check_options(options);
    require_same_grid(image.shape(), labels.shape());
    return overlay_on(image, labels, options, progress);
}

Image<std::uint8_t> image_picture(const AnyImageView& image, const SliceChoice& slices) {
    const auto panels = panels_of(image.shape(), image.geometry(), slices);
    return image.visit([&](const auto& typed) { return picture_on(typed, panels, {}, {}); });
}

Image<std::uint8_t> label_picture(const LabelView& labels,
                                  const std::function<Rgb(std::uint32_t)>& color_of,
                                  const SliceChoice& slices) {
    const auto panels = panels_of(labels.shape(), labels.geometry, slices);
    Image<std::uint8_t> picture = picture_for(panels, labels.shape(), labels.geometry);
    for (const Panel& panel : panels)
        paint(picture, panel, {}, [&](std::uint8_t* pixel, int column, int row) {
            const Rgb color = color_of(label_at(labels, panel, column, row));
            std::copy(color.begin(), color.end(), pixel);
        });
    return picture;
}

}  // namespace tesela
