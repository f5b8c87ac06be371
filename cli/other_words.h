// Words of other programs for what verbs of Tesela do.
#pragma once

#include <span>
#include <string_view>

namespace tesela::cli {

struct OtherWord {
    std::string_view word;
    std::string_view advice;  // names the verb in quotes: "'tesela segment' ..."
};
std::span<const OtherWord> other_words();

// The advice for a word that is no verb; empty where there is none.
std::string_view verb_for(std::string_view word);

}  // namespace tesela::cli
