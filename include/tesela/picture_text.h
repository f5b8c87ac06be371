// Text in pictures, drawn by strokes of a round pen, with soft edges at any size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tesela/image.h"
#include "tesela/overlay.h"

namespace tesela {

// `height` is that of a capital letter, in pixels.
struct TextStyle {
    double height = 12;
    Rgb color{0, 0, 0};
    bool upwards = false;  // reads from below to above
};

double text_width(std::string_view text, double height);

// Begins at x, y, the left end of the line that letters stand on. What is beyond the picture is
// left out. Alpha stays as it is.
void draw_text(Image<std::uint8_t>& picture, double x, double y, std::string_view text,
               const TextStyle& style);

// A scale bar in the lower left corner, black on white, with its length above it: the largest of 1,
// 2, 5, 10, ... um that is at most a quarter of the width, by the spacing along x; in the first
// slice alone. Gives the length in um. Throws InvalidArgument for a picture whose pixels have no
// known size.
double draw_scale_bar(Image<std::uint8_t>& picture);

// A line of a legend.
struct LegendEntry {
    std::string text;  // UTF-8
    Rgb color;
};

// The picture with a legend to its right, dark on white: a square in each color and its text. Of
// more than 30 entries the last line says how many are left out; texts beyond 40 characters are
// cut. The picture grows downward where it is too low.
Image<std::uint8_t> with_legend(const Image<std::uint8_t>& picture,
                                const std::vector<LegendEntry>& entries);

}  // namespace tesela
