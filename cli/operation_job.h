// The job of a verb that is an operation: from its files to its files and the report.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "operation_settings.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "tesela/io.h"
#include "tesela/overlay.h"
#include "tesela/stage_times.h"

namespace tesela::cli {

// The device of a job: that the operation chooses, where it does, or the first of --device.
Device::Choice device_for(const operations::Operation& operation,
                          const OperationSettings& settings);

class OperationJob {
  public:
    OperationJob(const operations::Operation& operation, const OperationSettings& settings,
                 Json parameters, const CancelToken& token);
    OperationJob(const OperationJob&) = delete;
    OperationJob& operator=(const OperationJob&) = delete;

    // Gives the exit code.
    int run();

  private:
    void require_outputs() const;
    std::string output_flags() const;

    void read();
    void read_further(const operations::Input& input, const std::filesystem::path& path);
    void read_seeds(const operations::Input& input);
    AnyImage read_as(const std::filesystem::path& path, ReadAs as) const;
    AnyImage read_unfitted(const std::filesystem::path& path, ReadAs as);
    AnyImage read_fitted(const std::filesystem::path& path, ReadAs as);
    std::filesystem::path path_of(std::string_view input) const;
    template <class Work>
    auto naming_inputs(const Work& work) const;

    void ask_for_snapshots(operations::Call& asked) const;
    void compute_on(const Device& device, std::int64_t max_memory);
    void convert_outputs();
    MemoryPlan memory_plan(const Device& device) const;
    std::int64_t output_bytes() const;
    std::int64_t writing_bytes() const;

    // Finds outputs that cannot hold images like `sample`.
    void probe_outputs(const AnyImage& sample) const;
    void write();
    void write_output(const OutputFile& file, const std::filesystem::path& path) const;
    const LabelImage& labels() const;
    // nullptr for a file that only shows labels.
    const operations::Output* output_of(const OutputFile& file) const;

    Json begin_json(const Device::Choice& choice, const Json& parameters) const;
    void report(const Device::Choice& choice);
    int report_dry_run(const Device::Choice& choice, const MemoryPlan& plan);
    void add_warnings(const std::vector<std::string>& warnings);
    operations::Call call() const { return {inputs_, settings_.options, wanted_}; }

    // In the order in which they come to be.
    const operations::Operation& operation_;
    const OperationSettings& settings_;
    Json parameters_;
    OverlayOptions overlay_;
    OutputSet outputs_;
    ProgressReporter progress_;
    std::set<std::string, std::less<>> wanted_;
    StageClock clock_;
    io::ReadResult input_;
    bool input_has_geometry_ = false;  // in its file; --spacing does not count
    operations::Values inputs_;
    std::int64_t further_bytes_ = 0;  // of inputs behind the first
    operations::Results results_;
    QueueCounters counters_;
    std::vector<KernelTime> kernels_;  // with --profile
    std::vector<WrittenFile> written_;
    std::vector<std::string> warnings_;
};

}  // namespace tesela::cli
