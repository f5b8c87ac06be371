// A request for each address of the viewer's server, as a page sends it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tesela::fuzz {

struct HttpSample {
    std::string name, text;
};
std::vector<HttpSample> http_samples();

}  // namespace tesela::fuzz
