#include "tesela/nuclei.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/single_precision.h"
#include "segmentation/nuclei/nucleus_channel.h"
#include "tesela/mask.h"
#include "tesela/morphology.h"
#include "tesela/smooth.h"
#include "tesela/threshold.h"

namespace tesela {
namespace {

constexpr double least_diameter = 3, most_diameter = 4000;  // pixels
// Lengths as shares of the diameter.
constexpr double smoothing = 0.05, surroundings = 1, neck = 0.05, smallest = 0.4;
constexpr double least_smoothing = 0.5, least_neck = 0.5;  // pixels
constexpr double least_contrast = 1.15;
// Before the diameter is known.
constexpr double first_smoothing = 1, first_neck = 0.75, first_smallest = 3;  // pixels
// Touching nuclei that stay together are large, so that the diameter is taken from the smaller
// ones: those that have this part of the area of all. With sizes a quarter smaller and larger, they
// are this much smaller than the mean.
constexpr double typical_part = 0.15, typical_size = 0.88;

double disk(double diameter) { return std::numbers::pi / 4 * diameter * diameter; }

Image<float> smoothed(const Image<float>& values, double sigma, Queue& queue) {
    return std::get<Image<float>>(smooth_gaussian(values, {.sigma = Length(sigma)}, queue).image);
}

// Values from the darkest hundredth of the pixels on, which removes an offset of the camera.
Image<float> without_offset(Image<float> values) {
    std::vector<float> sorted(values.pixels().begin(), values.pixels().end());
    const auto low = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 100);
    std::nth_element(sorted.begin(), low, sorted.end());
    for (float& value : values.pixels()) value = std::max(value - *low, 0.0f);
    return values;
}

// How much brighter pixels are than their surroundings. The mean of the picture is added to both,
// so that noise in a dark ground does not count.
Image<float> contrast(const Image<float>& values, double diameter, Queue& queue) {
    double mean = 0;
    for (const float value : values.pixels()) mean += static_cast<double>(value);
    mean /= static_cast<double>(values.shape().points());
    Image<float> ratio = smoothed(values, std::max(smoothing * diameter, least_smoothing), queue);
    const Image<float> around = smoothed(values, surroundings * diameter, queue);
    const auto added = static_cast<float>(mean);
    if (!(added > 0)) return Image<float>(values.shape(), values.geometry);
    for (std::size_t i = 0; i < ratio.pixels().size(); ++i)
        ratio.pixels()[i] = (ratio.pixels()[i] + added) / (around.pixels()[i] + added);
    return ratio;
}

// The objects of a mask, from a size on, apart.
LabelImage separated(const Image<std::uint8_t>& mask, double least_size, double depth, Queue& queue,
                     const Progress& progress) {
    const HoleResult filled = fill_holes(mask, {}, queue);
    const SelectionResult large = select_objects(
        filled.image, {.min_size = static_cast<std::int64_t>(std::ceil(disk(least_size)))}, queue);
    const auto& chosen = std::get<Image<std::uint8_t>>(large.image);
    const auto background = std::count(chosen.pixels().begin(), chosen.pixels().end(), 0);
    LabelImage labels(mask.shape(), mask.geometry);
    if (large.kept == 0) return labels;
    if (background == 0) {
        std::fill(labels.pixels().begin(), labels.pixels().end(), 1u);
        return labels;
    }
    return split_objects(chosen, {.depth = depth, .pixels = true}, queue, progress).labels;
}

std::uint32_t highest(const LabelImage& labels) {
    return labels.pixels().empty()
               ? 0
               : *std::max_element(labels.pixels().begin(), labels.pixels().end());
}

std::vector<std::int64_t> areas_of(const LabelImage& labels) {
    std::vector<std::int64_t> areas(highest(labels));
    for (const std::uint32_t label : labels.pixels())
        if (label > 0) ++areas[label - 1];
    return areas;
}

// Of labels; 0 where there are none.
double typical_diameter(const LabelImage& labels) {
    std::vector<std::int64_t> areas = areas_of(labels);
    if (areas.empty()) return 0;
    std::sort(areas.begin(), areas.end());
    double all = 0, below = 0;
    for (const std::int64_t area : areas) all += static_cast<double>(area);
    for (const std::int64_t area : areas) {
        below += static_cast<double>(area);
        if (below >= typical_part * all)
            return std::sqrt(static_cast<double>(area) * 4 / std::numbers::pi) / typical_size;
    }
    return 0;
}

double in_range(double diameter) { return std::clamp(diameter, least_diameter, most_diameter); }

// Nuclei of a diameter. None where there is no contrast.
LabelImage nuclei_of(const Image<float>& values, double diameter, Queue& queue,
                     const Progress& progress) {
    const ThresholdResult found = otsu_threshold(contrast(values, diameter, queue), queue);
    if (!(found.mean_above >= least_contrast * found.mean_below))
        return LabelImage(values.shape(), values.geometry);
    return separated(found.mask, smallest * diameter, std::max(neck * diameter, least_neck), queue,
                     progress);
}

// From a first look by a threshold of the whole image, and a second one with what it found.
double estimated_diameter(const Image<float>& values, Queue& queue, const Progress& progress) {
    const ThresholdResult bright = otsu_threshold(smoothed(values, first_smoothing, queue), queue);
    const double first = typical_diameter(
        separated(bright.mask, first_smallest, first_neck, queue, progress.part(0, 0.5)));
    if (first == 0) return least_diameter;
    const double second =
        typical_diameter(nuclei_of(values, in_range(first), queue, progress.part(0.5, 1)));
    return in_range(second > 0 ? second : first);
}

double in_pixels(const char* option, const Length& length, const Geometry& geometry) {
    if (!length.physical()) return length.value;
    if (!geometry.known())
        throw InvalidArgument(std::string(option) + " is " + length.to_string() +
                              ", and the image has no pixel spacing: give it with --spacing, or "
                              "the length in pixels");
    const auto spacing = geometry.spacing_mm();
    return length.millimeters() / std::sqrt(spacing[0] * spacing[1]);
}

double given_diameter(const Length& length, const Geometry& geometry) {
    const double diameter = in_pixels("--diameter", length, geometry);
    if (!(diameter >= least_diameter && diameter <= most_diameter))
        throw InvalidArgument("--diameter is " + length.to_string() +
                              ": nuclei are found from 3 to 4000 pixels");
    return diameter;
}

Positivity positivity_of(const LabelImage& labels, const Image<float>& dab) {
    const std::vector<std::int64_t> areas = areas_of(labels);
    Positivity found{.density = std::vector<double>(areas.size()), .level = {}, .counts = {}};
    for (std::size_t i = 0; i < labels.pixels().size(); ++i)
        if (labels.pixels()[i] > 0)
            found.density[labels.pixels()[i] - 1] += static_cast<double>(dab.pixels()[i]);
    for (std::size_t n = 0; n < areas.size(); ++n) {
        found.density[n] /= static_cast<double>(areas[n]);
        const auto level = std::count_if(positive_limits.begin(), positive_limits.end(),
                                         [&](double limit) { return found.density[n] >= limit; });
        found.level.push_back(static_cast<int>(level));
        ++found.counts[static_cast<std::size_t>(level)];
        found.share += level > 0;
        found.h_score += 100 * static_cast<double>(level);
    }
    const auto count = static_cast<double>(std::max<std::size_t>(areas.size(), 1));
    found.share /= count;
    found.h_score /= count;
    return found;
}

}  // namespace

