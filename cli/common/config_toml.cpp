// Configuration files of lines: the part of TOML (toml.io) that settings need, and INI.
#include <fmt/format.h>

#include <set>

#include "config.h"
#include "option_types.h"

namespace tesela::cli {
namespace {

class TomlReader {
  public:
    TomlReader(const std::string& file, const std::string& text) : file_(file), text_(text) {}

    std::vector<Setting> read() {
        for (; !at_end(); take_line_end()) {
            skip_blanks();
            if (peek() == ';') skip_line();  // a comment in INI files
            if (at_line_end()) continue;
            if (peek() == '[')
                read_section();
            else
                read_setting();
        }
        return std::move(settings_);
    }

  private:
    bool at_end() const { return at_ == text_.size(); }
    bool at_line_end() const { return at_end() || peek() == '\n' || peek() == '#'; }
    char peek() const { return at_end() ? '\0' : text_[at_]; }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r", at_), text_.size()); }
    void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

    InvalidArgument wrong(const std::string& reason) const {
        return wrong_config(file_, line_, reason);
    }

    void take_line_end() {
        skip_blanks();
        if (!at_line_end())
            throw wrong(fmt::format("there is more behind the value: '{:.40}'", rest()));
        skip_line();
        if (take('\n')) ++line_;
    }

    std::string rest() const { return text_up_to("\n"); }

    // Without blanks at the end.
    std::string text_up_to(const char* stops) const {
        const std::string text = text_.substr(at_, text_.find_first_of(stops, at_) - at_);
        return text.substr(0, text.find_last_not_of(" \t\r") + 1);
    }
    std::string take_up_to(const char* stops) {
        const std::string text = text_up_to(stops);
        at_ = std::min(text_.find_first_of(stops, at_), text_.size());
        return text;
    }

    // "text" with escapes, or 'text' without.
    std::string take_quoted() {
        const char quote = text_[at_++];
        std::string text;
        while (!take(quote)) {
            if (at_end() || peek() == '\n') throw wrong("a quoted text does not end in its line");
            char c = text_[at_++];
            if (c == '\\' && quote == '"') {
                const char escaped = peek();
                if (escaped != '"' && escaped != '\\')
                    throw wrong(
                        "of the escapes only \\\" and \\\\ are taken; write the text between "
                        "single quotes");
                c = text_[at_++];
            }
            text += c;
        }
        return text;
    }
    bool at_quote() const { return peek() == '"' || peek() == '\''; }

    // A name such as range, "range" or mean-shift.range, in its parts.
    std::vector<std::string> take_names(const char* stops) {
        std::vector<std::string> names;
        do {
            skip_blanks();
            names.push_back(at_quote() ? take_quoted() : take_up_to(stops));
            skip_blanks();
            if (names.size() > deepest_nesting)
                throw wrong(fmt::format("it is nested more than {} levels deep", deepest_nesting));
        } while (take('.'));
        return names;
    }

    static std::string joined(const std::vector<std::string>& names) {
        std::string text;
        for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
        return text;
    }

    void read_section() {
        const std::string line = rest();
        const bool twice = text_.compare(at_, 2, "[[") == 0;
        at_ += twice ? 2 : 1;
        section_ = take_names(".]#\n");
        const bool closed = take(']') && (!twice || take(']'));
        const std::string allowed =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- ";
        const std::string name = joined(section_);
        if (!closed || name.empty() || name.find_first_not_of(allowed) != name.npos)
            throw wrong(fmt::format("'{:.40}' is no name of a section", line));
    }

    void read_setting() {
        const std::string line = rest();
        std::vector<std::string> sections = section_;
        for (std::string& name : take_names(".=#\n")) sections.push_back(std::move(name));
        Setting setting{"", sections.back(), "true", line_};
        sections.pop_back();
        setting.section = joined(sections);
        if (setting.name.empty()) throw wrong(fmt::format("'{:.40}' has no name", line));
        if (take('=')) setting.value = take_value(setting.name);
        if (!known_.emplace(setting.section, setting.name).second)
            throw wrong(fmt::format("'{}' is given more than once", setting.name));
        settings_.push_back(std::move(setting));
    }

    std::string take_value(const std::string& name) {
        skip_blanks();
        if (at_quote()) return take_quoted();
        if (peek() == '[') return take_list(name);
        if (peek() == '{')
            throw wrong(fmt::format("the value of '{}' is a table; write a section", name));
        const std::string value = take_up_to("#\n");
        if (value.empty()) throw wrong(fmt::format("'{}' has no value", name));
        return value;
    }

    // The elements, joined by commas; they may stand in several lines.
    std::string take_list(const std::string& name) {
        ++at_;
        std::string list;
        for (bool more = true; more;) {
            skip_to_element();
            if (peek() == ']') break;
            if (peek() == '[' || peek() == '{')
                throw wrong(fmt::format("the list of '{}' holds another list or table", name));
            list += (list.empty() ? "" : ",") + (at_quote() ? take_quoted() : take_up_to(",]#\n"));
            skip_to_element();
            more = take(',');
        }
        if (!take(']')) throw wrong(fmt::format("the list of '{}' has no end", name));
        return list;
    }
    void skip_to_element() {
        for (skip_blanks(); at_line_end() && !at_end(); skip_blanks()) {
            skip_line();
            if (take('\n')) ++line_;
        }
    }

    const std::string& file_;
    const std::string& text_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::vector<std::string> section_;
    std::set<std::pair<std::string, std::string>> known_;  // sections and names
    std::vector<Setting> settings_;
};

}  // namespace

std::vector<Setting> parse_toml(const std::string& file, const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && text[first] == '[' && Json::accept(text))
        throw wrong_config(file, 0, "it is a JSON array; write an object, as {\"range\": 8}");
    return TomlReader(file, text).read();
}

}  // namespace tesela::cli
