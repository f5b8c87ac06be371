#include "interrupt.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/temporary_folder.h"
#include "messages.h"
#include "verb.h"

namespace tesela::cli {
namespace {

constexpr int handled_signals[] = {SIGINT, SIGTERM, SIGHUP};

// Never destroyed: the thread that waits for signals lives as long as the process.
struct State {
    CancelToken token;
    std::mutex mutex;                                         // guards what follows
    int disposable = 0;                                       // how many do such work
    std::map<std::filesystem::path, std::int64_t> kept = {};  // files, by folder
};
State& state() {
    static State& made = *new State;
    return made;
}

// Of a state that is locked.
std::string text_of_kept() {
    if (state().kept.empty()) return "cancelled; no file was written";
    std::string text = "cancelled; ";
    for (const auto& [folder, count] : state().kept)
        text += text.ends_with("; ")
                    ? fmt::format("{} kept in '{}'",
                                  count == 1 ? "1 file is" : fmt::format("{} files are", count),
                                  folder.string())
                    : fmt::format(", {} in '{}'", count, folder.string());
    return text;
}

// The state is locked, so that nobody begins to keep anything.
[[noreturn]] void end_at_once() {
    detail::remove_temporary_folders();
    _exit(exit_cancelled);
}

void end_disposable_work() {
    const std::lock_guard lock(state().mutex);
    if (!state().disposable) return;
    complain(text_of_kept());
    end_at_once();
}

// A thread of its own takes the signals, so that what it does need not be async-signal-safe.
void wait_for_signals(sigset_t signals) {
    int signal = 0;
    while (sigwait(&signals, &signal) != 0) {
    }
    state().token.cancel();
    constexpr timespec patience{0, 150'000'000};
    while (sigtimedwait(&signals, nullptr, &patience) < 0) end_disposable_work();
    const std::lock_guard lock(state().mutex);
    end_at_once();
}

// Where the system refuses the thread: a signal only sets the token, and the next one ends the
// program by the system's own hand.
void handle_without_thread(const sigset_t& signals) {
    struct sigaction action {};
    action.sa_handler = [](int) { state().token.cancel(); };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : handled_signals)
        if (sigismember(&signals, signal)) sigaction(signal, &action, nullptr);
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

bool ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

const CancelToken& handle_interrupts() {
    const CancelToken& token = state().token;
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : handled_signals)
        if (!ignored(signal)) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    try {
        std::thread(wait_for_signals, signals).detach();
    } catch (const std::system_error&) {
        handle_without_thread(signals);
    }
    // Whoever reads stderr may go; the job goes on.
    signal(SIGPIPE, SIG_IGN);
    // A file that grows beyond the limit of its size is then an error of write(), not the end.
    signal(SIGXFSZ, SIG_IGN);
    return token;
}

void keep_files(const std::filesystem::path& folder, std::int64_t count) {
    const std::lock_guard lock(state().mutex);
    state().kept[folder] += count;
}

std::string cancelled_text() {
    const std::lock_guard lock(state().mutex);
    return text_of_kept();
}

DisposableWork::DisposableWork() {
    const std::lock_guard lock(state().mutex);
    ++state().disposable;
}
DisposableWork::~DisposableWork() {
    const std::lock_guard lock(state().mutex);
    --state().disposable;
}

}  // namespace tesela::cli
