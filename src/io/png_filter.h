// The filters of PNG, which put differences in the place of bytes (Portable Network Graphics (PNG)
// Specification, third edition, section 9).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tesela::io {

class PngFilter {
  public:
    // `pixel_bytes`: the distance between the bytes of neighboring pixels that are compared.
    PngFilter(std::size_t row_bytes, std::size_t pixel_bytes)
        : pixel_bytes_(pixel_bytes), tried_(row_bytes) {}

    // Writes the number of the filter whose differences are the smallest in sum (section 12.7), and
    // behind it the row through that filter. `above` is the row before, or zeros.
    void apply(std::span<const std::uint8_t> row, std::span<const std::uint8_t> above,
               std::span<std::uint8_t> out);

  private:
    std::size_t pixel_bytes_;
    std::vector<std::uint8_t> tried_;
};

}  // namespace tesela::io
