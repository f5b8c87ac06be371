// Whole files of text, their lines, and numbers in them as every locale writes them.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "io/file.h"

namespace tesela::io {

// Without the mark of UTF-8 that spreadsheets write first. Throws UnreadableInput, OutOfMemory
// beyond `longest` bytes, or the physical memory where it is 0.
std::string whole_text(const InputFile& file, std::int64_t longest);

// The lines of a file, read part by part.
class TextLines {
  public:
    static constexpr std::int64_t longest = 1 << 20;  // bytes of a line

    // Throws UnreadableInput for what is missing, empty, no regular file, or UTF-16.
    explicit TextLines(const fs::path& path);

    const fs::path& path() const { return file_.path(); }
    // The next line without its end, valid until the next call; false where there is none. Throws
    // UnreadableInput for a line that is longer than `longest`.
    bool next(std::string_view& line);
    std::int64_t number() const { return number_; }  // of the last line, from 1
    // Throws UnreadableInput that names the last line.
    [[noreturn]] void refuse(const std::string& reason) const;
    // Throws OutOfMemory where a list of `bytes` that is made of the lines exceeds `limit`.
    void require_list(std::int64_t bytes, std::int64_t limit) const;

  private:
    bool read_more();

    InputFile file_;
    std::string part_;         // of the file
    std::size_t at_ = 0;       // the next line in it
    std::int64_t offset_ = 0;  // of what is read next
    std::int64_t number_ = 0;
};

// The number that `text` is as a whole, with a point before its decimals; NaN where it is none.
// nan and inf are none either.
double finite_number(std::string_view text);

// Appends the shortest decimal number that reads as the same value.
inline void append_number(std::string& text, double value) {
    char digits[32];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Writes beside the target and renames.
void write_text(const std::string& text, const fs::path& path, bool overwrite);

}  // namespace tesela::io
