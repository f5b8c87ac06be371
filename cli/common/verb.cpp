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

std::string help(std::string_view program, std::string_view introduction,
                 std::span<const Verb> verbs, std::string_view default_verb) {
    const std::string_view verb_word = default_verb.empty() ? "VERB" : "[VERB]";
    std::string text =
        fmt::format("{}\n\nUsage: {} {} [options] INPUT...\n", introduction, program, verb_word);
    std::vector<std::string_view> tasks;
    for (const Verb& verb : verbs)
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
        for (const Verb& verb : verbs)
            if (verb.task == task)
                text += fmt::format("  {:<14}{}{}\n", verb.name, verb.summary,
                                    verb.name == default_verb ? " (default)" : "");
    }
    return text + fmt::format("\n'{} VERB --help' shows the options of a verb.\n", program);
}

// Where the default is meant: an option or a file in place of a verb, not a verb misspelled.
bool names_no_verb(const std::string& word, const std::vector<std::string>& verbs) {
    std::error_code ignored;
    return word.starts_with('-') || std::filesystem::exists(word, ignored) ||
           suggestion(word, verbs).empty();
}

int run(std::string_view program, const Verb& verb, const Arguments& arguments) {
    if (verb.members.empty()) return verb.run(arguments);
    return dispatch(fmt::format("{} {}", program, verb.name), verb.sentence, verb.members,
                    arguments, verb.default_member);
}

}  // namespace

int dispatch(std::string_view program, std::string_view introduction, std::span<const Verb> verbs,
             const Arguments& arguments, std::string_view default_verb) {
    const std::string see = fmt::format("see '{} --help'", program);
    std::vector<std::string> names;
    for (const Verb& verb : verbs) names.emplace_back(verb.name);
    constexpr std::size_t most_listed = 6;
    const std::string which = names.size() <= most_listed
                                  ? fmt::format("write one of {}; {}", fmt::join(names, ", "), see)
                                  : see;
    if (arguments.empty()) throw InvalidArgument("no verb was given; " + which);
    const std::string& word = arguments.front();
    if (word == "--help" || word == "-h" || word == "help") {
        print(help(program, introduction, verbs, default_verb));
        return exit_done;
    }
    for (const Verb& verb : verbs)
        if (verb.name == word) return run(program, verb, {arguments.begin() + 1, arguments.end()});
    if (!default_verb.empty() && names_no_verb(word, names))
        for (const Verb& verb : verbs)
            if (verb.name == default_verb) return verb.run(arguments);
    if (word.starts_with('-'))
        throw InvalidArgument(fmt::format("'{}' stands before any verb; {}", word, see));
    const std::string nearest = suggestion(word, names);
    throw InvalidArgument(
        fmt::format("there is no verb '{}'; {}", word, nearest.empty() ? which : nearest));
}

}  // namespace tesela::cli
