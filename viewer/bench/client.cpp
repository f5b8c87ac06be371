#include "viewer/bench/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "tesela/error.h"

namespace tesela::viewer::bench {
namespace {

Error broken(const std::string& what) {
    return {ErrorCode::unreadable_input, "the viewer's server " + what};
}

}  // namespace

Client::Client(const Place& place)
    : place_(place), socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(place.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const timeval patience{60, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
    close(socket_);
    throw broken("does not listen");
}

Client::~Client() {
    if (socket_ >= 0) close(socket_);
}

Client::Client(Client&& other) noexcept
    : place_(std::move(other.place_)),
      socket_(std::exchange(other.socket_, -1)),
      unread_(std::move(other.unread_)) {}

void Client::send(const std::string& method, const std::string& address, const std::string& body) {
    const std::string host = "127.0.0.1:" + std::to_string(place_.port);
    std::string text = method + " /api/" + address + " HTTP/1.1\r\nHost: " + host +
                       "\r\nX-Tesela-Token: " + place_.token + "\r\nOrigin: http://" + host +
                       "\r\nAccept-Encoding: gzip\r\n";
    if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    text += "\r\n" + body;
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t count = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) throw broken("closed the connection");
        sent += static_cast<std::size_t>(count);
    }
}

void Client::receive() {
    std::array<char, 1 << 16> part;
    const ssize_t count = recv(socket_, part.data(), part.size(), 0);
    if (count <= 0) throw broken("has not answered");
    unread_.append(part.data(), static_cast<std::size_t>(count));
}

std::string Client::read_head() {
    std::size_t end = 0;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos) receive();
    std::string head = unread_.substr(0, end + 2);
    unread_.erase(0, end + 4);
    return head;
}

std::string Client::ask(const std::string& method, const std::string& address,
                        const std::string& body) {
    send(method, address, body);
    const std::string head = read_head();
    const std::size_t at = head.find("Content-Length: ");
    if (at == std::string::npos) throw broken("has sent no length");
    const auto length =
        static_cast<std::size_t>(std::strtoull(head.c_str() + at + 16, nullptr, 10));
    while (unread_.size() < length) receive();
    std::string answer = unread_.substr(0, length);
    unread_.erase(0, length);
    if (head.compare(9, 1, "2") != 0)
        throw broken("refused " + method + " api/" + address + ": " + answer);
    return answer;
}

void Client::listen() {
    send("GET", "events", "");
    read_head();
}

Json Client::until(int job, const std::vector<std::string>& states) {
    for (;;) {
        std::size_t end = 0;
        while ((end = unread_.find("\n\n")) == std::string::npos) receive();
        const std::string event = unread_.substr(0, end);
        unread_.erase(0, end + 2);
        if (!event.starts_with("event: job\n")) continue;
        Json data = Json::parse(event.substr(event.find("data: ") + 6));
        if (data.at("job") == job &&
            std::find(states.begin(), states.end(), data.at("state")) != states.end())
            return data;
    }
}

}  // namespace tesela::viewer::bench
