// tesela_sweep_quality [--out FILE] [--bandwidths S,R ...] [--gamma none|srgb] FOLDER: how well
// regions agree with people. FOLDER holds photographs NAME.jpg with label pictures NAME.humanK.png,
// one a person. Each setting runs over all photographs; a line of a table gives the means of the
// measures of `tesela evaluate labels`. Photographs are filtered once for each pair of bandwidths.
#include <cstdio>
#include <string>
#include <vector>

#include "photographs.h"
#include "quality_program.h"
#include "segmentation/components/components.h"
#include "segmentation/mean_shift/feature_space.h"
#include "segmentation/mean_shift/mode_seeking.h"
#include "segmentation/mean_shift/region_fusion.h"
#include "segmentation/mean_shift/window.h"
#include "tesela/evaluate_labels.h"

namespace tesela::bench {
namespace {

// What is common to all settings with the same bandwidths: modes and components.
struct Filtered {
    FeatureSpace space;
    std::vector<std::int32_t> modes;
    std::vector<std::uint32_t> components;
    std::uint32_t count = 0;
};

constexpr int axes = 2, channels = 3;

std::int64_t squared(double value) { return static_cast<std::int64_t>(value * value); }

Filtered filter(Queue& queue, const Image<std::uint8_t>& image, const MeanShiftOptions& options) {
    const Shape& shape = image.shape();
    Filtered result;
    result.space = make_feature_space<std::uint8_t>(shape, false, {}, options);
    auto pixels = queue.lend(std::span<const std::uint8_t>(image.pixels()), "photograph");
    auto modes = queue.allocate<std::int32_t>(shape.points() * channels, "modes");
    to_features(queue, result.space, pixels, shape.points(), modes);
    seek_modes(
        queue, shape, channels, make_window(shape, image.geometry, result.space, options),
        options.max_iterations, modes, [](double) {}, [] {});
    auto labels = queue.allocate<std::uint32_t>(shape.points(), "labels");
    result.count = queue.download(
        label_components(queue, shape, channels, modes,
                         squared(result.space.units(*options.label_epsilon)), axes, labels))[0];
    result.modes = queue.download(modes);
    result.components = queue.download(labels);
    return result;
}

LabelImage merge(Queue& queue, const Shape& shape, const Filtered& filtered,
                 const MeanShiftOptions& options, std::uint32_t& count) {
    const double range = filtered.space.units(*options.range_bandwidth);
    RegionRules rules;
    if (*options.fusion_range > 0) rules.fusion_limit2 = squared(*options.fusion_range * range);
    rules.most_cost = *options.region_scale * range * range;
    rules.smallest = *options.min_region;
    auto modes = queue.upload(std::span<const std::int32_t>(filtered.modes), "modes");
    auto labels = queue.upload(std::span<const std::uint32_t>(filtered.components), "labels");
    auto components =
        queue.allocate_filled<std::uint32_t>(1, filtered.count, "number of components");
    count = RegionMerge(queue, shape, channels, rules, axes, std::move(components),
                        MergedFeatures::dropped, modes, labels)
                .finish()
                .count;
    Shape flat = shape;
    flat.channels = 1;
    LabelImage image(flat);
    queue.read(labels, std::span<std::uint32_t>(image.pixels()));
    return image;
}

// By scale, EDISON's way (fusion at half a range bandwidth, then small regions), the defaults.
std::vector<MeanShiftOptions> settings_of(const MeanShiftOptions& base) {
    std::vector<MeanShiftOptions> settings;
    const auto add = [&](double fusion_range, double region_scale, int min_region) {
        settings.push_back(base);
        settings.back().fusion_range = fusion_range;
        settings.back().region_scale = region_scale;
        settings.back().min_region = min_region;
    };
    for (const double scale : {1500, 2000, 2500, 3000, 3500, 4000, 5000, 6000})
        for (const int smallest : {100, 1000}) add(0, scale, smallest);
    for (const int smallest : {1000, 2500, 4000})
        for (const double fusion_range : {0.25, 0.5}) add(fusion_range, 0, smallest);
    const MeanShiftOptions plain = with_preset({.preset = MeanShiftPreset::plain}, {}, false);
    add(*plain.fusion_range, 0, *plain.min_region);
    return settings;
}

struct Bandwidths {
    double spatial, range;
};

void sweep(std::FILE* out, Queue& queue, const std::vector<Photograph>& photographs,
           const Bandwidths& bandwidths, Gamma gamma) {
    const MeanShiftOptions base{.spatial_bandwidth = bandwidths.spatial,
                                .range_bandwidth = bandwidths.range,
                                .gamma = gamma};
    std::vector<Filtered> filtered;
    for (const Photograph& one : photographs) filtered.push_back(filter(queue, one.image, base));
    for (const MeanShiftOptions& options : settings_of(base)) {
        LabelAgreement sum;
        double regions = 0;
        for (std::size_t i = 0; i < photographs.size(); ++i) {
            std::uint32_t count = 0;
            const LabelImage labels =
                merge(queue, photographs[i].image.shape(), filtered[i], options, count);
            const LabelAgreement mean = evaluate_labels(labels, photographs[i].people).mean;
            sum.covering += mean.covering;
            sum.rand_index += mean.rand_index;
            sum.variation_of_information += mean.variation_of_information;
            sum.boundary_f += mean.boundary_f;
            regions += count;
        }
        const auto n = static_cast<double>(photographs.size());
        std::fprintf(out, "| (%g, %g) | %s | %g | %g | %d | %.0f | %.4f | %.4f | %.4f | %.4f |\n",
                     bandwidths.spatial, bandwidths.range, std::string(enum_name(gamma)).c_str(),
                     *options.fusion_range, *options.region_scale, *options.min_region, regions / n,
                     sum.covering / n, sum.rand_index / n, sum.variation_of_information / n,
                     sum.boundary_f / n);
        std::fflush(out);
    }
}

int run(const std::vector<std::string>& arguments) {
    std::vector<Bandwidths> pairs;
    std::vector<Gamma> gammas{Gamma::none, Gamma::srgb};
    std::string folder, file;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        double spatial = 0, range = 0;
        if (arguments[i] == "--out" && i + 1 < arguments.size())
            file = arguments[++i];
        else if (arguments[i] == "--gamma" && i + 1 < arguments.size())
            gammas = {parse_enum<Gamma>("--gamma", arguments[++i])};
        else if (std::sscanf(arguments[i].c_str(), "%lf,%lf", &spatial, &range) == 2)
            pairs.push_back({spatial, range});
        else if (arguments[i] != "--bandwidths")
            folder = arguments[i];
    }
    if (folder.empty())
        throw InvalidArgument(
            "usage: tesela_sweep_quality [--out FILE] [--bandwidths S,R ...] [--gamma none|srgb] "
            "FOLDER");
    if (pairs.empty()) pairs = {{6.5, 10}, {7, 9}, {7, 10}, {7, 10.5}, {7, 11}, {8, 10}};
    const std::vector<Photograph> photographs = read_photographs(folder);
    std::FILE* out = file.empty() ? stdout : std::fopen(file.c_str(), "w");
    if (!out) throw UnwritableOutput("cannot write '" + file + "'");
    std::fprintf(out,
                 "%zu photographs\n\n| Bandwidths | Gamma | Fusion range | Region scale | Min "
                 "region | Regions | Covering | PRI | VoI | Boundary F |\n"
                 "|---|---|---|---|---|---|---|---|---|---|\n",
                 photographs.size());
    Queue queue(Device::best());
    for (const Gamma gamma : gammas)
        for (const Bandwidths& bandwidths : pairs)
            sweep(out, queue, photographs, bandwidths, gamma);
    if (out != stdout) std::fclose(out);
    return 0;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_quality_program(argc, argv, "tesela_sweep_quality", run);
}
