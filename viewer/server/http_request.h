// From the bytes of a connection to a request. What HTTP itself or a limit does not allow is
// refused here. Nothing here knows a socket.
#pragma once

#include <boost/beast/core/error.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <variant>

#include "viewer/server/http.h"
#include "viewer/server/message.h"

namespace tesela::viewer {

using HttpParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

// In place of the parser of the request before: one that keeps to the limits.
void begin_request(std::optional<HttpParser>& parser, const HttpLimits& limits);

// What is answered where a head could not be read; nothing: the connection has ended.
std::optional<Response> refusal_of(const boost::beast::error_code& error, const HttpLimits& limits);

// The request that a head begins, or what it is answered where it is none.
std::variant<Request, Response> request_of(const HttpParser& parser, const HttpSettings& settings);

}  // namespace tesela::viewer
