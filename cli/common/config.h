// Configuration files: TOML, INI or JSON.
#pragma once

#include <string>
#include <vector>

#include "tesela/error.h"

namespace tesela::cli {

// One setting of a configuration file. Lists are joined by commas, as on the command line.
struct Setting {
    std::string section;  // the verb that it is for, empty at the top
    std::string name, value;
    int line = 0;  // 0: not known
};

// "configuration file 'FILE', line LINE: REASON", without a line where that is 0.
InvalidArgument wrong_config(const std::string& file, int line, const std::string& reason);

// Sections and lists inside each other that are taken.
inline constexpr std::size_t deepest_nesting = 16;

// The settings of one file's text, in its order. `file` is for errors. Throw InvalidArgument.
std::vector<Setting> parse_toml(const std::string& file, const std::string& text);
std::vector<Setting> parse_json(const std::string& file, const std::string& text);

// Those for a verb: what stands under the verb's name first, then what stands at the top. The
// settings of other verbs are passed over. Throws InvalidArgument.
std::vector<Setting> settings_for(const std::string& verb, const std::string& file,
                                  const std::string& text);

// The same of a file. Throws UnreadableInput where there is none, InvalidArgument where its text is
// not valid.
std::vector<Setting> read_config(const std::string& verb, const std::string& file);

}  // namespace tesela::cli
