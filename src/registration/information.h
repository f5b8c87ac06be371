// The mutual information of two images, from their joint histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tesela {

struct MutualInformation {
    double normalized = 0;         // sum of entropies over joint entropy: 1 to 2
    double correlation = 0;        // of two normal distributions with the same information: 0 to 1
    std::vector<float> pointwise;  // by cell: pointwise mutual information
    std::vector<float> gains;      // by cell: derivative by the moving value, in bins
};

// From the `counts` of joint_histogram.
MutualInformation mutual_information(const std::vector<std::uint32_t>& counts);

// The bin of a value from 0 to 1, and the cell of two bins.
std::uint8_t information_bin(float value);
std::size_t information_cell(std::uint8_t fixed, std::uint8_t moving);

}  // namespace tesela
