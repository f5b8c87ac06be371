#include "segmentation/thresholds/histogram_threshold.h"

#include <algorithm>
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

// Of the levels that occur: the first, the last, and the least difference of two, 1 where there is
// but one.
struct Occurring {
    std::size_t first = 0, last = 0, gap = 1;
};
Occurring occurring_in(std::span<const std::uint32_t> histogram) {
    Occurring found{histogram.size(), 0, histogram.size()};
    for (std::size_t level = 0; level < histogram.size(); ++level) {
        if (histogram[level] == 0) continue;
        if (found.first == histogram.size())
            found.first = level;
        else
            found.gap = std::min(found.gap, level - found.last);
        found.last = level;
    }
    if (found.first == found.last) found.gap = 1;
    return found;
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

// Levels count from the lowest one that occurs, so that an offset of the values does not matter.
// The search ends where a step is less than half of the least difference of two levels.
HistogramThreshold li(std::span<const std::uint32_t> histogram) {
    const Occurring levels = occurring_in(histogram);
    const auto shifted = histogram.subspan(levels.first);
    double threshold = class_of(shifted, 0, shifted.size()).mean(),
           last = -static_cast<double>(levels.gap);
    int iterations = 0;
    for (; std::abs(threshold - last) > 0.5 * static_cast<double>(levels.gap); ++iterations) {
        last = threshold;
        const HistogramThreshold classes = at(shifted, static_cast<std::size_t>(threshold));
        if (classes.mean_below == 0 || classes.count_above == 0) break;
        threshold = (classes.mean_below - classes.mean_above) /
                    (std::log(classes.mean_below) - std::log(classes.mean_above));
    }
    HistogramThreshold found = at(histogram, levels.first + static_cast<std::size_t>(threshold));
    found.iterations = iterations;
    return found;
}

// A distance from the line is, but for a factor, the determinant below.
HistogramThreshold triangle(std::span<const std::uint32_t> histogram) {
    const Occurring ends = occurring_in(histogram);
    const auto peak = static_cast<std::size_t>(
        std::max_element(histogram.begin(), histogram.end()) - histogram.begin());
    const bool is_right = peak - ends.first < ends.last - peak;  // the longer side
    const std::size_t end = is_right ? ends.last : ends.first;
    const std::size_t width = is_right ? end - peak : peak - end;
    std::int64_t farthest = -1;
    std::size_t found = peak;
    for (std::size_t step = 0; step < width; ++step) {
        const std::size_t level = is_right ? end - step : end + step;
        const std::int64_t distance =
            std::int64_t{histogram[peak]} * static_cast<std::int64_t>(step) -
            static_cast<std::int64_t>(width) * std::int64_t{histogram[level]};
        if (step > 0 && distance <= farthest) continue;
        farthest = distance;
        found = level;
    }
    return at(histogram, found);
}

}  // namespace tesela
