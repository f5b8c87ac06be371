#include "compute/cpu/parallel.h"

#include <algorithm>
#include <thread>

#ifdef TESELA_STD_THREADS
    #include <atomic>
    #include <vector>
#else
    #include <tbb/blocked_range.h>
    #include <tbb/global_control.h>
    #include <tbb/parallel_for.h>
    #include <tbb/task_arena.h>

    #include <optional>
#endif

namespace tesela::detail {

int hardware_threads() {
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

#ifdef TESELA_STD_THREADS

struct Workers::Arena {};

Workers::Workers(int threads) : threads_(threads > 0 ? threads : hardware_threads()) {}

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
    for (std::int64_t i = 1; i < std::min<std::int64_t>(threads_, parts); ++i)
        others.emplace_back(work);
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

Workers::Workers(int threads)
    : threads_(threads > 0 ? threads : hardware_threads()),
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
