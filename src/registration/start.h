// Where registration begins: the most likely of many rough guesses.
#pragma once

#include <vector>

#include "tesela/registration.h"

namespace tesela {

struct StartCandidate {
    LinearMap map;
    RegistrationScore score;
};

// Aligned on coarse levels, the best first; those that put little tissue on tissue or change its
// size too much are left out.
std::vector<StartCandidate> find_starts(const RegistrationView& fixed,
                                        const RegistrationView& moving,
                                        const RegistrationOptions& options, LinearKind kind,
                                        Queue& queue, const Progress& progress);

// Whether two maps put the image about the same way.
bool is_alike(const LinearMap& a, const LinearMap& b, const ImageGrid& fixed);

}  // namespace tesela
