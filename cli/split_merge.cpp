// tesela split-merge INPUT
#include "tesela/split_merge.h"

#include <fmt/format.h>

#include "interrupt.h"
#include "labeling.h"
#include "messages.h"
#include "tesela/overlay.h"
#include "verb.h"

namespace tesela::cli {
namespace {

struct Settings : LabelingSettings {
    SplitMergeOptions algorithm;
};

class SplitMergeJob : public LabelingJob {
  public:
    SplitMergeJob(const Settings& settings, Json parameters, const CancelToken& token)
        : LabelingJob("split-merge", settings, std::move(parameters), token),
          algorithm_(settings.algorithm) {}

  private:
    void compute(Queue& queue, const Progress& progress) override {
        result_ = split_merge(input_.image, algorithm_, queue, progress);
        add_warnings(result_.warnings);
        if (outputs_.has("segmented")) segmented_ = region_means(input_.image, result_.labels);
    }
    const LabelImage& labels() const override { return result_.labels; }
    const AnyImage& segmented() const override { return segmented_; }
    const std::vector<StageTime>& computed_stages() const override { return result_.stages; }
    std::int64_t device_bytes() const override { return split_merge_device_bytes(input_.image); }
    std::string summary() const override {
        return fmt::format("split and merge: {} regions of {} groups of blocks", result_.count,
                           result_.group_count);
    }
    Json statistics() const override {
        return {{"region_count", result_.count},
                {"group_count", result_.group_count},
                {"points", shape_of(input_.image).points()}};
    }
    Json parameters_as_used() const override {
        Json parameters = parameters_;
        parameters["connectivity"] = enum_name(result_.connectivity);
        return parameters;
    }

    const SplitMergeOptions& algorithm_;
    SplitMergeResult result_;
    AnyImage segmented_;
};

}  // namespace

int run_split_merge(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser("split-merge",
                      "Segments an image by splitting it into uniform squares and grouping them "
                      "(Horowitz and Pavlidis); a baseline.");
    parser.add_inputs(settings.inputs, "INPUT", 1, 1,
                      "picture, volume, or folder of one DICOM series");
    parser.add(settings.files, "Outputs", {{"labels", "-o,--output"}});
    parser.add(settings.algorithm, "Split and merge");
    add_job_options(parser, settings, "Split and merge");
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    return SplitMergeJob(settings, parser.values(), token).run();
}

}  // namespace tesela::cli
