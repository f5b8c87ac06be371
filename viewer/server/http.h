// A small HTTP/1.1 server on the loopback: listener, connections and their limits. It knows nothing
// of what it serves.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tesela/progress.h"
#include "viewer/server/events.h"
#include "viewer/server/message.h"

namespace tesela::viewer {

constexpr int tile_threads = 3;  // that answer requests for tiles

// What a client may cost. A connection that takes longer is cut.
struct HttpLimits {
    std::chrono::milliseconds head{10'000};  // until the head of the first request is there
    std::chrono::milliseconds idle{75'000};  // until that of a further one is
    std::chrono::milliseconds body{60'000};
    std::chrono::milliseconds write{30'000};  // and a second for each 64 KiB
    std::chrono::milliseconds ping{15'000};   // between events, where there are none
    std::size_t largest_head = 16 << 10, largest_body = 16 << 20;
    std::int64_t connections = 256;
};

// What answers. Called from several threads at once, but for `refuse`.
struct HttpHandlers {
    // Looks at a head, before the body is read. It has to be quick: no other socket is served
    // meanwhile.
    std::function<std::optional<Response>(const Request& head)> refuse;
    // Whether the answer takes long, and so must not hold up others.
    std::function<bool(const Request&)> is_slow;
    std::function<void(const Request&, const Respond&)> answer;
    // Of a request for events. Throws Refused.
    std::function<std::shared_ptr<EventStream>(const Request&)> events;
};

struct HttpSettings {
    std::uint16_t port = 0;      // 0: one that is free
    std::string base_path = {};  // "/user/me/proxy/8080", which requests may begin with
    HttpLimits limits = {};
};

class HttpServer {
  public:
    // Listens from now on. Throws Error where the port cannot be had.
    HttpServer(const HttpSettings& settings, HttpHandlers handlers);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::uint16_t port() const;
    // Serves until the token is cancelled.
    void run(const CancelToken& token);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace tesela::viewer
