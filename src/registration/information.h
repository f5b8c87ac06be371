// The mutual information of two images, from their joint histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tesela {

struct MutualInformation {
    double normalized = 0;     // both entropies over the joint one: 1 to 2
    double correlation = 0;    // of two normal distributions with as much information: 0 to 1
    std::vector<float> worth;  // by cell: the information of one point
    std::vector<float> gains;  // by cell: what the moving value's step by a bin adds
};

// `counts` of cells, as joint_histogram adds them up.
MutualInformation mutual_information(const std::vector<std::uint32_t>& counts);

// Of a value from 0 to 1, and the cell of two bins.
std::uint8_t information_bin(float value);
std::size_t information_cell(std::uint8_t fixed, std::uint8_t moving);

}  // namespace tesela
