#include "compute/cpu/parallel.h"

#include <algorithm>
#include <string>
#include <thread>

#include "core/threads.h"
#include "tesela/warnings.h"

#ifdef TESELA_STD_THREADS
    #include <atomic>
    #include <vector>

    #include "tesela/error.h"
#else
    #include <tbb/blocked_range.h>
    #include <tbb/global_control.h>
    #include <tbb/parallel_for.h>
    #include <tbb/task_arena.h>

    #include <atomic>
    #include <chrono>
    #include <mutex>
    #include <optional>
#endif

namespace tesela::detail {

namespace {

void warn_of_few_threads(int allowed, int wanted) {
    warn_once("the system allows only " + std::to_string(allowed) + " of " +
              std::to_string(wanted) + " threads; " + thread_advice);
}

}  // namespace

#ifdef TESELA_STD_THREADS

struct Workers::Arena {};

Workers::Workers(int threads) : threads_(threads_or_all(threads)) {}

void Workers::parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                           const std::function<void(std::int64_t, std::int64_t)>& body) const {
    std::atomic<std::int64_t> next{begin};
    const auto work = [&] {
        for (;;) {
            const std::int64_t first = next.fetch_add(grain);
            if (first >= end) return;
            body(first, std::min(first + grain, end));
        }
    };
    const std::int64_t parts = (end - begin + grain - 1) / grain;
    std::vector<std::thread> others;
    try {
        for (std::int64_t i = 1; i < std::min<std::int64_t>(threads_, parts); ++i)
            others.push_back(start_thread(work));
    } catch (const OutOfMemory&) {
        warn_of_few_threads(static_cast<int>(others.size()) + 1, threads_);
    }
    work();
    for (std::thread& other : others) other.join();
}

#else

struct Workers::Arena {
    explicit Arena(int threads) : arena(threads) {
        // The lowest of all limits holds, so one is set only where it has to rise.
        if (threads > hardware_threads())
            limit.emplace(tbb::global_control::max_allowed_parallelism,
                          static_cast<std::size_t>(threads));
    }
    std::optional<tbb::global_control> limit;
    tbb::task_arena arena;
};

namespace {

// Has oneTBB start its threads: each holds one piece of work until all have come.
void start_workers(int threads) {
    using Clock = std::chrono::steady_clock;
    // Never destroyed: oneTBB ends its threads with the last arena.
    static tbb::task_arena& keeper = *new tbb::task_arena(1);
    keeper.initialize();
    Workers::Arena all(threads);
    const int awaited = std::min(threads, static_cast<int>(tbb::global_control::active_value(
                                              tbb::global_control::max_allowed_parallelism)));
    const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(200);
    std::atomic<int> arrived = 0;
    all.arena.execute([&] {
        tbb::parallel_for(0, awaited, [&](int) {
            ++arrived;
            while (arrived < awaited && Clock::now() < deadline) std::this_thread::yield();
        });
    });
}

void limit_for_good(int started, int wanted) {
    static tbb::global_control& limit = *new tbb::global_control(
        tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(started));
    static_cast<void>(limit);
    warn_of_few_threads(started, wanted);
}

// How many of `wanted` threads can work, the caller's among them. oneTBB ends the process where the
// system refuses it a thread, so what it may have is tried and started before it is used.
int usable_threads(int wanted) {
    constexpr int spare = 4;  // for the stages of a sequence
    static std::mutex mutex;
    static int started = 1;
    static bool refused = false;
    const std::lock_guard lock(mutex);
    if (wanted > started && !refused) {
        const int missing = wanted - started;
        const int possible = startable_threads(missing + spare);
        started += std::clamp(possible - spare, 0, missing);
        refused = started < wanted;
        if (refused) limit_for_good(started, wanted);
        start_workers(started);
    }
    return std::min(wanted, started);
}

}  // namespace

Workers::Workers(int threads)
    : threads_(usable_threads(threads_or_all(threads))),
      arena_(std::make_unique<Arena>(threads_)) {}

void Workers::parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                           const std::function<void(std::int64_t, std::int64_t)>& body) const {
    if (end - begin <= grain || threads_ == 1) {
        if (begin < end) body(begin, end);
        return;
    }
    using Blocks = tbb::blocked_range<std::int64_t>;
    arena_->arena.execute([&] {
        tbb::parallel_for(Blocks(begin, end, static_cast<std::size_t>(grain)),
                          [&](const Blocks& part) { body(part.begin(), part.end()); });
    });
}

#endif

Workers::~Workers() = default;

}  // namespace tesela::detail
