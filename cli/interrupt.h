// Ctrl-C and SIGTERM, and the folders that must not outlive the program.
#pragma once

#include <filesystem>

#include "tesela/progress.h"

namespace tesela::cli {

// To be called before any other thread starts. From then on the first SIGINT or SIGTERM sets the
// token that is returned; the second one removes the temporary folders and ends the program with
// code 130. A signal that the program was started to ignore stays ignored. Also turns
// a closed pipe and a file beyond its limit of size into errors of the write itself.
const CancelToken& handle_interrupts();

inline constexpr const char* cancelled_text = "cancelled; no file was written";

// While it lives, nothing of what the program does will be kept: where the work does not stop
// within a moment of the first signal, the program ends as at the second one.
class DisposableWork {
  public:
    DisposableWork();
    ~DisposableWork();
    DisposableWork(const DisposableWork&) = delete;
    DisposableWork& operator=(const DisposableWork&) = delete;
};

// A new hidden folder in `parent`, gone with all that is in it when the object goes or when the
// program is interrupted.
class TemporaryFolder {
  public:
    // Throws UnwritableOutput that speaks of `target`.
    TemporaryFolder(const std::filesystem::path& parent, const std::filesystem::path& target);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace tesela::cli
