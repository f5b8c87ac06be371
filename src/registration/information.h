// The mutual information of two images, from their joint histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tesela/registration.h"

namespace tesela {

struct MutualInformation {
    double value = 0;        // in nats; normalized: sum of entropies over joint entropy, 1 to 2
    double points = 0;       // that were counted
    double correlation = 0;  // of two normal distributions with the same information: 0 to 1
    std::vector<float> pointwise;  // by cell: pointwise mutual information
    std::vector<float> gains;      // by cell: derivative by the share of the cell, up to a factor
                                   // and a number for each fixed bin
};

// From the counts of pairs of bins, by fixed bin, then by moving bin, of which the moving ones are
// smooth. `measure` is mi, or nmi, which smooths the fixed bins, too.
MutualInformation mutual_information(const std::vector<std::uint32_t>& counts,
                                     RegistrationMeasure measure);

// The cell of two values from 0 to 1 is the sum of a row and a column.
std::uint16_t information_row(float fixed);
std::uint16_t information_column(float moving);

}  // namespace tesela
