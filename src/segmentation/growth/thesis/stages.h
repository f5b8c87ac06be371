// The five kernels of the thesis's region growing, one after the other (Barriuso Medrano 2011,
// chapter 5; docs/region-growing.md).
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/region_grow_thesis.h"

namespace tesela::region_thesis {

// Where the tiles of a picture lie. Planes have `height` rows of `pitch` places; row 0 is the
// bottom of the picture, as in a BMP file.
struct Layout {
    std::int32_t width = 0, height = 0, pitch = 0;
    std::int32_t block = 0, stride = 0;  // what a tile owns, and from one tile to the next
    std::int32_t tiles_x = 0, tiles_y = 0;

    std::int32_t tiles() const { return tiles_x * tiles_y; }
    std::int64_t places() const { return std::int64_t{pitch} * height; }
    std::int64_t pixels() const { return std::int64_t{width} * height; }
    std::int64_t owned() const { return std::int64_t{tiles()} * block * block; }
};
// Throws InvalidArgument for a picture that is smaller than a tile.
Layout make_layout(const Shape& shape, const ThesisGrowOptions& options);

// A threshold of relative distances as the kernels take it: in millionths, squared.
std::int64_t limit_of(double threshold);

struct Tiles {
    Buffer<std::int32_t> table;    // columns of tiles: size, sums of Y', Cb and Cr, iterations
    Buffer<std::uint32_t> labels;  // one a tile
    Buffer<std::uint32_t> rounds;  // one
};
Tiles allocate_tiles(Queue& queue, const Layout& layout);

// 0. RGB, interleaved, to three planes.
void to_planes(Queue& queue, const Layout& layout, ThesisGrowRange range,
               const Buffer<const std::uint8_t>& rgb, Buffer<std::uint8_t>& planes);
// 1. Labels are the numbers of tiles, from 1; those of pixels that no tile owns are not written.
void grow(Queue& queue, const Layout& layout, const ThesisGrowOptions& options,
          const Buffer<std::uint8_t>& planes, Tiles& tiles, Buffer<std::uint32_t>& labels);
// 2.
void merge(Queue& queue, const Layout& layout, const ThesisGrowOptions& options, Tiles& tiles);
// 3. Labels become those of the tiles, and planes their colors.
void paint(Queue& queue, const Layout& layout, const ThesisGrowOptions& options, const Tiles& tiles,
           Buffer<std::uint32_t>& labels, Buffer<std::uint8_t>& planes);
// 4.
void to_picture(Queue& queue, const Layout& layout, ThesisGrowRange range,
                const Buffer<std::uint8_t>& planes, Buffer<std::uint8_t>& rgb);

}  // namespace tesela::region_thesis
