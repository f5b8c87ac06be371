#include "io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

#include "core/threads.h"
#include "io/output_place.h"

namespace tesela::io {

std::string quoted(const fs::path& path) {
    return std::string("'").append(path.string()).append("'");
}

std::string printable(std::string text) {
    for (char& c : text) {
        if (c == '\n' || c == '\r' || c == '\t') c = ' ';
        if (c < 32 || c > 126) c = '?';
    }
    return text;
}
UnreadableInput unreadable(const fs::path& path, const std::string& reason) {
    return UnreadableInput("cannot read " + quoted(path) + ": " + reason);
}
UnsupportedFormat unsupported(const fs::path& path, const std::string& reason) {
    return UnsupportedFormat("cannot read " + quoted(path) + ": " + reason);
}
UnwritableOutput unwritable(const fs::path& path, const std::string& reason) {
    return UnwritableOutput("cannot write " + quoted(path) + ": " + reason);
}
std::string system_reason(int error) { return std::generic_category().message(error); }

InputFile::InputFile(const fs::path& path) : path_(path) {
    struct stat facts {};
    if (stat(path.c_str(), &facts) != 0) throw unreadable(path, system_reason(errno));
    if (!S_ISREG(facts.st_mode)) throw unreadable(path, "it is not a regular file");
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (!file_) throw unreadable(path, system_reason(errno));
    size_ = facts.st_size;
    if (size_ == 0) throw unreadable(path, "the file is empty");
}

InputFile::InputFile(const fs::path& path, std::string_view content)
    : path_(path), size_(static_cast<std::int64_t>(content.size())) {
    const int memory = memfd_create("content", MFD_CLOEXEC);
    if (memory >= 0) file_.reset(fdopen(memory, "w+b"));
    if (!file_ || std::fwrite(content.data(), 1, content.size(), file_.get()) != content.size() ||
        std::fflush(file_.get()) != 0)
        throw unreadable(path, "there is no memory for what it holds");
}

std::size_t InputFile::read_some(std::int64_t offset, std::span<std::uint8_t> bytes) const {
    std::size_t got = 0;
    while (got < bytes.size()) {
        const ssize_t more = pread(fileno(file_.get()), bytes.data() + got, bytes.size() - got,
                                   offset + static_cast<std::int64_t>(got));
        if (more == 0) break;
        if (more > 0)
            got += static_cast<std::size_t>(more);
        else if (errno != EINTR)
            throw unreadable(path_, system_reason(errno));
    }
    return got;
}

// Copying from the system's cache, and the first touch of new memory, can take longer than the
// computation that follows.
void InputFile::read(std::int64_t offset, std::span<std::uint8_t> bytes) const {
    constexpr std::size_t part = std::size_t{1} << 22;
    const auto read_part = [&](std::int64_t i) {
        const std::size_t begin = static_cast<std::size_t>(i) * part;
        const auto to = bytes.subspan(begin, std::min(part, bytes.size() - begin));
        if (read_some(offset + static_cast<std::int64_t>(begin), to) != to.size())
            throw unreadable(path_,
                             "the file ends early, after " + std::to_string(size_) + " bytes");
    };
    detail::for_each_index(static_cast<std::int64_t>((bytes.size() + part - 1) / part), 0,
                           read_part);
}

std::vector<std::uint8_t> InputFile::head(std::size_t longest) const {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(
        std::min<std::int64_t>(size_, static_cast<std::int64_t>(longest))));
    read(0, bytes);
    return bytes;
}

OutputFile::OutputFile(std::FILE* open, const fs::path& shown) : shown_(shown), file_(open) {
    if (!file_) throw unwritable(shown, system_reason(errno));
}
OutputFile::OutputFile(const fs::path& staged, const fs::path& shown)
    : OutputFile(std::fopen(staged.c_str(), "w+b"), shown) {}

OutputFile OutputFile::standard_output() {
    return {fdopen(dup(STDOUT_FILENO), "wb"), "standard output"};
}

bool OutputFile::write(const void* data, std::size_t bytes) noexcept {
    if (!file_ || error_) return false;
    if (std::fwrite(data, 1, bytes, file_.get()) != bytes) error_ = errno ? errno : EIO;
    return error_ == 0;
}

void OutputFile::write_or_throw(const void* data, std::size_t bytes) {
    if (!write(data, bytes)) throw failure();
}

std::int64_t OutputFile::place() const { return ftello(file_.get()); }

