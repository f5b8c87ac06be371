// Points that are named alike in several images.
#pragma once

#include <string>
#include <vector>

#include "tesela/transform.h"

namespace tesela {

// In pixels: the center of the first one is (0, 0).
struct Landmark {
    std::string name;
    SpacePoint point{};
};
struct Landmarks {
    int dimensions = 2;
    std::vector<Landmark> list;
    std::vector<std::string> warnings = {};  // of reading, sentences for the user
};

}  // namespace tesela
