#include "outputs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>

#include "io/file.h"
#include "io/output_place.h"
#include "io/side_file.h"
#include "messages.h"
#include "tesela/error.h"
#include "tesela/io.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

UnwritableOutput unwritable(const fs::path& path, const std::string& reason) {
    return UnwritableOutput(fmt::format("cannot write '{}': {}", path.string(), reason));
}

// Through a symbolic link the file it leads to is replaced, not the link.
fs::path replaced_by(const fs::path& path) {
    std::error_code error;
    return fs::is_symlink(path, error) ? fs::canonical(path, error) : path;
}

// Of a file, or of all files of a folder.
std::int64_t bytes_of_output(const fs::path& path) {
    std::error_code error;
    std::uintmax_t bytes = 0;
    const auto add = [&](const fs::path& file) {
        const std::uintmax_t size = fs::file_size(file, error);
        if (!error) bytes += size;
    };
    if (fs::is_directory(path, error))
        for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
            if (entry.is_regular_file(error)) add(entry.path());
        }
    else
        add(path);
    return static_cast<std::int64_t>(bytes);
}

void check_folder(const fs::path& path) {
    const fs::path folder = io::staging_folder(path);
    std::error_code error;
    if (!fs::is_directory(folder, error))
        throw unwritable(path, fmt::format("there is no folder '{}'", folder.string()));
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        throw unwritable(path, std::generic_category().message(errno));
}

// Labels in an OME-Zarr lie in their hidden folder as they do in the image.
fs::path folder_in(const fs::path& hidden, const fs::path& target) {
    const bool is_below = io::staging_folder(target) != folder_of(target);
    return is_below ? hidden / target.parent_path().filename() : hidden;
}

}  // namespace

void write_in(const fs::path& folder, const fs::path& target, const OutputSet::Writer& writer) {
    const bool is_file = target.has_filename();
    const fs::path path = is_file ? target : target.parent_path();
    const fs::path hidden_path = folder / path.filename();
    try {
        writer(is_file ? hidden_path : hidden_path / "");
    } catch (const Error& error) {
        std::string sentence = error.what();
        const std::string hidden = folder.string() + "/";
        const std::string shown = path.has_parent_path() ? (path.parent_path() / "").string() : "";
        for (std::size_t at; (at = sentence.find(hidden)) != std::string::npos;)
            sentence.replace(at, hidden.size(), shown);
        const bool usage = error.code() == ErrorCode::unsupported_format;
        throw Error(usage ? ErrorCode::invalid_argument : error.code(), sentence);
    }
}

void OutputSet::add(const std::string& kind, const fs::path& path,
                    const std::vector<fs::path>& side_files, bool asked_for, bool may_be_series) {
    if (path.empty()) return;
    if (!path.has_filename() && may_be_series && path.has_relative_path()) {
        outputs_.push_back({kind, path.parent_path(), true});
        targets_.push_back({kind, path.parent_path(), {}, {}});
        return;
    }
    if (!path.has_filename())
        throw InvalidArgument(
            fmt::format("--{}: '{}' is a folder; name a file in it", kind, path.string()));
    outputs_.push_back({kind, path});
    for (const fs::path& file : io::files_written(path))
        targets_.push_back({kind, file, file == path ? fs::path() : path, {}});
    for (const fs::path& side : side_files) targets_.push_back({kind, side, {}, path, asked_for});
}

void OutputSet::add_folder(const std::string& kind, const fs::path& path, bool is_continued) {
    if (!path.empty()) result_folders_.push_back({kind, path, false, is_continued});
}

const Output* OutputSet::find(const std::string& kind) const {
    const auto found = std::find_if(outputs_.begin(), outputs_.end(),
                                    [&](const Output& output) { return output.kind == kind; });
    return found == outputs_.end() ? nullptr : &*found;
}

bool OutputSet::has(const std::string& kind) const { return find(kind) != nullptr; }

// The other image that a side file belongs to; empty where there is none.
fs::path OutputSet::owner_of(const Target& target) {
    return target.image.empty() ? fs::path() : io::other_owner(target.path, target.image);
}

bool OutputSet::stays(const Target& target) const {
    return !target.asked_for && fs::is_regular_file(status_of_output(target.path)) &&
           (!replace_ || !owner_of(target).empty());
}

bool OutputSet::stays(const fs::path& path) const {
    return std::any_of(targets_.begin(), targets_.end(),
                       [&](const Target& target) { return target.path == path && stays(target); });
}

bool OutputSet::is_series(const fs::path& path) const {
    return std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& output) {
        return output.is_series && place_of(output.path) == place_of(path);
    });
}

