// Visitors of `describe`: from an options struct they make the command line's flags and help, the
// JSON of --describe, a table for the documentation, and the JSON of the values used.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "operations/option.h"
#include "option_types.h"

// CLI11 is a large header: two files of the program include it.
namespace CLI {
class App;
}

namespace tesela::cli {

// Further spellings of options, such as {"filtered", "-o,--output"}.
using Aliases = std::map<std::string, std::string, std::less<>>;

// One option as help, --describe and the documentation show it.
struct OptionFacts {
    std::string group, name, kind, help, unit, allowed, default_text;
    std::string spellings;        // "-o,--output,--filtered"
    std::string positional = {};  // its name where it may stand without a flag
    std::vector<std::string> choices, choice_help;
    OptionRange range;
    std::optional<operations::SuggestedRange> suggested = {};
    Json default_value;

    bool advanced = false;  // not in the short help
    bool repeated = false;  // may be given more than once

    // Of the options themselves, which have to outlive this. A flag is set, others are parsed.
    std::function<void(bool)> set = {};
    std::function<void(const std::string&)> parse = {};
    std::function<Json()> value = {};

    Json to_json() const;
};

// The default as help shows it: where there is no value, what is used then.
inline std::string default_text(std::string value, const OptionRange& range) {
    return value.empty() ? std::string(range.automatic) : value;
}

// | option | meaning | allowed | default |, one row an option.
std::string markdown_table(const std::vector<OptionFacts>& options);

// Collects the facts of every option of a struct.
class CollectFacts {
  public:
    CollectFacts(std::string group, const Aliases& aliases, std::vector<OptionFacts>& facts)
        : group_(std::move(group)), aliases_(aliases), facts_(facts) {}

    template <class T>
    void operator()(std::string_view name, T& value, std::string_view help,
                    const OptionRange& range = {}) const {
        OptionFacts facts;
        facts.group = group_;
        facts.name = name;
        facts.kind = OptionType<T>::kind;
        facts.help = help;
        facts.unit = range.unit;
        facts.allowed = range.to_string();
        facts.range = range;
        facts.default_text = default_text(OptionType<T>::text(value), range);
        facts.default_value = OptionType<T>::json(value);
        facts.repeated = std::is_same_v<T, std::vector<std::string>>;
        const auto alias = aliases_.find(name);
        facts.spellings =
            (alias == aliases_.end() ? "" : alias->second + ",") + "--" + std::string(name);
        using Given = typename GivenType<T>::type;
        if constexpr (requires { enum_names(Given{}); }) {
            for (const auto& [choice, choice_name] : enum_names(Given{}))
                facts.choices.emplace_back(choice_name);
            if constexpr (requires { enum_help(Given{}); })
                for (const std::string_view text : enum_help(Given{}))
                    facts.choice_help.emplace_back(text);
            facts.allowed = enum_choices<Given>();
        }
        facts.value = [&value] { return OptionType<T>::json(value); };
        if constexpr (std::is_same_v<T, bool>)
            facts.set = [&value](bool given) { value = given; };
        else if constexpr (std::is_same_v<T, std::vector<std::string>>)
            facts.parse = [&value](const std::string& text) { value.push_back(text); };
        else
            facts.parse = [&value, own = facts.name](const std::string& text) {
                value = OptionType<T>::parse(own, text);
            };
        facts_.push_back(std::move(facts));
    }

  private:
    std::string group_;
    const Aliases& aliases_;
    std::vector<OptionFacts>& facts_;
};

template <class Options>
std::vector<OptionFacts> facts_of(Options&& options, const std::string& group = "Options",
                                  const Aliases& aliases = {}) {
    std::vector<OptionFacts> facts;
    describe(CollectFacts(group, aliases, facts), options);
    return facts;
}
// Of an operation's options, which are described without their types.
std::vector<OptionFacts> facts_of(operations::Options& options, const std::string& group);

// Adds one flag for each option; --no-NAME too, where a flag is on by default.
void bind_flags(CLI::App& app, const std::vector<OptionFacts>& facts);

// {"spatial": "8px", "range": 8, ...}: the names are those of the flags, so that the object can
// serve as a configuration file.
Json values_of(const std::vector<OptionFacts>& facts);
template <class Options>
Json values_of(Options options) {
    return values_of(facts_of(options));
}
Json json_of(const operations::OptionValue& value);

}  // namespace tesela::cli
