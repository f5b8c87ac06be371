// Whole files of text, and numbers in them as every locale writes them.
#pragma once

#include <charconv>
#include <string>

#include "io/file.h"

namespace tesela::io {

// Throws UnreadableInput, OutOfMemory beyond `longest` bytes, or the physical memory where it is 0.
inline std::string whole_text(const InputFile& file, std::int64_t longest) {
    require_memory(file.path(), 0, longest, file.size());
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(0, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
    return text;
}

// Appends the shortest decimal number that reads as the same value.
inline void append_number(std::string& text, double value) {
    char digits[32];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Writes beside the target and renames.
inline void write_text(const std::string& text, const fs::path& path, bool overwrite) {
    Staging staging({path}, overwrite);
    OutputFile file(staging.staged(), path);
    file.write_or_throw(text.data(), text.size());
    file.close();
    staging.commit();
}

}  // namespace tesela::io
