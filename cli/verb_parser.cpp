#include "verb_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "config.h"
#include "messages.h"
#include "tesela/error.h"
#include "tesela_version.h"

namespace tesela::cli {

VerbParser::VerbParser(std::string verb, std::string summary)
    : verb_(std::move(verb)), summary_(std::move(summary)), app_(summary_, "tesela " + verb_) {
    app_.set_help_flag("-h,--help", "print this help");
    app_.set_version_flag("--version", std::string("tesela ") + TESELA_VERSION);
    app_.set_config("--config", "", "file of settings (TOML, INI or JSON), named as the flags are");
    app_.config_formatter(std::make_shared<ConfigFile>(verb_));
    app_.allow_config_extras(false);
    app_.add_flag("--describe{json}", describe_as_,
                  "print the options as JSON, or with --describe=markdown as a table");
    app_.get_formatter()->column_width(34);
    for (CLI::Option* option : app_.get_options()) option->group("Help and settings");
}

void VerbParser::add_inputs(std::vector<std::filesystem::path>& inputs, const std::string& name,
                            std::size_t least, std::size_t most, const std::string& help) {
    inputs_.push_back({name, help, &inputs, least, most});
    const auto take = [&inputs](const std::vector<std::string>& texts) {
        inputs.assign(texts.begin(), texts.end());
        return true;
    };
    app_.add_option_function<std::vector<std::string>>(name, take, help)
        ->type_name("PATH")
        ->configurable(false)
        ->expected(1, static_cast<int>(std::min<std::size_t>(most, 1 << 20)));
}

bool VerbParser::parse(const Arguments& arguments) {
    try {
        app_.parse(Arguments(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        print(app_.help());
        return false;
    } catch (const CLI::CallForVersion& version) {
        print(std::string(version.what()) + "\n");
        return false;
    } catch (const CLI::FileError& error) {
        throw UnreadableInput(fmt::format("configuration file: {}", error.what()));
    } catch (const CLI::ParseError& error) {
        throw InvalidArgument(fmt::format("{}; see 'tesela {} --help'", error.what(), verb_));
    }
    if (!describe_as_.empty()) {
        print_description();
        return false;
    }
    for (const auto& check : checks_) check();
    require_inputs();
    return true;
}

void VerbParser::require_inputs() const {
    for (const Inputs& inputs : inputs_)
        if (inputs.paths->size() < inputs.least)
            throw InvalidArgument(
                fmt::format("{} is missing; see 'tesela {} --help'", inputs.name, verb_));
}

void VerbParser::print_description() const {
    if (describe_as_ == "markdown") {
        print(markdown_table(facts_));
        return;
    }
    if (describe_as_ != "json")
        throw InvalidArgument(
            fmt::format("--describe: '{}' is not one of json, markdown", describe_as_));
    Json description{{"version", TESELA_VERSION}, {"verb", verb_}, {"summary", summary_}};
    description["inputs"] = Json::array();
    for (const Inputs& inputs : inputs_)
        description["inputs"].push_back({{"name", inputs.name},
                                         {"help", inputs.help},
                                         {"least", inputs.least},
                                         {"most", inputs.most}});
    description["options"] = Json::array();
    for (const OptionFacts& facts : facts_) description["options"].push_back(facts.to_json());
    print(description.dump(2) + "\n");
}

Json VerbParser::values() const {
    Json all = Json::object();
    for (const auto& values : values_) all.update(values());
    return all;
}

}  // namespace tesela::cli
