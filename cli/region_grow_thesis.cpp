#include "region_grow_thesis.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace tesela::cli {
namespace {

// Throws where a value differs from the usual one, but for the names in `common`.
void refuse_changed(const Json& values, const Json& usual,
                    std::initializer_list<std::string_view> common, const std::string& sentence) {
    for (const auto& [name, value] : values.items())
        if (value != usual.at(name) &&
            std::find(common.begin(), common.end(), name) == common.end())
            throw InvalidArgument("--" + name + " " + sentence);
}

// Labels 1..N in the order in which they are met; 0 stays.
void number_raster_first(LabelImage& labels) {
    std::vector<std::uint32_t> number_of;
    std::uint32_t count = 0;
    for (std::uint32_t& label : labels.pixels()) {
        if (label == 0) continue;
        if (label >= number_of.size()) number_of.resize(label + 1, 0);
        if (number_of[label] == 0) number_of[label] = ++count;
        label = number_of[label];
    }
}

}  // namespace

ThesisGrowOptions thesis_grow_options(const ThesisGrowFlags& flags,
                                      const RegionGrowOptions& algorithm, bool has_seeds) {
    if (flags.variant == RegionGrowVariant::standard) {
        refuse_changed(values_of(flags), values_of(ThesisGrowFlags{}), {},
                       "is an option of the thesis's variant: add --variant thesis");
        return {};
    }
    refuse_changed(values_of(algorithm), values_of(RegionGrowOptions{}),
                   {"growth-threshold", "merge-threshold"},
                   "is not an option of the thesis's variant: leave it out, or use --variant "
                   "default");
    if (has_seeds)
        throw InvalidArgument(
            "--seeds: the thesis's variant has one seed in the middle of each tile: leave it out, "
            "or use --variant default");
    ThesisGrowOptions options = flags.options;
    if (algorithm.growth_threshold) options.growth_threshold = *algorithm.growth_threshold;
    if (algorithm.merge_threshold) options.merge_threshold = *algorithm.merge_threshold;
    return options;
}

void ThesisGrowJob::read_more() {
    if (input_.bits_per_pixel != 0 && input_.bits_per_pixel != 24)
        throw UnsupportedFormat(fmt::format(
            "{}: the thesis's variant takes BMP files of 24 bits a pixel, and this one has {}: "
            "save it with 24, or use --variant default",
            settings_.input().string(), input_.bits_per_pixel));
    (void)picture();
}

const Image<std::uint8_t>& ThesisGrowJob::picture() const {
    const auto* picture = std::get_if<Image<std::uint8_t>>(&input_.image);
    if (!picture)
        throw UnsupportedFormat(fmt::format(
            "{}: the thesis's variant takes 24 bits a pixel, three colors of uint8, not {}",
            settings_.input().string(), pixel_type_name(pixel_type_of(input_.image))));
    return *picture;
}

void ThesisGrowJob::compute(Queue& queue, const Progress& progress) {
    result_ = region_grow_thesis(picture(), options_, queue, progress);
    number_raster_first(result_.labels);
    segmented_ = result_.colored;
}

std::int64_t ThesisGrowJob::device_bytes(const Device&) const {
    return region_grow_thesis_bytes(picture().shape(), options_);
}

std::string ThesisGrowJob::summary() const {
    return fmt::format(
        "region growing of the thesis: {} regions of {}x{} tiles, {} pixels in none",
        result_.region_count, result_.tiles_x, result_.tiles_y,
        result_.labels.shape().points() - result_.owned_pixels + result_.unlabeled_pixels);
}

Json ThesisGrowJob::parameters_as_used() const {
    Json parameters = parameters_;
    parameters["growth-threshold"] = options_.growth_threshold;
    parameters["merge-threshold"] = options_.merge_threshold;
    return parameters;
}

Json ThesisGrowJob::statistics() const {
    const std::int64_t points = result_.labels.shape().points();
    return {{"region_count", result_.region_count},
            {"points", points},
            {"unlabeled_points", points - result_.owned_pixels + result_.unlabeled_pixels},
            {"tiles", {result_.tiles_x, result_.tiles_y}},
            {"owned_points", result_.owned_pixels},
            {"unlabeled_owned_points", result_.unlabeled_pixels},
            {"growth_iterations", result_.growth_iterations},
            {"merge_rounds", result_.merge_rounds}};
}

}  // namespace tesela::cli
