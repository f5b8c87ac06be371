// grow limits, tolerance, confidence, compete
#include "operations/all.h"
#include "operations/coverage.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/regions.h"
#include "operations/registry.h"
#include "tesela/region_grow.h"

namespace tesela::operations {
namespace {

Figures details_of(const std::vector<GrowthInterval>& intervals) {
    if (intervals.empty()) return {};
    std::vector<Figures> records;
    for (const GrowthInterval& interval : intervals)
        records.push_back({{"label", std::int64_t{interval.label}},
                           {"lower", interval.lower},
                           {"upper", interval.upper},
                           {"mean", interval.mean},
                           {"deviation", interval.deviation}});
    return {{"intervals", std::move(records)}};
}

// Of RegionGrowResult and DeviceRegionGrowResult, whose labels nobody has counted.
template <class Method, class Result>
Results results_of(const Call& call, Result result) {
    Results results;
    if constexpr (requires { result.unlabeled_points; }) {
        results.summary = printed("%s, %s without a label", counted(result.count, "region").c_str(),
                                  counted(result.unlabeled_points, "pixel").c_str());
        results.figures = {{"region_count", std::int64_t{result.count}},
                           {"points", call.shape().points()},
                           {"unlabeled_points", result.unlabeled_points}};
    } else {
        results.summary = counted(result.rounds, "round") + " of growth";
        results.figures = {{"points", call.shape().points()}};
    }
    results.figures.push_back({"rounds", std::int64_t{result.rounds}});
    results.used = {{"connectivity", std::string(enum_name(result.connectivity))}};
    if constexpr (std::is_same_v<Method, CompeteGrowOptions>) {
        results.figures.push_back({"grown_regions", std::int64_t{result.grown_regions}});
        results.used.emplace_back("color-space", std::string(enum_name(result.color_space)));
    }
    results.details = details_of(result.intervals);
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    if constexpr (!std::is_same_v<Method, CompeteGrowOptions> &&  // which divides the whole image
                  std::is_same_v<Result, RegionGrowResult>)
        warn_of_coverage(call, "the label map", result.labels,
                         result.labels.shape().points() - result.unlabeled_points, results);
    results.outputs.set("labels", std::move(result.labels));
    return results;
}

template <class Method>
Results run_grow(const Call& call, Queue& queue, const Progress& progress) {
    return results_of<Method>(
        call, region_grow(call.image(), seeds_of(call), call.options.as<Method>(), queue,
                          RegionGrowOutput::labels, progress));
}

template <class Method>
DeviceLevel grow_level() {
    return device_level([](const auto& image, const Call& call, Queue& queue,
                           const Progress& progress) {
        return results_of<Method>(
            call, region_grow(image, seeds_of(call), call.options.as<Method>(), queue, progress));
    });
}

template <class Method>
Memory grow_memory(const Call& call, const Device& device) {
    return {.device = region_grow_device_bytes(call.image(), seeds_of(call),
                                               call.options.as<Method>(), device),
            .computing = seed_bytes(call),
            .finishing = segmented_bytes(call)};
}

template <class Method>
Device::Choice choose_device(const Options& options, const std::string& device) {
    if constexpr (std::is_same_v<Method, CompeteGrowOptions>)
        if (options.as<Method>().by == GrowthRule::mean && device == "auto")
            return {Device::parse("cpu"), "--by mean runs there alone"};
    const Device::Choice choice = Device::choose(device);
    check_device(options.as<Method>(), choice.device);
    return choice;
}

template <class Method>
Operation grow(const std::string& name, std::string purpose, std::string sentence,
               std::vector<std::string> examples) {
    return {.name = "grow " + name,
            .purpose = std::move(purpose),
            .sentence = std::move(sentence),
            .examples = std::move(examples),
            .inputs = {image_input, required_seeds_input("label image, points 'x,y;...', "
                                                         "'box:x0,y0,x1,y1;...', grid:SPACING")},
            .outputs = {labels_output(), segmented_output()},
            .options = Options::of(Method{}),
            .run = run_grow<Method>,
            .memory = grow_memory<Method>,
            .finish = add_segmented,
            .device = {.level = grow_level<Method>(), .choose = choose_device<Method>}};
}

}  // namespace

void add_grow(Registry& registry) {
    registry.add(Family{.name = "grow",
                        .purpose = "grow regions from seeds",
                        .sentence = "Grows regions from seeds.",
                        .task = tasks::segment});
    registry.add(grow<LimitGrowOptions>(
        "limits", "pixels within limits, connected with a seed",
        "Grows regions from seeds over connected pixels between two limits.",
        {"grow limits ch2.nii.gz --seeds '-30,-20,15mm' --lower 100 -o tissue.nii.gz",
         "grow limits coins.png --seeds '60,60;130,60' --lower 110 --overlay coins-found.png"}));
    registry.add(grow<ToleranceGrowOptions>(
        "tolerance", "pixels with a value close to that of the seed",
        "Grows regions from seeds over connected pixels close to the seed's value.",
        {"grow tolerance astronaut.png --seeds '20,20' --tolerance 25 -o background.png",
         "grow tolerance ch2.nii.gz --seeds '90,100,90' --tolerance 20 -o matter.nii.gz"}));
    registry.add(grow<ConfidenceGrowOptions>(
        "confidence", "pixels close to the mean of the growing region",
        "Grows regions from seeds over pixels within some standard deviations of the mean.",
        {"grow confidence ch2.nii.gz --seeds '-30,-20,15mm' -o tissue.nii.gz",
         "grow confidence coins.png --seeds '60,60=1;130,60=2' --multiplier 2 -o "
         "coins-found.png"}));
    registry.add(grow<CompeteGrowOptions>(
        "compete", "all pixels, divided among competing seeds",
        "Divides all pixels among seeds that compete for them.",
        {"grow compete astronaut.png --seeds '220,100=1;20,20=2' -o regions.png",
         "grow compete coins.png --seeds grid:40 --by mean --overlay regions-on-coins.png"}));
}

}  // namespace tesela::operations
