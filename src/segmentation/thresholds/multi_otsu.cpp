#include <algorithm>
#include <limits>
#include <string>

#include "kernels/thresholds/threshold.kernel.h"
#include "pixels/plane_of.h"
#include "segmentation/thresholds/gray_levels.h"
#include "segmentation/thresholds/histogram_threshold.h"
#include "tesela/compute/primitives.h"
#include "tesela/threshold.h"

namespace tesela {
namespace {

using kernels::u32;

constexpr std::size_t most_bins = 1024;

// Levels that occur, or where these are too many, equally wide ranges of levels.
struct Bins {
    std::vector<u32> last;  // the highest level of each
    // Number of points and sum of levels before each bin.
    std::vector<double> counts{0}, sums{0};

    std::size_t size() const { return last.size(); }
    // What the class of the bins from `begin` to `end` adds to the variance between classes, but
    // for what is the same for all.
    double share(std::size_t begin, std::size_t end) const {
        const double count = counts[end] - counts[begin], sum = sums[end] - sums[begin];
        return count > 0 ? sum * sum / count : 0;
    }
};

Bins bins_of(std::span<const u32> histogram) {
    std::vector<std::size_t> levels;
    for (std::size_t level = 0; level < histogram.size(); ++level)
        if (histogram[level] > 0) levels.push_back(level);
    const std::size_t first = levels.front();
    const std::size_t width =
        levels.size() > most_bins ? (levels.back() - first) / most_bins + 1 : 1;
    Bins bins;
    for (const std::size_t level : levels) {
        const auto last = static_cast<u32>(first + (level - first) / width * width + width - 1);
        if (bins.last.empty() || last != bins.last.back()) {
            bins.last.push_back(last);
            bins.counts.push_back(bins.counts.back());
            bins.sums.push_back(bins.sums.back());
        }
        const double count = histogram[level];
        bins.counts.back() += count;
        bins.sums.back() += count * static_cast<double>(level - first);
    }
    return bins;
}

}  // namespace

// best[end] is the largest sum of shares of the bins before `end` in so many classes. One class
// more is a pass over all places where its first bin can be.
std::vector<u32> multi_otsu(std::span<const u32> histogram, int classes) {
    const Bins bins = bins_of(histogram);
    const auto wanted = static_cast<std::size_t>(classes);
    if (bins.size() < wanted)
        throw InvalidArgument("the image has " + std::to_string(bins.size()) +
                              (bins.size() == 1 ? " value" : " different values") +
                              ", too few for " + std::to_string(classes) + " classes");
    std::vector<double> best(bins.size() + 1);
    for (std::size_t end = 0; end <= bins.size(); ++end) best[end] = bins.share(0, end);
    std::vector<std::vector<std::size_t>> begins(wanted, std::vector<std::size_t>(bins.size() + 1));
    for (std::size_t made = 1; made < wanted; ++made) {
        std::vector<double> better(bins.size() + 1, -1);
        for (std::size_t end = made + 1; end <= bins.size(); ++end)
            for (std::size_t begin = made; begin < end; ++begin) {
                const double sum = best[begin] + bins.share(begin, end);
                if (sum <= better[end]) continue;
                better[end] = sum;
                begins[made][end] = begin;
            }
        best = std::move(better);
    }
    std::vector<u32> thresholds(wanted - 1);
    std::size_t end = bins.size();
    for (std::size_t made = wanted - 1; made > 0; --made) {
        end = begins[made][end];
        thresholds[made - 1] = bins.last[end - 1];
    }
    return thresholds;
}

namespace {

template <class AnySource>
DeviceMultiOtsuResult classes_of(const AnySource& image, const Shape& shape,
                                 const Geometry& geometry, const MultiOtsuOptions& options,
                                 Queue& queue, StageClock& clock, const Progress& progress) {
    validate_options(options);
    clock.start("upload");
    progress.report(0, "upload");
    GrayLevels levels = gray_levels(queue, image, LevelsOf::brightness);
    clock.start("threshold");
    progress.report(0.3, "threshold");
    auto counts = queue.allocate<u32>(std::int64_t{levels.highest} + 1, "histogram");
    histogram(queue, levels.planes, levels.planes.size(), counts.size(), counts);
    const std::vector<u32> found = multi_otsu(queue.download(counts), options.classes);
    kernels::threshold_steps steps{};
    std::fill(std::begin(steps.at), std::end(steps.at), std::numeric_limits<u32>::max());
    std::copy(found.begin(), found.end(), steps.at);
    DeviceMultiOtsuResult result;
    result.classes = {queue.allocate<u32>(shape.points(), "classes"), plane_of(shape), geometry};
    queue.launch(kernels::threshold_classes, Range{shape.points()}, levels.planes,
                 result.classes.pixels, steps);
    for (const u32 level : found) result.thresholds.push_back(levels.value(level));
    result.warnings = std::move(levels.warnings);
    return result;
}

}  // namespace

MultiOtsuResult multi_otsu(const AnyImageView& image, const MultiOtsuOptions& options, Queue& queue,
                           const Progress& progress) {
    StageClock clock;
    DeviceMultiOtsuResult found =
        classes_of(image, image.shape(), image.geometry(), options, queue, clock, progress);
    MultiOtsuResult result{std::move(static_cast<MultiOtsuReport&>(found)), {}};
    result.classes = LabelImage::unwritten(found.classes.shape, found.classes.geometry);
    queue.read(found.classes.pixels, std::span<u32>(result.classes.pixels()));
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}
template <class T>
DeviceMultiOtsuResult multi_otsu(const DeviceImage<const T>& image, const MultiOtsuOptions& options,
                                 Queue& queue, const Progress& progress) {
    StageClock clock;
    DeviceMultiOtsuResult result =
        classes_of(image, image.shape, image.geometry, options, queue, clock, progress);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}
#define TESELA_INSTANTIATE(T)                                              \
    template DeviceMultiOtsuResult multi_otsu(const DeviceImage<const T>&, \
                                              const MultiOtsuOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t multi_otsu_device_bytes(const AnyImageView& image) {
    constexpr std::int64_t histogram_bytes = 65536 * 4;
    return gray_levels_bytes(image, LevelsOf::brightness) + 4 * image.shape().points() +
           histogram_bytes;
}

}  // namespace tesela
