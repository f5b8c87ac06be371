#include "tesela/wavelet_denoise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "kernels/transforms/wavelet_denoise.kernel.h"
#include "tesela/compute/primitives.h"
#include "transforms/clipping.h"
#include "transforms/planes.h"
#include "transforms/rician.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

constexpr float tiny = 1e-6f;  // of the range of values: below that is rounding, not noise

// A level of the transform of images in a row.
kernels::denoise_level level_of(const Shape& shape, int level) {
    kernels::denoise_level found{shape.x, shape.x * shape.y, shape.x * shape.y * shape.z, {}, {}};
    std::array<std::int64_t, 3> axes{shape.x, shape.y, shape.z};
    for (int k = 0; k < level; ++k)
        for (std::int64_t& axis : axes) axis = (axis + 1) / 2;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        found.size[axis] = static_cast<i32>(axes[axis]);
        found.low[axis] = static_cast<i32>((axes[axis] + 1) / 2);
    }
    return found;
}

// One plane's samples between which a coefficient counts, and the magnitude that it must exceed.
struct Counted {
    float lowest, highest, least;
};

// The median of the magnitudes that count in the finest diagonal band of an image, by the counts of
// the upper and of the lower halves of their bits; nothing where fewer count than `enough`.
std::optional<float> median_magnitude(Queue& queue, const Shape& shape, int image,
                                      const Buffer<float>& coefficients,
                                      const Buffer<const float>& samples, const Counted& counted,
                                      double enough) {
    kernels::denoise_level level = level_of(shape, 0);
    level.image *= image;
    for (int axis = 0; axis < 3; ++axis)
        if (level.size[axis] == 1) level.low[axis] = 0;
    const Range box{level.size[0] - level.low[0], level.size[1] - level.low[1],
                    level.size[2] - level.low[2]};
    const std::int64_t count = box.x * box.y * box.z;
    constexpr std::int64_t bins = 1 << 16;
    auto keys = queue.allocate<u32>(count, "magnitudes of the finest band");
    auto counts = queue.allocate<u32>(bins, "counts of magnitudes");
    const auto count_keys = [&](i32 upper) {
        queue.launch(kernels::denoise_noise_keys, box, coefficients, samples, keys, level,
                     counted.least, counted.lowest, counted.highest, upper);
        histogram(queue, keys, count, bins, counts);
        return queue.download(counts);
    };
    // The bin with the magnitude of that rank, and the rank within it.
    const auto find = [](const std::vector<u32>& found, std::int64_t rank) {
        u32 bin = 0;
        while (rank >= found[bin]) rank -= found[bin++];
        return std::pair{bin, rank};
    };
    const std::vector<u32> uppers = count_keys(-1);
    const std::int64_t total = std::accumulate(uppers.begin(), uppers.end(), std::int64_t{0});
    if (total == 0 || static_cast<double>(total) < enough * static_cast<double>(count))
        return std::nullopt;
    const std::pair<u32, std::int64_t> upper = find(uppers, total / 2);
    const u32 lower = find(count_keys(static_cast<i32>(upper.first)), upper.second).first;
    return std::bit_cast<float>(upper.first << 16 | lower);
}

// Deviations of the noise: of samples that are not clipped, and of coefficients on the whole, which
// have less of it where samples are clipped.
struct NoiseEstimate {
    double of_samples = 0, of_bands = 0;
};

// Means over the images, after D. L. Donoho, I. M. Johnstone, "Ideal spatial adaptation by wavelet
// shrinkage", Biometrika 81(3), 1994.
NoiseEstimate estimated_noise(Queue& queue, const Shape& shape, const std::vector<float>& planes,
                              Buffer<float>& room) {
    constexpr double median_of_normal = 0.67448975;
    constexpr double enough = 0.01;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto samples = queue.lend(std::span<const float>(planes), "samples");
    wavelet_forward(queue, shape, {Wavelet::db2, 1, WaveletBorder::reflect}, samples, room);
    const std::ptrdiff_t points = shape.points();
    NoiseEstimate sums;
    for (int image = 0; image < shape.channels; ++image) {
        const auto first = planes.begin() + image * points;
        const auto [lowest, highest] = std::minmax_element(first, first + points);
        const float least = tiny * (*highest - *lowest);
        const double of_all =
            median_magnitude(queue, shape, image, room, samples, {-infinity, infinity, least}, 0)
                .value_or(0);
        sums.of_bands += of_all / median_of_normal;
        sums.of_samples +=
            median_magnitude(queue, shape, image, room, samples, {*lowest, *highest, least}, enough)
                .value_or(static_cast<float>(of_all)) /
            median_of_normal;
    }
    return {sums.of_samples / shape.channels, sums.of_bands / shape.channels};
}

