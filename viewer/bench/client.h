// A client of the viewer over plain sockets, one request after the other on a connection that
// stays, as a browser has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viewer/server/json.h"

namespace tesela::viewer::bench {

struct Place {
    std::uint16_t port = 0;
    std::string token = {};
};

class Client {
  public:
    // Throws Error where nobody listens.
    explicit Client(const Place& place);
    ~Client();
    Client(Client&& other) noexcept;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // The body of the response. Throws Error for a status of 400 and more, and where the server is
    // gone.
    std::string get(const std::string& address) { return ask("GET", address, ""); }
    std::string post(const std::string& address, const Json& body) {
        return ask("POST", address, body.dump());
    }
    std::string remove(const std::string& address) { return ask("DELETE", address, ""); }

    // Asks for events, which are all that comes from then on.
    void listen();
    // The data of the next event of the job that tells one of these states.
    Json until(int job, const std::vector<std::string>& states);

  private:
    std::string ask(const std::string& method, const std::string& address, const std::string& body);
    void send(const std::string& method, const std::string& address, const std::string& body);
    std::string read_head();
    void receive();  // more bytes into `unread_`

    Place place_;
    int socket_ = -1;
    std::string unread_;
};

}  // namespace tesela::viewer::bench
