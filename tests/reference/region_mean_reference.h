// Reference: the criterion `mean` of region growing, from the features of an image to its labels,
// one step after the other in double precision (docs/region-growing.md). Nobody optimizes this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "reference/components_reference.h"
#include "reference/nearest_growth_reference.h"
#include "reference/region_fusion_reference.h"
#include "reference/region_grow_reference.h"
#include "tesela/region_grow.h"

namespace tesela::reference {

// Integers, one plane a channel. From black to white it is 100 `unit`s; `middle` makes the second
// and third channel positive.
struct MeanFeatures {
    std::array<int, 4> size{1, 1, 1, 1};  // x, y, z, t
    int channels = 1;
    double unit = 1;
    std::int32_t middle = 0;
    std::vector<std::int32_t> planes;

    std::size_t points() const { return planes.size() / static_cast<std::size_t>(channels); }
    int dimensions() const { return size[3] > 1 ? 4 : size[2] > 1 ? 3 : 2; }
    std::int32_t at(int channel, std::size_t point) const {
        return planes[static_cast<std::size_t>(channel) * points() + point];
    }
    // The square of a distance in units.
    std::int64_t squared(double distance) const {
        return static_cast<std::int64_t>(std::floor(distance * unit * (distance * unit)));
    }
};

// Along how many axes neighbors differ, at most.
inline int axes_of(Connectivity connectivity, int dimensions) {
    switch (connectivity) {
        case Connectivity::automatic:
            return dimensions;
        case Connectivity::four:
        case Connectivity::six:
            return 1;
        case Connectivity::eight:
            return dimensions == 4 ? 1 : 2;
        case Connectivity::eighteen:
        case Connectivity::thirty_two:
            return 2;
        case Connectivity::twenty_six:
        case Connectivity::sixty_four:
            return 3;
        case Connectivity::eighty:
            return 4;
    }
    return 0;
}

// A coefficient as a multiple of 2^-16.
inline std::int64_t sixteen_bits(double coefficient) { return std::lround(coefficient * 65536); }

// Interleaved 8-bit pixels of one or three channels, in any space but lab. 256 integers are a step
// of the file.
inline MeanFeatures features_of_bytes(const std::array<int, 4>& size, int channels,
                                      const std::vector<std::uint8_t>& pixels,
                                      GrowthColorSpace space) {
    using enum GrowthColorSpace;
    const std::int64_t half = sixteen_bits(0.5);
    // ITU-R BT.601 with chroma around 0, in five digits.
    const std::array<std::int64_t, 3> y{sixteen_bits(0.299), sixteen_bits(0.587),
                                        sixteen_bits(0.114)};
    const std::array<std::int64_t, 3> cb{-sixteen_bits(0.16874), -sixteen_bits(0.33126), half};
    const std::array<std::int64_t, 3> cr{half, -sixteen_bits(0.41869), -sixteen_bits(0.08131)};
    std::vector<std::array<std::int64_t, 3>> rows;
    if (channels == 1 || space == rgb)
        rows = {{65536, 0, 0}, {0, 65536, 0}, {0, 0, 65536}};
    else
        rows = {y, cb, cr};
    rows.resize(channels == 1 || space == gray ? 1 : 3);

    MeanFeatures features{size, static_cast<int>(rows.size()), 256 * (255 / 100.0), 0, {}};
    if (space != rgb) features.middle = static_cast<std::int32_t>(std::lround(50 * features.unit));
    for (const std::array<std::int64_t, 3>& row : rows)
        for (std::size_t i = 0; i < pixels.size(); i += static_cast<std::size_t>(channels)) {
            std::int64_t sum = half;
            for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c)
                sum += row[c] * 256 * pixels[i + c];
            features.planes.push_back(static_cast<std::int32_t>(sum >> 16));
        }
    return features;
}

// [1 2 1]/4 so many times over along each axis, rounded once; what is beyond the image is as its
// end.
inline MeanFeatures smoothed(MeanFeatures features, int passes) {
    std::vector<std::int64_t> weights{1};
    for (int k = 0; k < 2 * passes; ++k) {
        weights.push_back(0);
        for (std::size_t j = weights.size() - 1; j > 0; --j) weights[j] += weights[j - 1];
    }
    const Grid grid{features.size, 1};
    for (std::size_t axis = 0; axis < 4; ++axis) {
        const MeanFeatures before = features;
        for (std::size_t k = 0; k < features.planes.size(); ++k) {
            const std::size_t plane = k / grid.points() * grid.points();
            std::int64_t sum = (std::int64_t{1} << 2 * passes) / 2;
            for (int d = -passes; d <= passes; ++d) {
                std::array<int, 4> place = grid.place(k - plane);
                place[axis] = std::clamp(place[axis] + d, 0, features.size[axis] - 1);
                sum += weights[static_cast<std::size_t>(d + passes)] *
                       before.planes[plane + grid.point(place)];
            }
            features.planes[k] = static_cast<std::int32_t>(sum >> 2 * passes);
        }
    }
    return features;
}

