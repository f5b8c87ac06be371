// Hidden folders that do not outlive the program, however it ends.
#pragma once

#include <filesystem>

namespace tesela::detail {

// A new folder `.tesela-XXXXXX` for this user alone, gone with all that is in it when the object
// goes or when the program is interrupted. A program that was killed leaves its folders behind: the
// first folder that a later one makes in the same place removes those a day after their last
// change. A folder that a running program holds is locked and stays.
class TemporaryFolder {
  public:
    // In `parent`. Throws UnwritableOutput that speaks of `target`.
    TemporaryFolder(const std::filesystem::path& parent, const std::filesystem::path& target);
    // In the system's place for temporary files. Throws UnreadableInput that speaks of `input`, the
    // file that is read by way of the folder.
    explicit TemporaryFolder(const std::filesystem::path& input);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    // Returns 0 or an errno value.
    int make_in(const std::filesystem::path& parent);

    std::filesystem::path path_;
    int lock_ = -1;
};

// Whether a folder has the name of one.
bool is_temporary_folder(const std::filesystem::path& folder);

// For a program that ends now: removes all of them. Threads that make one later wait forever.
void remove_temporary_folders();

}  // namespace tesela::detail
