// Batches of equal tiles on a device, as planes of bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/glcm.h"
#include "tesela/image_view.h"

namespace tesela {

// `count` planes of nx x ny bytes, one behind the other; those of a tile are neighbors.
struct TilePlanes {
    Buffer<const std::uint8_t> bytes;
    std::int32_t nx = 0, ny = 0, channels = 1;
    std::int64_t count = 0;

    std::int32_t points() const { return nx * ny; }
};

// A byte for each pixel of a tile, not 0 where it counts; without bytes all count.
struct TileMasks {
    Buffer<const std::uint8_t> bytes;

    bool given() const { return bytes.block() != nullptr; }
};

// L*, a* and b* of `tiles` tiles of 8-bit colors, `stride` bytes a pixel.
TilePlanes lab_planes(Queue& queue, const Buffer<const std::uint8_t>& tiles, std::int32_t nx,
                      std::int32_t ny, std::int64_t count, std::int32_t stride);

// The planes of one image, as glcm() tells. Throws UnsupportedFormat.
TilePlanes planes_of(Queue& queue, const AnyImageView& image, std::vector<std::string>& warnings);
// Throws InvalidArgument for a mask of another size, UnsupportedFormat for one of several channels.
TileMasks mask_of(Queue& queue, const std::optional<AnyImageView>& mask, const Shape& shape);

// Planes with `levels` levels each.
TilePlanes quantized(Queue& queue, const TilePlanes& planes, int levels, ColorRange range);
// lab_planes and their levels by one kernel.
struct LabLevels {
    TilePlanes planes, levels;
};
LabLevels lab_levels(Queue& queue, const Buffer<const std::uint8_t>& tiles, std::int32_t nx,
                     std::int32_t ny, std::int64_t count, std::int32_t stride, int levels,
                     ColorRange range);

// How a device counts: groups that share memory, or rows that items have for themselves.
enum class CountWay { automatic, groups, rows };

// Histograms of 256 counts a plane. `margin` is how much wider than the planes the masks are.
Buffer<std::uint32_t> plane_histograms(Queue& queue, const TilePlanes& planes,
                                       const TileMasks& masks, std::int32_t margin,
                                       CountWay way = CountWay::automatic);

// Matrices of all offsets of each plane, levels x levels counts each.
Buffer<std::uint32_t> cooccurrence(Queue& queue, const TilePlanes& planes, const TileMasks& masks,
                                   int levels, const std::vector<PixelOffset>& offsets,
                                   CountWay way = CountWay::automatic);

}  // namespace tesela
