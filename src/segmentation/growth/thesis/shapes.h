// Synthetic pictures for the thesis's experiments, in place of those that are not public (Barriuso
// Medrano 2011, appendix D).
#pragma once

#include <cstdint>

#include "tesela/image.h"
#include "tesela/overlay.h"

namespace tesela::region_thesis {

enum class Figure {
    none,
    disc,      // of radius 110 in the middle of 477x350
    ring,      // of radii 70 and 150
    c_shape,   // the ring, open on the right
    spiral,    // a square spiral one tile wide, on the grid of 23x17 tiles
    snake,     // in each tile a band to and fro, 210 pixels long
    hook,      // in each tile 17 pixels that bend back toward the seed
    two_tones  // each tile in one of two tones, at random
};

inline constexpr std::int64_t picture_width = 477, picture_height = 350;

struct Painting {
    Figure figure = Figure::disc;
    std::int64_t width = picture_width, height = picture_height;
    Rgb object{0, 0, 255}, background{255, 255, 255};
    double noise = 0;        // standard deviation, of each channel by itself
    std::uint32_t seed = 1;  // of noise and tones
};

// Whether a place belongs to the figure. Rows are in the order of processing: row 0 is the bottom
// of the picture. Tiles are of 20 pixels, without their rings.
bool is_object(const Painting& painting, std::int64_t x, std::int64_t row);

Image<std::uint8_t> paint_figure(const Painting& painting);
// The figure as a region: 1, and 0 outside.
LabelImage figure_truth(const Painting& painting);

}  // namespace tesela::region_thesis
