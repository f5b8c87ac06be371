// The error of voxels for which a volume keeps a PSNR, found without coding it: nothing but the
// quantizer loses anything.
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "io/volume_file/requantized.h"
#include "io/volume_file/volume_file.h"
#include "tesela/volume_quality.h"

namespace tesela::io {
namespace {

// The error, squared, for one value.
template <class T>
double squared_error(T value, const Quantization& quantum) {
    const double kept = requantized(value, quantum), error = static_cast<double>(value) - kept;
    return error * error;
}

// Calls `work` with the strips of the input, from several threads at once; they are read by one
// thread at a time, as inputs ask for.
template <class Work>
void for_each_strip(const VolumeInput& input, int threads, const Progress& progress,
                    const Work& work) {
    std::mutex reading;
    const VolumeStrips strips(input.facts().shape);
    detail::for_each_index(
        strips.count(), threads,
        [&](std::int64_t i) {
            const auto read = [&] {
                const std::lock_guard lock(reading);
                return strips.read(input, i);
            };
            work(i, read());
        },
        [&](std::int64_t) { progress.throw_if_cancelled(); });
}

// How often each value occurs, of integers of up to 16 bits.
std::map<std::int64_t, std::int64_t> counts_of(const VolumeInput& input, int threads,
                                               const Progress& progress) {
    std::map<std::int64_t, std::int64_t> all;
    std::mutex mutex;
    for_each_strip(input, threads, progress, [&](std::int64_t, const AnyImage& strip) {
        std::visit(
            [&]<class T>(const Image<T>& image) {
                if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
                    std::vector<std::int64_t> counts(std::size_t{1} << 8 * sizeof(T));
                    for (const T value : image.pixels())
                        ++counts[static_cast<std::make_unsigned_t<T>>(value)];
                    const std::lock_guard lock(mutex);
                    for (std::size_t i = 0; i < counts.size(); ++i)
                        if (counts[i] > 0) all[static_cast<T>(i)] += counts[i];
                }
            },
            strip);
    });
    return all;
}

// The mean squared error of stored numbers that are quantized so.
using MeanSquare = std::function<double(const Quantization& quantum)>;

MeanSquare mean_square_of(std::map<std::int64_t, std::int64_t> counts, PixelType type) {
    return [counts = std::move(counts), type](const Quantization& quantum) {
        double sum = 0, all = 0;
        with_type(type, [&]<class T>(T) {
            for (const auto& [value, count] : counts) {
                sum += static_cast<double>(count) * squared_error(static_cast<T>(value), quantum);
                all += static_cast<double>(count);
            }
        });
        return sum / all;
    };
}

// Strips are added up in their order, so that threads do not show.
MeanSquare mean_square_of(const VolumeInput& input, int threads, const Progress& progress) {
    return [&input, threads, &progress](const Quantization& quantum) {
        const Shape& shape = input.facts().shape;
        std::vector<double> sums(static_cast<std::size_t>(VolumeStrips(shape).count()));
        for_each_strip(input, threads, progress, [&](std::int64_t i, const AnyImage& strip) {
            double sum = 0;
            std::visit(
                [&](const auto& image) {
                    for (const auto value : image.pixels()) sum += squared_error(value, quantum);
                },
                strip);
            sums[static_cast<std::size_t>(i)] = sum;
        });
        double sum = 0;
        for (const double strip : sums) sum += strip;
        return sum / static_cast<double>(shape.elements());
    };
}

// A step whose quality is `enough` while that of the next is not; nothing where the first is not.
template <class QualityOf>
VolumeQuality coarsest(std::int64_t steps, double enough, const QualityOf& quality_of) {
    VolumeQuality best;
    std::int64_t good = -1, bad = steps;
    while (bad - good > 1) {
        const std::int64_t step = good + (bad - good) / 2;
        const VolumeQuality found = quality_of(step);
        if (found.psnr >= enough) {
            best = found;
            good = step;
        } else {
            bad = step;
        }
    }
    return best;
}

// The last of the steps whose quality is `enough`: larger errors may by chance lose less, where
// values lie at the middles of their steps.
template <class QualityOf>
VolumeQuality last_of_all(std::int64_t steps, double enough, const QualityOf& quality_of) {
    for (std::int64_t step = steps - 1; step >= 0; --step)
        if (const VolumeQuality found = quality_of(step); found.psnr >= enough) return found;
    return {};
}

}  // namespace

VolumeQuality error_for_psnr(const VolumeInput& input, double decibels, int threads,
                             const Progress& progress) {
    const VolumeInputFacts& facts = input.facts();
    if (!(decibels > 0 && std::isfinite(decibels)))
        throw InvalidArgument("--psnr must be a finite number above 0");
    const double slope = std::abs(facts.scaling.slope);
    const auto psnr = [](double span, double mean_square) {
        return 10 * std::log10(span * span / mean_square);
    };
    if (pixel_type_bytes(facts.type) <= 2) {
        const auto counts = counts_of(input, threads, progress);
        const std::int64_t span = counts.rbegin()->first - counts.begin()->first;
        const MeanSquare mean_square = mean_square_of(counts, facts.type);
        const auto quality_of = [&](std::int64_t step) {
            const auto error = static_cast<double>(step + 1);
            return VolumeQuality{slope * error,
                                 psnr(static_cast<double>(span), mean_square({2 * error + 1, 0}))};
        };
        return pixel_type_bytes(facts.type) == 1 ? last_of_all(span, decibels, quality_of)
                                                 : coarsest(span, decibels, quality_of);
    }
    // Errors are an eighth of an octave apart, so that eight passes find one.
    constexpr std::int64_t steps = 160;
    const VoxelRange range = voxel_range(input, progress);
    const double span = range.span();
    if (span == 0) return {};
    const MeanSquare mean_square = mean_square_of(input, threads, progress);
    return coarsest(steps, decibels, [&](std::int64_t step) -> VolumeQuality {
        double error = span * std::exp2(static_cast<double>(step) / 8 - 20);
        if (!is_floating_point(facts.type)) error = std::floor(error);
        try {
            const QuantizedInput quantized(input, slope * error, range);
            return {slope * error, psnr(span, mean_square(quantized.quantum()))};
        } catch (const InvalidArgument&) {
            return {};  // finer than the numbers are kept: nothing is lost
        }
    });
}

}  // namespace tesela::io
