// The job of a verb that is an operation: from its files to its files and the report.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "input_reader.h"
#include "operation_settings.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "tesela/overlay.h"
#include "tesela/stage_times.h"

namespace tesela::cli {

class OperationJob {
  public:
    OperationJob(const operations::Operation& operation, const OperationSettings& settings,
                 Json parameters, const CancelToken& token);
    OperationJob(const OperationJob&) = delete;
    OperationJob& operator=(const OperationJob&) = delete;

    // Gives the exit code.
    int run();

  private:
    std::int64_t limit() const { return settings_.memory.max_memory.bytes; }
    io::WriteOptions how() const;
    io::WriteOptions how(const operations::Output& output) const;
    void add(const OutputFile& file);
    void require_outputs() const;
    std::string output_flags() const;
    // Finds outputs that cannot be, or cannot hold images like `sample`.
    void check_outputs() const;
    // A small image of the form of an output; nullptr: a picture that is none of the operation's.
    using SampleOf = std::function<AnyImage(const operations::Output*)>;
    void probe_outputs(const SampleOf& sample_of_output) const;

    void pick_devices();
    void read();
    operations::Call call() const;
    template <class Work>
    auto naming_inputs(const Work& work) const;

    void compute(std::int64_t max_memory);
    void run_on(std::vector<Queue>& queues);
    void open_folders();
    void open_folder(WrittenFile& folder);
    void with_parts(std::size_t output, const std::function<void()>& work);
    void ask_for_snapshots(operations::Call& asked);
    void convert_outputs();

    MemoryPlan memory_plan();
    void require_memory(const MemoryPlan& plan) const;
    std::int64_t output_bytes() const;
    std::int64_t writing_bytes() const;

    bool is_left_out(const std::string& name) const;
    void write();
    std::vector<std::string> write_output(const OutputFile& file, const std::filesystem::path& path,
                                          const Progress& progress) const;
    const operations::ImageValue& labels() const;

    Json begin_json(const Json& parameters) const;
    void report();
    void report_json(const std::vector<StageTime>& stages) const;
    void add_warning(const std::string& warning);

    // In the order in which they come to be.
    const operations::Operation& operation_;
    const OperationSettings& settings_;
    const bool is_image_;  // from an image on a device, where figures alone may be asked for
    Json parameters_;
    OverlayOptions overlay_;
    OutputSet outputs_;
    ProgressReporter progress_;
    std::set<std::string, std::less<>> wanted_;
    StageClock clock_;
    std::vector<Device::Choice> devices_;
    std::vector<MemoryPlan> further_plans_;  // for the memory of GPUs that share the work
    Progress reading_;
    InputReader reader_;
    operations::Values parts_;
    operations::Figures known_;  // of the results, before the work
    operations::Results results_;
    QueueCounters counters_;
    Transfers transfers_;
    std::vector<KernelTime> kernels_;  // with --profile
    std::vector<WrittenFile> written_;
    std::vector<std::filesystem::path> made_folders_;  // outer ones first
    std::vector<std::string> warnings_;
};

}  // namespace tesela::cli
