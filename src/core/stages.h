// Stages that work at the same time, in threads of their own, with channels between them.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/channel.h"
#include "core/threads.h"
#include "tesela/error.h"
#include "tesela/progress.h"
#include "tesela/stage_load.h"

namespace tesela::detail {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The threads of all stages. At the end of its life `stop` makes them end, and they are awaited.
class StageThreads {
  public:
    explicit StageThreads(std::function<void()> stop) : stop_(std::move(stop)) {}
    ~StageThreads() {
        stop_();
        for (std::thread& thread : started_) thread.join();
    }
    StageThreads(const StageThreads&) = delete;
    StageThreads& operator=(const StageThreads&) = delete;

    // Throws OutOfMemory where the system refuses the thread.
    void start(std::function<void()> work) { started_.push_back(start_thread(std::move(work))); }
    // One at least; further ones only help, and may be refused. Gives how many there are.
    int start_up_to(int count, const std::function<void()>& work) {
        start(work);
        for (int started = 1; started < count; ++started) try {
                start(work);
            } catch (const OutOfMemory&) {
                return started;
            }
        return count;
    }

  private:
    std::function<void()> stop_;
    std::vector<std::thread> started_;
};

// The life of a thread of a stage: what it does not wait it works. `mutex` guards the load.
class Shift {
  public:
    Shift(StageLoad& load, std::mutex& mutex) : load_(load), mutex_(mutex) {}
    ~Shift() {
        const std::lock_guard lock(mutex_);
        load_.waited_seconds += waited_;
        load_.busy_seconds += seconds_since(begin_) - waited_;
    }
    Shift(const Shift&) = delete;
    Shift& operator=(const Shift&) = delete;

    template <class T>
    std::optional<T> take(Channel<T>& channel) {
        return timed([&] { return channel.pop(); });
    }
    template <class T>
    std::optional<T> take_soon(Channel<T>& channel) {
        return timed([&] { return channel.pop_soon(); });
    }

  private:
    template <class Wait>
    auto timed(Wait wait) {
        const Clock::time_point begin = Clock::now();
        auto value = wait();
        waited_ += seconds_since(begin);
        return value;
    }

    StageLoad& load_;
    std::mutex& mutex_;
    Clock::time_point begin_ = Clock::now();
    double waited_ = 0;
};

// Waits until `count` parts of the work have ended, each with null or with its error, the first of
// which is thrown. Reports progress meanwhile; from the thread that calls.
void await_parts(Channel<std::exception_ptr>& ended, std::int64_t count, const Progress& progress,
                 std::string_view stage);

// A load for each device of these ids, of which every queue gives its own.
std::vector<DeviceLoad> device_loads(const std::vector<std::string>& of_queues);
DeviceLoad& load_of(std::vector<DeviceLoad>& devices, const std::string& id);
// Their times together.
void add_up(const std::vector<DeviceLoad>& devices, StageLoad& stage);

// Does `work`. Where a device that shares it with others fails, the error says which.
template <class Work>
auto naming(const std::string& device, bool shared, const Work& work) try {
    return work();
} catch (const OutOfMemory& error) {
    if (!shared) throw;
    throw OutOfMemory(device + ": " + error.what(), error.bytes_needed(), error.bytes_free());
} catch (const DeviceUnavailable& error) {
    if (!shared) throw;
    throw DeviceUnavailable(device + ": " + error.what());
}

}  // namespace tesela::detail
