// Strokes of a round pen in pictures, with soft edges.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tesela/color.h"
#include "tesela/image.h"

namespace tesela {

struct InkPoint {
    double x = 0, y = 0;  // the center of the first pixel is at 0
};
// Pixels of a picture, those of `right` and `bottom` left out.
struct InkBox {
    std::int64_t left = 0, top = 0, right = 0, bottom = 0;
};
// What a pen reaches from points between two corners.
InkBox reached_box(const Shape& picture, double radius, const InkPoint& low, const InkPoint& high);

// How much of each pixel in a box the pen covers.
class Ink {
  public:
    Ink(const InkBox& box, double radius);

    // `mark` tells strokes of several colors apart.
    void stroke(const InkPoint& from, const InkPoint& to, std::uint32_t mark = 0);

    // `color_of(mark)` is that of a stroke; of several the one counts that covers most of a pixel.
    template <class ColorOf>
    void print(Image<std::uint8_t>& picture, const ColorOf& color_of) const {
        const int colors = std::min(picture.shape().channels, 3);
        for (std::int64_t y = 0; y < covered_.shape().y; ++y)
            for (std::int64_t x = 0; x < covered_.shape().x; ++x) {
                const float share = covered_(x, y);
                if (!(share > 0)) continue;
                const Rgb color = color_of(marks_(x, y));
                for (int c = 0; c < colors; ++c) {
                    std::uint8_t& value = picture(box_.left + x, box_.top + y, 0, 0, c);
                    value = static_cast<std::uint8_t>(std::lround(
                        (1 - share) * static_cast<float>(value) +
                        share * static_cast<float>(color[static_cast<std::size_t>(c)])));
                }
            }
    }

  private:
    InkBox box_;
    double radius_;
    Image<float> covered_;
    Image<std::uint32_t> marks_;
};

}  // namespace tesela
