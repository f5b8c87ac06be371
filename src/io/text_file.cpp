#include "io/text_file.h"

#include <cmath>
#include <limits>

namespace tesela::io {
namespace {

constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

void refuse_utf16(const fs::path& path, std::string_view start) {
    if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff"))
        throw unreadable(path, "it is UTF-16 text; save it as UTF-8");
}

}  // namespace

std::string whole_text(const InputFile& file, std::int64_t longest) {
    require_memory(file.path(), 0, longest, file.size());
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(0, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
    refuse_utf16(file.path(), text);
    if (text.starts_with(utf8_mark)) text.erase(0, utf8_mark.size());
    return text;
}

TextLines::TextLines(const fs::path& path) : file_(path) {
    read_more();
    refuse_utf16(path, part_);
    if (part_.starts_with(utf8_mark)) at_ = utf8_mark.size();
}

// Keeps the line that is not complete yet.
bool TextLines::read_more() {
    constexpr std::size_t step = 1 << 16;
    part_.erase(0, at_);
    at_ = 0;
    const std::size_t kept = part_.size();
    part_.resize(kept + step);
    const std::size_t got =
        file_.read_some(offset_, {reinterpret_cast<std::uint8_t*>(part_.data()) + kept, step});
    part_.resize(kept + got);
    offset_ += static_cast<std::int64_t>(got);
    return got > 0;
}

bool TextLines::next(std::string_view& line) {
    std::size_t end = part_.find('\n', at_);
    while (end == std::string::npos) {
        const std::size_t searched = part_.size() - at_;
        if (static_cast<std::int64_t>(searched) > longest) {
            ++number_;
            refuse("it is longer than " + std::to_string(longest) + " bytes; is this a text file?");
        }
        if (!read_more()) break;
        end = part_.find('\n', searched);
    }
    if (at_ == part_.size()) return false;
    ++number_;
    line = std::string_view(part_).substr(at_, end == std::string::npos ? end : end - at_);
    at_ += line.size() + (end == std::string::npos ? 0 : 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
}

void TextLines::refuse(const std::string& reason) const {
    throw unreadable(path(), "line " + std::to_string(number_) + ": " + reason);
}

void TextLines::require_list(std::int64_t bytes, std::int64_t limit) const {
    if (limit <= 0 || bytes <= limit) return;
    throw OutOfMemory(quoted(path()) + " holds a list that needs more than the " +
                          std::to_string(limit) + " bytes left of the memory limit",
                      bytes, limit);
}

double finite_number(std::string_view text) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const char *begin = text.data(), *const end = begin + text.size();
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') ++begin;
    double value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    return error == std::errc{} && stop == end && std::isfinite(value) ? value : nan;
}

void write_text(const std::string& text, const fs::path& path, bool overwrite) {
    Staging staging({path}, overwrite);
    OutputFile file(staging.staged(), path);
    file.write_or_throw(text.data(), text.size());
    file.close();
    staging.commit();
}

}  // namespace tesela::io
