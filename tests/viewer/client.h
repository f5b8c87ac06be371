// A client of HTTP by plain sockets, which shares no code with the server.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tesela::viewer::testing {

using Json = nlohmann::ordered_json;
using Headers = std::map<std::string, std::string>;

// A connection to a port of this machine. Nothing waits longer than some seconds.
class Socket {
  public:
    explicit Socket(std::uint16_t port);
    ~Socket();
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    // False where the server has closed the connection.
    bool send(std::string_view text) const;
    // Nothing more will be sent.
    void end() const;
    // What comes next; empty: the server has closed it; nothing: not within `patience`.
    std::optional<std::string> receive(std::chrono::milliseconds patience) const;
    // All that comes until the server closes it, or until `patience` is over.
    std::string receive_all(std::chrono::milliseconds patience) const;

  private:
    int descriptor_;
};

struct Answer {
    int status = 0;        // 0: none
    Headers headers = {};  // by names in lower case
    std::string body = {};

    Json json() const { return Json::parse(body); }
    std::string error() const { return json().value("error", ""); }
    std::string field() const { return json().value("field", ""); }
};
Answer parsed(const std::string& text);

// One request, on a connection of its own. Headers of the page go with it, but for those that
// `headers` have, which are left out where they are empty there.
class Client {
  public:
    Client(std::uint16_t port, std::string token) : port_(port), token_(std::move(token)) {}

    Answer get(const std::string& target, const Headers& headers = {}) const {
        return ask("GET", target, "", headers);
    }
    Answer post(const std::string& target, const Json& body, const Headers& headers = {}) const {
        return ask("POST", target, body.dump(), headers);
    }
    Answer remove(const std::string& target, const Headers& headers = {}) const {
        return ask("DELETE", target, "", headers);
    }
    Answer ask(const std::string& method, const std::string& target, const std::string& body,
               const Headers& headers = {}) const;
    // The text of such a request.
    std::string request(const std::string& method, const std::string& target,
                        const std::string& body, const Headers& headers = {}) const;

    std::uint16_t port() const { return port_; }

  private:
    std::uint16_t port_;
    std::string token_;
};

struct Event {
    std::string name;
    Json data;
};

// Reads the events of a viewer one by one.
class EventReader {
  public:
    explicit EventReader(const Client& client);

    // Throws std::runtime_error where none comes in time.
    Event next();
    // The next one of the job that is in one of these states; others are passed over, and kept.
    Json until(int job, const std::vector<std::string>& states);
    // The next one of the name.
    Json until(const std::string& name);
    const std::vector<Event>& seen() const { return seen_; }
    const std::string& head() const { return head_; }

  private:
    Socket socket_;
    std::string head_, unread_;
    std::vector<Event> seen_;
};

}  // namespace tesela::viewer::testing
