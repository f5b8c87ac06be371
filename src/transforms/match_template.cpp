#include "tesela/match_template.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "kernels/motion/brightness_f64.kernel.h"
#include "pixels/device_values.h"
#include "pixels/native_pixels.h"
#include "pixels/pixel_source.h"
#include "tesela/brightness.h"
#include "tesela/compute/fft.h"
#include "transforms/match_lanes.h"
#include "transforms/match_windows.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::match_windows;

struct WindowSums {
    Buffer<std::int64_t> sums;  // of values in the middle window of each image
    Buffer<float> deviations;
};

WindowSums sums_of(Queue& queue, const Buffer<const std::uint16_t>& images, std::int64_t batch,
                   const match_windows& windows) {
    const auto runs = [](std::int64_t places) {
        return (places + kernels::match_run - 1) / kernels::match_run;
    };
    const std::int64_t columns = batch * windows.down * windows.width;
    const std::int64_t places = batch * windows.down * windows.across;
    auto column_sums = queue.allocate<std::uint32_t>(columns, "sums of columns");
    auto squares = queue.allocate<std::uint64_t>(columns, "squares of columns");
    WindowSums result{queue.allocate<std::int64_t>(batch, "sums of values"),
                      queue.allocate<float>(places, "deviations of windows")};
    queue.launch(kernels::match_columns,
                 Groups{(windows.width + 31) / 32, runs(windows.down), batch}, images, column_sums,
                 squares, windows);
    queue.launch(kernels::match_sums, Range{runs(windows.across), windows.down, batch}, column_sums,
                 squares, result.sums, result.deviations, windows);
    return result;
}

// Places at which the whole template lies inside are not reached by what wraps around.
FftShape transform_of(const MatchShape& shape) {
    if (shape.padded > 0) return {{shape.padded, shape.padded, 1}, shape.batch};
    return {{good_fft_size(shape.width), good_fft_size(shape.height), 1}, shape.batch};
}

// Of images of `shape`, less the mean of the pixels in a window.
Buffer<float> spectrum_of(Queue& queue, const FftShape& transform,
                          const Buffer<const std::uint16_t>& images,
                          const Buffer<std::int64_t>& sums, std::int64_t window, const Shape& shape,
                          Buffer<float>& planes) {
    const auto [padded_width, padded_height, one] = transform.size;
    queue.launch(kernels::match_spread, Range{padded_width, padded_height, transform.batch}, images,
                 sums, planes, static_cast<i32>(shape.x), static_cast<i32>(shape.y),
                 static_cast<i32>(padded_width), static_cast<i32>(padded_height), window);
    auto spectrum = queue.allocate<float>(2 * transform.half_values(), "spectra");
    fft_forward(queue, transform, planes, spectrum);
    return spectrum;
}

void check(const MatchShape& shape) {
    constexpr std::int64_t longest = std::int64_t{1} << 20;
    if (shape.pattern_width < 1 || shape.pattern_height < 1 || shape.batch < 1)
        throw InvalidArgument("a template and an image have at least one pixel");
    if (shape.pattern_width > shape.width || shape.pattern_height > shape.height)
        throw InvalidArgument("the template, " + std::to_string(shape.pattern_width) + " x " +
                              std::to_string(shape.pattern_height) +
                              " pixels, is larger than the image, " + std::to_string(shape.width) +
                              " x " + std::to_string(shape.height));
    constexpr std::int64_t most_pixels = std::int64_t{1} << 29;
    if (shape.width > longest || shape.height > longest ||
        shape.width * shape.height > most_pixels || shape.pattern_height > 65536)
        throw InvalidArgument(
            "templates of at most 65536 rows are matched in images of at most "
            "2^29 pixels");
    if (shape.padded != 0 &&
        (shape.padded < std::max(shape.width, shape.height) || shape.padded > 2 * longest))
        throw InvalidArgument("transforms of " + std::to_string(shape.padded) +
                              " pixels a side do not hold images of " +
                              std::to_string(shape.width) + " x " + std::to_string(shape.height));
}

std::string pixels_of(const char* role, const Shape& shape) {
    if (shape.z > 1 || shape.t > 1)
        return std::string("templates are matched in pictures; the ") + role + " has " +
               (shape.t > 1 ? std::to_string(shape.t) + " frames"
                            : std::to_string(shape.z) + " slices");
    return {};
}

// Luma in 65536 steps: of the range of unsigned integers, or from the lowest to the highest value.
struct Steps {
    double lowest, scale;

