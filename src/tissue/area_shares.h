// How much of the rectangles of a slide a mask covers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tesela/tissue_slides.h"

namespace tesela::tissue {

// Shares of rectangles of pixels that are not 0; a rectangle has at least the pixel it begins in.
class AreaShares {
  public:
    explicit AreaShares(const Image<std::uint8_t>& mask)
        : width_(mask.shape().x),
          height_(mask.shape().y),
          sums_(static_cast<std::size_t>((width_ + 1) * (height_ + 1))) {
        for (std::int64_t y = 0; y < height_; ++y) {
            std::uint32_t row = 0;
            for (std::int64_t x = 0; x < width_; ++x) {
                row += mask(x, y) != 0 ? 1u : 0u;
                at(x + 1, y + 1) = at(x + 1, y) + row;
            }
        }
    }
    // Of the part of [x, x + w) x [y, y + h) that lies on the mask; all in shares of the mask.
    double share(double x, double y, double w, double h) const {
        const auto range = [](double begin, double length, std::int64_t n) {
            const auto first = std::clamp<std::int64_t>(
                static_cast<std::int64_t>(begin * static_cast<double>(n) + 0.5), 0, n - 1);
            const auto end = std::clamp<std::int64_t>(
                static_cast<std::int64_t>((begin + length) * static_cast<double>(n) + 0.5),
                first + 1, n);
            return std::pair(first, end);
        };
        const auto [x0, x1] = range(x, w, width_);
        const auto [y0, y1] = range(y, h, height_);
        const std::uint32_t inside = at(x1, y1) - at(x0, y1) - at(x1, y0) + at(x0, y0);
        return static_cast<double>(inside) / static_cast<double>((x1 - x0) * (y1 - y0));
    }

  private:
    std::uint32_t& at(std::int64_t x, std::int64_t y) {
        return sums_[static_cast<std::size_t>(y * (width_ + 1) + x)];
    }
    std::uint32_t at(std::int64_t x, std::int64_t y) const {
        return sums_[static_cast<std::size_t>(y * (width_ + 1) + x)];
    }

    std::int64_t width_, height_;
    std::vector<std::uint32_t> sums_;  // modulo 2^32, as are their differences
};

// Of the part of a cell that lies on the slide.
inline double share_of_cell(const AreaShares& shares, const TileSource& slide,
                            const TissueGrid& grid, std::int64_t column, std::int64_t row) {
    const Shape& full = slide.facts().levels.front().shape;
    const auto nx = static_cast<double>(full.x), ny = static_cast<double>(full.y);
    return shares.share(static_cast<double>(column) * grid.stride[0] / nx,
                        static_cast<double>(row) * grid.stride[1] / ny, grid.stride[0] / nx,
                        grid.stride[1] / ny);
}

}  // namespace tesela::tissue