void OutputSet::check_target(const fs::path& path) const {
    const fs::file_status status = status_of_output(path);
    const bool is_folder = fs::is_directory(status);
    std::error_code unreadable;
    if (is_folder && is_series(path) && fs::is_empty(path, unreadable)) return;
    if (is_folder && !io::is_output_folder(path))
        throw unwritable(path, is_series(path)
                                   ? "it is a folder with other files than a DICOM series that "
                                     "Tesela wrote; name a new one"
                                   : "it is a folder");
    if (fs::exists(status) && !is_folder && !fs::is_regular_file(status))
        throw unwritable(path, "it is not a regular file");
    if (fs::exists(status) && !replace_)
        throw InvalidArgument(fmt::format(
            "'{}' exists already; choose another name, or --force to replace it", path.string()));
}

// --force replaces the output and its pixels, never the pixels of another file. The header finds
// them beside itself, also where it is reached through a link.
void OutputSet::check_pixels(const Target& target) {
    const auto& [kind, path, header, image, asked_for] = target;
    if (header.empty()) return;
    if (place_of(folder_of(replaced_by(header)) / path.filename()) != place_of(path))
        throw unwritable(header, fmt::format("it is a symbolic link into another folder than that "
                                             "of its pixels, '{}'; name the file itself",
                                             path.string()));
    std::error_code error;
    if (fs::exists(path, error) && !InputPlaces({header}).has_file(path))
        throw InvalidArgument(
            fmt::format("--{}: '{}' would need '{}' for its pixels, which exists and is not its "
                        "own; remove it or choose another name",
                        kind, header.string(), path.string()));
}

// --force replaces what describes the output, never what describes another image.
void OutputSet::check_owner(const Target& target) {
    if (const fs::path owner = owner_of(target); !owner.empty())
        throw InvalidArgument(
            fmt::format("--{}: '{}' would need '{}', which belongs to '{}'; choose another name",
                        target.kind, target.image.string(), target.path.string(), owner.string()));
}

void OutputSet::warn_of(const Target& target) {
    const fs::path owner = owner_of(target);
    warn(owner.empty()
             ? fmt::format("'{}' exists already and is left as it is, so that it may not fit the "
                           "new file; --force replaces it",
                           target.path.string())
             : fmt::format("'{}' belongs to '{}' and is left as it is; '{}' gets none",
                           target.path.string(), owner.string(), target.image.string()));
}

// No input is replaced, and no two outputs are one.
void OutputSet::check_names(const InputPlaces& inputs) const {
    std::map<Place, std::string> kinds, folders;
    const auto claim = [&](const std::string& kind, const fs::path& path) {
        const auto [other, is_new] = kinds.emplace(place_of(path), kind);
        if (!is_new)
            throw InvalidArgument(
                fmt::format("--{} and --{} both write '{}'", other->second, kind, path.string()));
    };
    for (const Output& folder : result_folders_) {
        claim(folder.kind, folder.path);
        folders.emplace(place_of(folder.path), folder.kind);
    }
    for (const auto& [kind, path, header, image, asked_for] : targets_) {
        if (inputs.has_file(path))
            throw InvalidArgument(
                fmt::format("--{}: '{}' is an input, which is never replaced; choose another name",
                            kind, path.string()));
        if (io::is_output_folder(path) && inputs.has_below(path))
            throw InvalidArgument(
                fmt::format("--{}: '{}' holds an input, which is never replaced; choose another "
                            "name",
                            kind, path.string()));
        if (is_series(path) && inputs.has_folder(path))
            throw InvalidArgument(
                fmt::format("--{}: the folder '{}' is an input or holds one; name another folder",
                            kind, path.string()));
        claim(kind, path);
        const auto around = folders.find(place_of(folder_of(path)));
        if (around != folders.end())
            throw InvalidArgument(
                fmt::format("--{}: '{}' lies in the folder of --{}; choose another folder", kind,
                            path.string(), around->second));
    }
    for (const Target& target : targets_)
        for (const fs::path& around : {folder_of(target.path), io::staging_folder(target.path)})
            if (const auto other = kinds.find(place_of(around)); other != kinds.end())
                throw InvalidArgument(
                    fmt::format("--{}: '{}' lies in what --{} writes; write one after the other",
                                target.kind, target.path.string(), other->second));
}

void OutputSet::check(const InputPlaces& inputs) const {
    for (const Output& folder : result_folders_) check_result_folder(folder, replace_, inputs);
    check_names(inputs);
    for (const Target& target : targets_) {
        const fs::path& path = target.path;
        check_folder(path);
        check_pixels(target);
        if (stays(target)) {
            warn_of(target);
            continue;
        }
        check_owner(target);
        check_target(path);
        check_folder(replaced_by(path));
    }
}

