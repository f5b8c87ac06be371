// Verbs that print what the descriptions of all verbs hold: shell completion and manual pages.
#pragma once

#include <vector>

#include "verb.h"

namespace tesela::cli {

// Adds `completion SHELL` and `man-pages FOLDER`, about all verbs of the list, which has to stay
// where it is.
void add_documentation_verbs(std::vector<Verb>& verbs);

}  // namespace tesela::cli
