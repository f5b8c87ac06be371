// Errors of the JSON library as part of a sentence.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tesela::io {

// "[json.exception.parse_error.101] parse error at line 1, column 3: REASON; last read: ..."
// without the name of the exception and what was read or expected.
inline std::string json_reason(const nlohmann::json::exception& error) {
    std::string text = error.what();
    text.erase(0, text.find("] ") + 2);
    return text.substr(0, text.find(';'));
}

}  // namespace tesela::io
