// The files a verb writes: all of them or none.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "places.h"

namespace tesela::cli {

struct Output {
    std::string kind;  // the flag's name
    std::filesystem::path path;
    bool is_series = false;     // a folder of DICOM files
    bool is_continued = false;  // a folder that may have files of an earlier run

    // What a writer is called with: of a series with a slash behind it.
    std::filesystem::path target() const { return is_series ? path / "" : path; }
};

// Checks before the work that an output can be a folder of results. Throws InvalidArgument where it
// is an input or holds one, or is not empty and `replace` does not allow that, and
// UnwritableOutput.
void check_result_folder(const Output& output, bool replace, const InputPlaces& inputs);
// Also makes it where it is missing. Gives the folders that were made, outer ones first.
std::vector<std::filesystem::path> make_result_folder(const Output& output, bool replace,
                                                      const InputPlaces& inputs);

struct WrittenFile {
    std::string kind;
    std::filesystem::path path;
    std::int64_t bytes = 0;
    std::optional<std::int64_t> files = {};  // of a folder; `bytes` is that of all together
};

// Runs a writer on the target's name in `folder`, with the slash that it may have behind it. Its
// errors speak of the target, not of the hidden folder; a kind of file that it does not write is
// wrong usage.
void write_in(const std::filesystem::path& folder, const std::filesystem::path& target,
              const std::function<void(const std::filesystem::path&)>& writer);

class OutputSet {
  public:
    // Writes one output under the name it is given, and what belongs to it beside that.
    using Writer = std::function<void(const std::filesystem::path&)>;

    explicit OutputSet(bool replace) : replace_(replace) {}

    // An empty path is passed over. `side_files` are written along with the output, as is what
    // io::files_written tells of it. Of those that are `asked_for` one that exists is treated as an
    // output that does; of others it stays, with a warning. A path with a slash behind it is
    // refused but for outputs that may be a DICOM series, whose writers get it with the slash.
    void add(const std::string& kind, const std::filesystem::path& path,
             const std::vector<std::filesystem::path>& side_files = {}, bool asked_for = true,
             bool may_be_series = false);
    const std::vector<Output>& outputs() const { return outputs_; }
    // A folder whose files get their names as each is complete: it is checked, and nothing more.
    void add_folder(const std::string& kind, const std::filesystem::path& path,
                    bool is_continued = false);
    const std::vector<Output>& result_folders() const { return result_folders_; }
    bool empty() const { return outputs_.empty(); }
    bool has(const std::string& kind) const;

    // What can be known before the work, of every file that will be written: throws InvalidArgument
    // for one that an input needs, that two outputs share, or that exists and may not be replaced,
    // and UnwritableOutput for a name that cannot be, or a folder that is missing or not writable.
    // Result folders hold neither inputs nor other outputs.
    void check(const InputPlaces& inputs) const;

    // Runs `writer` on a throw-away file of the output's name, with an image like the one to come,
    // so that a suffix or a type that the format does not take is found before the work. Does
    // nothing where there is no such output.
    void probe(const std::string& kind, const Writer& writer) const;

    // Writes an output into a hidden folder beside its target. Does nothing where there is none.
    void stage(const std::string& kind, const Writer& writer);
    // Gives the files their names. Where one cannot get it, none does and the old files stay.
    std::vector<WrittenFile> commit();

  private:
    struct Target {
        std::string kind;
        std::filesystem::path path;
        std::filesystem::path header;  // the output whose pixels `path` is for; else empty
        std::filesystem::path image;   // the output that `path` describes; else empty
        bool asked_for = true;
    };
    struct Staged {
        std::string kind;
        std::filesystem::path from, to, old;  // `old` is empty where nothing was replaced
        bool is_header = false;               // whose pixels are in a file of their own
    };

    const Output* find(const std::string& kind) const;
    void check_names(const InputPlaces& inputs) const;
    static void check_pixels(const Target& target);
    static std::filesystem::path owner_of(const Target& target);
    static void check_owner(const Target& target);
    static void warn_of(const Target& target);
    bool is_series(const std::filesystem::path& path) const;
    void check_target(const std::filesystem::path& path) const;
    // Whether it exists, nobody asked for it, and it may not be replaced or is another image's.
    bool stays(const Target& target) const;
    bool stays(const std::filesystem::path& path) const;
    std::vector<Staged> staged_files() const;
    void keep_old(Staged& file) const;
    static void roll_back(const std::vector<Staged>& files, std::size_t first_named);

    bool replace_;
    std::vector<Output> outputs_;
    std::vector<Output> result_folders_;
    std::vector<Target> targets_;                                              // every file
    std::map<std::string, std::unique_ptr<detail::TemporaryFolder>> folders_;  // by kind
};

}  // namespace tesela::cli
