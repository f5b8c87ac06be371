// What happens, told to every page that listens (server-sent events).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/server/json.h"

namespace tesela::viewer {

// The events of one page that it has not been sent yet. From any thread.
class EventStream {
  public:
    // What a page that reads no more may leave unread.
    static constexpr std::size_t most_unread = std::size_t{8} << 20;

    void put(const std::string& text);
    // Takes what there is; empty: nothing.
    std::string take();
    // The page has left too much unread: it has missed events.
    bool is_lost() const;
    // Called after each `put`, until it is taken away.
    void on_text(std::function<void()> wake);

  private:
    mutable std::mutex mutex_;
    std::string unread_;
    bool is_lost_ = false;
    std::function<void()> wake_;
};

class Events {
  public:
    static constexpr std::size_t most_streams = 64;

    // Goes to the streams that there are, in the order of the calls.
    void publish(std::string_view name, const Json& data);
    // A stream from now on, which begins with `first`. It ends when nobody has it any more. Throws
    // Refused (503) where there are too many.
    std::shared_ptr<EventStream> open(const std::string& first);

    // How long nobody has listened any more; 0 where nobody ever has.
    std::chrono::milliseconds unheard();

    // From now on nothing is told: what sends the streams is about to go.
    void close();

    // "event: NAME\ndata: {...}\n\n"
    static std::string text(std::string_view name, const Json& data);

  private:
    using Clock = std::chrono::steady_clock;

    void drop_closed();

    std::mutex mutex_;
    std::vector<std::weak_ptr<EventStream>> streams_;
    std::optional<Clock::time_point> heard_;  // when there last was one
};

}  // namespace tesela::viewer
