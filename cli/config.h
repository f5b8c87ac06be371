// Configuration files: TOML, INI or JSON.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tesela::cli {

// Reads settings named as the flags are. They stand at the top or under the name of the verb, so
// that one file can serve several verbs; the settings of other verbs are passed over.
class ConfigFile : public CLI::ConfigTOML {
  public:
    explicit ConfigFile(std::string verb) : verb_(std::move(verb)) {}
    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

  private:
    std::string verb_;
};

}  // namespace tesela::cli
