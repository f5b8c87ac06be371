// Scripts that complete verbs, options and their values in a shell.
#pragma once

#include <string>
#include <vector>

#include "option_types.h"

namespace tesela::cli {

// A verb as typed, such as "threshold otsu", with what --describe prints of it.
struct DescribedVerb {
    std::string name, summary, task;
    Json description;
};

std::string bash_completion(const std::vector<DescribedVerb>& verbs);
std::string zsh_completion(const std::vector<DescribedVerb>& verbs);
std::string fish_completion(const std::vector<DescribedVerb>& verbs);

}  // namespace tesela::cli
