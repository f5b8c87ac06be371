// Tiles of tissue in pictures of their own, to samples for training.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/progress.h"
#include "tesela/tile_features.h"
#include "tesela/tissue_classifier.h"

namespace tesela {

struct TilePicture {
    int label = 0;  // place in the classes
    std::string name, slide;
    std::string source;  // as errors name it
};

struct TilePictures {
    std::vector<std::string> classes;
    std::vector<TilePicture> tiles;
    // May be called from several threads at once.
    std::function<AnyImage(std::size_t tile)> read;
};

struct TileFolder {
    TissueSamples samples;
    int side = 0;  // of all pictures in pixels; 0: they differ or are not square
};

// The features of all pictures, pixel by pixel, in their order. Throws what reading throws,
// UnsupportedFormat that names another picture than one of 8-bit colors; Cancelled.
TileFolder read_tiles(const TilePictures& pictures, const FeatureSet& features, Queue& queue,
                      const Progress& progress = {});

}  // namespace tesela
