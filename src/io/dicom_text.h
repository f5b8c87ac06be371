// Texts in DICOM's character sets (PS3.3, C.12.1.1.2).
#pragma once

#include <string>

namespace tesela::io {

bool is_ascii(const std::string& text);
// Whether texts of a set, as the header names it, are UTF-8 or become it: ASCII and Latin-1.
bool is_utf8_or_latin1(const std::string& character_set);
// Without blanks at its ends. Where the set is another one, or the text is not in it, bytes beyond
// ASCII become question marks.
std::string dicom_utf8(const std::string& text, const std::string& character_set);

}  // namespace tesela::io
