// JSON of the viewer.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "option_types.h"

namespace tesela::viewer {

using cli::Json;

// Text of JSON. Bytes that are no UTF-8, as in names of files, become U+FFFD.
std::string text_of(const Json& json);
// Throws Refused (400) for text that is no JSON object, or is nested too deeply.
Json parse_object(const std::string& text);

// Members of an object. Each throws Refused (400) that names `key` where it is of another type or
// out of range; `find_` ones give nothing where it is not there.
std::string string_in(const Json& object, std::string_view key);
std::optional<std::string> find_string(const Json& object, std::string_view key);
bool flag_in(const Json& object, std::string_view key, bool absent);
std::int64_t whole_in(const Json& object, std::string_view key, std::int64_t lowest,
                      std::int64_t highest);
// Throws Refused (400) for a key that is none of these.
void allow_keys(const Json& object, std::initializer_list<std::string_view> keys);

}  // namespace tesela::viewer
