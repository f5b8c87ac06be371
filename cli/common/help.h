// The help of a verb.
#pragma once

#include <string>
#include <vector>

#include "option_binder.h"

namespace tesela::cli {

struct HelpInput {
    std::string name, help;
    bool several = false;
};

struct HelpPage {
    std::string verb, sentence;
    std::vector<std::string> examples;  // without the program's name
    std::vector<HelpInput> inputs;
    std::vector<OptionFacts> options;
};

// A sentence, examples, inputs, and the options by group, each with its default in a column of its
// own: the basic ones, or `all`.
std::string help_text(const HelpPage& page, bool all);
// The same without sentence and usage.
std::string help_body(const HelpPage& page, bool all);

// Options that all pages have, in the words of the first page; help and defaults that differ are
// not shown.
std::vector<OptionFacts> shared_options(const std::vector<HelpPage>& pages);

}  // namespace tesela::cli
