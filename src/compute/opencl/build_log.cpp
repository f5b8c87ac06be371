#include "compute/opencl/build_log.h"

#include <regex>
#include <sstream>

namespace tesela::detail {
namespace {

// "FILE:LINE" of a line of the preprocessed text; empty before the first marker.
std::string place_of(const std::string& text, long wanted) {
    static const std::regex marker("^#(?:line)? *([0-9]+) +\"([^\"]*)\".*");
    std::istringstream lines(text);
    std::string file;
    long number = 0;
    std::string line;
    for (long i = 1; i < wanted && std::getline(lines, line); ++i) {
        std::smatch match;
        if (std::regex_match(line, match, marker)) {
            number = std::stol(match[1]);  // of the line after the marker
            file = match[2];
        } else {
            ++number;
        }
    }
    return file.empty() ? "" : file + ":" + std::to_string(number);
}

}  // namespace

std::string with_source_places(const std::string& log, const std::string& text) {
    static const std::regex anonymous("<kernel>:([0-9]+):");
    std::string result;
    auto rest = log.cbegin();
    for (std::sregex_iterator match(log.begin(), log.end(), anonymous), end; match != end;
         ++match) {
        const std::string place = place_of(text, std::stol((*match)[1]));
        result.append(rest, log.cbegin() + match->position());
        result += place.empty() ? match->str() : place + ":";
        rest = log.cbegin() + match->position() + match->length();
    }
    return result.append(rest, log.cend());
}

}  // namespace tesela::detail
