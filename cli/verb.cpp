#include "verb.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "messages.h"
#include "tesela/error.h"

namespace tesela::cli {
namespace {

// Levenshtein's distance of two words.
std::size_t edits_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
        }
    }
    return row.back();
}

std::string suggestion(std::string_view word, std::span<const Verb> verbs) {
    const auto nearest = std::min_element(verbs.begin(), verbs.end(), [&](auto& a, auto& b) {
        return edits_between(word, a.name) < edits_between(word, b.name);
    });
    const bool alike = edits_between(word, nearest->name) <= 1 + nearest->name.size() / 3;
    return alike ? fmt::format("did you mean '{}'?", nearest->name) : "";
}

std::string help(std::string_view program, std::string_view introduction,
                 std::span<const Verb> verbs) {
    std::string text =
        fmt::format("{}\n\nUsage: {} VERB [options] INPUT...\n\nVerbs:\n", introduction, program);
    for (const Verb& verb : verbs) text += fmt::format("  {:<14}{}\n", verb.name, verb.summary);
    return text + fmt::format("\n'{} VERB --help' tells more.\n", program);
}

}  // namespace

int dispatch(std::string_view program, std::string_view introduction, std::span<const Verb> verbs,
             const Arguments& arguments) {
    const std::string see = fmt::format("see '{} --help'", program);
    if (arguments.empty()) throw InvalidArgument("no verb was given; " + see);
    const std::string& word = arguments.front();
    if (word == "--help" || word == "-h" || word == "help") {
        print(help(program, introduction, verbs));
        return exit_done;
    }
    for (const Verb& verb : verbs)
        if (verb.name == word) return verb.run({arguments.begin() + 1, arguments.end()});
    if (word.starts_with('-'))
        throw InvalidArgument(fmt::format("'{}' stands before any verb; {}", word, see));
    const std::string nearest = suggestion(word, verbs);
    throw InvalidArgument(
        fmt::format("there is no verb '{}'; {}", word, nearest.empty() ? see : nearest));
}

}  // namespace tesela::cli
