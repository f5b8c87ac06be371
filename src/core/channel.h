// Values on their way from the threads of one stage to those of the next.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace tesela::detail {

template <class T>
class Channel {
  public:
    void push(T value) {
        {
            const std::lock_guard lock(mutex_);
            values_.push_back(std::move(value));
        }
        changed_.notify_one();
    }
    // No value comes any more; those that are left can still be had.
    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
    }
    // Nobody gets a value any more.
    void abandon() {
        {
            const std::lock_guard lock(mutex_);
            values_.clear();
            closed_ = abandoned_ = true;
        }
        changed_.notify_all();
    }
    // Waits for a value; nothing where none comes any more.
    std::optional<T> pop() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ready(); });
        return taken();
    }
    // The same; nothing also after a while.
    std::optional<T> pop_soon() {
        constexpr std::chrono::milliseconds longest(50);
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, longest, [&] { return ready(); });
        return taken();
    }

  private:
    bool ready() const { return closed_ || !values_.empty(); }
    std::optional<T> taken() {
        if (abandoned_ || values_.empty()) return {};
        std::optional<T> value(std::move(values_.front()));
        values_.pop_front();
        return value;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<T> values_;
    bool closed_ = false, abandoned_ = false;
};

// Who begins something takes one, and who ends it gives it back: that bounds what is under way.
struct Ticket {};

}  // namespace tesela::detail
