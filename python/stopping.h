// How calls are stopped: by `cancel`, by SIGINT, and by an exception in a progress callback.
#pragma once

#include <chrono>
#include <mutex>

#include "python/objects.h"
#include "tesela/progress.h"

namespace tesela::python {

// Cancels all tokens that are stoppable now.
void cancel_all();

// What can be cancelled while it lives: by `cancel_all`, and by SIGINT where asked for. Python's
// own handler only runs between its instructions, which is after a call.
class Stoppable {
  public:
    Stoppable(CancelToken& token, bool by_interrupt);
    ~Stoppable();
    Stoppable(const Stoppable&) = delete;
    Stoppable& operator=(const Stoppable&) = delete;

  private:
    CancelToken& token_;
    bool takes_interrupt_ = false;
};

// A call that is in the extension. Made and ended with Python's lock. Throws Cancelled in other
// threads than that of `end_calls`, once that was called.
class RunningCall {
  public:
    RunningCall();
    ~RunningCall();
    RunningCall(const RunningCall&) = delete;
    RunningCall& operator=(const RunningCall&) = delete;
};
// Cancels all calls and waits until none is in the extension: a thread that comes back to an
// interpreter which is gone would end the process. With Python's lock, and not from a call.
void end_calls();
// A forked process has none of the calls that its parent has.
void forget_calls_in_children();

// Calls a function of Python, or None, with fraction and stage: at most every 50 ms, and at the
// end. An exception in it stops the work and is kept.
class Callback {
  public:
    Callback(PyObject* function, CancelToken& token) : function_(function), token_(token) {}
    ~Callback();
    Callback(const Callback&) = delete;
    Callback& operator=(const Callback&) = delete;

    Progress progress();
    // Whether it failed; Python's error is set then.
    bool restore();

  private:
    using Clock = std::chrono::steady_clock;

    void report(double fraction, std::string_view stage);

    PyObject* function_;
    CancelToken& token_;
    std::mutex mutex_;
    Clock::time_point last_{};
    PyObject *type_ = nullptr, *error_ = nullptr, *traceback_ = nullptr;
};

}  // namespace tesela::python