    Steps(double low, double high) : lowest(low), scale(high > low ? 65535 / (high - low) : 0) {}
};

std::vector<std::uint16_t> steps_of(const AnyImageView& image) {
    const Image<float> gray = brightness(image);
    const bool is_unit = image.visit([](const auto& pixels) {
        return std::is_unsigned_v<typename std::decay_t<decltype(pixels)>::value_type>;
    });
    const auto [least, most] = std::minmax_element(gray.pixels().begin(), gray.pixels().end());
    const Steps of = is_unit ? Steps(0, 1) : Steps(*least, *most);
    std::vector<std::uint16_t> steps(gray.pixels().size());
    std::transform(gray.pixels().begin(), gray.pixels().end(), steps.begin(), [&](float value) {
        return static_cast<std::uint16_t>(std::lround((double{value} - of.lowest) * of.scale));
    });
    return steps;
}

template <class T>
Buffer<const std::uint16_t> steps_of(Queue& queue, const DeviceImage<const T>& image) {
    auto steps = queue.allocate<std::uint16_t>(image.shape.points(), "values in steps");
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (image.shape.channels == 1) {
            queue.launch(kernels::match_steps, Range{steps.size()}, image.pixels, steps);
            return steps;
        }
    const Buffer<float> gray = brightness(image, queue).pixels;
    const ValueRange range = std::is_unsigned_v<T> ? ValueRange{} : range_of(queue, gray);
    const Steps of(range.lowest, range.highest);
    queue.launch(kernels::brightness_steps, Range{gray.size()}, gray, steps, of.lowest, of.scale);
    return steps;
}

// On the device, but of types for which it has no kernels, or no double precision; `kept` then
// outlives the result.
Buffer<const std::uint16_t> steps_of(Queue& queue, const AnyImageView& image, const char* name,
                                     std::vector<std::uint16_t>& kept) {
    return image.visit([&]<class T>(const PixelView<T>& typed) {
        if constexpr (native<T>)
            if (queue.device().properties().has_f64)
                return steps_of<T>(queue, PixelSource<T>(typed).on_device(queue));
        kept = steps_of(image);
        return queue.lend(std::span<const std::uint16_t>(kept), name);
    });
}

MatchShape checked_shape(const Shape& pattern, const Shape& image, const MatchOptions& options) {
    validate_options(options);
    for (const std::string& wrong : {pixels_of("template", pattern), pixels_of("image", image)})
        if (!wrong.empty()) throw UnsupportedFormat(wrong);
    const MatchShape shape{pattern.x, pattern.y, image.x, image.y, 1};
    check(shape);
    return shape;
}

Shape scores_shape(const MatchShape& shape) {
    return {shape.width - shape.pattern_width + 1, shape.height - shape.pattern_height + 1};
}

// Of a parabola through three values at -1, 0 and 1.
double top_of(double before, double here, double after) {
    const double bend = before - 2 * here + after;
    return bend < 0 ? std::clamp((before - after) / (2 * bend), -0.5, 0.5) : 0;
}

// Which places inside the border are not below their neighbors, and above those that come before.
std::vector<std::uint8_t> tops_inside(Queue& queue, const Shape& shape,
                                      const Buffer<float>& scores) {
    if (shape.x < 3 || shape.y < 3) return {};
    auto tops = queue.allocate_filled<std::uint8_t>(shape.points(), std::uint8_t{0}, "peaks");
    queue.launch(kernels::match_tops, Range{shape.x - 2, shape.y - 2}, scores, tops,
                 static_cast<i32>(shape.x));
    return queue.download(tops);
}

class Peaks {
  public:
    Peaks(const Image<float>& scores, const std::vector<std::uint8_t>& tops_inside,
          std::int64_t apart_x, std::int64_t apart_y)
        : scores_(scores), inside_(tops_inside), apart_x_(apart_x), apart_y_(apart_y) {}

    std::vector<MatchPeak> best(std::size_t count) const {
        std::vector<std::int64_t> tops = all();
        std::stable_sort(tops.begin(), tops.end(), [&](std::int64_t a, std::int64_t b) {
            return scores_.pixels()[a] > scores_.pixels()[b];
        });
        std::vector<std::int64_t> chosen;
        std::vector<MatchPeak> peaks;
        for (const std::int64_t top : tops) {
            if (peaks.size() == count) break;
            const auto is_near = [&](std::int64_t other) {
                return std::abs(column(top) - column(other)) < apart_x_ &&
                       std::abs(row(top) - row(other)) < apart_y_;
            };
            if (std::any_of(chosen.begin(), chosen.end(), is_near)) continue;
            chosen.push_back(top);
            peaks.push_back(refined(top));
        }
        return peaks;
    }

