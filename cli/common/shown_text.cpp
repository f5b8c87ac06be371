#include "shown_text.h"

#include <fmt/format.h>

namespace tesela::cli {
namespace {

// Bytes of the character that `text` begins with; 0 where that is not UTF-8 (RFC 3629).
std::size_t character_bytes(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool surrogate = first == 0xed && second >= 0xa0;
    const bool beyond_unicode = first == 0xf4 && second >= 0x90;
    return overlong || surrogate || beyond_unicode ? 0 : length;
}

bool breaks_a_line(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return first < 0x20 || first == 0x7f;
    const bool c1_control =
        first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;  // U+0080 to U+009F
    return c1_control || character == "\u2028" || character == "\u2029";
}

std::string escaped(std::string_view text, bool one_line) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = character_bytes(text);
        const std::string_view character = text.substr(0, length > 0 ? length : 1);
        if (length == 0 || (one_line && breaks_a_line(character)))
            for (const char byte : character)
                result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
        else
            result += character;
        text.remove_prefix(character.size());
    }
    return result;
}

}  // namespace

std::string as_utf8(std::string_view text) { return escaped(text, false); }
std::string on_one_line(std::string_view text) { return escaped(text, true); }

}  // namespace tesela::cli
