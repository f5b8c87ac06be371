// Progress reports and cancellation of long work.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "tesela/error.h"

namespace tesela {

// May be cancelled from any thread, also from a signal handler.
class CancelToken {
  public:
    void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
    bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> cancelled_{false};
    static_assert(std::atomic<bool>::is_always_lock_free);
};

// Passed by reference to long work; a default-made one reports nothing and cannot be cancelled.
class Progress {
  public:
    // Called from the thread that runs the work. `fraction` of the whole work is in [0, 1].
    using Callback = std::function<void(double fraction, std::string_view stage)>;

    Progress() = default;
    explicit Progress(Callback callback, const CancelToken* token = nullptr)
        : callback_(std::move(callback)), token_(token) {}

    // Reports, then throws Cancelled when the token asks for it.
    void report(double fraction, std::string_view stage) const {
        if (callback_) callback_(fraction, stage);
        throw_if_cancelled();
    }
    void throw_if_cancelled() const {
        if (token_ && token_->cancelled()) throw Cancelled("stopped on request");
    }

  private:
    Callback callback_;
    const CancelToken* token_ = nullptr;
};

}  // namespace tesela
