// Trained models of tissue. What reads and writes files is in tesela/tissue_io.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/stain.h"
#include "tesela/tissue_classifier.h"

namespace tesela {

// What is needed to classify the tiles of a slide.
struct TissueModel {
    std::vector<std::string> classes;
    std::vector<std::array<std::uint8_t, 3>> colors;  // of the classes
    std::string features = "default";                 // groups of FeatureSet
    double micrometers_per_pixel = 0;        // at which tiles are looked at; 0: pixels as they are
    int tile = 256;                          // side of a tile in pixels of this size
    std::optional<StainMatrix> stains = {};  // that slides are normalized to
    Classifier classifier;
};

}  // namespace tesela
