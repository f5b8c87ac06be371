#include "core/threads.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <latch>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tesela/error.h"

namespace tesela::detail {
namespace {

// The system counts a thread for a moment after it was joined.
void wait_until_gone(pid_t thread) {
    const std::filesystem::path entry = "/proc/self/task/" + std::to_string(thread);
    std::error_code ignored;
    for (int i = 0; i < 1000 && std::filesystem::exists(entry, ignored); ++i)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
}

}  // namespace

int hardware_threads() {
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int startable_threads(int wanted) {
    std::vector<pid_t> ids(static_cast<std::size_t>(wanted));
    std::vector<std::thread> started;
    started.reserve(ids.size());
    std::latch all_tried(1);
    try {
        for (pid_t& id : ids)
            started.emplace_back([&] {
                id = gettid();
                all_tried.wait();
            });
    } catch (const std::system_error&) {
        // What was started is the answer.
    }
    all_tried.count_down();
    for (std::thread& thread : started) thread.join();
    for (std::size_t i = 0; i < started.size(); ++i) wait_until_gone(ids[i]);
    return static_cast<int>(started.size());
}

std::thread start_thread(std::function<void()> work) {
    try {
        return std::thread(std::move(work));
    } catch (const std::system_error&) {
        throw OutOfMemory(
            std::string("the system refuses the threads that the work needs; ") + thread_advice, -1,
            -1);
    }
}

void for_each_index(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work,
                    const std::function<void(std::int64_t)>& between) {
    std::atomic<std::int64_t> next{0}, done{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto fail = [&] {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
    };
    const auto take = [&](bool is_caller) {
        try {
            for (std::int64_t i = next++; i < count; i = next++) {
                work(i);
                ++done;
                if (is_caller && between) between(done);
            }
        } catch (...) {
            fail();
        }
    };
    const int wanted = threads_or_all(threads);
    const std::int64_t others = std::min<std::int64_t>(wanted, count) - 1;
    std::vector<std::thread> helpers;
    helpers.reserve(static_cast<std::size_t>(std::max<std::int64_t>(others, 0)));
    for (std::int64_t i = 0; i < others; ++i) try {
            helpers.emplace_back(take, false);
        } catch (...) {  // no thread, or no memory for one: those that there are do the work
            break;
        }
    take(true);
    for (std::thread& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace tesela::detail
