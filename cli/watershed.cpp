// tesela watershed INPUT
#include "tesela/watershed.h"

#include <fmt/format.h>

#include "labeling.h"
#include "messages.h"
#include "verb.h"

namespace tesela::cli {
namespace {

struct MarkerOption {
    std::string seeds = "auto";
};

template <class V>
void describe(V&& v, MarkerOption& o) {
    v("seeds", o.seeds,
      "markers: auto for the minima of the relief, or as of region-grow: grid or grid:SPACING, a "
      "label picture's file, points 'x,y[,z];...', or boxes 'box:x0,y0,x1,y1;...'");
}

struct Settings : LabelingSettings {
    WatershedOptions algorithm;
    MarkerOption markers;
};

class WatershedJob : public LabelingJob {
  public:
    // A second input is the file of the markers.
    WatershedJob(const Settings& settings, Seeds seeds, Json parameters, const CancelToken& token)
        : LabelingJob("watershed", settings, std::move(parameters), token),
          algorithm_(settings.algorithm),
          seeds_(std::move(seeds)) {}

  private:
    void read_more() override {
        if (settings_.inputs.size() > 1)
            seeds_ = io::read_labels(settings_.inputs[1], {settings_.memory.max_memory.bytes});
    }
    void compute(Queue& queue, const Progress& progress) override {
        result_ = watershed(
            input_.image, seeds_, algorithm_, queue,
            outputs_.has("segmented") ? WatershedOutput::with_segmented : WatershedOutput::labels,
            progress);
        add_warnings(result_.warnings);
    }
    const LabelImage& labels() const override { return result_.labels; }
    const AnyImage& segmented() const override { return result_.segmented; }
    const std::vector<StageTime>& computed_stages() const override { return result_.stages; }
    std::int64_t device_bytes() const override {
        return watershed_device_bytes(input_.image, seeds_, algorithm_);
    }

    std::string summary() const override {
        return fmt::format("watershed of {}: {} regions, {} pixels in none, {} rounds",
                           enum_name(algorithm_.relief), result_.count, result_.unlabeled_points,
                           result_.rounds);
    }
    Json statistics() const override {
        return {{"region_count", result_.count},
                {"points", shape_of(input_.image).points()},
                {"unlabeled_points", result_.unlabeled_points},
                {"rounds", result_.rounds}};
    }
    Json parameters_as_used() const override {
        Json parameters = parameters_;
        parameters["connectivity"] = enum_name(result_.connectivity);
        return parameters;
    }

    const WatershedOptions& algorithm_;
    Seeds seeds_;
    WatershedResult result_;
};

}  // namespace

int run_watershed(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser("watershed", "Segments an image by flooding its relief from markers.");
    parser.add_inputs(settings.inputs, "INPUT", 1, 1,
                      "picture, volume, or folder of one DICOM series");
    parser.add(settings.files, "Outputs", {{"labels", "-o,--output"}});
    parser.add(settings.markers, "Watershed", {{"seeds", "--markers"}});
    parser.add(settings.algorithm, "Watershed");
    add_job_options(parser, settings, "Watershed");
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    std::optional<Seeds> seeds = parse_seeds(settings.markers.seeds);
    if (!seeds) settings.inputs.emplace_back(settings.markers.seeds);
    return WatershedJob(settings, seeds ? std::move(*seeds) : Seeds{}, parser.values(), token)
        .run();
}

}  // namespace tesela::cli
