// What operations on slides share.
#pragma once

#include "operations/operation.h"
#include "tesela/tile_source.h"
#include "tesela/tissue_classifier.h"
#include "tesela/tissue_model.h"
#include "tesela/warp.h"

namespace tesela::operations {

// A box of a tiled image, which is a multiple of tiles as they are stored, goes to its writer.
inline constexpr std::int64_t stored_tile = 256, box_side = 1024;
void write_box(TileWriter& writer, std::int64_t column, std::int64_t row, const AnyImage& box);

// A slide warped to the grid `target`, box by box, into the tiled output of this name.
void write_warped_slide(const Call& call, std::string_view output, const TileSource& slide,
                        const Transform& transform, const ImageGrid& target,
                        const WarpOptions& options, bool labels, Queue& queue,
                        const Progress& progress);
inline constexpr std::int64_t warped_box_bytes = 32 * box_side * box_side;  // of the device

// A line for people, and figures: classes with their numbers of samples.
void report_samples(const TissueSamples& samples, Results& results);
// A warning where classes have one color, by which no picture tells them apart.
void warn_of_colors(const TissueModel& model, Results& results);

// `whole` on a slide, box by box. The options may still need the whole image, which is found when
// it is run.
Operation in_tiles(const Operation& whole);

}  // namespace tesela::operations
