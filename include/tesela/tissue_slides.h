// Maps of the tissue on whole slides.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tesela/annotation.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/progress.h"
#include "tesela/stage_load.h"
#include "tesela/tile_features.h"
#include "tesela/tile_source.h"
#include "tesela/tissue_model.h"

namespace tesela {

// The tiles of a slide at the resolution of a model. Cell (column, row) of the grid begins at
// column * stride, row * stride, in pixels of level 0; its tile is centered on the cell.
struct TissueGrid {
    int level = 0;                   // that tiles are read from
    int tile = 0;                    // side in pixels of the model
    std::array<double, 2> step{};    // pixels of level 0 for one of the model, x and y
    std::array<double, 2> stride{};  // of cells, in pixels of level 0
    std::int64_t columns = 0, rows = 0;

    std::int64_t cells() const { return columns * rows; }
};

// Cells cover the slide. `stride` is in pixels of the model, 0 for that of a tile. Throws
// InvalidArgument where the slide does not say the size of its pixels and the model needs it, and
// where its pixels are larger than those of the model; UnsupportedFormat for slides of other pixels
// than 8-bit colors.
TissueGrid tissue_grid(const TileSource& slide, double micrometers_per_pixel, int tile,
                       double stride = 0);

// A spacing of tiles in pixels of the model; one in pixels stays as it is. Throws InvalidArgument
// that names --stride for less than 1 pixel or more than the side of a tile, for a physical length
// where the slide does not say the size of its pixels, and as tissue_grid does.
double tissue_stride(const TileSource& slide, const TissueModel& model, const Length& stride);

// The tile of a cell: means over the area of each pixel, from the coarsest level that is as fine.
// What is beyond the slide has its background.
Image<std::uint8_t> read_tile(const TileSource& slide, const TissueGrid& grid, std::int64_t column,
                              std::int64_t row);

// Where tissue is: 255, else 0; a pixel of about 8 um. The threshold of the mean optical density is
// Otsu's, but at least 0.05 and at most 0.2: a blank slide is all background, one that is full of
// tissue has none.
Image<std::uint8_t> tissue_mask(const TileSource& slide);

// Which tiles of a level hold no tissue by this mask: squares with sides of `tile` pixels, counted
// from the upper left corner. On slides whose pixels are not 8-bit color, no tile is empty.
class EmptyTiles {
  public:
    // Throws InvalidArgument for a level that does not exist and a side below 1.
    EmptyTiles(const TileSource& slide, int level, std::int64_t tile);
    // Throws InvalidArgument for a tile beyond the level.
    bool is_empty(std::int64_t column, std::int64_t row) const;

  private:
    Shape shape_;
    std::int64_t tile_;
    std::optional<Image<std::uint8_t>> mask_;
};

// 255 where polygons cover the centers of its pixels.
Image<std::uint8_t> annotation_mask(const TileSource& slide, const Annotations& annotations,
                                    std::int64_t width, std::int64_t height);

struct TissueMap {
    TissueGrid grid;
    std::vector<std::uint8_t> labels;  // of each cell: 0 is background, else the class + 1
    std::vector<float> probabilities;  // of each cell and class; 0 on background
    std::vector<StageLoad> stages;     // that read, count and describe tiles
    std::vector<DeviceLoad> devices;   // what each counted, in tiles
};

// How long the slowest stage of a map was at work, a thread of it. Reading and describing share the
// cores of the host and count as one stage, beside the device that took longest.
double slowest_stage_seconds(const TissueMap& map);

struct TissueMapOptions {
    double stride = 0;  // in pixels of the model; 0: tiles that do not overlap
    int threads = 0;    // that decode, and as many that describe; 0: all of the CPU
    // Masks over the whole slide, of any size: a tile counts where at least half of its area is not
    // 0 in each of them.
    std::vector<const Image<std::uint8_t>*> masks = {};
};

// Classifies all tiles. Threads read and resample tiles in batches, each queue counts what is read,
// threads describe and classify what is counted; memory holds a bounded number of batches, whatever
// the size of the slide. The labels are the same with any queues, of one device or several, and
// threads. Throws what reading and computing throw, with the device's id where there are several,
// and Cancelled.
TissueMap classify_slide(const TileSource& slide, const TissueModel& model,
                         const std::vector<Queue*>& queues, const TissueMapOptions& options,
                         const Progress& progress = {});

// The samples that annotations give: tiles of the grid that lie for at least three quarters in one
// class and are not on the background. `counts` tells what was left out.
struct AnnotationCounts {
    std::int64_t used = 0, unclassified = 0, starred = 0, without_area = 0;
    std::vector<std::string> classes_without_tiles;
    // Tiles that lie in annotations of several classes; the last of these by name has them.
    std::int64_t tiles_in_several = 0;
};
// Classes of `samples` are found by name and added where they are new.
AnnotationCounts add_annotated_tiles(const TileSource& slide, const Annotations& annotations,
                                     const std::string& slide_name, const TissueGrid& grid,
                                     const std::optional<StainMatrix>& stains,
                                     const FeatureSet& features, Queue& queue,
                                     TissueSamples& samples, const Progress& progress = {});

// How many of them each class has, without computing anything of them, for each of several grids.
using ClassTiles = std::map<std::string, std::int64_t>;
std::vector<ClassTiles> count_annotated_tiles(const TileSource& slide,
                                              const Annotations& annotations,
                                              const std::vector<TissueGrid>& grids);

// The stains of a slide, estimated from a small picture of it. Throws as estimate_stains.
StainMatrix slide_stains(const TileSource& slide, const MacenkoOptions& options = {});
// A known pair, or this estimate.
StainMatrix stains_of(const TileSource& slide, const StainOptions& options);

// How much of the tissue each class is. The part of a cell beyond the slide does not count.
struct ClassShare {
    std::int64_t tiles = 0;
    double area_mm2 = 0;  // 0 where the slide does not say the size of its pixels
    double percent = 0;   // of the area of all classes
};
std::vector<ClassShare> class_shares(const TileSource& slide, const TissueModel& model,
                                     const TissueMap& map);

// Polygons around the cells of each class, 4-connected, in pixels of level 0, with the class's name
// and color, its area, and the calibration of the slide.
Annotations tissue_polygons(const TileSource& slide, const TissueModel& model,
                            const TissueMap& map);

// The map as labels, with the geometry of its cells.
LabelImage tissue_labels(const TileSource& slide, const TissueMap& map);

// The slide with its tissue in the colors of the classes, and a legend on the right.
Image<std::uint8_t> tissue_overlay(const TileSource& slide, const TissueModel& model,
                                   const TissueMap& map, std::int64_t longest);

}  // namespace tesela
