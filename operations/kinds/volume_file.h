// Volumes that are compressed and decompressed in parts, so that they need not fit into memory. The
// caller of an operation opens them.
#pragma once

#include <functional>
#include <memory>

#include "operations/kind.h"
#include "tesela/brick_source.h"
#include "tesela/image.h"
#include "tesela/progress.h"

namespace tesela::operations {

// Numbers as they are stored, read in parts, and where they lie, which may be corrected.
struct StoredVolume {
    std::shared_ptr<const VolumeInput> input;
    Geometry geometry = {};
};
using CompressedVolume = std::shared_ptr<const BrickSource>;
using WriteVolume = std::function<VolumeWriteResult(
    const VolumeInput& volume, const VolumeWriteOptions& how, const Progress& progress)>;
// Writes a volume in any format that has three dimensions: those that are written part by part
// never hold all of it. `require` throws OutOfMemory where one of at least this size would not fit,
// so that this is known before the work.
struct WriteVolumeAs {
    std::function<void(const VolumeInput& volume, const Progress& progress)> write;
    std::function<void(const VolumeInputFacts& least)> require;
};

namespace kinds {
inline constexpr Kind stored_volume = kind_of<StoredVolume>("stored volume");
inline constexpr Kind compressed_volume = kind_of<CompressedVolume>("compressed volume");
inline constexpr Kind volume_file = kind_of<WriteVolume>("volume file");  // made part by part
inline constexpr Kind any_volume_file = kind_of<WriteVolumeAs>("volume in any format");
}  // namespace kinds

}  // namespace tesela::operations
