// Parses the options of one verb, all of which come from `describe`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "help.h"
#include "option_binder.h"
#include "verb.h"

namespace CLI {
class ParseError;
class Option;
}  // namespace CLI

namespace tesela::cli {

struct Setting;

class VerbParser {
  public:
    // `verb` as typed, such as "mean-shift" or "evaluate labels".
    VerbParser(std::string verb, std::string summary);
    ~VerbParser();

    // The struct must outlive the parser. `aliases` are further spellings by name.
    template <class Options>
    void add(Options& options, const std::string& group, const Aliases& aliases = {}) {
        add(facts_of(options, group, aliases));
        checks_.push_back([&options] { validate_options(options); });
    }
    void add(operations::Options& options, const std::string& group,
             const std::vector<std::string_view>& positional = {});
    // Files without a flag in front, one each but for the last, which may be several. `least` and
    // `most` are their number. Not more than once.
    void add_inputs(std::vector<std::filesystem::path>& inputs, std::vector<HelpInput> parts,
                    std::size_t least, std::size_t most);

    // A flag that prints a text instead of doing the verb's work.
    void add_list(std::string name, std::string help, std::string (*text)());

    // Lines that the help shows behind the usage, without the program's name.
    void add_examples(std::vector<std::string> examples) { examples_ = std::move(examples); }
    // Of a group's options, those that the short help shows; without this it shows all.
    void show_first(const std::string& group, std::vector<std::string> names) {
        basic_group_ = group;
        basic_ = std::move(names);
    }
    // What --describe tells beside inputs and options.
    void add_to_description(Json more) { more_ = std::move(more); }

    HelpPage page() const;
    // What --describe prints.
    Json description() const;

    // False where --help, --version, --describe or a list was asked for and has been printed.
    // Throws InvalidArgument for wrong usage and UnreadableInput for a configuration file that is
    // not there.
    bool parse(const Arguments& arguments);

    // Every option by its flag's name, with the value used.
    Json values() const { return values_of(facts_); }

  private:
    void add(std::vector<OptionFacts> facts);
    void add_general_options();
    std::vector<OptionFacts> all_facts() const;  // told apart into basic and advanced
    void apply(const Setting& setting);
    void take_positional_options();
    void require_inputs() const;
    std::vector<std::string> option_names() const;
    std::string sentence_of(const CLI::ParseError& error, const Arguments& arguments) const;
    std::string sentence_of_extras(const Arguments& arguments) const;
    void print_description() const;

    std::string verb_, summary_;
    std::unique_ptr<CLI::App> app_;
    std::vector<OptionFacts> facts_;
    std::vector<HelpInput> inputs_;
    std::vector<std::filesystem::path>* paths_ = nullptr;  // of the inputs
    std::size_t least_ = 0, most_ = 0;
    std::vector<CLI::Option*> positional_;
    std::vector<std::function<void()>> checks_;
    Json more_ = Json::object();
    std::vector<std::string> examples_, basic_;
    std::string basic_group_;
    std::string describe_as_, config_;
    std::string list_name_, list_help_;
    std::string (*list_text_)() = nullptr;
    bool lists_ = false;
};

}  // namespace tesela::cli
