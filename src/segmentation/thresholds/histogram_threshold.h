// Thresholds of a histogram. Levels at most the threshold are below it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tesela {

struct HistogramThreshold {
    std::uint32_t level = 0;
    double mean_below = 0, mean_above = 0;  // in levels; 0 where a class is empty
    std::int64_t count_above = 0;
    int iterations = 0;
};

// Of the largest variance between the classes; of several levels in a row the middle one. Of a
// histogram with a single level, that.
HistogramThreshold otsu(std::span<const std::uint32_t> histogram);

// The mean of the means of both classes, from the mean of all on, until it makes the same classes.
HistogramThreshold ridler_calvard(std::span<const std::uint32_t> histogram);

// Of the least cross entropy, found from the mean of all on.
HistogramThreshold li(std::span<const std::uint32_t> histogram);

// Farthest from the line between the peak and the end of the longer side.
HistogramThreshold triangle(std::span<const std::uint32_t> histogram);

// Levels, ascending, of the largest variance between `classes` classes; of equal ones the lowest.
// Throws InvalidArgument where fewer levels occur.
std::vector<std::uint32_t> multi_otsu(std::span<const std::uint32_t> histogram, int classes);

}  // namespace tesela
