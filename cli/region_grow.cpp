// tesela region-grow INPUT
#include "tesela/region_grow.h"

#include <fmt/format.h>

#include "labeling.h"
#include "messages.h"
#include "region_grow_thesis.h"
#include "verb.h"

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

struct Settings : LabelingSettings {
    RegionGrowOptions algorithm;
    SeedOption seeds;
    ThesisGrowFlags thesis;
};

class RegionGrowJob : public LabelingJob {
  public:
    // A second input is the file of the seeds.
    RegionGrowJob(const Settings& settings, Seeds seeds, Json parameters, const CancelToken& token)
        : LabelingJob("region-grow", settings, std::move(parameters), token),
          algorithm_(settings.algorithm),
          seeds_(std::move(seeds)) {}

  private:
    void read_more() override {
        if (settings_.inputs.size() > 1)
            seeds_ = io::read_labels(settings_.inputs[1], {settings_.memory.max_memory.bytes});
    }
    Device::Choice choose_device() const override {
        const std::string& device = settings_.job.device;
        if (algorithm_.criterion == GrowthCriterion::adams_bischof && device == "auto")
            return {Device::parse("cpu"), "adams-bischof runs there alone"};
        const Device::Choice choice = Device::choose(device);
        check_device(algorithm_, choice.device);
        return choice;
    }
    void compute(Queue& queue, const Progress& progress) override {
        result_ = region_grow(
            input_.image, seeds_, algorithm_, queue,
            outputs_.has("segmented") ? RegionGrowOutput::with_segmented : RegionGrowOutput::labels,
            progress);
        add_warnings(result_.warnings);
    }
    const LabelImage& labels() const override { return result_.labels; }
    const AnyImage& segmented() const override { return result_.segmented; }
    const std::vector<StageTime>& computed_stages() const override { return result_.stages; }
    std::int64_t device_bytes() const override {
        return region_grow_device_bytes(input_.image, seeds_, algorithm_);
    }

    std::string summary() const override {
        return fmt::format("region growing, {}: {} regions, {} pixels in none",
                           enum_name(algorithm_.criterion), result_.count,
                           result_.unlabeled_points);
    }
    Json statistics() const override {
        return {{"region_count", result_.count},
                {"points", shape_of(input_.image).points()},
                {"unlabeled_points", result_.unlabeled_points},
                {"rounds", result_.rounds},
                {"grown_regions", result_.grown_regions},
                {"merging_rounds", result_.merging_rounds},
                {"border_rounds", result_.border_rounds},
                {"pruning_rounds", result_.pruning_rounds}};
    }
    void add_to_report(Json& json) const override {
        for (const GrowthInterval& interval : result_.intervals)
            json["intervals"].push_back({{"label", interval.label},
                                         {"lower", interval.lower},
                                         {"upper", interval.upper},
                                         {"mean", interval.mean},
                                         {"deviation", interval.deviation}});
    }
    Json parameters_as_used() const override {
        Json parameters = parameters_;
        parameters["connectivity"] = enum_name(result_.connectivity);
        return parameters;
    }

    const RegionGrowOptions& algorithm_;
    Seeds seeds_;
    RegionGrowResult result_;
};

}  // namespace

int run_region_grow(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser("region-grow", "Segments an image by growing regions from seeds.");
    parser.add_inputs(settings.inputs, "INPUT", 1, 1,
                      "picture, volume, or folder of one DICOM series");
    parser.add(settings.files, "Outputs", {{"labels", "-o,--output"}});
    parser.add(settings.seeds, "Region growing");
    parser.add(settings.algorithm, "Region growing");
    parser.add(settings.thesis, "The thesis's variant");
    add_job_options(parser, settings, "Region growing");
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    const ThesisGrowOptions thesis =
        thesis_grow_options(settings.thesis, settings.algorithm, settings.seeds.seeds != "auto");
    if (settings.thesis.variant == RegionGrowVariant::thesis)
        return ThesisGrowJob(settings, thesis, parser.values(), token).run();
    std::optional<Seeds> seeds = parse_seeds(settings.seeds.seeds);
    if (!seeds) settings.inputs.emplace_back(settings.seeds.seeds);
    return RegionGrowJob(settings, seeds ? std::move(*seeds) : Seeds{}, parser.values(), token)
        .run();
}

}  // namespace tesela::cli
