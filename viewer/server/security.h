// Who may ask the server what.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/server/message.h"

namespace tesela::viewer {

struct Guard {
    std::string token;
    std::vector<std::string> hosts = {};    // beside the names of loopback
    std::vector<std::string> origins = {};  // beside the server's own
    bool read_only = false;
};

// 128 random bits of the system as 32 hexadecimal digits.
std::string new_token();

// What a request is answered whose head already shows that it must not be served: a `Host` that is
// not the server's (421), no token or a wrong one (401), a change that another site's page asks
// for, or any where nothing may be changed (403), another method (405). The token is compared in a
// time that does not depend on it.
std::optional<Response> refusal(const Request& head, const Guard& guard);

}  // namespace tesela::viewer
