#include "io/decode_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace tesela::io {

// Defined by programs that are built with the installed package, whose place it knows.
[[gnu::weak]] const char* installed_decode_helper();

namespace {

using Clock = std::chrono::steady_clock;

fs::path helper_path() {
    if (const char* chosen = std::getenv("TESELA_DECODE_HELPER")) return chosen;
    if (installed_decode_helper) return installed_decode_helper();
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    return (program.parent_path() / TESELA_DECODE_HELPER_FROM_PROGRAM).lexically_normal();
}

// Times before which a process that sends or takes nothing more is given up.
class Deadline {
  public:
    explicit Deadline(std::chrono::seconds from_now) : end_(Clock::now() + from_now) {}

    // Waits for the socket to be ready for `events`; false at the deadline.
    bool wait(int socket, short events) const {
        for (;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now());
            pollfd entry{socket, events, 0};
            const int ready = poll(&entry, 1, static_cast<int>(std::max<long>(left.count(), 0)));
            if (ready > 0) return true;
            if (ready == 0 || errno != EINTR) return false;
        }
    }

  private:
    Clock::time_point end_;
};

enum class Transfer { done, closed, late };

// Moves all bytes through `move`, a send or recv that does not wait.
template <class Byte, class Move>
Transfer transfer(int socket, std::span<Byte> bytes, short events, const Deadline& deadline,
                  Move move) {
    while (!bytes.empty()) {
        const ssize_t moved = move(socket, bytes.data(), bytes.size());
        if (moved > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(moved));
        else if (moved == 0 || (errno != EAGAIN && errno != EINTR))
            return Transfer::closed;
        else if (errno == EAGAIN && !deadline.wait(socket, events))
            return Transfer::late;
    }
    return Transfer::done;
}

Transfer send_all(int socket, std::span<const std::uint8_t> bytes, const Deadline& deadline) {
    return transfer(socket, bytes, POLLOUT, deadline, [](int to, const void* data, std::size_t n) {
        return send(to, data, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    });
}
Transfer receive_all(int socket, std::span<std::uint8_t> bytes, const Deadline& deadline) {
    return transfer(socket, bytes, POLLIN, deadline, [](int from, void* data, std::size_t n) {
        return recv(from, data, n, MSG_DONTWAIT);
    });
}

template <class Struct>
std::span<const std::uint8_t> bytes_of(const Struct& value) {
    return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

UnreadableInput damaged(const fs::path& shown, const std::string& reason) {
    return unreadable(shown, "its compressed pixels are damaged (" + printable(reason) + ")");
}

void require(Transfer transfer, const fs::path& shown) {
    if (transfer == Transfer::closed) throw damaged(shown, "they stopped the decoder");
    if (transfer == Transfer::late) throw damaged(shown, "the decoder took too long");
}

// All signals at their defaults and let through, and a group of its own: an interrupt from the
// terminal is for the program that waits, not for the decoder.
class SpawnAttributes {
  public:
    SpawnAttributes() {
        posix_spawnattr_init(&attributes_);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setflags(
            &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
    SpawnAttributes(const SpawnAttributes&) = delete;
    SpawnAttributes& operator=(const SpawnAttributes&) = delete;

    const posix_spawnattr_t* get() const { return &attributes_; }

  private:
    posix_spawnattr_t attributes_;
};

// The socket becomes the standard input; output goes nowhere, and no other file stays open.
class SpawnFiles {
  public:
    explicit SpawnFiles(int socket) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_adddup2(&actions_, socket, STDIN_FILENO);
        posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
        posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    }
    ~SpawnFiles() { posix_spawn_file_actions_destroy(&actions_); }
    SpawnFiles(const SpawnFiles&) = delete;
    SpawnFiles& operator=(const SpawnFiles&) = delete;

    const posix_spawn_file_actions_t* get() const { return &actions_; }

  private:
    posix_spawn_file_actions_t actions_;
};

}  // namespace

void DecodeClient::start(const fs::path& shown) {
    const fs::path helper = helper_path();
    if (access(helper.c_str(), X_OK) != 0)
        throw unreadable(shown,
                         "its pixels are compressed, and the program that decodes them is "
                         "missing: " +
                             quoted(helper) +
                             "; install it there or name it in TESELA_DECODE_HELPER");
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw unreadable(shown, "no socket to the decoder: " + system_reason(errno));
    socket_ = ends[0];
    std::string name = helper.string();
    char* arguments[] = {name.data(), nullptr};
    const SpawnAttributes attributes;
    const SpawnFiles files(ends[1]);
    const int error =
        posix_spawn(&process_, name.c_str(), files.get(), attributes.get(), arguments, environ);
    close(ends[1]);
    if (error == 0) return;
    process_ = -1;
    stop();
    throw unreadable(shown,
                     "the decoder " + quoted(helper) + " does not start: " + system_reason(error));
}

// Between images the helper ends by itself when the socket closes. It is killed only while it is
// known to be there: where the program ignores SIGCHLD or waits for any child, its number may
// belong to another process by now.
void DecodeClient::stop() noexcept {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
    if (process_ < 0) return;
    if (waitpid(process_, nullptr, WNOHANG) == 0) {
        kill(process_, SIGKILL);
        while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    process_ = -1;
}

std::vector<std::uint8_t> DecodeClient::decode(const fs::path& shown, DecodeRequest request,
                                               std::span<const std::uint8_t> file) {
    // Ten times what the slowest of the codecs takes on a slow machine.
    constexpr std::uint64_t bytes_a_second = 1'000'000;
    request.cpu_seconds = static_cast<std::int32_t>(4 + request.pixel_bytes() / bytes_a_second);
    request.file_bytes = file.size();
    const Deadline deadline(std::chrono::seconds(2 * request.cpu_seconds + 1));
    try {
        if (process_ < 0) start(shown);
        require(send_all(socket_, bytes_of(request), deadline), shown);
        require(send_all(socket_, file, deadline), shown);
        DecodeReply reply;
        std::array<std::uint8_t, sizeof reply> raw;
        require(receive_all(socket_, raw, deadline), shown);
        std::memcpy(&reply, raw.data(), sizeof reply);
        const bool done = reply.status == DecodeStatus::pixels;
        if (reply.mark != reply_mark ||
            (done ? reply.bytes != request.pixel_bytes()
                  : reply.status != DecodeStatus::failed || reply.bytes > longest_reason))
            throw damaged(shown, "the decoder's answer makes no sense");
        std::vector<std::uint8_t> bytes(reply.bytes);
        require(receive_all(socket_, bytes, deadline), shown);
        if (!done) throw damaged(shown, std::string(bytes.begin(), bytes.end()));
        return bytes;
    } catch (...) {
        stop();
        throw;
    }
}

}  // namespace tesela::io
