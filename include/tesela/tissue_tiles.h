// Tiles of tissue: from folders of pictures and from annotated slides, to samples for training.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tesela/annotation.h"
#include "tesela/compute/queue.h"
#include "tesela/io.h"
#include "tesela/progress.h"
#include "tesela/slide_io.h"
#include "tesela/tile_features.h"
#include "tesela/tissue_model.h"

namespace tesela {

struct TileFolder {
    TissueSamples samples;
    int side = 0;  // of all pictures in pixels; 0: they differ or are not square
};

// The features of all pictures below `folder`: a folder for each class, named after it; a picture
// in a folder of its own within that belongs to the slide of this name. Pictures are taken pixel by
// pixel, in the order of their names. Throws UnreadableInput that names the picture,
// UnsupportedFormat for other pictures than 8-bit colors, InvalidArgument for a folder without
// classes or a class without pictures; Cancelled.
TileFolder read_tile_folder(const std::filesystem::path& folder, const FeatureSet& features,
                            Queue& queue, const io::ReadOptions& reading = {},
                            const Progress& progress = {});

}  // namespace tesela
