// How busy the stages of a stream are.
#pragma once

#include <string>

namespace tesela {

// The stage that waits least is the one that the others wait for.
struct StageLoad {
    std::string name;
    int threads = 0;
    double busy_seconds = 0, waited_seconds = 0;  // of all its threads together
};

}  // namespace tesela
