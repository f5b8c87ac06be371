// A request for each address of the viewer's server, as a page sends it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tesela::fuzz {

struct HttpSample {
    std::string name, text;
    // False: of a page that is not built everywhere, of what only a running operation makes, or
    // refused.
    bool is_answered = true;
};
std::vector<HttpSample> http_samples();

}  // namespace tesela::fuzz
