// Manual pages in the language of man(7).
#pragma once

#include "completion.h"

namespace tesela::cli {

// tesela(1), which lists the verbs.
std::string man_page_of_all(const std::vector<DescribedVerb>& verbs);
// tesela-threshold-otsu(1)
std::string man_page(const DescribedVerb& verb);
// "tesela-threshold-otsu.1"
std::string man_page_name(const DescribedVerb& verb);

}  // namespace tesela::cli
