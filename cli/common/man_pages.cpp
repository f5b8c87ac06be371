#include "man_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "tesela_version.h"

namespace tesela::cli {
namespace {

// Text of a page: a hyphen is a minus there, and a line may not begin with a control character.
std::string escaped(std::string_view text) {
    std::string made;
    for (const char c : text) {
        if (c == '\\')
            made += "\\e";
        else if (c == '-')
            made += "\\-";
        else
            made += c;
    }
    if (made.starts_with('.') || made.starts_with('\'')) made.insert(0, "\\&");
    return made;
}

std::string text_of(const Json& json, const char* name) {
    return json.contains(name) && json[name].is_string() ? json[name].get<std::string>() : "";
}

std::string dashed(const std::string& name) {
    std::string text = "tesela-" + name;
    std::replace(text.begin(), text.end(), ' ', '-');
    return text;
}

std::string head(const std::string& name, const std::string& purpose) {
    return fmt::format(".TH {} 1 \"\" \"tesela {}\" \"Tesela\"\n.SH NAME\n{} \\- {}\n", name,
                       TESELA_VERSION, escaped(name), escaped(purpose));
}

std::string paragraph(const std::string& title, const std::string& text) {
    return fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(title), escaped(text));
}

// Help, unit, range or values, and default, each a sentence.
std::string option_text(const Json& option) {
    std::string text = text_of(option, "help");
    if (const std::string unit = text_of(option, "unit"); !unit.empty()) text += " (" + unit + ")";
    text += '.';
    if (option.contains("choices")) {
        const auto choices = option["choices"].get<std::vector<std::string>>();
        const auto help = option.value("choice_help", std::vector<std::string>{});
        text += " One of:";
        for (std::size_t i = 0; i < choices.size(); ++i)
            text += fmt::format("{} {}{}", i > 0 ? "," : "", choices[i],
                                i < help.size() ? " (" + help[i] + ")" : "");
        text += '.';
    } else if (option.contains("range")) {
        text += fmt::format(" Allowed: {}.", text_of(option["range"], "text"));
    }
    const Json& value = option["default"];
    const std::string automatic = text_of(option, "automatic");
    const std::string shown = !automatic.empty()  ? automatic
                              : value.is_string() ? value.get<std::string>()
                              : value.is_number() ? value.dump()
                                                  : "";
    return shown.empty() ? text : text + " Default: " + shown + ".";
}

}  // namespace

std::string man_page_name(const DescribedVerb& verb) { return dashed(verb.name) + ".1"; }

std::string man_page(const DescribedVerb& verb) {
    const Json& description = verb.description;
    std::string text = head(dashed(verb.name), verb.summary);
    text += fmt::format(".SH SYNOPSIS\n\\fBtesela {}\\fR [options]", escaped(verb.name));
    for (const Json& argument : description["arguments"])
        text += fmt::format(" \\fI{}\\fR", escaped(text_of(argument, "name")));
    text += "\n.SH DESCRIPTION\n" + escaped(text_of(description, "summary")) + "\n";
    for (const Json& argument : description["arguments"])
        text += paragraph(text_of(argument, "name"), text_of(argument, "help"));
    std::vector<std::string> groups;
    for (const Json& option : description["options"])
        if (const std::string group = text_of(option, "group");
            std::find(groups.begin(), groups.end(), group) == groups.end())
            groups.push_back(group);
    text += ".SH OPTIONS\n";
    for (const std::string& group : groups) {
        text += fmt::format(".SS {}\n", escaped(group));
        for (const Json& option : description["options"]) {
            if (text_of(option, "group") != group) continue;
            std::string title;
            for (const Json& flag : option["flags"])
                title += (title.empty() ? "" : ", ") + flag.get<std::string>();
            if (option["type"] != "flag") title += " " + text_of(option, "type");
            text += paragraph(title, option_text(option));
        }
    }
    const Json& examples = description["examples"];
    if (!examples.empty()) text += ".SH EXAMPLES\n";
    for (const Json& example : examples)
        text += fmt::format(".PP\n.EX\ntesela {}\n.EE\n", escaped(example.get<std::string>()));
    return text + ".SH SEE ALSO\n\\fBtesela\\fR(1)\n";
}

std::string man_page_of_all(const std::vector<DescribedVerb>& verbs) {
    std::string text = head("tesela", "segment, register, measure and render images");
    text +=
        ".SH SYNOPSIS\n\\fBtesela\\fR \\fIVERB\\fR [options] \\fIINPUT\\fR...\n.SH DESCRIPTION\n"
        "Each verb has a page of its own, such as \\fBtesela\\-segment\\fR(1).\n";
    std::vector<std::string> tasks;
    for (const DescribedVerb& verb : verbs)
        if (std::find(tasks.begin(), tasks.end(), verb.task) == tasks.end())
            tasks.push_back(verb.task);
    for (const std::string& task : tasks) {
        text += fmt::format(".SS {}\n", escaped(task));
        for (const DescribedVerb& verb : verbs)
            if (verb.task == task) text += paragraph(verb.name, verb.summary);
    }
    text +=
        ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 3 unreadable input, 4 no such device, "
        "5 out of memory, 6 some of several inputs failed, 130 interrupted.\n";
    return text;
}

}  // namespace tesela::cli
