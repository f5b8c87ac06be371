// What was probably meant by a word that is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tesela::cli {

// "did you mean 'flow'?" where one of the words, of which there is at least one, is much alike;
// else empty.
std::string suggestion(std::string_view word, const std::vector<std::string>& words);

}  // namespace tesela::cli
