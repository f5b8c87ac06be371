// Parts that are made at once and taken one after the other.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "core/threads.h"

namespace tesela::io {

// Calls `make(i)` for each index below `count`, from up to `threads` threads at once (0: all of the
// CPU), and `take(i, part)` with what it gave in the order of the indices, one at a time. Only a
// few parts for each thread wait for their turn. The first error of either ends all and is thrown.
template <class Make, class Take>
void make_in_order(std::int64_t count, int threads, const Make& make, const Take& take) {
    using Part = decltype(make(std::int64_t{}));
    const std::int64_t most_waiting = 4 * std::int64_t{detail::threads_or_all(threads)};
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::int64_t, Part> ready;
    std::int64_t next = 0;
    bool failed = false;
    const auto work = [&](std::int64_t i) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return failed || i < next + most_waiting; });
        if (failed) return;
        lock.unlock();
        Part part = make(i);
        lock.lock();
        ready.emplace(i, std::move(part));
        if (failed) return;
        for (auto at = ready.find(next); at != ready.end(); at = ready.find(++next)) {
            failed = true;  // until it is taken: nobody takes it again
            take(next, at->second);
            failed = false;
            ready.erase(at);
        }
        changed.notify_all();
    };
    detail::for_each_index(count, threads, [&](std::int64_t i) {
        try {
            work(i);
        } catch (...) {
            const std::lock_guard lock(mutex);
            failed = true;
            changed.notify_all();
            throw;
        }
    });
}

}  // namespace tesela::io
