// Ctrl-C, SIGTERM and SIGHUP.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tesela/progress.h"

namespace tesela::cli {

// To be called before any other thread starts. From then on the first SIGINT, SIGTERM or SIGHUP
// sets the token that is returned; the second one removes the temporary folders and ends the
// program with code 130. A signal that the program was started to ignore stays ignored. Also turns
// a closed pipe and a file beyond its limit of size into errors of the write itself.
const CancelToken& handle_interrupts();

// Files that have their names already: they stay, however the program ends.
void keep_files(const std::filesystem::path& folder, std::int64_t count = 1);
// "cancelled; no file was written", or how many are kept where.
std::string cancelled_text();

// While it lives, nothing of what the program does will be kept: where the work does not stop
// within a moment of the first signal, the program ends as at the second one.
class DisposableWork {
  public:
    DisposableWork();
    ~DisposableWork();
    DisposableWork(const DisposableWork&) = delete;
    DisposableWork& operator=(const DisposableWork&) = delete;
};

}  // namespace tesela::cli
