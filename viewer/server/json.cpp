#include "viewer/server/json.h"

#include <algorithm>

#include "viewer/server/message.h"

namespace tesela::viewer {
namespace {

const Json* find(const Json& object, std::string_view key) {
    const auto found = object.find(std::string(key));
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

Refused wrong(std::string_view key, const std::string& reason) {
    return {400, "'" + std::string(key) + "' " + reason, std::string(key)};
}

const Json& require(const Json& object, std::string_view key) {
    const Json* value = find(object, key);
    if (!value) throw wrong(key, "is missing");
    return *value;
}

const std::string& string_of(const Json& value, std::string_view key) {
    if (!value.is_string()) throw wrong(key, "must be a text");
    return value.get_ref<const std::string&>();
}

}  // namespace

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse_object(const std::string& text) {
    constexpr int deepest = 64;
    bool is_too_deep = false;
    const Json::parser_callback_t look = [&](int depth, Json::parse_event_t, Json&) {
        is_too_deep |= depth > deepest;
        return !is_too_deep;
    };
    Json json = Json::parse(text, look, false);
    if (is_too_deep) throw Refused(400, "the JSON of the request is nested too deeply");
    if (!json.is_object()) throw Refused(400, "the body of the request must be a JSON object");
    return json;
}

std::string string_in(const Json& object, std::string_view key) {
    return string_of(require(object, key), key);
}

std::optional<std::string> find_string(const Json& object, std::string_view key) {
    const Json* value = find(object, key);
    if (!value) return {};
    return string_of(*value, key);
}

bool flag_in(const Json& object, std::string_view key, bool absent) {
    const Json* value = find(object, key);
    if (!value) return absent;
    if (!value->is_boolean()) throw wrong(key, "must be true or false");
    return value->get<bool>();
}

std::int64_t whole_in(const Json& object, std::string_view key, std::int64_t lowest,
                      std::int64_t highest) {
    const Json& value = require(object, key);
    if (!value.is_number_integer()) throw wrong(key, "must be a whole number");
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{1} << 62)
        throw wrong(key, "is too large");
    const auto number = value.get<std::int64_t>();
    if (number < lowest || number > highest)
        throw wrong(key, "is " + std::to_string(number) + "; it must be " + std::to_string(lowest) +
                             " to " + std::to_string(highest));
    return number;
}

void allow_keys(const Json& object, std::initializer_list<std::string_view> keys) {
    for (const auto& [key, value] : object.items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            throw wrong(key, "is no part of this request");
}

}  // namespace tesela::viewer
