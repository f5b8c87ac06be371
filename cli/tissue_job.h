// What the verbs of tissue share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common_options.h"
#include "messages.h"
#include "outputs.h"
#include "report.h"
#include "slide_job.h"
#include "tesela/tissue_evaluation.h"
#include "tesela/tissue_slides.h"
#include "tesela/tissue_tiles.h"
#include "verb_parser.h"

namespace tesela::cli {

enum class StainChoice { none, macenko };
constexpr auto enum_names(StainChoice) {
    return std::array{EnumNames<StainChoice>{StainChoice::none, "none"},
                      EnumNames<StainChoice>{StainChoice::macenko, "macenko"}};
}
constexpr auto enum_help(StainChoice) {
    return std::array<std::string_view, 2>{"as scanned", "one appearance for all slides (Macenko)"};
}

struct TissueVerb {
    DeviceOptions job;
    MemoryOptions memory;
    MessageOptions messages;

    Queue queue() const;                // on the first device
    std::vector<Queue> queues() const;  // on all of them
};

void add_tissue_options(VerbParser& parser, TissueVerb& verb);

// Where samples come from, of `features` and `train`.
struct SampleOptions {
    std::filesystem::path tiles, annotations, label_maps;
    std::string features = "default", resolution = "0.5um", tile = "128um";
    StainChoice stain = StainChoice::none;
};

template <class V>
void describe(V&& v, SampleOptions& o) {
    v("tiles", o.tiles, "folder with a folder of pictures for each class");
    v("annotations", o.annotations, "GeoJSON of the slide, or a folder of such files");
    v("label-maps", o.label_maps, "folder of label maps over the slides");
    v("features", o.features, "default, thesis, or groups such as color,lbp-8-1");
    v("resolution", o.resolution, "size of a pixel, or 1px for that of the slide");
    v("tile", o.tile, "side of a tile in um or px");
    v("stain", o.stain, "color normalization of slides");
}

struct TrainingTiles {
    TissueModel model;  // without its classifier
    TissueSamples samples;
};
// Reads the samples and says what they are. Throws InvalidArgument unless there is one source.
TrainingTiles read_training_tiles(const std::vector<std::filesystem::path>& slides,
                                  const SampleOptions& options, const SlideOptions& slide_options,
                                  const TissueVerb& verb, const Progress& progress);

// A line for people: classes with their numbers of samples.
std::string samples_text(const TissueSamples& samples);

}  // namespace tesela::cli
