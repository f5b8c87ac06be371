#include "interrupt.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "messages.h"
#include "tesela/error.h"
#include "verb.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

// Never destroyed: the thread that waits for signals lives as long as the process.
struct State {
    CancelToken token;
    std::mutex mutex;  // guards the others
    std::set<fs::path> folders;
    bool disposable = false;
};
State& state() {
    static State& made = *new State;
    return made;
}

// The other threads may still be writing: a folder is removed again until it is gone. The state is
// locked, so that nobody begins to keep anything.
[[noreturn]] void end_at_once() {
    for (const fs::path& folder : state().folders) {
        std::error_code error;
        for (int tries = 0; tries < 20; ++tries) {
            fs::remove_all(folder, error);
            if (!error && !fs::exists(folder, error)) break;
        }
    }
    _exit(exit_cancelled);
}

void end_disposable_work() {
    const std::lock_guard lock(state().mutex);
    if (!state().disposable) return;
    complain(cancelled_text);
    end_at_once();
}

// A thread of its own takes the signals, so that what it does need not be async-signal-safe.
void wait_for_signals(sigset_t signals) {
    int signal = 0;
    while (sigwait(&signals, &signal) != 0) {
    }
    state().token.cancel();
    constexpr timespec patience{0, 250'000'000};
    while (sigtimedwait(&signals, nullptr, &patience) < 0) end_disposable_work();
    const std::lock_guard lock(state().mutex);
    end_at_once();
}

bool ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

const CancelToken& handle_interrupts() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM})
        if (!ignored(signal)) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread(wait_for_signals, signals).detach();
    // Whoever reads stderr may go; the job goes on.
    signal(SIGPIPE, SIG_IGN);
    // A file that grows beyond the limit of its size is then an error of write(), not the end.
    signal(SIGXFSZ, SIG_IGN);
    return state().token;
}

DisposableWork::DisposableWork() {
    const std::lock_guard lock(state().mutex);
    state().disposable = true;
}
DisposableWork::~DisposableWork() {
    const std::lock_guard lock(state().mutex);
    state().disposable = false;
}

TemporaryFolder::TemporaryFolder(const fs::path& parent, const fs::path& target) {
    const std::lock_guard lock(state().mutex);
    std::string name = (parent / ".tesela-XXXXXX").string();
    if (!mkdtemp(name.data()))
        throw UnwritableOutput(fmt::format("cannot write '{}': {}", target.string(),
                                           std::generic_category().message(errno)));
    path_ = name;
    state().folders.insert(path_);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    const std::lock_guard lock(state().mutex);
    state().folders.erase(path_);
}

}  // namespace tesela::cli
