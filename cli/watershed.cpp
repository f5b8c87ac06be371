// tesela watershed INPUT
#include "tesela/watershed.h"

#include <fmt/format.h>

#include "interrupt.h"
#include "messages.h"
#include "region_job.h"
#include "verbs.h"

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

struct Settings : SeededSettings {
    WatershedOptions algorithm;
    MarkerOption markers;
};

class WatershedJob : public SeededJob<WatershedOptions, WatershedResult> {
  public:
    WatershedJob(const Settings& settings, std::optional<Seeds> markers, Json parameters,
                 const CancelToken& token)
        : SeededJob("watershed", settings, settings.algorithm, std::move(markers),
                    std::move(parameters), token) {}

  private:
    WatershedResult segment(Queue& queue, const Progress& progress) override {
        return watershed(input_.image, seeds(), algorithm_, queue, progress);
    }
    std::int64_t device_bytes(const Device&) const override {
        return watershed_device_bytes(input_.image, seeds(), algorithm_);
    }
    std::string summary() const override {
        return fmt::format("watershed of {}: {}, {} in none, {}", enum_name(algorithm_.relief),
                           counted(result_.count, "region"),
                           counted(result_.unlabeled_points, "pixel"),
                           counted(result_.rounds, "round"));
    }
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
    parser.add(settings.geometry, "Watershed");
    parser.add(settings.algorithm, "Watershed");
    add_job_options(parser, settings, "Watershed");
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    auto markers = seeds_of(settings.markers.seeds, settings);
    return WatershedJob(settings, std::move(markers), parser.values(), token).run();
}

}  // namespace tesela::cli