void shrink(Queue& queue, const Shape& shape, int levels, const Buffer<float>& sigma,
            Buffer<float>& coefficients) {
    const std::int64_t images = shape.channels;
    auto parts = queue.allocate<float>(images * kernels::denoise_bands * kernels::denoise_chunks,
                                       "sums of bands");
    auto thresholds = queue.allocate<float>(images * kernels::denoise_bands, "thresholds");
    for (int k = 0; k < levels; ++k) {
        const kernels::denoise_level level = level_of(shape, k);
        queue.launch(kernels::denoise_squares,
                     Groups{kernels::denoise_chunks, kernels::denoise_bands, images}, coefficients,
                     parts, level);
        queue.launch(kernels::denoise_thresholds, Range{kernels::denoise_bands, images}, parts,
                     sigma, thresholds, level);
        queue.launch(kernels::denoise_shrink,
                     Range{level.size[0], level.size[1], level.size[2] * images}, coefficients,
                     thresholds, level);
    }
}

void correct_rician(Queue& queue, Buffer<float>& values, double sigma) {
    const auto table = queue.upload(std::span<const float>(rician_table()), "values by magnitudes");
    queue.launch(kernels::denoise_rician, Range{values.size()}, values, table, rician_entries,
                 static_cast<float>(rician_steps), static_cast<float>(sigma));
}

// The three orthonormal axes of brightness, red against blue, and green against both.
void rotate_colors(std::vector<float>& planes, bool back) {
    const float a = 1 / std::sqrt(3.0f), b = 1 / std::sqrt(2.0f), c = 1 / std::sqrt(6.0f);
    const std::size_t points = planes.size() / 3;
    float *first = planes.data(), *second = first + points, *third = second + points;
    for (std::size_t i = 0; i < points; ++i) {
        const float p = first[i], q = second[i], r = third[i];
        first[i] = back ? a * p + b * q + c * r : a * (p + q + r);
        second[i] = back ? a * p - 2 * c * r : b * (p - r);
        third[i] = back ? a * p - b * q + c * r : c * (p - 2 * q + r);
    }
}

// Denoises the frames of an image, one after the other.
class Denoiser {
  public:
    Denoiser(const AnyImageView& image, const WaveletDenoiseOptions& options, Queue& queue,
             const Progress& progress)
        : image_(image), options_(options), queue_(queue), progress_(progress) {
        const Shape& shape = image.shape();
        channels_ = shape.channels - (image.has_alpha() ? 1 : 0);
        levels_ = options.levels.value_or(denoise_levels(shape));
        transform_ = {options.wavelet, levels_, options.border};
        frame_ = {shape.x, shape.y, shape.z, 1, channels_};
        padded_ = wavelet_shape(frame_, transform_);
    }

