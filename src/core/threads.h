// Threads that the system may refuse: by a limit of processes, of a container or of memory.
#pragma once

#include <functional>
#include <thread>

namespace tesela::detail {

inline constexpr const char* thread_advice =
    "raise the limit of processes (ulimit -u, a container's pids limit) or of memory (ulimit -v)";

// How many more threads can run at once, `wanted` at most. They are started and ended to find out.
int startable_threads(int wanted);

// Throws OutOfMemory where the system refuses the thread.
std::thread start_thread(std::function<void()> work);

}  // namespace tesela::detail
