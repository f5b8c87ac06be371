// The words of an OpenCL compiler, with the places in them named as a reader can find them.
#pragma once

#include <string>

namespace tesela::detail {

// Some drivers take no notice of line markers and write "<kernel>:LINE:", counted in the whole
// preprocessed text. Puts the file and line of the text's own markers in their place.
std::string with_source_places(const std::string& log, const std::string& text);

}  // namespace tesela::detail