    WaveletDenoiseResult run() {
        const Shape& shape = image_.shape();
        StageClock clock;
        clock.start("denoise");
        progress_.report(0, "denoise");
        std::vector<float> all = planes_of<float>(image_, shape, largest_squared);
        std::vector<float> clean = all;
        const std::size_t stride = all.size() / static_cast<std::size_t>(shape.t);
        const auto used = static_cast<std::size_t>(frame_.elements());
        for (std::int64_t t = 0; t < shape.t; ++t) {
            const auto first =
                clean.begin() + static_cast<std::ptrdiff_t>(t * std::int64_t(stride));
            std::vector<float> frame(first, first + static_cast<std::ptrdiff_t>(used));
            denoise(frame, static_cast<double>(t) / static_cast<double>(shape.t),
                    1 / static_cast<double>(shape.t));
            std::copy(frame.begin(), frame.end(), first);
        }
        WaveletDenoiseResult result;
        result.clean = image_of(image_.pixel_type(), clean, shape, shape, image_.geometry());
        std::visit([&](auto& pixels) { pixels.has_alpha = image_.has_alpha(); }, result.clean);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] -= clean[i];
        result.residual = image_of<float>(all, shape, shape, image_.geometry());
        result.sigma = sigmas_ / static_cast<double>(shape.t);
        result.levels = levels_;
        if (result.sigma <= 0)
            result.warnings.emplace_back("no noise was found: the image is unchanged");
        result.stages = clock.take();
        progress_.report(1, "done");
        return result;
    }

  private:
    // One frame, whose part of the work begins at `begin`.
    void denoise(std::vector<float>& frame, double begin, double part) {
        if (levels_ == 0) return;
        auto clean = queue_.allocate<float>(padded_.elements(), "clean samples");
        const NoiseEstimate noise = options_.sigma
                                        ? NoiseEstimate{*options_.sigma, *options_.sigma}
                                        : estimated_noise(queue_, padded_, padded(frame), clean);
        constexpr double least = 1e-18;  // whose square single precision holds
        if (noise.of_bands < least) return;
        sigmas_ += noise.of_samples;
        const std::vector<ClippedEnds> ends = ends_of(frame, noise.of_samples);
        std::vector<float> planes = frame;
        if (channels_ == 3) rotate_colors(planes, false);
        planes = padded(planes);
        const auto samples = queue_.lend(std::span<const float>(planes), "samples");
        WaveletDenoiseOptions options = options_;
        options.sigma = noise.of_bands;
        options.levels = levels_;
        const Progress within([&](double fraction, std::string_view stage) {
            progress_.report(begin + part * fraction, stage);
        });
        options.noise = NoiseKind::gaussian;
        wavelet_denoise(queue_, padded_, options, samples, clean, within);
        if (options_.noise == NoiseKind::rician) correct_rician(queue_, clean, noise.of_samples);
        frame = unpadded(queue_.download(clean));
        if (channels_ == 3) rotate_colors(frame, true);
        for (std::size_t channel = 0; channel < ends.size(); ++channel)
            correct_clipping(channel_of(frame, channel), ends[channel], noise.of_samples);
    }

    std::span<float> channel_of(std::vector<float>& frame, std::size_t channel) const {
        const auto points = static_cast<std::size_t>(frame_.points());
        return std::span(frame).subspan(channel * points, points);
    }
    // Of each channel. Magnitudes end at 0 and have a correction of their own.
    std::vector<ClippedEnds> ends_of(std::vector<float>& frame, double sigma) const {
        std::vector<ClippedEnds> ends;
        if (options_.noise == NoiseKind::rician) return ends;
        for (int channel = 0; channel < channels_; ++channel)
            ends.push_back(
                clipped_ends(channel_of(frame, static_cast<std::size_t>(channel)), sigma));
        return ends;
    }

    std::vector<float> padded(const std::vector<float>& planes) const {
        if (padded_ == frame_) return planes;
        return planes_of<float>(image_of<float>(planes, frame_, frame_, {}), padded_,
                                largest_summed);
    }
    std::vector<float> unpadded(const std::vector<float>& planes) const {
        if (padded_ == frame_) return planes;
        return planes_of<float>(image_of<float>(planes, padded_, frame_, {}), frame_,
                                largest_summed);
    }
    const AnyImageView& image_;
    const WaveletDenoiseOptions& options_;
    Queue& queue_;
    const Progress& progress_;
    int channels_, levels_;
    WaveletOptions transform_;
    Shape frame_, padded_;
    double sigmas_ = 0;  // summed up over the frames
};

