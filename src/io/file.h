// Files as the decoders and encoders see them: every read, write and close is checked, and output
// appears under its name only when it is complete.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/temporary_folder.h"
#include "tesela/error.h"

namespace tesela::io {

namespace fs = std::filesystem;

std::string quoted(const fs::path& path);
// Text from a file, made fit for a sentence: line breaks become spaces, and what is no printable
// ASCII a question mark.
std::string printable(std::string text);
// "cannot read 'PATH': REASON"
UnreadableInput unreadable(const fs::path& path, const std::string& reason);
UnsupportedFormat unsupported(const fs::path& path, const std::string& reason);
// "cannot write 'PATH': REASON"
UnwritableOutput unwritable(const fs::path& path, const std::string& reason);
// The text of an errno value.
std::string system_reason(int error);

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

// A regular file that is not empty, open for reading.
class InputFile {
  public:
    // Throws UnreadableInput.
    explicit InputFile(const fs::path& path);
    // What a file would hold, in memory; errors speak of `path`.
    InputFile(const fs::path& path, std::string_view content);

    const fs::path& path() const { return path_; }
    std::int64_t size() const { return size_; }
    std::FILE* handle() const { return file_.get(); }

    // Both may be called from several threads at once, and leave the place of `handle` alone.
    // Reads up to `bytes` bytes at `offset`; returns how many there were. Throws UnreadableInput.
    std::size_t read_some(std::int64_t offset, std::span<std::uint8_t> bytes) const;
    // Reads all of `bytes`, many of them by all cores, or throws UnreadableInput saying that the
    // file is truncated.
    void read(std::int64_t offset, std::span<std::uint8_t> bytes) const;
    // At most `longest` bytes from the start.
    std::vector<std::uint8_t> head(std::size_t longest) const;

  private:
    fs::path path_;
    std::int64_t size_ = 0;
    std::unique_ptr<std::FILE, CloseFile> file_;
};

// A new file. After a failure every further write fails, and `close` throws the first reason.
class OutputFile {
  public:
    // Creates the file `staged`; errors speak of `shown`, the name that it gets in the end.
    OutputFile(const fs::path& staged, const fs::path& shown);
    // Standard output, as it is open already; closing it here leaves it open elsewhere.
    static OutputFile standard_output();

    std::FILE* handle() const { return file_.get(); }
    const fs::path& shown() const { return shown_; }
    // Never throws, for use below C code.
    bool write(const void* data, std::size_t bytes) noexcept;
    // Throws UnwritableOutput if this or any earlier write failed.
    void write_or_throw(const void* data, std::size_t bytes);
    // Where the next write goes. Not for standard output.
    std::int64_t place() const;
    // Writes over what stands at `offset`; further writes go behind all. Not for standard output.
    void rewrite(std::int64_t offset, const void* data, std::size_t bytes);
    void close();
    UnwritableOutput failure() const;

  private:
    OutputFile(std::FILE* open, const fs::path& shown);

    fs::path shown_;
    std::unique_ptr<std::FILE, CloseFile> file_;
    int error_ = 0;
};

// Throws UnwritableOutput unless the disk has room for a file of `bytes` bytes at `staged`, where
// it leaves none.
void require_room(const fs::path& staged, const fs::path& shown, std::int64_t bytes);

// Output files under construction. They lie, under their final names, in a hidden folder beside
// the first target; `commit` moves all of them to their targets or none.
class Staging {
  public:
    enum class EmptyFolders { stay, are_replaced };

    // Throws InvalidArgument if a target exists and may not be replaced, UnwritableOutput if the
    // targets' folder is missing or not writable.
    Staging(std::vector<fs::path> targets, bool overwrite, EmptyFolders empty = EmptyFolders::stay);

    const fs::path& target(std::size_t i = 0) const { return targets_[i]; }
    fs::path staged(std::size_t i = 0) const { return folder_->path() / targets_[i].filename(); }
    // A name in the hidden folder for what is not to be kept.
    fs::path scratch(const std::string& name) const {
        return folder_->path() / ("scratch-" + name);
    }
    // Throws UnwritableOutput.
    void commit();

  private:
    void check_targets() const;
    void roll_back(std::size_t committed);

    std::vector<fs::path> targets_;
    std::vector<bool> replaced_;
    bool overwrite_;
    EmptyFolders empty_;
    std::optional<detail::TemporaryFolder> folder_;
};

// Runs `work`, turning a failed allocation into OutOfMemory that names the file.
void with_memory_guard(const fs::path& path, const std::function<void()>& work);

// Throws OutOfMemory if an image of `bytes`, and `work` bytes that its decoder holds beside it,
// exceed `limit`, or the physical memory where limit is 0. Work of at most 1 MiB does not count.
void require_memory(const fs::path& path, std::int64_t bytes, std::int64_t limit,
                    std::int64_t work = 0);

}  // namespace tesela::io
