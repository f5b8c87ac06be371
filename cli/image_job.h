// The job of verbs that compute with one image: from the input to the files and the report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common_options.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "tesela/io.h"
#include "tesela/stage_times.h"
#include "verb_parser.h"

namespace tesela::cli {

// What these verbs have beside their files and the options of their algorithms.
struct ImageJobSettings {
    SpacingOptions spacing;
    JobOptions job;
    MemoryOptions memory;
    MessageOptions messages;
    std::vector<std::filesystem::path> inputs;
    std::vector<std::filesystem::path> named_inputs = {};  // by flags of their own

    const std::filesystem::path& input() const { return inputs.front(); }
};

// A verb derives its job from this, adds its outputs, and says how it computes and writes. Members
// are in the order in which they come to be.
class ImageJob {
  public:
    // `verb` as typed.
    ImageJob(std::string verb, const ImageJobSettings& settings, Json parameters,
             const CancelToken& token);
    virtual ~ImageJob() = default;
    ImageJob(const ImageJob&) = delete;
    ImageJob& operator=(const ImageJob&) = delete;

    // Gives the exit code.
    int run();

  protected:
    // Makes what the functions below are asked for then.
    virtual void compute(Queue& queue, const Progress& progress) = 0;
    virtual const std::vector<StageTime>& computed_stages() const = 0;
    // Memory in bytes, at most: what the algorithm takes on the device; results; what the host
    // takes beside both while it computes; and while it writes.
    virtual std::int64_t device_bytes(const Device&) const { return 0; }
    virtual std::int64_t result_bytes() const { return 0; }
    virtual std::int64_t computing_bytes() const { return 0; }
    virtual std::int64_t writing_bytes() const { return 0; }
    virtual std::int64_t further_input_bytes() const { return 0; }
    // All of these at once.
    virtual MemoryNeeds memory_needs(const Device& device) const;
    virtual std::string summary() const = 0;  // one line for people
    virtual Json statistics() const = 0;
    // Finds outputs that cannot hold images like `sample`.
    virtual void probe_outputs(const AnyImage& sample) const = 0;
    virtual void stage_outputs(const Progress& progress) = 0;
    // The flags of its outputs, as a sentence names them: "--mask (-o) or --surface".
    virtual std::string output_flags() const = 0;
    virtual Json parameters_as_used() const { return parameters_; }
    virtual Device::Choice choose_device() const { return Device::choose(settings_.job.device); }
    // Makes results that need no device, when its memory is free again.
    virtual void finish_results() {}
    // Of further inputs, and of further parts of the report.
    virtual void read_more() {}
    virtual void tell_more() const {}
    virtual void add_to_report(Json&) const {}

    void add_warnings(const std::vector<std::string>& warnings);

    const ImageJobSettings& settings_;
    Json parameters_;
    OutputSet outputs_;
    StageClock clock_;
    io::ReadResult input_;
    bool input_has_geometry_ = false;  // in its file; --spacing does not count

  private:
    void require_outputs() const;
    void read();
    void write();
    std::vector<StageTime> all_stages();
    Json begin_json(const Device::Choice& choice, const Json& parameters) const;
    MemoryPlan memory_plan(const Device& device) const;
    void compute_on(const Device& device, std::int64_t max_memory);
    void report(const Device::Choice& choice);
    int report_dry_run(const Device::Choice& choice, const MemoryPlan& plan);

    std::string verb_;
    ProgressReporter progress_;
    QueueCounters counters_;
    std::vector<KernelTime> kernels_;  // with --profile
    std::vector<WrittenFile> written_;
    std::vector<std::string> warnings_;
};

// Adds the options that come behind those of the algorithm, whose group is `group`.
void add_job_options(VerbParser& parser, ImageJobSettings& settings, const std::string& group);

}  // namespace tesela::cli
