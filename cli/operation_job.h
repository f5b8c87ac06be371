// The job of a verb that is an operation: from its files to its files and the report.
#pragma once

#include <any>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "image_job.h"
#include "named_inputs.h"
#include "operations/operation.h"
#include "second_image.h"

namespace tesela::cli {

// A file that was asked for by the name of its output.
struct OutputFile {
    std::string name, help;
    std::filesystem::path path;
    std::string type_name = {};  // "filtered-type" of outputs with a choice of type
    std::optional<PixelType> pixel_type = {};
};

struct OutputFiles {
    std::vector<OutputFile> files;

    const OutputFile* find(std::string_view name) const;
};

template <class V>
void describe(V&& v, OutputFiles& o) {
    for (OutputFile& file : o.files) {
        v(file.name, file.path, file.help);
        if (!file.type_name.empty())
            v(file.type_name, file.pixel_type,
              "pixel type of that file; values are rounded and saturated",
              OptionRange{.unit = "uint8, int8, uint16, int16, uint32, int32, float32 or float64"});
    }
}

// Where regions begin, of operations that have such an input: text, or the name of a label image.
struct SeedText {
    std::string name, help, seeds = "auto";
};

template <class V>
void describe(V&& v, SeedText& o) {
    v(o.name, o.seeds, o.help);
}

// Of operations that show their labels on the way.
struct SnapshotOptions {
    std::filesystem::path snapshots;
    int every = 50;
};

template <class V>
void describe(V&& v, SnapshotOptions& o) {
    v("snapshots", o.snapshots, "folder for label maps and overlays on the way");
    v("every", o.every, "iterations between snapshots", OptionRange{.lowest = 1});
}

struct OperationSettings : ImageJobSettings {
    explicit OperationSettings(const operations::Operation& operation);

    OutputFiles files;
    operations::Options options;
    SeedText seeds;
    NamedInputs named;
    SnapshotOptions snapshots;
    GeometryOptions geometry;
};

// Adds all flags of the operation's verb.
void add_options(VerbParser& parser, const operations::Operation& operation,
                 OperationSettings& settings);

// A label image named as seeds becomes the second input. Throws UnreadableInput where there is
// none, InvalidArgument for malformed text.
void find_seed_file(const operations::Operation& operation, OperationSettings& settings);

class OperationJob : public ImageJob {
  public:
    OperationJob(const operations::Operation& operation, const OperationSettings& settings,
                 Json parameters, const CancelToken& token);

  private:
    void read_more() override;
    void read_seeds();
    AnyImage read_fitted(const std::filesystem::path& path, bool labels);
    std::int64_t further_input_bytes() const override { return seed_image_bytes_; }
    void compute(Queue& queue, const Progress& progress) override;
    void finish_results() override;
    const std::vector<StageTime>& computed_stages() const override { return results_.stages; }
    MemoryNeeds memory_needs(const Device& device) const override;
    std::int64_t output_bytes() const;
    std::int64_t writing_bytes() const override;
    std::string summary() const override { return results_.summary; }
    Json statistics() const override;
    void add_to_report(Json& json) const override;
    void tell_more() const override;
    Json parameters_as_used() const override;
    void probe_outputs(const AnyImage& sample) const override;
    void stage_outputs(const Progress& progress) override;
    std::string output_flags() const override;
    Device::Choice choose_device() const override;

    // The picture of an output that `image` gives rise to, all zero.
    AnyImage like(const operations::Output& output, const AnyImage& image) const;
    // nullptr for a file that only shows labels.
    const operations::Output* output_of(const OutputFile& file) const;
    operations::Call call() const { return {inputs_, options_.options, wanted_}; }
    void write_snapshot(std::int64_t step, const LabelImage& labels) const;
    void convert_outputs();

    const operations::Operation& operation_;
    const OperationSettings& options_;
    std::set<std::string, std::less<>> wanted_;
    operations::Values inputs_;
    std::int64_t seed_image_bytes_ = 0;
    operations::Results results_;
};

}  // namespace tesela::cli
