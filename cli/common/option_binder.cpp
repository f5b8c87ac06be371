#include "option_binder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

}  // namespace

Json OptionFacts::to_json() const {
    Json json{{"name", name}, {"group", group}, {"type", kind}, {"help", help}};
    Json& flags = json["flags"] = Json::array();
    for (std::size_t begin = 0; begin <= spellings.size();) {
        const std::size_t end = std::min(spellings.find(',', begin), spellings.size());
        flags.push_back(spellings.substr(begin, end - begin));
        begin = end + 1;
    }
    json["default"] = default_value;
    if (!range.automatic.empty()) json["automatic"] = range.automatic;
    if (!unit.empty()) json["unit"] = unit;
    json["advanced"] = advanced;
    if (repeated) json["repeated"] = true;
    if (!choices.empty()) json["choices"] = choices;
    if (!choice_help.empty()) json["choice_help"] = choice_help;
    if (suggested)
        json["suggested"] = {{"lowest", suggested->lowest},
                             {"highest", suggested->highest},
                             {"scale", suggested->logarithmic ? "logarithmic" : "linear"}};
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

void bind_flags(CLI::App& app, const std::vector<OptionFacts>& all) {
    for (const OptionFacts& facts : all) {
        const std::string off = facts.default_value == true ? ",!--no-" + facts.name : "";
        if (facts.set)
            app.add_flag_function(
                facts.spellings + off, [set = facts.set](std::int64_t given) { set(given > 0); },
                facts.help);
        else if (facts.repeated)
            app.add_option_function<std::vector<std::string>>(
                   facts.spellings,
                   [parse = facts.parse](const std::vector<std::string>& texts) {
                       for (const std::string& text : texts) parse(text);
                   },
                   facts.help)
                ->allow_extra_args(false);
        else
            app.add_option_function<std::string>(facts.spellings, facts.parse, facts.help);
    }
}

Json values_of(const std::vector<OptionFacts>& all) {
    Json values = Json::object();
    for (const OptionFacts& facts : all) values[facts.name] = facts.value();
    return values;
}

// Text, number or flag from the command line. Throws InvalidArgument.
static operations::OptionValue parsed(const operations::Option& option, const std::string& text) {
    switch (option.kind) {
        case operations::OptionKind::integer:
            return parse_integer(option.name, text, option.lowest_integer, option.highest_integer);
        case operations::OptionKind::number:
            return parse_number(option.name, text);
        default:  // which the options parse
            return text;
    }
}

template <class T>
static std::string text_of(const T& value) {
    if constexpr (std::is_same_v<T, std::monostate>)
        return "";
    else
        return OptionType<T>::text(value);
}

Json json_of(const operations::OptionValue& value) {
    return std::visit(
        [](const auto& held) -> Json {
            if constexpr (std::is_same_v<decltype(held), const std::monostate&>)
                return {};
            else
                return OptionType<std::decay_t<decltype(held)>>::json(held);
        },
        value);
}

std::vector<OptionFacts> facts_of(operations::Options& options, const std::string& group) {
    std::vector<OptionFacts> all;
    for (const operations::Option& option : options.described()) {
        OptionFacts facts;
        facts.group = group;
        facts.name = option.name;
        facts.kind = kind_name(option.kind);
        facts.help = option.help;
        facts.unit = option.range.unit;
        facts.allowed = option.range.to_string();
        facts.range = option.range;
        facts.spellings = "--" + facts.name;
        facts.default_text =
            std::visit([](const auto& value) { return text_of(value); }, option.default_value);
        facts.default_text = default_text(std::move(facts.default_text), option.range);
        facts.default_value = json_of(option.default_value);
        facts.choices.assign(option.choices.begin(), option.choices.end());
        facts.choice_help.assign(option.choice_help.begin(), option.choice_help.end());
        facts.suggested = option.suggested();
        if (!facts.choices.empty())
            facts.allowed = fmt::format("{}", fmt::join(facts.choices, ", "));
        facts.value = [&options, &option] {
            return option.range.automatic.empty() || options.given(option.name)
                       ? json_of(options.get(option.name))
                       : Json();
        };
        if (option.kind == operations::OptionKind::flag)
            facts.set = [&options, &option](bool given) { options.set(option.name, given); };
        else
            facts.parse = [&options, &option](const std::string& text) {
                options.set(option.name, parsed(option, text));
            };
        all.push_back(std::move(facts));
    }
    return all;
}

}  // namespace tesela::cli
