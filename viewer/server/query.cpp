#include "viewer/server/query.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace tesela::viewer {
namespace {

template <class T>
std::optional<T> find(const Query& query, std::string_view key, const char* what) {
    const auto found = query.find(key);
    if (found == query.end()) return {};
    const std::string& text = found->second;
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        throw Refused(400, std::string(key) + ": '" + text + "' is no " + what, std::string(key));
    return number;
}

}  // namespace

std::optional<std::int64_t> find_whole(const Query& query, std::string_view key) {
    return find<std::int64_t>(query, key, "whole number");
}

std::optional<double> find_number(const Query& query, std::string_view key) {
    const auto number = find<double>(query, key, "number");
    if (number && !std::isfinite(*number))
        throw Refused(400, std::string(key) + " must be a finite number", std::string(key));
    return number;
}

std::int64_t index_in(const Query& query, std::string_view key, std::int64_t count,
                      std::int64_t absent, std::string_view what) {
    const std::int64_t number = find_whole(query, key).value_or(absent);
    if (number >= 0 && number < count) return number;
    throw Refused(400,
                  std::string(key) + " is " + std::to_string(number) + "; " + std::string(what) +
                      " has 0 to " + std::to_string(count - 1),
                  std::string(key));
}

std::int64_t whole_in(const Query& query, std::string_view key, std::int64_t lowest,
                      std::int64_t highest, std::int64_t absent) {
    const std::int64_t number = find_whole(query, key).value_or(absent);
    if (number >= lowest && number <= highest) return number;
    throw Refused(400,
                  std::string(key) + " is " + std::to_string(number) + "; it must be from " +
                      std::to_string(lowest) + " to " + std::to_string(highest),
                  std::string(key));
}

void allow_keys(const Query& query, std::initializer_list<std::string_view> keys) {
    for (const auto& [key, value] : query)
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            throw Refused(400, "'" + key + "' is no part of this request", key);
}

}  // namespace tesela::viewer
