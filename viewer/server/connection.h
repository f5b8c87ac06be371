// One connection: a request after the other, or a stream of events.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <optional>
#include <string>

#include "viewer/server/http.h"
#include "viewer/server/http_request.h"

namespace tesela::viewer {

// What connections share. A connection ends where it is let go of last, which may be a thread that
// has answered.
struct HttpShared {
    HttpSettings settings;
    HttpHandlers handlers;
    std::atomic<std::int64_t> connections = 0;
    boost::asio::thread_pool *quick, *slow, *tiles;
    std::atomic<bool> is_ending = false;  // nothing is sent any more
};

class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(boost::asio::ip::tcp::socket socket, HttpShared& shared);
    ~Connection() { --shared_.connections; }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void start() { read_head(); }

  private:
    using Error = boost::beast::error_code;
    using Message = boost::beast::http::response<boost::beast::http::string_body>;

    void read_head();
    void take_head(const Error& error);
    void read_body(Request request);
    void answer(Request request);
    // Whether the client has closed its side, or the server ends. To be asked while it waits for an
    // answer, when the socket is nobody else's.
    bool is_gone();
    void send(Response response, bool close);
    void close();
    void close_when_heard();
    void drop_bytes();

    void begin_events(const Request& request);
    void send_events();
    void wait_for_ping();

    const HttpLimits& limits() const { return shared_.settings.limits; }

    boost::beast::tcp_stream stream_;
    HttpShared& shared_;
    boost::beast::flat_buffer buffer_;
    std::optional<HttpParser> parser_;
    std::optional<Message> message_;
    bool is_first_ = true;

    std::shared_ptr<EventStream> events_;
    std::string sent_;  // events on their way
    bool is_sending_ = false;
    boost::asio::steady_timer ping_;
};

}  // namespace tesela::viewer
