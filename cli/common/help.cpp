#include "help.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace tesela::cli {
namespace {

constexpr std::size_t name_width = 30, help_width = 56;

std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
    std::vector<std::string> lines(1);
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        std::string& line = lines.back();
        if (!line.empty() && line.size() + 1 + word.size() > width)
            lines.push_back(word);
        else
            line += (line.empty() ? "" : " ") + word;
    }
    return lines;
}

// A name, what it is, and the default; the second goes on in lines of its own.
std::string row(const std::string& name, const std::string& help, const std::string& value) {
    const std::vector<std::string> lines = lines_of(help, help_width);
    const bool fits = name.size() + 4 <= name_width;
    std::string text = fits ? "" : fmt::format("  {}\n", name);
    const std::string first = fits ? "  " + name : "";
    text += value.empty() ? fmt::format("{:<{}}{}\n", first, name_width, lines.front())
                          : fmt::format("{:<{}}{:<{}}  {}\n", first, name_width, lines.front(),
                                        help_width, value);
    for (std::size_t i = 1; i < lines.size(); ++i)
        text += fmt::format("{:<{}}{}\n", "", name_width, lines[i]);
    return text;
}

// "-o, --output, --mask PATH"
std::string name_of(const OptionFacts& option) {
    std::string name;
    for (const char c : option.spellings) name += c == ',' ? std::string(", ") : std::string(1, c);
    if (option.kind == "flag") return name;
    std::string kind = option.kind;
    std::transform(kind.begin(), kind.end(), kind.begin(), [](char c) {
        return c == ' ' ? '-' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    });
    return name + " " + kind;
}

std::string first_spelling(const OptionFacts& option) {
    return option.spellings.substr(0, option.spellings.find(','));
}

std::string meaning_of(const OptionFacts& option) {
    std::string notes = option.unit;
    if (!option.allowed.empty()) notes += (notes.empty() ? "" : "; ") + option.allowed;
    return notes.empty() ? option.help : option.help + " (" + notes + ")";
}

std::string default_of(const OptionFacts& option) {
    if (option.kind != "flag") return option.default_text;
    return option.default_value == true ? "on" : "";
}

std::string group_text(const HelpPage& page, const std::string& group, bool all) {
    std::string rows;
    bool has_defaults = false;
    for (const OptionFacts& option : page.options) {
        if (option.group != group || (option.advanced && !all)) continue;
        rows += row(name_of(option), meaning_of(option), default_of(option));
        for (std::size_t i = 0; all && i < option.choice_help.size(); ++i)
            rows += row("", fmt::format("  {}: {}", option.choices[i], option.choice_help[i]), "");
        has_defaults |= !default_of(option).empty();
    }
    if (rows.empty()) return "";
    if (!has_defaults) return fmt::format("\n{}:\n{}", group, rows);
    return fmt::format("\n{:<{}}  default\n{}", group + ":", name_width + help_width, rows);
}

}  // namespace

std::string help_text(const HelpPage& page, bool all) {
    std::string usage = fmt::format("Usage: tesela {} [options]", page.verb);
    for (const OptionFacts& option : page.options)
        if (!option.positional.empty()) usage += " " + option.positional;
    for (const HelpInput& input : page.inputs)
        usage += " " + input.name + (input.several ? "..." : "");
    std::string text;
    for (const std::string& line : lines_of(page.sentence, name_width + help_width))
        text += line + "\n";
    return text + "\n" + usage + "\n" + help_body(page, all);
}

std::string help_body(const HelpPage& page, bool all) {
    std::string text;
    if (!page.examples.empty()) text += "\nExamples:\n";
    for (const std::string& example : page.examples) text += "  tesela " + example + "\n";
    if (!page.inputs.empty()) text += "\nInputs:\n";
    for (const HelpInput& input : page.inputs) text += row(input.name, input.help, "");
    std::vector<std::string> groups;
    for (const OptionFacts& option : page.options)
        if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
            groups.push_back(option.group);
    for (const std::string& group : groups) text += group_text(page, group, all);
    const auto hidden = std::count_if(page.options.begin(), page.options.end(),
                                      [](const OptionFacts& option) { return option.advanced; });
    if (!all && hidden > 0)
        text += fmt::format("\n'tesela {} --help-all' lists {} more option{}.\n", page.verb, hidden,
                            hidden == 1 ? "" : "s");
    return text;
}

std::vector<OptionFacts> shared_options(const std::vector<HelpPage>& pages) {
    std::vector<OptionFacts> shared;
    if (pages.empty()) return shared;
    for (OptionFacts option : pages.front().options) {
        const bool everywhere = std::all_of(pages.begin(), pages.end(), [&](const HelpPage& page) {
            const auto same = std::find_if(
                page.options.begin(), page.options.end(), [&](const OptionFacts& other) {
                    return first_spelling(other) == first_spelling(option) &&
                           other.kind == option.kind;
                });
            if (same == page.options.end()) return false;
            if (same->help != option.help) option.help = "depends on the verb";
            if (same->default_text != option.default_text) option.default_text.clear();
            if (same->spellings != option.spellings) option.spellings = first_spelling(option);
            return true;
        });
        if (everywhere) shared.push_back(std::move(option));
    }
    return shared;
}

}  // namespace tesela::cli