  private:
    std::vector<std::int64_t> all() const {
        std::vector<std::int64_t> tops;
        const std::int64_t nx = scores_.shape().x, ny = scores_.shape().y;
        const auto look = [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                if (is_top(i)) tops.push_back(i);
        };
        for (std::int64_t y = 0; y < ny; ++y) {
            const std::int64_t begin = y * nx, end = begin + nx;
            if (inside_.empty() || y == 0 || y == ny - 1) {
                look(begin, end);
                continue;
            }
            look(begin, begin + 1);
            const auto last = inside_.begin() + end - 1;
            for (auto at = inside_.begin() + begin + 1; (at = std::find(at, last, 1)) != last; ++at)
                tops.push_back(at - inside_.begin());
            look(end - 1, end);
        }
        return tops;
    }
    std::int64_t column(std::int64_t i) const { return i % scores_.shape().x; }
    std::int64_t row(std::int64_t i) const { return i / scores_.shape().x; }
    double at(std::int64_t x, std::int64_t y) const {
        if (x < 0 || y < 0 || x >= scores_.shape().x || y >= scores_.shape().y)
            return -std::numeric_limits<double>::infinity();
        return scores_.pixels()[static_cast<std::size_t>(y * scores_.shape().x + x)];
    }
    // Not below its neighbors, and above those that come before.
    bool is_top(std::int64_t i) const {
        const std::int64_t x = column(i), y = row(i);
        const double here = at(x, y);
        for (const std::int64_t dy : {-1, 0, 1})
            for (const std::int64_t dx : {-1, 0, 1}) {
                if (dx == 0 && dy == 0) continue;
                const bool comes_before = dy < 0 || (dy == 0 && dx < 0);
                const double other = at(x + dx, y + dy);
                if (comes_before ? other >= here : other > here) return false;
            }
        return true;
    }
    MatchPeak refined(std::int64_t i) const {
        const std::int64_t x = column(i), y = row(i);
        const auto part = [&](std::int64_t dx, std::int64_t dy) {
            const double before = at(x - dx, y - dy), after = at(x + dx, y + dy);
            return std::isfinite(before) && std::isfinite(after) ? top_of(before, at(x, y), after)
                                                                 : 0.0;
        };
        return {static_cast<double>(x) + part(1, 0), static_cast<double>(y) + part(0, 1), at(x, y)};
    }

    const Image<float>& scores_;
    const std::vector<std::uint8_t>& inside_;
    std::int64_t apart_x_, apart_y_;
};

// `scores` are those of the device.
MatchReport report_of(Queue& queue, const Buffer<float>& on_device, const Image<float>& scores,
                      const Buffer<const std::uint16_t>& pattern, const MatchShape& shape,
                      const MatchOptions& options) {
    MatchReport report;
    const std::vector<std::uint16_t> pattern_steps = queue.download(pattern);
    const auto tops = tops_inside(queue, scores.shape(), on_device);
    if (std::adjacent_find(pattern_steps.begin(), pattern_steps.end(), std::not_equal_to<>()) ==
        pattern_steps.end())
        report.warnings.push_back("all pixels of the template are equal: every score is 0");
    report.peaks =
        Peaks(scores, tops, (shape.pattern_width + 1) / 2, (shape.pattern_height + 1) / 2)
            .best(static_cast<std::size_t>(options.best));
    return report;
}

