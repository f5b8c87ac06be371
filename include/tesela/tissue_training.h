// What tissue classifiers learn from: tiles of annotated slides, or pictures of tiles.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/annotation.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/tile_source.h"
#include "tesela/tissue_classifier.h"
#include "tesela/tissue_model.h"
#include "tesela/tissue_tiles.h"

namespace tesela {

// Sets the pixels and tiles of a model by lengths. `resolution` is the side of a pixel, from 0.05
// to 100 um, or 1 px for the pixels of each slide as they are; `tile` is the side of a tile, from 8
// to 4096 of these pixels after rounding, and in pixels where the resolution is. Throws
// InvalidArgument that names --resolution or --tile.
void set_sizes(TissueModel& model, const Length& resolution, const Length& tile);

enum class StainNormalization { none, macenko };
constexpr auto enum_names(StainNormalization) {
    return std::array{EnumNames<StainNormalization>{StainNormalization::none, "none"},
                      EnumNames<StainNormalization>{StainNormalization::macenko, "macenko"}};
}
constexpr auto enum_help(StainNormalization) {
    return std::array<std::string_view, 2>{"as scanned", "one appearance for all slides (Macenko)"};
}

struct TissueSampleOptions {
    std::string features = "default";
    Length resolution{0.5, Length::In::micrometer};
    std::optional<Length> tile = {};  // nothing: by the annotations
    StainNormalization stain = StainNormalization::none;
};
template <class V>
void describe(V&& v, TissueSampleOptions& o) {
    v("features", o.features, "default, thesis, or groups such as color,lbp-8-1");
    v("resolution", o.resolution, "size of a pixel, or 1px for that of the slide");
    v("tile", o.tile, "side of a tile in um or px",
      OptionRange{.automatic = "largest with 20 tiles a class, 32 to 256um"});
    v("stain", o.stain, "color normalization of slides");
}

// A slide and what was drawn on it. Both functions are called when it is the slide's turn, which
// may be twice.
struct AnnotatedSlide {
    std::string name;  // a path, or whatever warnings should call it
    std::function<std::shared_ptr<const TileSource>()> open;
    std::function<Annotations(const TileSource& slide)> annotations;
};

struct TrainingTiles {
    TissueModel model;  // without its classifier
    Length tile = {};   // side, of slides
    TissueSamples samples;
    // Sentences for the user, and classes that none of the tiles is of.
    std::vector<std::string> warnings = {}, classes_without_tiles = {};
};

// The samples of all slides together. Without a side of tiles it is the largest of 256, 128, 64 and
// 32 um that leaves every class 20 tiles, else the smallest; 128 um where the resolution is in
// pixels. Slides are normalized to the stains of the first one; a class gets the color that it was
// drawn in. Throws InvalidArgument (options), what opening and reading throw, and Cancelled.
TrainingTiles training_tiles(const std::vector<AnnotatedSlide>& slides,
                             const TissueSampleOptions& options, Queue& queue,
                             const Progress& progress = {});
// Of pictures, which are the tiles and are taken as they are. Throws InvalidArgument for a
// normalization of stains too, and as read_tiles does.
TrainingTiles training_tiles(const TilePictures& pictures, const TissueSampleOptions& options,
                             Queue& queue, const Progress& progress = {});

// A label map over a whole slide as annotations in pixels of its level 0: those of label 7 are of
// the class "7", and 0 is none.
Annotations annotations_of(const LabelView& labels, const TileSource& slide);

}  // namespace tesela