void OutputFile::rewrite(std::int64_t offset, const void* data, std::size_t bytes) {
    if (fseeko(file_.get(), offset, SEEK_SET) != 0) error_ = errno;
    write_or_throw(data, bytes);
    if (fseeko(file_.get(), 0, SEEK_END) != 0) error_ = errno;
}

void OutputFile::close() {
    std::FILE* file = file_.release();
    if (!error_ && std::ferror(file)) error_ = EIO;
    if (std::fclose(file) != 0 && !error_) error_ = errno;
    if (error_) throw failure();
}

UnwritableOutput OutputFile::failure() const {
    return unwritable(shown_, error_ ? system_reason(error_) : "the encoder failed");
}

void require_room(const fs::path& staged, const fs::path& shown, std::int64_t bytes) {
    int error = 0;
    {
        const OutputFile probe(staged, shown);
        error = posix_fallocate(fileno(probe.handle()), 0, bytes);
    }
    fs::remove(staged);
    if (error == ENOSPC || error == EFBIG || error == EDQUOT)
        throw unwritable(shown, system_reason(error));
}

Staging::Staging(std::vector<fs::path> targets, bool overwrite, EmptyFolders empty)
    : targets_(std::move(targets)),
      replaced_(targets_.size()),
      overwrite_(overwrite),
      empty_(empty) {
    check_targets();
    const fs::path parent = staging_folder(targets_.front());
    std::error_code ignored;
    if (!fs::is_directory(parent, ignored))
        throw unwritable(targets_.front(), "there is no folder " + quoted(parent));
    folder_.emplace(parent, targets_.front());
}

void Staging::check_targets() const {
    for (const fs::path& target : targets_) {
        std::error_code ignored;
        const fs::file_status status = fs::status(target, ignored);
        const bool is_folder = fs::is_directory(status);
        if (empty_ == EmptyFolders::are_replaced && is_folder &&
            !fs::is_symlink(fs::symlink_status(target, ignored)) && fs::is_empty(target, ignored))
            continue;
        if (is_folder && !is_output_folder(target)) throw unwritable(target, "it is a folder");
        if (fs::exists(status) && !is_folder && !fs::is_regular_file(status))
            throw unwritable(target, "it is not a regular file");
        if (fs::exists(status) && !overwrite_)
            throw InvalidArgument(quoted(target) +
                                  " exists already; choose another name or allow overwriting");
    }
}

void Staging::roll_back(std::size_t committed) {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
        if (replaced_[i])
            put_back(scratch("old-" + std::to_string(i)), targets_[i]);
        else if (i < committed)
            remove_output(targets_[i]);
    }
}

void Staging::commit() {
    check_targets();
    std::size_t committed = 0;
    try {
        for (; committed < targets_.size(); ++committed) {
            const fs::path& target = targets_[committed];
            if (fs::exists(target) && (targets_.size() > 1 || fs::is_directory(target))) {
                keep_old(target, scratch("old-" + std::to_string(committed)));
                replaced_[committed] = true;
            }
            give_name(staged(committed), target);
        }
    } catch (const fs::filesystem_error& error) {
        roll_back(committed);
        throw unwritable(targets_[committed], error.code().message());
    } catch (const Error&) {
        roll_back(committed);
        throw;
    }
}

void with_memory_guard(const fs::path& path, const std::function<void()>& work) {
    try {
        work();
    } catch (const std::bad_alloc&) {
        throw OutOfMemory("not enough memory for " + quoted(path), -1, -1);
    } catch (const std::length_error&) {
        throw OutOfMemory("not enough memory for " + quoted(path), -1, -1);
    }
}

void require_memory(const fs::path& path, std::int64_t bytes, std::int64_t limit,
                    std::int64_t work) {
    const bool physical = limit <= 0;
    if (physical) limit = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
    constexpr std::int64_t small = 1 << 20;
    if (work <= small) work = 0;
    if (bytes <= limit && work <= limit - bytes) return;
    const std::string needed = std::to_string(bytes + work);
    throw OutOfMemory(quoted(path) +
                          (work > 0 ? " needs " + needed + " bytes to be read"
                                    : " holds an image of " + needed + " bytes") +
                          ", more than " +
                          (physical ? "this machine's memory of " : "the limit of ") +
                          std::to_string(limit) + " bytes",
                      bytes + work, limit);
}

}  // namespace tesela::io
