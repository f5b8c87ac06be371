// tesela region-grow INPUT
#include "tesela/region_grow.h"

#include <fmt/format.h>

#include "interrupt.h"
#include "messages.h"
#include "region_grow_thesis.h"
#include "region_job.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

struct SeedOption {
    std::string seeds = "auto";
};

template <class V>
void describe(V&& v, SeedOption& o) {
    v("seeds", o.seeds,
      "where regions begin: auto (mean, adams-bischof), grid or grid:SPACING, a label picture's "
      "file, points 'x,y[,z];...', or boxes 'box:x0,y0,x1,y1;...', in pixels from 0 or with mm "
      "behind the last coordinate as physical points (LPS); '=L' behind a point or box is its "
      "label");
}

struct Settings : SeededSettings {
    RegionGrowOptions algorithm;
    SeedOption seeds;
    ThesisGrowFlags thesis;
};

class RegionGrowJob : public SeededJob<RegionGrowOptions, RegionGrowResult> {
  public:
    RegionGrowJob(const Settings& settings, std::optional<Seeds> seeds, Json parameters,
                  const CancelToken& token)
        : SeededJob("region-grow", settings, settings.algorithm, std::move(seeds),
                    std::move(parameters), token) {}

  private:
    Device::Choice choose_device() const override {
        const std::string& device = settings_.job.device;
        if (algorithm_.criterion == GrowthCriterion::adams_bischof && device == "auto")
            return {Device::parse("cpu"), "adams-bischof runs there alone"};
        const Device::Choice choice = Device::choose(device);
        check_device(algorithm_, choice.device);
        return choice;
    }
    RegionGrowResult segment(Queue& queue, const Progress& progress) override {
        return region_grow(input_.image, seeds(), algorithm_, queue, RegionGrowOutput::labels,
                           progress);
    }
    std::int64_t device_bytes(const Device&) const override {
        return region_grow_device_bytes(input_.image, seeds(), algorithm_);
    }

    std::string summary() const override {
        return fmt::format("region growing, {}: {}, {} in none", enum_name(algorithm_.criterion),
                           counted(result_.count, "region"),
                           counted(result_.unlabeled_points, "pixel"));
    }
    Json parameters_as_used() const override {
        Json parameters = SeededJob::parameters_as_used();
        parameters["color-space"] = enum_name(result_.color_space);
        return parameters;
    }
    Json statistics() const override {
        Json json = SeededJob::statistics();
        json["found_seeds"] = result_.found_seeds;
        json["grown_regions"] = result_.grown_regions;
        json["merging_rounds"] = result_.merging_rounds;
        json["border_rounds"] = result_.border_rounds;
        json["pruning_rounds"] = result_.pruning_rounds;
        return json;
    }
    void add_to_report(Json& json) const override {
        for (const GrowthInterval& interval : result_.intervals)
            json["intervals"].push_back({{"label", interval.label},
                                         {"lower", interval.lower},
                                         {"upper", interval.upper},
                                         {"mean", interval.mean},
                                         {"deviation", interval.deviation}});
    }
};

}  // namespace

int run_region_grow(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser(
        "region-grow",
        "Segments an image by growing regions, from its own seeds or from given ones.");
    parser.add_inputs(settings.inputs, "INPUT", 1, 1,
                      "picture, volume, or folder of one DICOM series");
    parser.add(settings.files, "Outputs", {{"labels", "-o,--output"}});
    parser.add(settings.seeds, "Region growing");
    parser.add(settings.geometry, "Region growing");
    parser.add(settings.algorithm, "Region growing");
    parser.add(settings.thesis, "The thesis's variant");
    add_job_options(parser, settings, "Region growing");
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    const ThesisGrowOptions thesis =
        thesis_grow_options(settings.thesis, settings.algorithm, settings.seeds.seeds != "auto");
    if (settings.thesis.variant == RegionGrowVariant::thesis)
        return ThesisGrowJob(settings, thesis, parser.values(), token).run();
    auto seeds = seeds_of(settings.seeds.seeds, settings);
    return RegionGrowJob(settings, std::move(seeds), parser.values(), token).run();
}

}  // namespace tesela::cli
