#include "client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "sanitized.h"

namespace tesela::viewer::testing {
namespace {

constexpr std::chrono::milliseconds patience{static_cast<int>(10'000 * tesela::testing::patience)};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

Socket::Socket(std::uint16_t port) : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("no connection to port " + std::to_string(port));
}

Socket::~Socket() { close(descriptor_); }

bool Socket::send(std::string_view text) const {
    while (!text.empty()) {
        const ssize_t sent = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void Socket::end() const { shutdown(descriptor_, SHUT_WR); }

std::optional<std::string> Socket::receive(std::chrono::milliseconds longest) const {
    pollfd wanted{descriptor_, POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>(longest.count())) <= 0) return {};
    std::string part(std::size_t{1} << 16, '\0');
    const ssize_t got = recv(descriptor_, part.data(), part.size(), 0);
    part.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return part;
}

std::string Socket::receive_all(std::chrono::milliseconds longest) const {
    const auto end = std::chrono::steady_clock::now() + longest;
    std::string all;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
        if (left.count() <= 0) return all;
        const auto part = receive(left);
        if (!part || part->empty()) return all;
        all += *part;
    }
}

Answer parsed(const std::string& text) {
    const std::size_t end = text.find("\r\n\r\n");
    if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos) return {};
    Answer answer{std::stoi(text.substr(9, 3)), {}, text.substr(end + 4)};
    for (std::size_t begin = text.find("\r\n") + 2; begin < end;) {
        const std::size_t line_end = text.find("\r\n", begin);
        const std::string line = text.substr(begin, line_end - begin);
        const std::size_t colon = line.find(": ");
        answer.headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
        begin = line_end + 2;
    }
    return answer;
}

std::string Client::request(const std::string& method, const std::string& target,
                            const std::string& body, const Headers& headers) const {
    const std::string own = "127.0.0.1:" + std::to_string(port_);
    Headers all{{"Host", own}, {"X-Tesela-Token", token_}, {"Connection", "close"}};
    if (method != "GET") all["Origin"] = "http://" + own;
    if (!body.empty()) all["Content-Length"] = std::to_string(body.size());
    for (const auto& [name, value] : headers) all[name] = value;
    std::string text = method + " " + target + " HTTP/1.1\r\n";
    for (const auto& [name, value] : all)
        if (!value.empty()) text += name + ": " + value + "\r\n";
    return text + "\r\n" + body;
}

Answer Client::ask(const std::string& method, const std::string& target, const std::string& body,
                   const Headers& headers) const {
    const Socket socket(port_);
    socket.send(request(method, target, body, headers));
    return parsed(socket.receive_all(patience));
}

EventReader::EventReader(const Client& client) : socket_(client.port()) {
    socket_.send(client.request("GET", "/api/events", ""));
    while (unread_.find("\r\n\r\n") == std::string::npos) {
        const auto part = socket_.receive(patience);
        if (!part || part->empty()) throw std::runtime_error("no stream of events: " + unread_);
        unread_ += *part;
    }
    const std::size_t end = unread_.find("\r\n\r\n") + 4;
    head_ = unread_.substr(0, end);
    unread_.erase(0, end);
}

Event EventReader::next() {
    std::size_t end = 0;
    while ((end = unread_.find("\n\n")) == std::string::npos) {
        const auto part = socket_.receive(patience);
        if (!part || part->empty()) throw std::runtime_error("no further event");
        unread_ += *part;
    }
    const std::string text = unread_.substr(0, end);
    unread_.erase(0, end + 2);
    const std::size_t line = text.find('\n');
    seen_.push_back({text.substr(7, line - 7), Json::parse(text.substr(line + 7))});
    return seen_.back();
}

Json EventReader::until(int job, const std::vector<std::string>& states) {
    for (;;) {
        const Event event = next();
        if (event.name == "job" && event.data.at("job") == job &&
            std::find(states.begin(), states.end(), event.data.at("state")) != states.end())
            return event.data;
    }
}

Json EventReader::until(const std::string& name) {
    for (;;) {
        const Event event = next();
        if (event.name == name) return event.data;
    }
}

}  // namespace tesela::viewer::testing