void match_scores(Queue& queue, const MatchShape& shape,
                  const Buffer<const std::uint16_t>& patterns,
                  const Buffer<const std::uint16_t>& images, Buffer<float>& scores) {
    const FftShape transform = transform_of(shape);
    const auto whole = [&](const Buffer<const std::uint16_t>& pixels, std::int64_t width,
                           std::int64_t height) {
        return sums_of(queue, pixels, shape.batch, windows_of({width, height, width, height}));
    };
    const WindowSums pattern_sums = whole(patterns, shape.pattern_width, shape.pattern_height);
    if (matches_in_lanes(queue.device(), shape, transform)) {
        match_in_lanes(queue, shape, transform,
                       {patterns, images, pattern_sums.sums,
                        whole(images, shape.width, shape.height).sums, pattern_sums.deviations},
                       scores);
        return;
    }
    const match_windows windows = windows_of(shape);
    const WindowSums sums = sums_of(queue, images, shape.batch, windows);
    const Shape pattern{shape.pattern_width, shape.pattern_height};
    auto planes = queue.allocate<float>(transform.values(), "values about their mean");
    const Buffer<float> pattern_spectra = spectrum_of(queue, transform, patterns, pattern_sums.sums,
                                                      pattern.points(), pattern, planes);
    Buffer<float> spectra = spectrum_of(queue, transform, images, sums.sums, pattern.points(),
                                        {shape.width, shape.height}, planes);
    queue.launch(kernels::match_products, Range{transform.half_values()}, pattern_spectra, spectra);
    fft_inverse(queue, transform, spectra, planes);
    queue.launch(kernels::match_scores, Range{windows.across, windows.down, shape.batch}, planes,
                 pattern_sums.deviations, sums.deviations, scores, windows,
                 static_cast<i32>(transform.size[0]), static_cast<i32>(transform.size[1]));
}

}  // namespace

Buffer<float> match_scores(Queue& queue, const MatchShape& shape,
                           const Buffer<const std::uint16_t>& patterns,
                           const Buffer<const std::uint16_t>& images) {
    check(shape);
    auto scores = queue.allocate<float>(shape.batch * scores_shape(shape).points(), "scores");
    match_scores(queue, shape, patterns, images, scores);
    return scores;
}

MatchResult match_template(const AnyImageView& pattern, const AnyImageView& image,
                           const MatchOptions& options, Queue& queue, const Progress& progress) {
    const MatchShape shape = checked_shape(pattern.shape(), image.shape(), options);
    progress.report(0, "match");
    std::vector<std::uint16_t> kept_pattern, kept_image;
    const auto pattern_steps = steps_of(queue, pattern, "template", kept_pattern);
    const auto steps = steps_of(queue, image, "image", kept_image);
    MatchResult result;
    result.scores = Image<float>::unwritten(scores_shape(shape), image.geometry());
    const std::span<float> pixels(result.scores.pixels());
    auto scores = queue.allocate_for(pixels, "scores");
    match_scores(queue, shape, pattern_steps, steps, scores);
    queue.read(scores, pixels);
    static_cast<MatchReport&>(result) =
        report_of(queue, scores, result.scores, pattern_steps, shape, options);
    progress.report(1, "done");
    return result;
}

template <class T>
DeviceMatchResult match_template(const DeviceImage<const T>& pattern,
                                 const DeviceImage<const T>& image, const MatchOptions& options,
                                 Queue& queue, const Progress& progress) {
    const MatchShape shape = checked_shape(pattern.shape, image.shape, options);
    progress.report(0, "match");
    const Buffer<const std::uint16_t> pattern_steps = steps_of(queue, pattern);
    DeviceMatchResult result;
    result.scores = {match_scores(queue, shape, pattern_steps, steps_of(queue, image)),
                     scores_shape(shape), image.geometry};
    auto scores = Image<float>::unwritten(result.scores.shape);
    queue.read(result.scores.pixels, std::span<float>(scores.pixels()));
    static_cast<MatchReport&>(result) =
        report_of(queue, result.scores.pixels, scores, pattern_steps, shape, options);
    progress.report(1, "done");
    return result;
}

#define TESELA_INSTANTIATE(T)                                                                   \
    template DeviceMatchResult match_template(const DeviceImage<const T>&,                      \
                                              const DeviceImage<const T>&, const MatchOptions&, \
                                              Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t match_device_bytes(const Shape& pattern, const Shape& image, const Device& device) {
    const MatchShape shape{pattern.x, pattern.y, image.x, image.y, 1};
    const FftShape transform = transform_of(shape);
    const std::int64_t columns = image.x * (image.y - pattern.y + 1);
    const std::int64_t places = (image.x - pattern.x + 1) * (image.y - pattern.y + 1);
    if (matches_in_lanes(device, shape, transform))  // values in steps and as floats; scores, peaks
        return match_in_lanes_bytes(device, shape, transform) +
               6 * (image.points() + pattern.points()) + 5 * places;
    // Planes, two spectra, and what a transform takes on the way at most; sums of columns; of
    // windows.
    return 4 * transform.values() + 16 * transform.half_values() +
           16 * (transform.half_values() + transform.values() / 2) +
           2 * (image.points() + pattern.points()) + 12 * columns + 8 * places;
}

}  // namespace tesela