// What seeds are judged by, of every point.
struct SeedMeasures {
    std::vector<double> deviation;  // rounded; in 3^axes of the shifted features
    std::vector<double> farthest2;  // of the neighbors, squared
    std::vector<double> length2;
};

inline SeedMeasures seed_measures(const MeanFeatures& features) {
    const Grid grid{features.size, 1};
    std::array<int, 4> reach{};
    for (std::size_t axis = 0; axis < 4; ++axis) reach[axis] = features.size[axis] > 1 ? 1 : 0;
    const int shift = features.size[3] > 1 ? 6 : 4;  // so much of their precision seeds do without
    SeedMeasures result;
    for (std::size_t i = 0; i < grid.points(); ++i) {
        const std::vector<std::size_t> box = grid.box(i, reach);
        std::vector<double> distance2(box.size());
        double deviations = 0, length2 = 0;
        for (int c = 0; c < 3; ++c) {  // gray is a color without chroma
            const bool exists = c < features.channels;
            const std::int32_t own = exists ? features.at(c, i) >> shift : 0;
            double sum = 0, square = 0;
            for (std::size_t k = 0; k < box.size(); ++k) {
                const double d = exists ? (features.at(c, box[k]) >> shift) - own : 0;
                sum += d;
                square += d * d;
                distance2[k] += d * d;
            }
            deviations += std::sqrt(static_cast<double>(box.size()) * square - sum * sum);
            length2 += std::pow(own + (c > 0 ? features.middle >> shift : 0), 2);
        }
        result.deviation.push_back(std::nearbyint(deviations));
        result.farthest2.push_back(*std::max_element(distance2.begin(), distance2.end()));
        result.length2.push_back(length2);
    }
    return result;
}

// Otsu's threshold: the class up to which the variance between the two parts is largest.
inline int otsu(const std::vector<int>& classes) {
    std::array<double, 256> counts{};
    double all = 0, best = 0, below = 0, sum = 0;
    for (const int k : classes) {
        ++counts[static_cast<std::size_t>(k)];
        all += k;
    }
    int threshold = 255;
    for (int k = 0; k < 255; ++k) {
        const double count = counts[static_cast<std::size_t>(k)];
        below += count;
        sum += count * k;
        const double above = static_cast<double>(classes.size()) - below;
        if (count == 0 || above == 0) continue;
        const double between = below * above * std::pow(sum / below - (all - sum) / above, 2);
        if (between > best) {
            best = between;
            threshold = k;
        }
    }
    return threshold;
}

// Shih and Cheng (2005): points like their neighborhood, and like each of their neighbors.
inline std::vector<bool> automatic_seeds(const MeanFeatures& features, double distance) {
    const SeedMeasures measures = seed_measures(features);
    const double largest = *std::max_element(measures.deviation.begin(), measures.deviation.end());
    std::vector<int> classes;
    for (const double deviation : measures.deviation)
        classes.push_back(static_cast<int>(256 * deviation / (largest + 1)));
    const int threshold = otsu(classes);
    std::vector<bool> seeds;
    for (std::size_t i = 0; i < classes.size(); ++i)
        seeds.push_back(classes[i] <= threshold &&
                        (measures.farthest2[i] == 0 ||
                         measures.farthest2[i] < distance * distance * measures.length2[i]));
    return seeds;
}

// Seeds that touch are one: regions 1..N raster-first, 0 elsewhere.
inline std::vector<std::int32_t> regions_of_seeds(const std::array<int, 4>& size, int axes,
                                                  const std::vector<bool>& seeds) {
    const std::vector<std::uint32_t> parts =
        components(size, axes, [&](std::size_t a, std::size_t b) { return seeds[a] == seeds[b]; });
    std::vector<std::int32_t> regions(seeds.size()), number(seeds.size() + 1);
    std::int32_t count = 0;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        if (!seeds[i]) continue;
        if (number[parts[i]] == 0) number[parts[i]] = ++count;
        regions[i] = number[parts[i]];
    }
    return regions;
}

