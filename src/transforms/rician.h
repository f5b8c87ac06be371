// Means of magnitudes with Rician noise.
#pragma once

#include <vector>

namespace tesela {

// Table of true value / sigma by mean magnitude / sigma, from 0 on, `steps` entries a unit.
inline constexpr int rician_steps = 256, rician_entries = 16 * rician_steps + 1;
const std::vector<float>& rician_table();

}  // namespace tesela