NucleiResult find_nuclei(const AnyImageView& image, const NucleiOptions& options, Queue& queue,
                         const Progress& progress) {
    validate_options(options);
    if (options.expand) in_pixels("--expand", *options.expand, image.geometry());
    NucleusChannel channel = nucleus_channel(image, options, queue);
    NucleiResult result;
    result.stain = channel.stain;
    result.section = channel.section;
    if (options.diameter) result.diameter = given_diameter(*options.diameter, image.geometry());
    progress.report(0, "nuclei");
    require_values(std::span<const float>(channel.values.pixels()), channel.values.shape(),
                   largest_summed);
    const Image<float> values = without_offset(channel.values);
    if (!options.diameter)
        result.diameter = estimated_diameter(values, queue, progress.part(0, 0.5));
    result.nuclei = nuclei_of(values, result.diameter, queue, progress.part(0.5, 0.9));
    result.count = highest(result.nuclei);
    if (result.count == 0)
        result.warnings.push_back(
            "no nuclei were found: nothing of their size is 15 % brighter than its surroundings; "
            "give --diameter, or another --stain");
    if (options.expand)
        result.cells =
            std::get<LabelImage>(morphology(result.nuclei, MorphologyOperator::dilate,
                                            {.radius = *options.expand, .labels = true}, queue)
                                     .image);
    if (options.positive == PositiveStain::dab)
        result.positivity = positivity_of(result.nuclei, channel.dab);
    result.channel = std::move(channel.values);
    progress.report(1, "done");
    return result;
}

std::int64_t find_nuclei_device_bytes(const AnyImageView& image, const Device& device) {
    Shape shape = image.shape();
    const std::int64_t stains = shape.channels > 2 ? stain_device_bytes(image) : 0;
    shape.channels = 1;
    // Only its form is asked for.
    const AnyImageView plane(PixelView<float>(nullptr, shape, image.geometry(), false));
    const MorphologyOptions grown{.labels = true};
    return std::max({stains, smooth_device_bytes(plane), threshold_device_bytes(plane, device),
                     select_objects_device_bytes(shape), split_objects_device_bytes(plane),
                     morphology_device_bytes(plane, grown, device)});
}

}  // namespace tesela
