#include "verb_parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "config.h"
#include "help.h"
#include "messages.h"
#include "places.h"
#include "suggestion.h"
#include "tesela/error.h"
#include "tesela_version.h"

namespace tesela::cli {
namespace {

// Of every verb's options for devices, messages and pictures, those that the short help shows.
bool is_basic(const OptionFacts& facts) {
    if (facts.group == "Pictures of labels" || facts.group == "Labels") return false;
    if (facts.group == "Outputs" &&
        (facts.name == "compression" || facts.name == "zarr" || facts.name == "dicom-source"))
        return false;
    if (facts.group == "Input" && facts.name == "series") return false;
    if (facts.group != "Computing" && facts.group != "Messages") return true;
    return facts.name == "device" || facts.name == "force" || facts.name == "json";
}

// Not every version of CLI11 refuses other words.
bool is_truth(const std::string& value) {
    static const std::set<std::string> words{"",   "true",   "false",   "on", "off", "yes",
                                             "no", "enable", "disable", "1",  "0"};
    return words.count(CLI::detail::to_lower(value)) != 0;
}

OptionFacts general(const std::string& spellings, const std::string& kind,
                    const std::string& help) {
    OptionFacts facts;
    facts.group = "Settings and help";
    facts.spellings = spellings;
    facts.kind = kind;
    facts.help = help;
    facts.advanced = true;
    return facts;
}

}  // namespace

VerbParser::VerbParser(std::string verb, std::string summary)
    : verb_(std::move(verb)),
      summary_(std::move(summary)),
      app_(std::make_unique<CLI::App>(summary_, "tesela " + verb_)) {
    app_->set_help_flag();  // with the others, in `parse`
}

VerbParser::~VerbParser() = default;

void VerbParser::add(operations::Options& options, const std::string& group,
                     const std::vector<std::string_view>& positional) {
    std::vector<OptionFacts> facts = facts_of(options, group);
    for (OptionFacts& option : facts)
        if (std::find(positional.begin(), positional.end(), option.name) != positional.end())
            std::transform(option.name.begin(), option.name.end(),
                           std::back_inserter(option.positional),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    add(std::move(facts));
    for (const std::string_view name : positional)
        positional_.push_back(app_->get_option("--" + std::string(name)));
    checks_.push_back([&options] { options.validate(); });
}

void VerbParser::add(std::vector<OptionFacts> facts) {
    bind_flags(*app_, facts);
    std::move(facts.begin(), facts.end(), std::back_inserter(facts_));
}

void VerbParser::add_inputs(std::vector<std::filesystem::path>& inputs,
                            std::vector<HelpInput> parts, std::size_t least, std::size_t most) {
    const HelpInput& first = parts.front();
    CLI::Option* option = nullptr;
    if (most == 1)
        option = app_->add_option_function<std::string>(
            first.name, [&inputs](const std::string& text) { inputs.assign({text}); }, first.help);
    else
        option = app_->add_option_function<std::vector<std::string>>(
            first.name,
            [&inputs](const std::vector<std::string>& texts) {
                inputs.assign(texts.begin(), texts.end());
            },
            first.help);
    option->type_name("PATH")->configurable(false);
    inputs_ = std::move(parts);
    paths_ = &inputs;
    least_ = least;
    most_ = most;
}

void VerbParser::add_list(std::string name, std::string help, std::string (*text)()) {
    list_name_ = "--" + std::move(name);
    list_help_ = std::move(help);
    list_text_ = text;
    app_->add_flag(list_name_, lists_)->configurable(false);
}

void VerbParser::add_general_options() {
    CLI::Option* const options[] = {
        app_->add_flag("--describe{json}", describe_as_), app_->add_option("--config", config_),
        app_->set_help_flag("-h,--help"), app_->set_help_all_flag("--help-all"),
        app_->set_version_flag("--version", std::string("tesela ") + TESELA_VERSION)};
    for (CLI::Option* option : options) option->configurable(false);
}

std::vector<OptionFacts> VerbParser::all_facts() const {
    std::vector<OptionFacts> all = facts_;
    for (OptionFacts& facts : all) {
        const bool listed = basic_.empty() || facts.group != basic_group_ ||
                            std::find(basic_.begin(), basic_.end(), facts.name) != basic_.end();
        facts.advanced = !listed || !is_basic(facts);
    }
    return all;
}

HelpPage VerbParser::page() const {
    HelpPage page{verb_, summary_, examples_, inputs_, all_facts()};
    if (list_text_) page.options.push_back(general(list_name_, "flag", list_help_));
    page.options.push_back(general("--config", "file", "settings from a TOML, INI or JSON file"));
    page.options.push_back(general("--describe[=json|markdown]", "flag", "print the description"));
    page.options.push_back(general("-h,--help", "flag", "print the short help"));
    page.options.push_back(general("--help-all", "flag", "print every option"));
    page.options.push_back(general("--version", "flag", "print the version"));
    return page;
}

bool VerbParser::parse(const Arguments& arguments) {
    add_general_options();
    try {
        app_->parse(Arguments(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        print(help_text(page(), false));
        return false;
    } catch (const CLI::CallForAllHelp&) {
        print(help_text(page(), true));
        return false;
    } catch (const CLI::CallForVersion& version) {
        print(std::string(version.what()) + "\n");
        return false;
    } catch (const CLI::ParseError& error) {
        throw InvalidArgument(
            fmt::format("{}; see 'tesela {} --help'", sentence_of(error, arguments), verb_));
    }
    take_positional_options();
    if (!config_.empty()) {
        count_as_input(config_);
        for (const Setting& setting : read_config(verb_, config_)) apply(setting);
    }
    if (!describe_as_.empty()) {
        print_description();
        return false;
    }
    if (lists_) {
        print(list_text_());
        return false;
    }
    for (const auto& check : checks_) check();
    require_inputs();
    return true;
}

// The command line wins, and a setting under the verb's name, which comes before those at the top.
void VerbParser::apply(const Setting& setting) {
    CLI::Option* option =
        app_->get_option_no_throw((setting.name.size() == 1 ? "-" : "--") + setting.name);
    const auto wrong = [&](const std::string& reason) {
        return wrong_config(config_, setting.line, reason);
    };
    if (!option || !option->get_configurable()) {
        const std::string name = fmt::format("{:.40}", setting.name);
        const std::string nearest = suggestion(name, option_names());
        throw wrong(fmt::format("'{}' is no setting of this verb{}", name,
                                nearest.empty() ? "" : " (" + nearest + ")"));
    }
    if (option->count() > 0) return;
    const bool is_flag = option->get_expected_min() == 0;
    const auto no_flag_value = [&] {
        return wrong(fmt::format("'{}' is a flag: '{:.40}' is not true or false", setting.name,
                                 setting.value));
    };
    if (is_flag && !is_truth(setting.value)) throw no_flag_value();
    const bool is_repeated = option->get_expected_max() > 1;
    try {
        // Lists of settings are joined by commas.
        if (is_repeated)
            for (const std::string& one : CLI::detail::split(setting.value, ','))
                option->add_result(one);
        else
            option->add_result(is_flag ? option->get_flag_value(setting.name, setting.value)
                                       : setting.value);
        option->run_callback();
    } catch (const InvalidArgument& error) {
        throw wrong(error.what());
    } catch (const CLI::ParseError&) {
        throw no_flag_value();
    }
}

std::vector<std::string> VerbParser::option_names() const {
    std::vector<std::string> names;
    for (const OptionFacts& facts : facts_) names.push_back(facts.name);
    return names;
}

// CLI11's sentences do not name what was meant.
std::string VerbParser::sentence_of(const CLI::ParseError& error,
                                    const Arguments& arguments) const {
    const std::string text = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error)) return sentence_of_extras(arguments);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
        const std::string name = text.substr(0, text.find(':'));
        const bool several = text.find("At Most") != std::string::npos;
        return name + (several ? " is given more than once" : " needs a value behind it");
    }
    return text;
}

// The first in the order typed; options before what may be their values.
std::string VerbParser::sentence_of_extras(const Arguments& arguments) const {
    const std::vector<std::string> left = app_->remaining();
    const auto is_left = [&](const std::string& argument) {
        return std::find(left.begin(), left.end(), argument) != left.end();
    };
    for (const std::string& argument : arguments) {
        if (!argument.starts_with('-') || !is_left(argument)) continue;
        const std::string name = argument.substr(0, argument.find('='));
        std::vector<std::string> names{"--config", "--describe", "--help", "--help-all",
                                       "--version"};
        for (const std::string& option : option_names()) names.push_back("--" + option);
        const std::string nearest = suggestion(name, names);
        return fmt::format("there is no option '{}'{}", name,
                           nearest.empty() ? "" : " (" + nearest + ")");
    }
    const auto extra = std::find_if(arguments.begin(), arguments.end(), is_left);
    return fmt::format("'{}' is one argument too many",
                       extra == arguments.end() ? left.front() : *extra);
}

// Options that need no flag stand before the inputs, all of which are files.
void VerbParser::take_positional_options() {
    for (CLI::Option* option : positional_) {
        std::vector<std::filesystem::path>& paths = *paths_;
        std::error_code unreadable;
        if (option->count() > 0 || paths.empty() ||
            std::filesystem::exists(paths.front(), unreadable))
            continue;
        option->add_result(paths.front().string());
        option->run_callback();
        paths.erase(paths.begin());
    }
}

void VerbParser::require_inputs() const {
    if (paths_ && paths_->size() < least_)
        throw InvalidArgument(fmt::format("{} is missing; see 'tesela {} --help'",
                                          inputs_[paths_->size()].name, verb_));
    if (paths_ && paths_->size() > most_)
        throw InvalidArgument(fmt::format("'{}' is one argument too many; see 'tesela {} --help'",
                                          (*paths_)[most_].string(), verb_));
}

void VerbParser::print_description() const {
    if (describe_as_ == "markdown") {
        print(markdown_table(facts_));
        return;
    }
    if (describe_as_ != "json")
        throw InvalidArgument(
            fmt::format("--describe: '{}' is not one of json, markdown", describe_as_));
    print(description().dump(2) + "\n");
}

Json VerbParser::description() const {
    Json description{{"version", TESELA_VERSION}, {"verb", verb_}, {"summary", summary_}};
    description["inputs"] = Json::array();
    if (paths_)
        description["inputs"].push_back({{"name", inputs_.front().name},
                                         {"help", inputs_.front().help},
                                         {"least", least_},
                                         {"most", most_}});
    description["arguments"] = description["inputs"];
    description["options"] = Json::array();
    for (const OptionFacts& facts : all_facts()) description["options"].push_back(facts.to_json());
    description["examples"] = examples_;
    description.update(more_);
    return description;
}

}  // namespace tesela::cli
