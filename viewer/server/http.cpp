#include "viewer/server/http.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <exception>

#include "tesela/error.h"
#include "viewer/server/connection.h"

namespace tesela::viewer {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t quick_threads = 3, slow_threads = 2;

}  // namespace

class HttpServer::Implementation {
  public:
    Implementation(const HttpSettings& settings, HttpHandlers handlers)
        : shared_{settings, std::move(handlers), 0, &quick_, &slow_, &tiles_, false} {
        const tcp::endpoint place(asio::ip::address_v4::loopback(), settings.port);
        boost::system::error_code error;
        acceptor_.open(place.protocol(), error);
        if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
        if (!error) acceptor_.bind(place, error);
        if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
        if (error)
            throw InvalidArgument("--port: port " + std::to_string(settings.port) +
                                  " cannot be had (" + error.message() +
                                  "): name another one, or 0 for one that is free");
    }
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    void run(const CancelToken& token) {
        accept();
        look_for_end(token);
        for (;;) try {
                io_.run();
                return;
            } catch (const std::exception&) {  // for want of memory: one connection is lost
            }
    }

  private:
    void accept() {
        acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
            if (error == asio::error::operation_aborted) return;
            // Where there are too many, or no descriptor is left, the client is let go.
            if (!error && shared_.connections < shared_.settings.limits.connections)
                std::make_shared<Connection>(std::move(socket), shared_)->start();
            if (!error) return accept();
            pause_.expires_after(std::chrono::milliseconds(100));
            pause_.async_wait([this](const boost::system::error_code&) { accept(); });
        });
    }
    void look_for_end(const CancelToken& token) {
        if (token.cancelled()) {
            shared_.is_ending = true;
            return io_.stop();
        }
        timer_.expires_after(std::chrono::milliseconds(50));
        timer_.async_wait(
            [this, &token](const boost::system::error_code&) { look_for_end(token); });
    }

    // Answers on their way have connections, which belong to the context and count in `shared_`.
    HttpShared shared_;
    asio::io_context io_{1};
    tcp::acceptor acceptor_{io_};
    asio::steady_timer timer_{io_}, pause_{io_};
    asio::thread_pool quick_{quick_threads}, slow_{slow_threads}, tiles_{tile_threads};
};

HttpServer::HttpServer(const HttpSettings& settings, HttpHandlers handlers)
    : implementation_(std::make_unique<Implementation>(settings, std::move(handlers))) {}
HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const { return implementation_->port(); }
void HttpServer::run(const CancelToken& token) { implementation_->run(token); }

}  // namespace tesela::viewer
