// Start of a registration: the best of many rough guesses.
#pragma once

#include <vector>

#include "tesela/registration.h"

namespace tesela {

struct StartCandidate {
    LinearMap map;
    RegistrationScore score;
};

// Candidates aligned on coarse levels, the best first, without those that have little overlap of
// tissue or an implausible scale.
std::vector<StartCandidate> find_starts(const RegistrationImage& fixed,
                                        const RegistrationImage& moving,
                                        const RegistrationOptions& options, LinearKind kind,
                                        Queue& queue, const Progress& progress);

// Whether two maps are nearly equal on the whole image: within a share of its diagonal.
bool is_alike(const LinearMap& a, const LinearMap& b, const ImageGrid& fixed, double near = 0.1);

}  // namespace tesela
