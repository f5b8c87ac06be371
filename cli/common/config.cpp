#include "config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "interrupt.h"

namespace tesela::cli {
namespace {

// The whole text, without the mark of UTF-8 that some editors write first.
std::string text_of(const std::string& file) {
    constexpr std::size_t largest = 1 << 20;
    const auto unreadable = [&](const std::string& reason) {
        return UnreadableInput(
            fmt::format("cannot read configuration file '{}': {}", file, reason));
    };
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) throw unreadable("it is a folder");
    const DisposableWork reading;  // a pipe may be silent
    std::ifstream input(file, std::ios::binary);
    if (!input) throw unreadable(std::generic_category().message(errno));
    std::string text(largest + 1, '\0');
    input.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(input.gcount()));
    if (text.size() > largest) throw wrong_config(file, 0, "it is larger than 1 MiB");
    const bool is_text = std::all_of(text.begin(), text.end(), [](char c) {
        return c == '\t' || c == '\r' || c == '\n' ||
               (static_cast<unsigned char>(c) >= 32 && c != 127);
    });
    if (!is_text) throw wrong_config(file, 0, "it is no text file");
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    return text;
}

}  // namespace

InvalidArgument wrong_config(const std::string& file, int line, const std::string& reason) {
    const std::string place = line > 0 ? fmt::format(", line {}", line) : "";
    return InvalidArgument(fmt::format("configuration file '{}'{}: {}", file, place, reason));
}

std::vector<Setting> settings_for(const std::string& verb, const std::string& file,
                                  const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool json = first != std::string::npos && text[first] == '{';
    std::vector<Setting> own, common;
    for (Setting& setting : json ? parse_json(file, text) : parse_toml(file, text)) {
        if (setting.section.starts_with(verb + " "))
            throw wrong_config(file, setting.line,
                               fmt::format("there is no section '{}'", setting.section));
        if (setting.section == verb)
            own.push_back(std::move(setting));
        else if (setting.section.empty())
            common.push_back(std::move(setting));
    }
    own.insert(own.end(), common.begin(), common.end());
    return own;
}

std::vector<Setting> read_config(const std::string& verb, const std::string& file) {
    return settings_for(verb, file, text_of(file));
}

}  // namespace tesela::cli
