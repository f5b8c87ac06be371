// Threads that the system may refuse: by a limit of processes, of a container or of memory.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

namespace tesela::detail {

inline constexpr const char* thread_advice =
    "raise the limit of processes (ulimit -u, a container's pids limit) or of memory (ulimit -v)";

int hardware_threads();  // at least 1
// `threads`, or for 0 all of the CPU.
inline int threads_or_all(int threads) { return threads > 0 ? threads : hardware_threads(); }

// How many more threads can run at once, `wanted` at most. They are started and ended to find out.
int startable_threads(int wanted);

// Throws OutOfMemory where the system refuses the thread.
std::thread start_thread(std::function<void()> work);

// Calls `work` for each index below `count`, from up to `threads` threads at once, 0: all of the
// CPU; fewer where the system refuses them. The first error ends the work and is thrown. `between`
// is called from the caller's thread now and then with how many are done, and may throw as well.
void for_each_index(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work,
                    const std::function<void(std::int64_t)>& between = {});

}  // namespace tesela::detail
