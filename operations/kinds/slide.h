// Whole slides, which are read and written in tiles, so that they need not fit into memory. The
// caller of an operation opens them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "operations/kind.h"
#include "tesela/image.h"
#include "tesela/tile_source.h"

namespace tesela::operations {

using Slide = std::shared_ptr<const TileSource>;
// Of an input that is several slides, each of which is opened when it is its turn.
using OpenSlide = std::function<Slide()>;

// Begins a tiled image. The writer may not outlive the call of the operation.
using OpenTiles =
    std::function<std::unique_ptr<TileWriter>(const SlideForm& form, const SlideWriteOptions& how)>;

// Copies of a square picture side by side (io::write_repeated_slide).
struct RepeatedSlide {
    AnyImage picture;
    std::int64_t width = 0, height = 0;
    SlideWriteOptions how = {};
};

namespace kinds {
inline constexpr Kind slide = kind_of<Slide, OpenSlide>("slide");
inline constexpr Kind repeated_slide = kind_of<RepeatedSlide>("repeated slide");
inline constexpr Kind tiles = kind_of<OpenTiles>("tiled image");  // made tile by tile
}  // namespace kinds

}  // namespace tesela::operations
