// Where two pictures that overlap lie on each other: normalized cross-correlation over what they
// have in common, at every shift. The correlations are by Fourier transforms, the sums over common
// rectangles by tables of sums: J. P. Lewis, "Fast normalized cross-correlation", Vision Interface,
// 1995. A band of spatial frequencies is compared, so that uneven light hardly counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tesela/compute/fft.h"
#include "tesela/compute/queue.h"

namespace tesela {

// Gray values with the mean 0 and the deviation 1, or 0 where all are equal; row by row.
struct GrayPiece {
    std::int64_t width = 0, height = 0;
    std::vector<float> values;
};

// What two lengths have in common along an axis where the second begins at `shift` of the first.
template <class T>
T common_length(T length, T other, T shift) {
    return std::max(std::min(length, shift + other) - std::max(shift, T{0}), T{0});
}

// Where the first pixel of the second piece is tried, in pixels of the first piece.
struct ShiftBox {
    std::int64_t left = 0, top = 0, across = 1, down = 1;
};

struct OverlapPeak {
    double x = 0, y = 0;           // the shift
    double score = 0, second = 0;  // its correlation, and that of the next best place as likely
    std::int64_t common = 0;       // pixels that are compared there
    bool at_border = false;        // of the shifts
};

class OverlapMatcher {
  public:
    explicit OverlapMatcher(Queue& queue);

    // Of a piece on the device: its half spectrum, within zeros, and tables of sums.
    struct Prepared {
        std::int64_t width = 0, height = 0;
        FftShape transform;
        Buffer<float> spectrum;
        Buffer<std::int64_t> sums;
    };
    // Both pieces of a match have the same padded size, as `padded` says.
    Prepared prepare(const GrayPiece& piece, const std::array<std::int64_t, 2>& padded);
    // The smallest padded size at which no shift of the box wraps around.
    static std::array<std::int64_t, 2> padded(const std::array<std::int64_t, 2>& size,
                                              const std::array<std::int64_t, 2>& other,
                                              const ShiftBox& shifts);

    // Shifts at which fewer than `least` pixels are common are not compared.
    OverlapPeak match(const Prepared& piece, const Prepared& other, const ShiftBox& shifts,
                      std::int64_t least);
    OverlapPeak match(const GrayPiece& piece, const GrayPiece& other, const ShiftBox& shifts,
                      std::int64_t least);

  private:
    Queue& queue_;
    Buffer<float> fine_, coarse_;  // weights of Gaussians
};

}  // namespace tesela
