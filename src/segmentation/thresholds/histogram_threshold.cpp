#include "segmentation/thresholds/histogram_threshold.h"

#include <cmath>

namespace tesela {
namespace {

// Number and sum of levels.
struct Class {
    double count = 0, sum = 0;
    double mean() const { return count > 0 ? sum / count : 0; }
};

Class class_of(std::span<const std::uint32_t> histogram, std::size_t begin, std::size_t end) {
    Class one;
    for (std::size_t level = begin; level < end; ++level) {
        one.count += histogram[level];
        one.sum += static_cast<double>(histogram[level]) * static_cast<double>(level);
    }
    return one;
}

HistogramThreshold at(std::span<const std::uint32_t> histogram, std::size_t level) {
    const Class below = class_of(histogram, 0, level + 1);
    const Class above = class_of(histogram, level + 1, histogram.size());
    return {static_cast<std::uint32_t>(level), below.mean(), above.mean(),
            static_cast<std::int64_t>(above.count), 0};
}

}  // namespace

HistogramThreshold otsu(std::span<const std::uint32_t> histogram) {
    const Class all = class_of(histogram, 0, histogram.size());
    Class below;
    double most = -1;
    std::size_t first = 0, last = 0;
    for (std::size_t level = 0; level < histogram.size(); ++level) {
        below.count += histogram[level];
        below.sum += static_cast<double>(histogram[level]) * static_cast<double>(level);
        const double above = all.count - below.count;
        if (below.count == 0) continue;
        if (above == 0 && most >= 0) break;
        const double difference = all.mean() * below.count - below.sum;
        const double variance = above > 0 ? difference * difference / (below.count * above) : 0;
        if (variance > most) {
            most = variance;
            first = last = level;
        } else if (variance == most && last + 1 == level) {
            last = level;
        }
        if (above == 0) break;
    }
    return at(histogram, (first + last) / 2);
}

HistogramThreshold ridler_calvard(std::span<const std::uint32_t> histogram) {
    const Class all = class_of(histogram, 0, histogram.size());
    auto level = static_cast<std::size_t>(std::floor(all.mean()));
    HistogramThreshold found = at(histogram, level);
    // Each round moves the threshold on in the same direction, so that there is an end.
    for (found.iterations = 1; found.count_above > 0; ++found.iterations) {
        const auto next =
            static_cast<std::size_t>(std::floor((found.mean_below + found.mean_above) / 2));
        if (next == level) break;
        level = next;
        const int iterations = found.iterations;
        found = at(histogram, level);
        found.iterations = iterations;
    }
    return found;
}

}  // namespace tesela