void check(const AnyImageView& image, const WaveletDenoiseOptions& options) {
    if (is_integer(options.wavelet))
        throw InvalidArgument("denoising takes a wavelet without -int, not " +
                              std::string(enum_name(options.wavelet)));
    if (options.sigma && !(*options.sigma >= 0 && *options.sigma <= largest_squared))
        throw InvalidArgument("--sigma is " + detail::shown(*options.sigma) + "; it must be 0 to " +
                              detail::shown(largest_squared));
    constexpr int most_shifts = 16;
    if (options.shifts < 1 || options.shifts > most_shifts)
        throw InvalidArgument("--shifts is " + std::to_string(options.shifts) +
                              "; it must be 1 to 16");
    if (options.noise == NoiseKind::rician && image.shape().channels > 1)
        throw InvalidArgument("Rician noise is that of images with one channel; this one has " +
                              std::to_string(image.shape().channels));
    const int most = most_wavelet_levels(image.shape());
    if (options.levels && (*options.levels < 0 || *options.levels > most))
        throw InvalidArgument("--levels is " + std::to_string(*options.levels) +
                              "; this image has 0 to " + std::to_string(most));
}

}  // namespace

int denoise_levels(const Shape& shape) {
    const int most = most_wavelet_levels(shape);
    constexpr int left = 3, enough = 5;
    return std::min(most, std::clamp(most - left, 1, enough));
}

void wavelet_denoise(Queue& queue, const Shape& shape, const WaveletDenoiseOptions& options,
                     const Buffer<const float>& samples, Buffer<float>& clean,
                     const Progress& progress) {
    if (!options.sigma || *options.sigma <= 0)
        throw InvalidArgument("denoising on a device needs a sigma above 0");
    if (shape.t != 1 || std::min(samples.size(), clean.size()) < shape.elements())
        throw InvalidArgument("denoising on a device takes one frame, and buffers of its size");
    const int levels = options.levels.value_or(denoise_levels(shape));
    const WaveletOptions transform{options.wavelet, levels, options.border};
    const auto room = [&](const char* name) {
        return queue.allocate<float>(shape.elements(), name);
    };
    auto coefficients = room("coefficients"), moved = room("shifted samples");
    const auto deviation = queue.allocate_filled<float>(
        shape.channels, static_cast<float>(*options.sigma), "deviations of the noise");
    const auto nx = static_cast<i32>(shape.x), ny = static_cast<i32>(shape.y),
               nz = static_cast<i32>(shape.z);
    // Two parts, between which columns go around.
    const auto for_parts = [&](i32 sx, const auto& launch) {
        launch(Range{nx - sx, ny, shape.z * shape.channels}, 0, sx);
        if (sx > 0) launch(Range{sx, ny, shape.z * shape.channels}, nx - sx, sx - nx);
    };
    const i32 wx = std::min(options.shifts, nx), wy = std::min(options.shifts, ny),
              wz = std::min(options.shifts, nz);
    const i32 count = wx * wy * wz;
    for (i32 k = 0; k < count; ++k) {
        progress.report(static_cast<double>(k) / count, "denoise");
        const i32 sx = k % wx, sy = k / wx % wy, sz = k / wx / wy;
        for_parts(sx, [&](const Range& range, i32 first, i32 dx) {
            queue.launch(kernels::denoise_roll, range, samples, moved, nx, ny, nz, first, dx, sy,
                         sz);
        });
        wavelet_forward(queue, shape, transform, moved, coefficients);
        shrink(queue, shape, levels, deviation, coefficients);
        wavelet_inverse(queue, shape, transform, coefficients, moved);
        for_parts(sx, [&](const Range& range, i32 first, i32 dx) {
            queue.launch(kernels::denoise_add, range, moved, clean, nx, ny, nz, first, dx, sy, sz,
                         1.0f / static_cast<float>(count), i32{k == 0});
        });
    }
    if (options.noise == NoiseKind::rician) correct_rician(queue, clean, *options.sigma);
}

WaveletDenoiseResult wavelet_denoise(const AnyImageView& image,
                                     const WaveletDenoiseOptions& options, Queue& queue,
                                     const Progress& progress) {
    check(image, options);
    return Denoiser(image, options, queue, progress).run();
}

std::int64_t wavelet_denoise_device_bytes(const AnyImageView& image,
                                          const WaveletDenoiseOptions& options) {
    Shape shape = image.shape();
    shape.t = 1;
    const int levels = options.levels.value_or(denoise_levels(shape));
    const Shape padded = wavelet_shape(shape, {options.wavelet, levels, options.border});
    // Samples, shifted samples, coefficients, room for a pass, the sum; and small change.
    constexpr std::int64_t small = 1 << 20;
    return padded.elements() * 20 + small;
}

}  // namespace tesela
