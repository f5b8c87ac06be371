#include "io/text_header.h"

#include <algorithm>
#include <charconv>

namespace tesela::io {

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == text.npos) return "";
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return text;
}

std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> result;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(" \t", at)) != text.npos) {
        const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
        result.push_back(text.substr(at, end - at));
        at = end;
    }
    return result;
}

namespace {

template <class T>
std::optional<T> number(const std::string& text) {
    T value = 0;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
}

}  // namespace

std::optional<double> real_number(const std::string& text) { return number<double>(text); }

void HeaderLines::read_more() {
    constexpr std::size_t longest = 1 << 24, piece = 1 << 16;
    if (text_.size() >= longest)
        throw unreadable(file_.path(),
                         "its header does not end within " + std::to_string(longest) + " bytes");
    std::vector<std::uint8_t> bytes(piece);
    const std::size_t got = file_.read_some(static_cast<std::int64_t>(text_.size()), bytes);
    text_.append(reinterpret_cast<const char*>(bytes.data()), got);
}

std::string HeaderLines::next() {
    std::size_t end = text_.find('\n', at_);
    while (end == text_.npos && static_cast<std::int64_t>(text_.size()) < file_.size()) {
        const std::size_t searched = text_.size();
        read_more();
        end = text_.find('\n', searched);
    }
    const std::string line = text_.substr(at_, std::min(end, text_.size()) - at_);
    const bool is_text = std::all_of(line.begin(), line.end(), [](char c) {
        return c == '\t' || c == '\r' || (static_cast<unsigned char>(c) >= 32 && c != 127);
    });
    if (!is_text)
        throw unreadable(file_.path(),
                         "its header is damaged: there are bytes in it that are no "
                         "text, after byte " +
                             std::to_string(at_));
    at_ += line.size() + 1;
    return line;
}

UnreadableInput HeaderFields::damaged(const std::string& name) const {
    return unreadable(file_.path(), "its " + format_ + " header has no valid '" +
                                        printable(name.substr(0, 100)) + "'");
}

void HeaderFields::add(const std::string& name, const std::string& value) {
    if (!fields_.emplace(name, value).second)
        throw unreadable(file_.path(), "its " + format_ + " header has '" +
                                           printable(name.substr(0, 100)) + "' twice");
}

const std::string* HeaderFields::find(const std::string& name) const {
    const auto at = fields_.find(name);
    return at == fields_.end() ? nullptr : &at->second;
}

const std::string& HeaderFields::get(const std::string& name) const {
    const std::string* value = find(name);
    if (!value || value->empty()) throw damaged(name);
    return *value;
}

std::int64_t HeaderFields::whole_number(const std::string& name) const {
    const auto value = number<std::int64_t>(get(name));
    if (!value) throw damaged(name);
    return *value;
}

std::int64_t HeaderFields::whole_number_or(const std::string& name, std::int64_t otherwise) const {
    return find(name) ? whole_number(name) : otherwise;
}

std::vector<double> HeaderFields::numbers(const std::string& name, std::int64_t count) const {
    std::vector<double> values;
    if (!find(name)) return values;
    for (const std::string& word : words(get(name))) {
        const auto value = real_number(word);
        if (!value) throw damaged(name);
        values.push_back(*value);
    }
    if (std::ssize(values) != count) throw damaged(name);
    return values;
}

std::vector<std::int64_t> HeaderFields::lengths(const std::string& name, std::int64_t count) const {
    std::vector<std::int64_t> values;
    std::int64_t product = 1;
    for (const std::string& word : words(get(name))) {
        const auto length = number<std::int64_t>(word);
        if (!length || *length < 1 || *length > 0x7fffffff) throw damaged(name);
        if (product > (std::int64_t{1} << 50) / *length)
            throw unreadable(file_.path(), "its header claims an enormous image");
        product *= *length;
        values.push_back(*length);
    }
    if (std::ssize(values) != count) throw damaged(name);
    return values;
}

namespace {

// Whether the name holds a number's conversion as of printf, such as %03d.
bool is_pattern(const std::string& name) {
    for (std::size_t at = name.find('%'); at != name.npos; at = name.find('%', at + 1)) {
        const std::size_t end = name.find_first_not_of("0123456789", at + 1);
        if (end != name.npos && (name[end] == 'd' || name[end] == 'i' || name[end] == 'u'))
            return true;
    }
    return false;
}

}  // namespace

fs::path named_data_file(const InputFile& file, const std::string& name) {
    const fs::path path = file.path().parent_path() / name;  // `name` alone where it is absolute
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
    if (words(name)[0] == "LIST")
        throw unsupported(file.path(),
                          "its pixels lie in several files, which it lists (LIST); put them into "
                          "one file");
    if (is_pattern(name))
        throw unsupported(file.path(), "its pixels lie in several files: the percent sign in '" +
                                           printable(name.substr(0, 100)) +
                                           "' stands for their numbers; put them into one file");
    return path;
}

}  // namespace tesela::io
