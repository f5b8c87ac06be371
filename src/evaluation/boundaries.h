// Region boundaries of 2-D label images, and their one-to-one assignment.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tesela/image_view.h"

namespace tesela::evaluation {

// Boundary pixels in raster order, with a count that finds those of any part of a row at once.
class BoundarySet {
  public:
    struct Pixel {
        std::int32_t x, y;
    };

    // Pixels whose neighbor to the right, below or diagonally below has another label: the 2x2
    // rule of the Berkeley benchmark. At the right and lower border the missing neighbors count as
    // equal.
    explicit BoundarySet(const LabelView& labels);

    std::int64_t width() const { return width_; }
    std::int64_t height() const { return height_; }
    const std::vector<Pixel>& pixels() const { return pixels_; }
    // Half-open span of the pixels of row y with first_x <= x <= last_x; both may lie outside.
    std::pair<std::int64_t, std::int64_t> in_row(std::int64_t y, std::int64_t first_x,
                                                 std::int64_t last_x) const;

  private:
    std::int64_t width_, height_;
    std::vector<Pixel> pixels_;
    std::vector<std::uint32_t> before_;  // boundary pixels before each pixel, and their number
};

// Both sets are of pictures of one size. For each pixel of `segmentation` the index of its partner
// in `truth`, or -1. No pixel has two partners, partners lie at most `radius` pixels apart, and no
// assignment has more pairs. Close partners are preferred: pairs are first made by growing
// distance, then paths of exchange (J. Hopcroft, R. Karp, SIAM Journal on Computing 2(4), 1973) add
// what is missing.
std::vector<std::int64_t> assign_boundaries(const BoundarySet& segmentation,
                                            const BoundarySet& truth, double radius);

// Memory that the sets of two label images and their assignment take at most, in bytes.
std::int64_t boundary_bytes(const LabelView& segmentation, const LabelView& truth);

}  // namespace tesela::evaluation
