#include "viewer/server/http_request.h"

#include <string>
#include <string_view>
#include <utility>

namespace tesela::viewer {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

std::string text(beast::string_view view) { return {view.data(), view.size()}; }

// Whether gzip is among the encodings, and not with a weight of 0.
bool names_gzip(std::string_view encodings) {
    for (std::size_t at = 0; (at = encodings.find("gzip", at)) != std::string_view::npos; ++at) {
        const std::string_view rest = encodings.substr(at + 4);
        const std::string_view own = rest.substr(0, rest.find(','));
        if (own.find("q=0") == std::string_view::npos || own.find("q=0.") != std::string_view::npos)
            return true;
    }
    return false;
}

}  // namespace

void begin_request(std::optional<HttpParser>& parser, const HttpLimits& limits) {
    parser.emplace();
    parser->header_limit(static_cast<std::uint32_t>(limits.largest_head));
    parser->body_limit(limits.largest_body);
}

std::optional<Response> refusal_of(const beast::error_code& error, const HttpLimits& limits) {
    if (error == http::error::body_limit)
        return error_response(413, "the body of the request is longer than " +
                                       std::to_string(limits.largest_body >> 20) + " MiB");
    if (error == http::error::header_limit)
        return error_response(431, "the head of the request is too long");
    if (error.category() == make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message)
        return error_response(400, "this is no request of HTTP");
    return {};
}

std::variant<Request, Response> request_of(const HttpParser& parser, const HttpSettings& settings) {
    const auto& head = parser.get();
    if (head.count(http::field::transfer_encoding) > 0)
        return error_response(411, "the request has to say its length by Content-Length");
    if (head.count(http::field::host) != 1)
        return error_response(400, "the request has to name one Host");
    Request request{.method = text(head.method_string()),
                    .path = {},
                    .host = text(head[http::field::host]),
                    .origin = text(head[http::field::origin]),
                    .token = text(head["X-Tesela-Token"]),
                    .accepts_gzip = names_gzip(text(head[http::field::accept_encoding]))};
    if (!parse_target(text(head.target()), request))
        return error_response(400, "the address is malformed");
    leave_out_base(settings.base_path, request);
    return request;
}

}  // namespace tesela::viewer
