// JSON files, within limits of depth and memory.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "io/file.h"
#include "io/json_error.h"

namespace tesela::io {

using Json = nlohmann::ordered_json;  // as people read it

// The library copies and prints by recursion.
inline constexpr int deepest_json = 64;
inline constexpr std::int64_t json_bytes_per_character = 8;  // in memory

// Throws InvalidArgument for what is no valid JSON or nested deeper.
Json parse_json(std::string_view text);
// Of the text of a file. Throws UnreadableInput for what is no valid JSON or nested deeper, and
// OutOfMemory beyond `longest` bytes, or the physical memory where it is 0.
Json parse_json(const fs::path& path, std::string_view text, std::int64_t longest);
// Of a file.
Json read_json(const fs::path& path, std::int64_t longest);

// What `read` makes of a file's JSON. Throws UnreadableInput that names the file for errors of the
// JSON library and InvalidArgument.
template <class Read>
auto from_json(const fs::path& path, const Json& json, const Read& read) {
    try {
        return read(json);
    } catch (const Json::exception& error) {
        throw unreadable(path, printable(json_reason(error)));
    } catch (const InvalidArgument& error) {
        throw unreadable(path, error.what());
    }
}

// The value of what errors call `name`. Throws InvalidArgument for what is no whole number, or none
// of the type T.
template <class T>
T whole_number(const Json& json, const std::string& name) {
    constexpr auto least = std::int64_t{std::numeric_limits<T>::min()};
    constexpr auto most = std::int64_t{std::numeric_limits<T>::max()};
    const bool too_large =
        json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t(most);
    if (!json.is_number_integer() || too_large || json.get<std::int64_t>() < least)
        throw InvalidArgument("'" + name + "' is " +
                              (json.is_number() ? json.dump() : std::string(json.type_name())) +
                              ", not a whole number from " + std::to_string(least) + " to " +
                              std::to_string(most));
    return static_cast<T>(json.get<std::int64_t>());
}
template <class T>
std::vector<T> whole_numbers(const Json& json, const std::string& name) {
    std::vector<T> numbers;
    for (const Json& element : json) numbers.push_back(whole_number<T>(element, name));
    return numbers;
}

}  // namespace tesela::io
