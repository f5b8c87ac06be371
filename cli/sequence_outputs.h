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
    std::int64_t fields_in_place() const { return fields_in_place_; }

  protected:
    std::int64_t fields_in_place_ = 0;
};

// All outputs of a sequence: what is asked for, checked before the work.
class SequenceOutputs {
  public:
    SequenceOutputs(bool replace, const io::WriteOptions& how)
        : replace_(replace), how_(how), videos_(replace) {}

    // An empty path is passed over. Throws InvalidArgument for what is neither a folder nor a
    // video.
    void add(const std::string& kind, const std::filesystem::path& path);
    bool empty() const { return wanted_.empty(); }
    bool wants(const std::string& kind) const;
    bool has_standard_output() const;
    const std::vector<Output>& wanted() const { return wanted_; }

    // Throws InvalidArgument for an output that is an input,
    // for a folder that holds one, for what two kinds share or what exists and may not be replaced
    // (a folder may, if it is empty), and UnwritableOutput for a folder that cannot be made.
    void check(const InputPlaces& inputs) const;
    // `names`: of the files in folders, without suffix; beyond them, the number of the field.
    void open(const std::vector<std::string>& names, FrameRate rate);

    bool has(const std::string& kind) const { return outputs_.contains(kind); }
    SequenceOutput& of(const std::string& kind) { return *outputs_.at(kind); }
    // Completes all of them.
    void finish();
    // What is there after a failure: folders, and videos that could be completed.
    struct Kept {
        std::filesystem::path path;
        std::int64_t fields;
    };
    std::vector<Kept> keep();
    // Of folders the files in them together.
    std::vector<WrittenFile> written() const;

  private:
    void check_folder(const Output& output, const InputPlaces& inputs) const;
    void complete(const std::string& kind);
    void name_videos();

    bool replace_, named_ = false;
    io::WriteOptions how_;  // pictures
    OutputSet videos_;
    std::vector<Output> wanted_;
    std::map<std::string, WrittenFile> written_;  // by kind
    std::map<std::string, std::unique_ptr<SequenceOutput>> outputs_;
    std::vector<Kept> kept_;
};

}  // namespace tesela::cli
