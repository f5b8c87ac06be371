// Masks of one bit a point on a device.
#pragma once

#include <cstdint>

#include "kernels/morphology/morphology_bits.kernel.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// How a mask is stored: rows of a CPU are whole vectors of words.
inline kernels::morphology_grid bit_grid(const Shape& shape, const Device& device) {
    constexpr std::int64_t vector = 8;
    const std::int64_t words = (shape.x + kernels::morphology_word - 1) / kernels::morphology_word;
    const std::int64_t pitch =
        prefers_groups(device) ? words : (words + vector - 1) / vector * vector;
    return {static_cast<std::int32_t>(shape.x), static_cast<std::int32_t>(shape.y),
            static_cast<std::int32_t>(shape.z), static_cast<std::int32_t>(pitch)};
}
inline std::int64_t words_of(const kernels::morphology_grid& grid) {
    return std::int64_t{grid.pitch} * grid.ny * grid.nz;
}

// Points that are not 0, or that are.
enum class BitsOf { mask, complement };

inline Buffer<std::uint64_t> packed(Queue& queue, const kernels::morphology_grid& grid, BitsOf what,
                                    const Buffer<const std::uint8_t>& mask) {
    auto bits = queue.allocate<std::uint64_t>(words_of(grid), "bits of a mask");
    queue.launch(kernels::morphology_pack, Range{grid.pitch, std::int64_t{grid.ny} * grid.nz}, mask,
                 bits, what == BitsOf::mask ? std::uint64_t{0} : ~std::uint64_t{0}, grid);
    return bits;
}
// The inverse of packed; points are `on` or 0.
inline Buffer<std::uint8_t> unpacked(Queue& queue, const kernels::morphology_grid& grid,
                                     BitsOf what, std::uint8_t on,
                                     const Buffer<std::uint64_t>& bits) {
    auto mask = queue.allocate<std::uint8_t>(std::int64_t{grid.nx} * grid.ny * grid.nz, "mask");
    queue.launch(kernels::morphology_unpack, Range{grid.pitch, std::int64_t{grid.ny} * grid.nz},
                 bits, mask, what == BitsOf::mask ? std::uint64_t{0} : ~std::uint64_t{0},
                 std::uint32_t{on}, grid);
    return mask;
}

}  // namespace tesela
