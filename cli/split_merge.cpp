// tesela split-merge INPUT
#include "tesela/split_merge.h"

#include <fmt/format.h>

#include "interrupt.h"
#include "messages.h"
#include "region_job.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

struct Settings : LabelingSettings {
    SplitMergeOptions algorithm;
};

class SplitMergeJob : public RegionJob<SplitMergeOptions, SplitMergeResult> {
  public:
    SplitMergeJob(const Settings& settings, Json parameters, const CancelToken& token)
        : RegionJob("split-merge", settings, settings.algorithm, std::move(parameters), token) {}

  private:
    SplitMergeResult segment(Queue& queue, const Progress& progress) override {
        return split_merge(input_.image, algorithm_, queue, progress);
    }
    std::int64_t device_bytes(const Device&) const override {
        return split_merge_device_bytes(input_.image);
    }
    std::string summary() const override {
        return fmt::format("split and merge: {} of {} of blocks", counted(result_.count, "region"),
                           counted(result_.group_count, "group"));
    }
    Json statistics() const override {
        return {{"region_count", result_.count},
                {"group_count", result_.group_count},
                {"points", shape_of(input_.image).points()}};
    }
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
