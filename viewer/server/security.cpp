#include "viewer/server/security.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <system_error>

namespace tesela::viewer {
namespace {

// "[::1]" of "[::1]:8080", in lower case.
std::string name_of_host(std::string_view host) {
    const std::size_t bracket = host.rfind(']');
    const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
    std::string name(host.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

bool holds(const std::vector<std::string>& list, std::string_view text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

// A name that leads to a foreign machine today may lead here tomorrow: a page of that name would
// then be of one origin with this server.
bool is_own_host(std::string_view host, const Guard& guard) {
    const std::string name = name_of_host(host);
    return name == "localhost" || name == "127.0.0.1" || name == "[::1]" ||
           holds(guard.hosts, name) || holds(guard.hosts, host);
}

bool is_own_origin(const Request& head, const Guard& guard) {
    return head.origin == "http://" + head.host || holds(guard.origins, head.origin);
}

bool is_same(std::string_view given, std::string_view secret) {
    unsigned different = given.size() != secret.size();
    for (std::size_t i = 0; i < secret.size(); ++i)
        different |= static_cast<unsigned char>(secret[i]) ^
                     static_cast<unsigned char>(i < given.size() ? given[i] : 0);
    return different == 0;
}

}  // namespace

std::string new_token() {
    std::array<unsigned char, 16> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::system_error(errno, std::generic_category(), "no random numbers");
    std::string token;
    for (const unsigned char byte : bytes) {
        token += "0123456789abcdef"[byte >> 4];
        token += "0123456789abcdef"[byte & 15];
    }
    return token;
}

std::optional<Response> refusal(const Request& head, const Guard& guard) {
    if (!is_own_host(head.host, guard))
        return error_response(421, "this server answers to localhost; name others by --allow-host");
    const bool changes = head.method == "POST" || head.method == "DELETE";
    if (head.method != "GET" && !changes)
        return error_response(405, "the methods of this server are GET, POST and DELETE");
    if (!head.is_api()) {
        if (changes) return error_response(405, "the page is read by GET");
        return {};
    }
    if (!is_same(head.token, guard.token))
        return error_response(401,
                              "the token is missing or wrong: open the address that 'tesela "
                              "view' printed");
    if (!changes) return {};
    if (!is_own_origin(head, guard))
        return error_response(403,
                              "changes are made by the viewer's own page; name other origins "
                              "by --allow-origin");
    if (guard.read_only && !head.is_view())
        return error_response(403, "this viewer is read-only: start it without --read-only");
    return {};
}

}  // namespace tesela::viewer
