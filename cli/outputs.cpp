#include "outputs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "tesela/error.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

UnwritableOutput unwritable(const fs::path& path, const std::string& reason) {
    return UnwritableOutput(fmt::format("cannot write '{}': {}", path.string(), reason));
}

// The same file, also where it does not exist yet or is reached by two names.
bool same_file(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error) && !error) return true;
    const fs::path first = fs::weakly_canonical(fs::absolute(a), error);
    if (error) return a == b;
    const fs::path second = fs::weakly_canonical(fs::absolute(b), error);
    return error ? a == b : first == second;
}

}  // namespace

void write_in(const fs::path& folder, const fs::path& target, const OutputSet::Writer& writer) {
    try {
        writer(folder / target.filename());
    } catch (const Error& error) {
        std::string sentence = error.what();
        const std::string hidden = folder.string() + "/";
        const std::string shown =
            target.has_parent_path() ? (target.parent_path() / "").string() : "";
        for (std::size_t at; (at = sentence.find(hidden)) != std::string::npos;)
            sentence.replace(at, hidden.size(), shown);
        const bool usage = error.code() == ErrorCode::unsupported_format;
        throw Error(usage ? ErrorCode::invalid_argument : error.code(), sentence);
    }
}

void OutputSet::add(const std::string& kind, const fs::path& path,
                    const std::vector<fs::path>& side_files) {
    if (path.empty()) return;
    if (!path.has_filename())
        throw InvalidArgument(
            fmt::format("--{}: '{}' is a folder; name a file in it", kind, path.string()));
    outputs_.push_back({kind, path});
    targets_.push_back({kind, path});
    for (const fs::path& side : side_files) targets_.push_back({kind, side});
}

const Output* OutputSet::find(const std::string& kind) const {
    const auto found = std::find_if(outputs_.begin(), outputs_.end(),
                                    [&](const Output& output) { return output.kind == kind; });
    return found == outputs_.end() ? nullptr : &*found;
}

bool OutputSet::has(const std::string& kind) const { return find(kind) != nullptr; }

void OutputSet::check_target(const fs::path& path) const {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) throw unwritable(path, "it is a folder");
    if (fs::exists(status) && !fs::is_regular_file(status))
        throw unwritable(path, "it is not a regular file");
    if (fs::exists(status) && !replace_)
        throw InvalidArgument(fmt::format(
            "'{}' exists already; choose another name, or --force to replace it", path.string()));
}

void OutputSet::check(const std::vector<fs::path>& inputs) const {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
        const fs::path& path = targets_[i].path;
        for (const fs::path& input : inputs)
            if (same_file(path, input))
                throw InvalidArgument(
                    fmt::format("--{}: '{}' is the input", targets_[i].kind, path.string()));
        for (std::size_t j = 0; j < i; ++j)
            if (same_file(path, targets_[j].path))
                throw InvalidArgument(fmt::format("--{} and --{} both write '{}'", targets_[j].kind,
                                                  targets_[i].kind, path.string()));
        const fs::path folder = folder_of(path);
        std::error_code error;
        if (!fs::is_directory(folder, error))
            throw unwritable(path, fmt::format("there is no folder '{}'", folder.string()));
        if (access(folder.c_str(), W_OK | X_OK) != 0)
            throw unwritable(path, std::generic_category().message(errno));
        check_target(path);
    }
}

void OutputSet::probe(const std::string& kind, const Writer& writer) const {
    const Output* output = find(kind);
    if (!output) return;
    const TemporaryFolder folder(folder_of(output->path), output->path);
    write_in(folder.path(), output->path, writer);
}

void OutputSet::stage(const std::string& kind, const Writer& writer) {
    const Output* output = find(kind);
    if (!output) return;
    auto folder = std::make_unique<TemporaryFolder>(folder_of(output->path), output->path);
    write_in(folder->path(), output->path, writer);
    folders_[kind] = std::move(folder);
}

std::vector<OutputSet::Staged> OutputSet::staged_files() const {
    std::vector<Staged> files;
    for (const Output& output : outputs_) {
        const auto folder = folders_.find(output.kind);
        if (folder == folders_.end()) continue;
        const std::size_t first = files.size();
        for (const auto& entry : fs::directory_iterator(folder->second->path())) {
            // Through a symbolic link the file it leads to is replaced, not the link.
            fs::path target = output.path.parent_path() / entry.path().filename();
            std::error_code error;
            if (fs::is_symlink(target, error)) target = fs::weakly_canonical(target, error);
            files.push_back({output.kind, entry.path(), target, {}});
        }
        // The output itself before what lies beside it.
        std::partition(
            files.begin() + static_cast<std::ptrdiff_t>(first), files.end(),
            [&](const Staged& file) { return file.from.filename() == output.path.filename(); });
    }
    return files;
}

void OutputSet::keep_old(Staged& file) const {
    if (!fs::exists(file.to)) return;
    const fs::path kept = file.from.parent_path() / (".old-" + file.from.filename().string());
    std::error_code no_links;
    fs::create_hard_link(file.to, kept, no_links);
    if (no_links) fs::rename(file.to, kept);
    file.old = kept;
}

void OutputSet::roll_back(const std::vector<Staged>& files, std::size_t named) {
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::error_code ignored;
        if (!files[i].old.empty())
            fs::rename(files[i].old, files[i].to, ignored);
        else if (i < named)
            fs::remove(files[i].to, ignored);
    }
}

std::vector<WrittenFile> OutputSet::commit() {
    std::vector<Staged> files = staged_files();
    for (const Staged& file : files) check_target(file.to);
    std::size_t named = 0;
    try {
        for (; named < files.size(); ++named) {
            keep_old(files[named]);
            fs::rename(files[named].from, files[named].to);
        }
    } catch (const fs::filesystem_error& error) {
        roll_back(files, named);
        throw unwritable(files[named].to, error.code().message());
    }
    std::vector<WrittenFile> written;
    for (const Staged& file : files) {
        std::error_code error;
        const auto bytes = fs::file_size(file.to, error);
        written.push_back({file.kind, file.to, error ? 0 : static_cast<std::int64_t>(bytes)});
    }
    folders_.clear();
    return written;
}

void make_result_folder(const fs::path& folder, bool replace) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || !fs::is_directory(folder))
        throw UnwritableOutput("cannot make the folder " + folder.string() + ": " +
                               (error ? error.message() : "a file of this name is there"));
    if (!replace && !fs::is_empty(folder))
        throw InvalidArgument("the folder " + folder.string() +
                              " is not empty; name another, or write into it with --force");
}

}  // namespace tesela::cli