// To the nearest, halves away from 0; of region r at (r - 1) * channels.
inline std::vector<std::int32_t> means_of_regions(const MeanFeatures& features,
                                                  const std::vector<std::int32_t>& regions) {
    std::vector<std::int32_t> means;
    const std::int32_t count = *std::max_element(regions.begin(), regions.end());
    for (std::int32_t r = 1; r <= count; ++r)
        for (int c = 0; c < features.channels; ++c) {
            std::int64_t area = 0, sum = 0;
            for (std::size_t i = 0; i < regions.size(); ++i)
                if (regions[i] == r) {
                    ++area;
                    sum += features.at(c, i);
                }
            const std::int64_t magnitude = (std::abs(sum) + area / 2) / area;
            means.push_back(static_cast<std::int32_t>(sum < 0 ? -magnitude : magnitude));
        }
    return means;
}

// Regions that a user's seeds name stay as they have grown, unless asked for.
enum class AfterGrowth { merge, leave };

struct MeanRegions {
    RegionMerge merged;  // of regions left as they have grown their labels alone
    int growth_rounds = 0;
    std::uint32_t grown = 0;  // before they merged
};

// Of regions that have all of their points: they fall apart into those that are connected, which
// merge. Options as the page has them, in units.
inline RegionMerge merged_regions(const MeanFeatures& features, const MeanGrowOptions& options,
                                  int axes, const std::vector<std::uint32_t>& parts) {
    const double share = std::pow(150.0, -features.dimensions() / 2.0);
    const auto usual = static_cast<std::int64_t>(share * static_cast<double>(features.points()));
    const double threshold = options.merge_threshold.value_or(16);
    const double step = options.border_step.value_or(1.5);
    BorderRules borders;
    borders.step2 = step > 0 && threshold > 0 ? features.squared(step) : -1;
    borders.share = options.border_share.value_or(0.5);
    borders.of_perimeter = options.border_of == BorderLength::perimeter;
    borders.most_distance2 = features.squared(threshold);
    const double most_cost = static_cast<double>(features.squared(threshold)) *
                             static_cast<double>(std::max<std::int64_t>(usual, 1));
    return RegionMerger(features.size, features.channels, axes, parts, features.planes)
        .merge(-1, most_cost, options.min_region.value_or(usual), 0, 24, borders);
}

// `regions` are those of seeds, 0 elsewhere; `features` are smooth.
inline MeanRegions grow_seeds_by_mean(const MeanFeatures& features, const MeanGrowOptions& options,
                                      std::vector<std::int32_t> regions,
                                      AfterGrowth after = AfterGrowth::merge) {
    const int axes = axes_of(options.connectivity, features.dimensions());
    const std::vector<std::int32_t> means = means_of_regions(features, regions);
    const auto run = [&](std::int64_t limit2) {
        NearestGrowth growth = grow_to_nearest(features.size, features.channels, axes,
                                               features.planes, means, limit2, regions);
        regions = std::move(growth.regions);
        return growth.rounds;
    };
    MeanRegions found;
    found.growth_rounds = run(features.squared(options.growth_threshold.value_or(14)));
    if (after == AfterGrowth::merge || !options.growth_threshold)
        found.growth_rounds += run(std::numeric_limits<std::int64_t>::max());
    if (after == AfterGrowth::leave) {
        found.merged.labels.assign(regions.begin(), regions.end());
        return found;
    }
    const std::vector<std::uint32_t> parts =
        components(features.size, axes,
                   [&](std::size_t a, std::size_t b) { return regions[a] == regions[b]; });
    found.grown = *std::max_element(parts.begin(), parts.end());
    found.merged = merged_regions(features, options, axes, parts);
    return found;
}

// From seeds that the image makes itself. `features` are not smooth yet.
inline MeanRegions grow_by_mean(const MeanFeatures& features, const MeanGrowOptions& options) {
    const int axes = axes_of(options.connectivity, features.dimensions());
    const MeanFeatures smooth = smoothed(features, options.smoothing);
    const std::vector<bool> seeds = automatic_seeds(smooth, options.seed_distance);
    return grow_seeds_by_mean(smooth, options, regions_of_seeds(smooth.size, axes, seeds));
}

}  // namespace tesela::reference
