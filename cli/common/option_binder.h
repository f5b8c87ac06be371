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
        facts_.push_back(std::move(facts));
    }

  private:
    std::string group_;
    const Aliases& aliases_;
    std::vector<OptionFacts>& facts_;
};

// A flag, which sets what it is for to true; --no-NAME to false, where true is the default.
void add_flag(CLI::App& app, const OptionFacts& facts, const std::function<void(bool)>& set);
// A flag with a text behind it, which `parse` gets.
void add_option(CLI::App& app, const OptionFacts& facts,
                const std::function<void(const std::string&)>& parse);

// Adds one flag for each option. The struct must outlive the parsing.
class BindFlags {
  public:
    // `facts` begins with those of the struct's first option.
    BindFlags(CLI::App& app, const OptionFacts* facts) : app_(app), facts_(facts) {}

    template <class T>
    void operator()(std::string_view name, T& value, std::string_view, const OptionRange& = {}) {
        const OptionFacts& facts = *facts_++;
        if constexpr (std::is_same_v<T, bool>)
            add_flag(app_, facts, [&value](bool given) { value = given; });
        else
            add_option(app_, facts, [&value, name = std::string(name)](const std::string& text) {
                value = OptionType<T>::parse(name, text);
            });
    }

  private:
    CLI::App& app_;
    const OptionFacts* facts_;
};

// Collects the value of every option.
struct CollectValues {
    Json& values;
    template <class T>
    void operator()(std::string_view name, const T& value, std::string_view,
                    const OptionRange& = {}) const {
        values[std::string(name)] = OptionType<T>::json(value);
    }
};

// {"spatial": "8px", "range": 8, ...}: the names are those of the flags, so that the object can
// serve as a configuration file.
template <class Options>
Json values_of(const Options& options) {
    Json values = Json::object();
    Options copy = options;
    describe(CollectValues{values}, copy);
    return values;
}

template <class Options>
std::vector<OptionFacts> facts_of(const Options& options, const std::string& group = "Options",
                                  const Aliases& aliases = {}) {
    std::vector<OptionFacts> facts;
    Options copy = options;
    describe(CollectFacts(group, aliases, facts), copy);
    return facts;
}

// The same of an operation's options, which are described without their types.
Json json_of(const operations::OptionValue& value);
Json values_of(const operations::Options& options);
std::vector<OptionFacts> facts_of(const operations::Options& options, const std::string& group);
void bind_flags(CLI::App& app, operations::Options& options, const std::vector<OptionFacts>& facts);

template <class Options>
void bind_flags(CLI::App& app, Options& options, const std::vector<OptionFacts>& facts) {
    describe(BindFlags(app, facts.data()), options);
}

}  // namespace tesela::cli
