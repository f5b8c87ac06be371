#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/threads.h"
#include "tesela/tile_source.h"

namespace tesela {
namespace {

// The boxes that are still to do, and how the work ends.
struct Work {
    std::mutex mutex;  // guards the others
    std::condition_variable changed;
    std::int64_t next = 0, done = 0;
    bool stopped = false;
    std::exception_ptr error;

    void stop(std::exception_ptr why) {
        const std::lock_guard lock(mutex);
        stopped = true;
        if (!error) error = std::move(why);
        changed.notify_all();
    }
};

class Threads {
  public:
    explicit Threads(Work& work) : work_(work) {}
    ~Threads() {
        {
            const std::lock_guard lock(work_.mutex);
            work_.stopped = true;
        }
        for (std::thread& thread : threads_) thread.join();
    }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    void start(const std::function<void()>& run) { threads_.push_back(detail::start_thread(run)); }

  private:
    Work& work_;
    std::vector<std::thread> threads_;
};

}  // namespace

void for_each_tile(const TileSource& source, int level, std::int64_t width, std::int64_t height,
                   int threads, const Progress& progress,
                   const std::function<void(std::int64_t, std::int64_t, const AnyImage&)>& work) {
    const auto& levels = source.facts().levels;
    if (level < 0 || static_cast<std::size_t>(level) >= levels.size() || width < 1 || height < 1)
        throw InvalidArgument("level " + std::to_string(level) + " cannot be read in boxes of " +
                              std::to_string(width) + " x " + std::to_string(height) + " pixels");
    TileLevel grid = levels[static_cast<std::size_t>(level)];
    grid.tile_width = width;
    grid.tile_height = height;
    const std::int64_t count = grid.tiles();
    if (threads < 1) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));

    Work state;
    const auto run = [&] {
        for (;;) {
            std::int64_t index = 0;
            {
                const std::lock_guard lock(state.mutex);
                if (state.stopped || state.next == count) return;
                index = state.next++;
            }
            try {
                const std::int64_t column = index % grid.columns(), row = index / grid.columns();
                const std::int64_t x = column * width, y = row * height;
                work(column, row,
                     source.read(level, {x, y, std::min(width, grid.shape.x - x),
                                         std::min(height, grid.shape.y - y)}));
            } catch (...) {
                return state.stop(std::current_exception());
            }
            const std::lock_guard lock(state.mutex);
            if (++state.done == count) state.changed.notify_all();
        }
    };
    Threads running(state);
    for (std::int64_t i = 0; i < std::min<std::int64_t>(threads, count); ++i) running.start(run);
    std::unique_lock lock(state.mutex);
    while (!state.stopped && state.done < count) {
        constexpr std::chrono::milliseconds pause(50);
        state.changed.wait_for(lock, pause);
        const double fraction = static_cast<double>(state.done) / static_cast<double>(count);
        lock.unlock();
        progress.report(fraction, "tiles");
        lock.lock();
    }
    if (state.error) std::rethrow_exception(state.error);
}

}  // namespace tesela
