#include "verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "messages.h"
#include "operations/operation.h"
#include "suggestion.h"
#include "tesela/error.h"

namespace tesela::cli {
namespace {

bool is_family(const VerbList& list) { return list.program.find(' ') != std::string::npos; }

// The pages of the verbs, those of families among them in their place.
void add_pages(std::span<const Verb> verbs, std::vector<HelpPage>& pages) {
    for (const Verb& verb : verbs) {
        if (verb.page) pages.push_back(verb.page());
        add_pages(verb.members, pages);
    }
}

// What is typed behind the name of a family: the options of the default, or those that all have.
std::string family_help(const VerbList& list, bool all) {
    for (const Verb& verb : list.verbs)
        if (verb.name == list.default_verb && verb.page)
            return fmt::format("\nWithout VERB, {} runs:\n", verb.name) +
                   help_body(verb.page(), all);
    std::vector<HelpPage> pages;
    add_pages(list.verbs, pages);
    if (pages.empty()) return "";
    HelpPage shared;
    shared.verb = list.program.substr(list.program.find(' ') + 1) + " VERB";
    for (const HelpPage& page : pages)
        if (!page.examples.empty()) shared.examples.push_back(page.examples.front());
    shared.options = shared_options(pages);
    return help_body(shared, all);
}

std::string help(const VerbList& list, bool all) {
    const std::string_view verb_word = list.default_verb.empty() ? "VERB" : "[VERB]";
    std::string text = fmt::format("{}\n\nUsage: {} {} [options] INPUT...\n", list.introduction,
                                   list.program, verb_word);
    std::vector<std::string_view> tasks;
    for (const Verb& verb : list.verbs)
        if (std::find(tasks.begin(), tasks.end(), verb.task) == tasks.end())
            tasks.push_back(verb.task);
    const auto place = [](std::string_view task) {
        const auto& order = operations::tasks::order;
        return std::find(order.begin(), order.end(), task) - order.begin();
    };
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&](std::string_view a, std::string_view b) { return place(a) < place(b); });
    for (const std::string_view task : tasks) {
        text += fmt::format("\n{}:\n", task.empty() ? "Verbs" : task);
        for (const Verb& verb : list.verbs)
            if (verb.task == task)
                text +=
                    fmt::format("  {:<14}{}{}{}\n", verb.name, verb.summary,
                                verb.name == list.default_verb ? " (default)" : "",
                                verb.alias.empty() ? "" : fmt::format(" (or '{}')", verb.alias));
    }
    if (is_family(list)) text += family_help(list, all);
    return text + fmt::format("\n'{} VERB --help' shows the options of a verb.\n", list.program);
}

// Where the default is meant: an option or a file in place of a verb, not a verb misspelled.
bool names_no_verb(const std::string& word, const std::vector<std::string>& verbs) {
    std::error_code ignored;
    return word.starts_with('-') || std::filesystem::exists(word, ignored) ||
           suggestion(word, verbs).empty();
}

int run(const VerbList& list, const Verb& verb, const Arguments& arguments) {
    if (verb.members.empty()) return verb.run(arguments);
    return dispatch({.program = fmt::format("{} {}", list.program, verb.name),
                     .introduction = verb.sentence,
                     .verbs = verb.members,
                     .default_verb = verb.default_member},
                    arguments);
}

// What to write in place of a word that is no verb.
std::string instead_of(const VerbList& list, const std::string& word,
                       const std::vector<std::string>& names, const std::string& which) {
    if (list.advice)
        if (const std::string_view advice = list.advice(word); !advice.empty())
            return std::string(advice);
    const std::string nearest = suggestion(word, names);
    return nearest.empty() ? which : nearest;
}

}  // namespace

int dispatch(const VerbList& list, const Arguments& arguments) {
    const std::string see = fmt::format("see '{} --help'", list.program);
    std::vector<std::string> names;
    for (const Verb& verb : list.verbs) {
        names.emplace_back(verb.name);
        if (!verb.alias.empty()) names.emplace_back(verb.alias);
    }
    constexpr std::size_t most_listed = 6;
    const std::string which = names.size() <= most_listed
                                  ? fmt::format("write one of {}; {}", fmt::join(names, ", "), see)
                                  : see;
    if (arguments.empty()) throw InvalidArgument("no verb was given; " + which);
    const std::string& word = arguments.front();
    Arguments behind{arguments.begin() + 1, arguments.end()};
    if (word == "help" && !behind.empty()) {
        behind.emplace_back("--help");
        return dispatch(list, behind);
    }
    if (word == "--help" || word == "-h" || word == "help" || word == "--help-all") {
        print(help(list, word == "--help-all"));
        return exit_done;
    }
    for (const Verb& verb : list.verbs)
        if (word == verb.name || (!word.empty() && word == verb.alias))
            return run(list, verb, behind);
    if (!list.default_verb.empty() && names_no_verb(word, names))
        for (const Verb& verb : list.verbs)
            if (verb.name == list.default_verb) return verb.run(arguments);
    if (word.starts_with('-'))
        throw InvalidArgument(fmt::format("'{}' stands before any verb; {}", word, see));
    throw InvalidArgument(
        fmt::format("there is no verb '{}'; {}", word, instead_of(list, word, names, which)));
}

}  // namespace tesela::cli
