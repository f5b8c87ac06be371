// Where the results of a sequence go: folders with a file for each field, and videos.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "outputs.h"
#include "tesela/video_io.h"

namespace tesela::cli {

// One output of a sequence. It comes into being before the work, and `take` gets its parts.
class SequenceOutput {
  public:
    virtual ~SequenceOutput() = default;
    // May be called from any thread. What it returns puts the part in its place, and is called in
    // the order of the fields.
    virtual std::function<void()> take(std::int64_t index, AnyImage image) = 0;
    // Completes the output; of a folder nothing is missing before.
    virtual void finish() {}
};

// All outputs of a sequence: what is asked for, checked before the work.
class SequenceOutputs {
  public:
    explicit SequenceOutputs(bool replace) : replace_(replace), videos_(replace) {}

    // An empty path is passed over. Throws InvalidArgument for what is neither a folder nor a
    // video.
    void add(const std::string& kind, const std::filesystem::path& path);
    bool empty() const { return wanted_.empty(); }
    bool wants(const std::string& kind) const;
    bool has_standard_output() const;
    const std::vector<Output>& wanted() const { return wanted_; }

    // Throws InvalidArgument for an output that is an input, that two kinds share or that exists
    // and may not be replaced (a folder may, if it is empty), and UnwritableOutput for a folder
    // that cannot be made.
    void check(const std::vector<std::filesystem::path>& inputs) const;
    // `names`: of the files in folders, without suffix; beyond them, the number of the field.
    void open(const std::vector<std::string>& names, FrameRate rate);

    bool has(const std::string& kind) const { return outputs_.contains(kind); }
    SequenceOutput& of(const std::string& kind) { return *outputs_.at(kind); }
    // Completes all of them: where something failed before, those that can be completed.
    void finish(bool after_failure);
    // Of folders the files in them together.
    std::vector<WrittenFile> written() const;

  private:
    void check_folder(const Output& output, const std::vector<std::filesystem::path>& inputs) const;

    bool replace_;
    OutputSet videos_;
    std::vector<Output> wanted_;
    std::map<std::string, WrittenFile> written_;  // by kind
    std::map<std::string, std::unique_ptr<SequenceOutput>> outputs_;
};

}  // namespace tesela::cli