void OutputSet::probe(const std::string& kind, const Writer& writer) const {
    const Output* output = find(kind);
    if (!output) return;
    const detail::TemporaryFolder hidden(io::staging_folder(output->path), output->path);
    const fs::path folder = folder_in(hidden.path(), output->path);
    fs::create_directories(folder);
    write_in(folder, output->target(), writer);
}

void OutputSet::stage(const std::string& kind, const Writer& writer) {
    const Output* output = find(kind);
    if (!output) return;
    auto hidden =
        std::make_unique<detail::TemporaryFolder>(io::staging_folder(output->path), output->path);
    const fs::path folder = folder_in(hidden->path(), output->path);
    fs::create_directories(folder);
    write_in(folder, output->target(), writer);
    folders_[kind] = std::move(hidden);
}

std::vector<OutputSet::Staged> OutputSet::staged_files() const {
    std::vector<Staged> files;
    for (const Output& output : outputs_) {
        const auto folder = folders_.find(output.kind);
        if (folder == folders_.end()) continue;
        const bool is_header = io::files_written(output.path).size() > 1;
        const std::size_t first = files.size();
        const fs::path from = folder_in(folder->second->path(), output.path);
        for (const auto& entry : fs::directory_iterator(from)) {
            const fs::path target = output.path.parent_path() / entry.path().filename();
            if (stays(target)) continue;
            files.push_back({output.kind, entry.path(), replaced_by(target), {}});
        }
        // The output itself before what lies beside it.
        std::partition(
            files.begin() + static_cast<std::ptrdiff_t>(first), files.end(),
            [&](const Staged& file) { return file.from.filename() == output.path.filename(); });
        if (first < files.size()) files[first].is_header = is_header;
    }
    return files;
}

void OutputSet::keep_old(Staged& file) const {
    if (!fs::exists(file.to)) return;
    // A short name that none of the new files has.
    fs::path kept;
    for (int i = 0; kept.empty() || fs::exists(kept); ++i)
        kept = file.from.parent_path() / fmt::format(".old-{}", i);
    io::keep_old(file.to, kept);
    file.old = kept;
}

void OutputSet::roll_back(const std::vector<Staged>& files, std::size_t first_named) {
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!files[i].old.empty())
            io::put_back(files[i].old, files[i].to);
        else if (i >= first_named)
            io::remove_output(files[i].to);
    }
}

std::vector<WrittenFile> OutputSet::commit() {
    std::vector<Staged> files = staged_files();
    for (const Staged& file : files) check_target(file.to);
    // What lies beside an output is named before it. So a program that is killed in the middle
    // leaves no header beside the pixels of another image.
    std::size_t first_named = files.size();
    fs::path target;
    try {
        for (Staged& file : files) {
            target = file.to;
            keep_old(file);
        }
        for (const Staged& file : files) {
            target = file.to;
            if (file.is_header && !file.old.empty()) fs::remove(target);
        }
        for (; first_named > 0; --first_named) {
            target = files[first_named - 1].to;
            io::give_name(files[first_named - 1].from, target);
        }
    } catch (const fs::filesystem_error& error) {
        roll_back(files, first_named);
        throw unwritable(target, error.code().message());
    } catch (const Error&) {
        roll_back(files, first_named);
        throw;
    }
    std::vector<WrittenFile> written;
    for (const Staged& file : files) {
        written.push_back({file.kind, file.to, bytes_of_output(file.to)});
    }
    folders_.clear();
    return written;
}

void check_result_folder(const Output& output, bool replace, const InputPlaces& inputs) {
    const fs::path& folder = output.path;
    if (inputs.has_folder(folder))
        throw InvalidArgument(
            fmt::format("--{}: the folder '{}' is an input or holds one; name another folder",
                        output.kind, folder.string()));
    const fs::file_status status = status_of_output(folder);
    if (!fs::exists(status)) return;
    if (!fs::is_directory(status) || access(folder.c_str(), W_OK | X_OK) != 0)
        throw UnwritableOutput(fmt::format(
            "cannot write into '{}': it is no folder, or not a writable one", folder.string()));
    std::error_code unreadable;
    if (!replace && !output.is_continued && !fs::is_empty(folder, unreadable))
        throw InvalidArgument(fmt::format(
            "the folder '{}' is not empty; choose another, or --force to replace files in it",
            folder.string()));
}

std::vector<fs::path> make_result_folder(const Output& output, bool replace,
                                         const InputPlaces& inputs) {
    check_result_folder(output, replace, inputs);
    std::error_code error;
    std::vector<fs::path> made;
    for (fs::path at = output.path; !at.empty() && !fs::exists(at, error); at = at.parent_path())
        made.insert(made.begin(), at);
    fs::create_directories(output.path, error);
    if (error)
        throw UnwritableOutput(
            fmt::format("cannot make the folder '{}': {}", output.path.string(), error.message()));
    return made;
}

}  // namespace tesela::cli
