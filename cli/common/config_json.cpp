// Configuration files that are one JSON object.
#include <fmt/format.h>

#include <set>

#include "config.h"
#include "io/json_error.h"
#include "option_types.h"

namespace tesela::cli {
namespace {

class JsonSettings {
  public:
    explicit JsonSettings(const std::string& file) : file_(file) {}

    // Recursive: the depth was checked before.
    void add(const Json& object, const std::string& section) {
        for (const auto& [name, value] : object.items()) {
            if (value.is_null()) continue;  // stands for "not given"
            if (value.is_object())
                add(value, section.empty() ? name : section + " " + name);
            else
                settings.push_back({section, name, text_of(name, value), 0});
        }
    }

    std::vector<Setting> settings;

  private:
    std::string text_of(const std::string& name, const Json& value) const {
        if (!value.is_array()) return plain_text(name, value);
        std::string text;
        for (const Json& element : value)
            text += (text.empty() ? "" : ",") + plain_text(name, element);
        return text;
    }

    std::string plain_text(const std::string& name, const Json& value) const {
        if (value.is_string()) return value.get<std::string>();
        if (value.is_number() || value.is_boolean()) return value.dump();
        throw wrong_config(
            file_, 0,
            fmt::format("the value of '{}' is no text, number, flag or list of these", name));
    }

    const std::string& file_;
};

}  // namespace

std::vector<Setting> parse_json(const std::string& file, const std::string& text) {
    std::vector<std::set<std::string>> known;  // names in each open object
    const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (depth > static_cast<int>(deepest_nesting))
            throw wrong_config(
                file, 0, fmt::format("it is nested more than {} levels deep", deepest_nesting));
        if (event == Json::parse_event_t::object_start) known.emplace_back();
        if (event == Json::parse_event_t::object_end) known.pop_back();
        if (event == Json::parse_event_t::key &&
            !known.back().insert(parsed.get<std::string>()).second)
            throw wrong_config(
                file, 0, fmt::format("'{}' is given more than once", parsed.get<std::string>()));
        return true;
    };
    JsonSettings reader(file);
    try {
        reader.add(Json::parse(text, check), "");
    } catch (const Json::parse_error& error) {
        throw wrong_config(file, 0, "it is no valid JSON: " + io::json_reason(error));
    } catch (const Json::out_of_range& error) {  // a number that no double holds
        throw wrong_config(file, 0, io::json_reason(error));
    }
    return std::move(reader.settings);
}

}  // namespace tesela::cli
