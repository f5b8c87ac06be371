#include "viewer/server/connection.h"

#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <utility>

namespace tesela::viewer {

namespace asio = boost::asio;
namespace http = boost::beast::http;

Connection::Connection(asio::ip::tcp::socket socket, HttpShared& shared)
    : stream_(std::move(socket)), shared_(shared), ping_(stream_.get_executor()) {
    ++shared_.connections;
    Error ignored;
    stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
}

void Connection::read_head() {
    begin_request(parser_, limits());
    stream_.expires_after(std::exchange(is_first_, false) ? limits().head : limits().idle);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](const Error& error, std::size_t) { self->take_head(error); });
}

void Connection::take_head(const Error& error) {
    if (error) {
        auto refused = refusal_of(error, limits());
        return refused ? send(std::move(*refused), true) : close();
    }
    auto head = request_of(*parser_, shared_.settings);
    if (auto* wrong = std::get_if<Response>(&head)) return send(std::move(*wrong), true);
    Request& request = std::get<Request>(head);
    if (auto refused = shared_.handlers.refuse(request))
        return send(std::move(*refused), !parser_->is_done());
    if (request.is_events()) return begin_events(request);
    if (parser_->is_done()) return answer(std::move(request));
    read_body(std::move(request));
}

void Connection::read_body(Request request) {
    stream_.expires_after(limits().body);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this(), request = std::move(request)](
                         const Error& error, std::size_t) mutable {
                         if (error) return self->close();
                         request.body = std::move(self->parser_->get().body());
                         self->answer(std::move(request));
                     });
}

void Connection::answer(Request request) {
    stream_.expires_never();
    asio::thread_pool* pool = request.is_tile()                   ? shared_.tiles
                              : shared_.handlers.is_slow(request) ? shared_.slow
                                                                  : shared_.quick;
    asio::post(*pool, [self = shared_from_this(), request = std::move(request)]() mutable {
        // Pages cancel what they do not show any more, by closing the connection.
        if (request.is_tile() && self->is_gone()) {
            const auto executor = self->stream_.get_executor();
            return asio::post(executor, [self = std::move(self)] { self->close(); });
        }
        if (request.is_tile())
            request.is_gone = [&connection = *self] { return connection.is_gone(); };
        self->shared_.handlers.answer(request, [self](Response response) {
            asio::post(self->stream_.get_executor(),
                       [self, answer = std::make_shared<Response>(std::move(response))] {
                           self->send(std::move(*answer), false);
                       });
        });
    });
}

bool Connection::is_gone() {
    if (shared_.is_ending) return true;
    char next = 0;
    const auto got = recv(stream_.socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno == ECONNRESET);
}

void Connection::send(Response response, bool close_after) {
    const bool keep_alive =
        parser_->is_header_done() && parser_->get().keep_alive() && !close_after;
    const std::int64_t kibibytes = static_cast<std::int64_t>(response.body.size() >> 10);
    const unsigned version = parser_->is_header_done() ? parser_->get().version() : 11;
    message_.emplace(static_cast<http::status>(response.status), version);
    message_->set(http::field::content_type, response.type);
    message_->set("X-Content-Type-Options", "nosniff");
    message_->set("Referrer-Policy", "no-referrer");
    message_->set("Cross-Origin-Resource-Policy", "same-origin");
    message_->set(http::field::cache_control, "no-store");
    for (const auto& [name, value] : response.headers) message_->set(name, value);
    message_->keep_alive(keep_alive);
    message_->body() = std::move(response.body);
    message_->prepare_payload();
    stream_.expires_after(limits().write + std::chrono::seconds(kibibytes / 64));
    http::async_write(stream_, *message_,
                      [self = shared_from_this(), keep_alive](const Error& error, std::size_t) {
                          if (error) return self->close();
                          if (!keep_alive) return self->close_when_heard();
                          self->read_head();
                      });
}

void Connection::close() {
    if (events_) events_->on_text({});
    ping_.cancel();
    stream_.close();
}

// A socket that is closed with bytes unread takes back what was sent last. So the client's are read
// for a while, and dropped.
void Connection::close_when_heard() {
    Error ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    stream_.expires_after(std::chrono::seconds(2));
    drop_bytes();
}

void Connection::drop_bytes() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(std::size_t{1} << 16),
                            [self = shared_from_this()](const Error& error, std::size_t) {
                                if (error) return self->close();
                                self->drop_bytes();
                            });
}

void Connection::begin_events(const Request& request) {
    try {
        events_ = shared_.handlers.events(request);
    } catch (const Refused& refused) {
        return send(error_response(refused.status(), refused.what(), refused.field()), true);
    }
    sent_ =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nX-Accel-Buffering: no\r\nConnection: close\r\n\r\n";
    const std::weak_ptr<Connection> weak = weak_from_this();
    events_->on_text([weak, executor = stream_.get_executor()] {
        asio::post(executor, [weak] {
            if (const auto self = weak.lock()) self->send_events();
        });
    });
    wait_for_ping();
    send_events();
}

// The stream is its own owner: while nothing is sent, the timer of pings keeps it.
void Connection::send_events() {
    if (is_sending_) return;
    if (events_->is_lost()) return close();
    sent_ += events_->take();
    if (sent_.empty()) return;
    is_sending_ = true;
    stream_.expires_after(limits().write);
    asio::async_write(stream_, asio::buffer(sent_),
                      [self = shared_from_this()](const Error& error, std::size_t) {
                          self->is_sending_ = false;
                          self->sent_.clear();
                          if (error) return self->close();
                          self->stream_.expires_never();
                          self->send_events();
                      });
}

void Connection::wait_for_ping() {
    ping_.expires_after(limits().ping);
    ping_.async_wait([self = shared_from_this()](const Error& error) {
        if (error || !self->stream_.socket().is_open()) return;
        self->events_->put(Events::text("ping", Json::object()));
        self->wait_for_ping();
    });
}

}  // namespace tesela::viewer
