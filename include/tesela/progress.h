// Progress reports and cancellation of long work.
#pragma once

#include <any>
#include <atomic>
#include <functional>
#include <string_view>
#include <utility>

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

// Asks long work to show what it has made so far. The work answers at its next safe point, from its
// own thread; where it has nothing to show, it does not answer.
class PartialResults {
  public:
    // What it gets depends on the work, and is told there: labels of level sets, for example.
    using Taker = std::function<void(std::any partial)>;

    explicit PartialResults(Taker take) : take_(std::move(take)) {}

    // From any thread.
    void ask() noexcept { asked_.store(true, std::memory_order_relaxed); }

  private:
    friend class Progress;

    Taker take_;
    std::atomic<bool> asked_{false};
};

// Passed by reference to long work; a default-made one reports nothing and cannot be cancelled.
class Progress {
  public:
    // Called from the thread that runs the work. `fraction` of the whole work is in [0, 1].
    using Callback = std::function<void(double fraction, std::string_view stage)>;

    Progress() = default;
    // Token and observer outlive the work.
    explicit Progress(Callback callback, const CancelToken* token = nullptr,
                      PartialResults* observer = nullptr)
        : callback_(std::move(callback)), token_(token), observer_(observer) {}

    // Reports, then throws Cancelled when the token asks for it.
    void report(double fraction, std::string_view stage) const {
        if (callback_) callback_(fraction, stage);
        throw_if_cancelled();
    }
    void throw_if_cancelled() const {
        if (token_ && token_->cancelled()) throw Cancelled("stopped on request");
    }

    // Null where the work cannot be cancelled.
    const CancelToken* token() const { return token_; }

    // A safe point: where the observer has asked, `make` makes what there is so far.
    template <class Make>
    void offer(const Make& make) const {
        if (observer_ && observer_->asked_.exchange(false)) observer_->take_(make());
    }

    // Of a step that takes the part from `begin` to `end` of the whole.
    Progress part(double begin, double end) const {
        Callback within;
        if (callback_)
            within = [callback = callback_, begin, end](double fraction, std::string_view stage) {
                callback(begin + (end - begin) * fraction, stage);
            };
        return Progress(std::move(within), token_, observer_);
    }

  private:
    Callback callback_;
    const CancelToken* token_ = nullptr;
    PartialResults* observer_ = nullptr;
};

}  // namespace tesela
