#include "python/stopping.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <set>
#include <thread>
#include <utility>

namespace tesela::python {
namespace {

std::mutex running_mutex;
std::set<CancelToken*> running;  // guarded by it

std::atomic<int> running_calls = 0;
// The thread in which Python ends.
std::atomic<std::thread::id> ending_thread{};

bool ends_elsewhere() {
    const std::thread::id ending = ending_thread;
    return ending != std::thread::id() && ending != std::this_thread::get_id();
}

// The token that SIGINT cancels, and what else the signal does.
std::atomic<CancelToken*> interruptible = nullptr;
std::atomic<int> interrupts = 0;  // handlers that run, and may have the token
struct sigaction python_handler {};

extern "C" void on_interrupt(int signal) {
    ++interrupts;
    if (CancelToken* token = interruptible.load()) token->cancel();
    if (python_handler.sa_handler != SIG_IGN && python_handler.sa_handler != SIG_DFL)
        python_handler.sa_handler(signal);  // remembers it for the interpreter
    --interrupts;
}

}  // namespace

void cancel_all() {
    const std::lock_guard lock(running_mutex);
    for (CancelToken* token : running) token->cancel();
}

Stoppable::Stoppable(CancelToken& token, bool by_interrupt) : token_(token) {
    {
        const std::lock_guard lock(running_mutex);
        running.insert(&token_);
        if (ends_elsewhere()) token_.cancel();
    }
    CancelToken* none = nullptr;
    if (!by_interrupt || !interruptible.compare_exchange_strong(none, &token_)) return;
    takes_interrupt_ =
        sigaction(SIGINT, nullptr, &python_handler) == 0 && !(python_handler.sa_flags & SA_SIGINFO);
    if (takes_interrupt_) {
        struct sigaction own {};
        own.sa_handler = on_interrupt;
        own.sa_flags = python_handler.sa_flags;
        sigemptyset(&own.sa_mask);
        sigaction(SIGINT, &own, nullptr);
    } else {
        interruptible = nullptr;
    }
}

Stoppable::~Stoppable() {
    if (takes_interrupt_) {
        sigaction(SIGINT, &python_handler, nullptr);
        interruptible = nullptr;
        while (interrupts > 0) std::this_thread::yield();
    }
    const std::lock_guard lock(running_mutex);
    running.erase(&token_);
}

RunningCall::RunningCall() {
    if (ends_elsewhere()) throw Cancelled("Python ends");
    ++running_calls;
}

RunningCall::~RunningCall() {
    --running_calls;
    running_calls.notify_all();
}

void end_calls() {
    ending_thread = std::this_thread::get_id();
    cancel_all();
    const WithoutLock unlocked;
    for (int count; (count = running_calls) > 0;) running_calls.wait(count);
}

void forget_calls_in_children() {
    pthread_atfork(nullptr, nullptr, [] { running_calls = 0; });
}

Callback::~Callback() {
    Py_XDECREF(type_);
    Py_XDECREF(error_);
    Py_XDECREF(traceback_);
}

Progress Callback::progress() {
    if (function_ == Py_None) return Progress({}, &token_);
    return Progress([this](double fraction, std::string_view stage) { report(fraction, stage); },
                    &token_);
}

bool Callback::restore() {
    if (!type_) return false;
    PyErr_Restore(std::exchange(type_, nullptr), std::exchange(error_, nullptr),
                  std::exchange(traceback_, nullptr));
    return true;
}

void Callback::report(double fraction, std::string_view stage) {
    const std::lock_guard in_turn(mutex_);
    const Clock::time_point now = Clock::now();
    constexpr std::chrono::milliseconds pause(50);
    if (type_ || (fraction < 1 && now - last_ < pause)) return;
    last_ = now;
    const WithLock lock;
    const Object text = to_python(stage);
    PyObject* const result = PyObject_CallFunction(function_, "dO", fraction, text.get());
    Py_XDECREF(result);
    if (result && PyErr_CheckSignals() == 0) return;
    PyErr_Fetch(&type_, &error_, &traceback_);
    token_.cancel();
}

}  // namespace tesela::python
