#include "option_binder.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

namespace tesela::cli {
namespace {

// null where there is no limit; that of integers is one.
Json limit(double value, std::string_view kind) {
    if (!std::isfinite(value)) return {};
    return kind == "integer" ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

// "-o,--output" as code in a table.
std::string spellings_in_table(const std::string& spellings) {
    std::string text = "`";
    for (const char c : spellings)
        if (c == ',')
            text += "`, `";
        else
            text += c;
    return text + "`";
}

std::string upper_case(std::string text) {
    for (char& c : text) c = c == ' ' ? '-' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    return text;
}

}  // namespace

std::string OptionFacts::help_text() const {
    std::string notes;
    const auto add = [&](const std::string& note) {
        if (!note.empty()) notes += (notes.empty() ? "" : "; ") + note;
    };
    add(unit);
    add(kind == "choice" ? allowed : allowed.empty() ? "" : "must be " + allowed);
    if (kind != "flag" && !default_text.empty()) add("default " + default_text);
    if (kind == "flag" && default_value == true) add("default on");
    return notes.empty() ? help : help + " (" + notes + ")";
}

Json OptionFacts::to_json() const {
    Json json{{"name", name}, {"group", group}, {"type", kind}, {"help", help}};
    Json& flags = json["flags"] = Json::array();
    for (std::size_t begin = 0; begin <= spellings.size();) {
        const std::size_t end = std::min(spellings.find(',', begin), spellings.size());
        flags.push_back(spellings.substr(begin, end - begin));
        begin = end + 1;
    }
    json["default"] = default_value;
    if (!unit.empty()) json["unit"] = unit;
    if (!choices.empty()) json["choices"] = choices;
    if (choices.empty() && !allowed.empty())
        json["range"] = {{"lowest", limit(range.lowest, kind)},
                         {"excludes_lowest", range.excludes_lowest},
                         {"highest", limit(range.highest, kind)},
                         {"text", allowed}};
    return json;
}

std::string markdown_table(const std::vector<OptionFacts>& options) {
    std::string table = "| option | meaning | allowed | default |\n|---|---|---|---|\n";
    for (const OptionFacts& option : options) {
        std::string allowed = option.allowed;
        if (!option.unit.empty()) allowed += (allowed.empty() ? "" : "; ") + option.unit;
        table += fmt::format("| {} | {} | {} | {} |\n", spellings_in_table(option.spellings),
                             option.help, allowed, option.default_text);
    }
    return table;
}

void add_flag(CLI::App& app, const OptionFacts& facts, bool& value) {
    const std::string off = value ? ",!--no-" + facts.name : "";
    app.add_flag(facts.spellings + off, value, facts.help_text())->group(facts.group);
}

void add_option(CLI::App& app, const OptionFacts& facts,
                const std::function<void(const std::string&)>& parse) {
    app.add_option_function<std::string>(facts.spellings, parse, facts.help_text())
        ->type_name(upper_case(facts.kind))
        ->group(facts.group);
}

}  // namespace tesela::cli
