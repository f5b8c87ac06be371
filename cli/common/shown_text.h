// Names of files and values of options may hold any bytes. These make them fit to be shown.
#pragma once

#include <string>
#include <string_view>

namespace tesela::cli {

// Bytes that are not UTF-8 become \xNN, two hexadecimal digits each.
std::string as_utf8(std::string_view text);

// So do the bytes of control characters and of what else breaks a line.
std::string on_one_line(std::string_view text);

}  // namespace tesela::cli
