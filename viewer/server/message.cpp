#include "viewer/server/message.h"

#include <algorithm>
#include <charconv>
#include <new>
#include <optional>

#include "tesela/error.h"

namespace tesela::viewer {
namespace {

int status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument:
            return 400;
        case ErrorCode::unreadable_input:
        case ErrorCode::unsupported_format:
        case ErrorCode::too_narrow:
            return 422;
        case ErrorCode::device_unavailable:
            return 503;
        case ErrorCode::out_of_memory:
            return 507;
        default:
            return 500;
    }
}

int hexadecimal(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Nothing for what is no text: a broken escape, or a control character.
std::optional<std::string> decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            if (i + 2 >= text.size()) return {};
            const int high = hexadecimal(text[i + 1]), low = hexadecimal(text[i + 2]);
            if (high < 0 || low < 0) return {};
            c = static_cast<char>(16 * high + low);
            i += 2;
        }
        if (const auto code = static_cast<unsigned char>(c); code < 0x20 || code == 0x7f) return {};
        plain += c;
    }
    return plain;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

}  // namespace

bool parse_target(std::string_view target, Request& request) {
    if (!target.starts_with('/')) return false;
    const std::size_t question = target.find('?');
    for (const std::string_view part : split(target.substr(1, question - 1), '/')) {
        auto plain = decoded(part);
        if (!plain) return false;
        request.path.push_back(std::move(*plain));
    }
    if (question == std::string_view::npos) return true;
    for (const std::string_view pair : split(target.substr(question + 1), '&')) {
        if (pair.empty()) continue;
        const std::size_t equals = std::min(pair.find('='), pair.size());
        auto key = decoded(pair.substr(0, equals));
        auto value = decoded(pair.substr(std::min(equals + 1, pair.size())));
        if (!key || !value || !request.query.emplace(*key, *value).second) return false;
    }
    return true;
}

void leave_out_base(std::string_view base_path, Request& request) {
    if (base_path.empty()) return;
    const auto base = split(base_path.substr(1), '/');
    if (request.path.size() > base.size() &&
        std::equal(base.begin(), base.end(), request.path.begin()))
        request.path.erase(request.path.begin(),
                           request.path.begin() + static_cast<std::ptrdiff_t>(base.size()));
}

Response json_response(const Json& json, int status) {
    return {status, "application/json", text_of(json)};
}

Response error_response(int status, std::string_view sentence, std::string_view field) {
    Json json{{"error", sentence}};
    if (!field.empty()) json["field"] = field;
    return json_response(json, status);
}

Refused nothing_here() { return {404, "there is nothing at this address"}; }
Refused other_method() { return {405, "this address has no such method"}; }

std::optional<int> number_of(const std::string& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1) return {};
    return number;
}

int number_in(const Request& request) {
    const auto number = number_of(request.path[2]);
    if (!number) throw nothing_here();
    return *number;
}

std::optional<Response> failure_of(const std::function<void()>& work) {
    try {
        work();
        return {};
    } catch (const Refused& refused) {
        return error_response(refused.status(), refused.what(), refused.field());
    } catch (const Error& error) {
        return error_response(status_of(error.code()), error.what());
    } catch (const std::bad_alloc&) {
        return error_response(507, "this machine has not enough memory for that");
    } catch (const std::exception& error) {
        return error_response(500, error.what());
    }
}

}  // namespace tesela::viewer
