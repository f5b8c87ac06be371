#include "io/dicom_text.h"

#include <algorithm>
#include <cstddef>

namespace tesela::io {
namespace {

unsigned char byte_of(char c) { return static_cast<unsigned char>(c); }

// How many bytes the character there has in UTF-8; 0 where it is none.
std::size_t character_length(const std::string& text, std::size_t at) {
    const unsigned char first = byte_of(text[at]);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xc2 ? 0
                               : first < 0xe0 ? 2
                               : first < 0xf0 ? 3
                               : first < 0xf5 ? 4
                                              : 0;
    if (at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte_of(text[at + i]) & 0xc0) != 0x80) return 0;
    return length;
}

std::string of_latin1(const std::string& text) {
    std::string utf8;
    for (const char c : text) {
        if (byte_of(c) >= 0x80) utf8 += static_cast<char>(0xc0 | byte_of(c) >> 6);
        utf8 += byte_of(c) < 0x80 ? c : static_cast<char>(0x80 | (byte_of(c) & 0x3f));
    }
    return utf8;
}

std::string valid(const std::string& text, bool is_utf8) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(text, at);
        if (length == 0 || (length > 1 && !is_utf8)) {
            result += '?';
            ++at;
            continue;
        }
        result += text.substr(at, length);
        at += length;
    }
    return result;
}

}  // namespace

bool is_ascii(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return byte_of(c) < 0x80; });
}

bool is_utf8_or_latin1(const std::string& character_set) {
    return character_set.empty() || character_set == "ISO_IR 6" || character_set == "ISO_IR 100" ||
           character_set == "ISO_IR 192";
}

std::string dicom_utf8(const std::string& text, const std::string& character_set) {
    const std::size_t end = text.find_last_not_of(std::string(" \0", 2));
    const std::size_t start = text.find_first_not_of(' ');
    if (end == text.npos || start == text.npos || start > end) return "";
    const std::string own = text.substr(start, end - start + 1);
    if (character_set == "ISO_IR 100") return of_latin1(own);
    return valid(own, character_set == "ISO_IR 192");
}

}  // namespace tesela::io
