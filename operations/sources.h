// Inputs that are read, and outputs that are made, part by part, so that they need not fit into
// memory. Whoever calls an operation opens them before.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tesela/annotation.h"
#include "tesela/brick_source.h"
#include "tesela/image.h"
#include "tesela/progress.h"
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

// Numbers as they are stored, read in parts, and where they lie, which may be corrected.
struct StoredVolume {
    std::shared_ptr<const VolumeInput> input;
    Geometry geometry = {};
};
using CompressedVolume = std::shared_ptr<const BrickSource>;
using WriteVolume = std::function<VolumeWriteResult(
    const VolumeInput& volume, const VolumeWriteOptions& how, const Progress& progress)>;

// Writes a file of a folder: its name, its kind, and the value of that kind. From any thread.
using WriteFile =
    std::function<void(const std::string& name, std::string_view kind, std::any value)>;

// One for each of several slides, by the slide's name: a folder of them, or a single one.
template <class T>
struct OfSlides {
    bool is_folder = false;
    std::function<T(const std::string& slide)> of;
};

}  // namespace tesela::operations
