// Reads the inputs of an operation, each as its kind says.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "memory_plan.h"
#include "operation_settings.h"
#include "operations/kinds/slide.h"
#include "tesela/align.h"
#include "tesela/io.h"
#include "tesela/tile_source.h"

namespace tesela::cli {

struct PlacedFile {
    std::filesystem::path path;
    ImageGrid grid;
};

class InputReader {
  public:
    using Warn = std::function<void(const std::string& sentence)>;
    using Names = std::map<std::string, std::vector<std::string>, std::less<>>;

    InputReader(const operations::Operation& operation, const OperationSettings& settings,
                const Progress& progress, Warn warn)
        : operation_(operation), settings_(settings), progress_(progress), warn_(std::move(warn)) {}

    void read();
    operations::Values& values() { return values_; }
    const operations::Values& values() const { return values_; }
    const Names& names() const { return names_; }  // of the files of each input
    // What labels that are made stand for: as --names says, and as the label map of the seeds does,
    // whose labels regions keep; null where nothing is known.
    SharedLabelTable made_names() const { return joined(seed_names_); }
    // What --names says; null where it was not given.
    const SharedLabelTable& given_names() const { return given_names_; }
    void keep_seed_names(SharedLabelTable table) { seed_names_ = std::move(table); }
    // Bytes of all of it, and of the largest decoder beside.
    std::int64_t bytes() const { return bytes_; }
    std::int64_t work_bytes() const { return first_.work_bytes; }
    // The image that was read first, and how.
    const io::ReadResult& first() const { return first_; }

    // For the kinds. With what is left of --max-memory, and the planes that were chosen, which
    // files behind the first may lack.
    io::ReadOptions options() const;
    const OperationSettings& settings() const { return settings_; }
    void warn(const std::string& sentence) const { warn_(sentence); }
    template <class T>
    void set(const operations::Input& input, T value, std::int64_t bytes = 0) {
        values_.set(input.name, std::move(value));
        bytes_ += bytes;
    }
    // Counts what a value holds.
    void hold(std::int64_t bytes) { bytes_ += bytes; }
    // The first image is kept in `first`, and nothing where there is one already.
    const AnyImage* read_first(const operations::Input& input, const std::filesystem::path& path);
    // With the names of its labels, as `named` gives them.
    operations::ImageValue image(const operations::Input& input, const std::filesystem::path& path);
    io::LabelMap labels(const operations::Input& input, const std::filesystem::path& path);
    // What labels of an input stand for: as --names says where that is for the input, and as its
    // file does.
    SharedLabelTable named(const operations::Input& input, const SharedLabelTable& table) const;
    // 1 where an image is not 0. Throws InvalidArgument for several channels.
    LabelImage mask(const operations::Input& input, const std::filesystem::path& path);
    // Sets the size of the cache of tiles, and counts it.
    void use_cache();
    // Uses the cache.
    operations::OpenSlide slide(const operations::Input& input, const std::filesystem::path& path);
    // Says what reading found, and throws UnsupportedFormat for more than the input takes.
    void check(const operations::Input& input, const std::filesystem::path& path,
               const io::ReadResult& read) const;

  private:
    using Paths = std::vector<std::filesystem::path>;

    // With what --names says.
    SharedLabelTable joined(const SharedLabelTable& table) const;
    void read_files(const operations::Input& input, const Paths& paths);
    void read_named(const operations::Input& input, const std::vector<std::string>& given);
    template <class AnyKind>
    AnyKind placed(const operations::Input& input, const std::filesystem::path& path,
                   AnyKind image);
    template <class AnyKind>
    AnyKind fitted(const PlacedFile& first, const std::filesystem::path& path, AnyKind image) const;

    const operations::Operation& operation_;
    const OperationSettings& settings_;
    const Progress& progress_;
    Warn warn_;
    operations::Values values_;
    Names names_;
    SharedLabelTable given_names_, seed_names_;
    io::ReadResult first_;
    bool has_first_ = false, has_cache_ = false, has_read_ = false;
    std::optional<PlacedFile> grid_;                                 // that other inputs lie on
    std::map<std::string_view, PlacedFile, std::less<>> own_grids_;  // of inputs that have one
    std::int64_t bytes_ = 0;
};

}  // namespace tesela::cli
