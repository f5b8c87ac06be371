#include "config.h"

#include <fmt/format.h>

#include <istream>
#include <iterator>
#include <sstream>

#include "option_types.h"
#include "tesela/error.h"

namespace tesela::cli {
namespace {

std::string plain_text(const std::string& key, const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number() || value.is_boolean()) return value.dump();
    throw InvalidArgument(
        fmt::format("configuration file: the value of '{}' is neither text, number nor flag", key));
}

// [1, 2] is "1,2", as on the command line.
std::string joined_text(const std::string& key, const Json& list) {
    std::string text;
    for (const Json& element : list) text += (text.empty() ? "" : ",") + plain_text(key, element);
    return text;
}

void add_items(const Json& object, const std::vector<std::string>& parents,
               std::vector<CLI::ConfigItem>& items) {
    for (const auto& [key, value] : object.items()) {
        if (value.is_null()) continue;  // stands for "not given"
        if (value.is_object()) {
            std::vector<std::string> inner = parents;
            inner.push_back(key);
            add_items(value, inner, items);
            continue;
        }
        CLI::ConfigItem item;
        item.parents = parents;
        item.name = key;
        item.inputs = {value.is_array() ? joined_text(key, value) : plain_text(key, value)};
        items.push_back(std::move(item));
    }
}

std::vector<CLI::ConfigItem> items_of_json(const std::string& text) {
    std::vector<CLI::ConfigItem> items;
    try {
        add_items(Json::parse(text), {}, items);
    } catch (const Json::parse_error& error) {
        throw InvalidArgument(
            fmt::format("configuration file: it is no valid JSON ({})", error.what()));
    }
    return items;
}

}  // namespace

std::vector<CLI::ConfigItem> ConfigFile::from_config(std::istream& input) const {
    const std::string text{std::istreambuf_iterator<char>(input), {}};
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    std::vector<CLI::ConfigItem> found;
    if (first != std::string::npos && text[first] == '{') {
        found = items_of_json(text);
    } else {
        std::istringstream again(text);
        found = CLI::ConfigTOML::from_config(again);
    }
    std::vector<CLI::ConfigItem> wanted;
    for (CLI::ConfigItem& item : found) {
        // CLI11 marks where a section begins and ends with found of these names.
        if (item.name == "++" || item.name == "--") continue;
        if (!item.parents.empty() && item.parents.front() != verb_) continue;
        if (!item.parents.empty()) item.parents.erase(item.parents.begin());
        wanted.push_back(std::move(item));
    }
    return wanted;
}

}  // namespace tesela::cli
