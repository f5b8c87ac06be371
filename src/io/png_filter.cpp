#include "io/png_filter.h"

#include <algorithm>
#include <cstdlib>

namespace tesela::io {
namespace {

using Row = std::span<const std::uint8_t>;

// What `predict` makes of the bytes to the left, above and above to the left is taken off.
template <class Predict>
void subtract(Row row, Row above, std::size_t pixel, const Predict& predict, std::uint8_t* out) {
    for (std::size_t i = 0; i < std::min(pixel, row.size()); ++i)
        out[i] = static_cast<std::uint8_t>(row[i] - predict(0, above[i], 0));
    const std::uint8_t *left = row.data(), *corner = above.data();
    for (std::size_t i = pixel; i < row.size(); ++i)
        out[i] = static_cast<std::uint8_t>(row[i] -
                                           predict(left[i - pixel], above[i], corner[i - pixel]));
}

// Of 16 bits, of which twice as many are computed at once as of 32.
std::int16_t distance(int a, int b) { return static_cast<std::int16_t>(std::abs(a - b)); }

std::uint8_t paeth(std::int16_t left, std::int16_t above, std::int16_t corner) {
    const std::int16_t from_left = distance(above, corner), from_above = distance(left, corner),
                       from_corner = distance(left + above, 2 * corner);
    const std::int16_t upper = from_above <= from_corner ? above : corner;
    return static_cast<std::uint8_t>(from_left <= from_above && from_left <= from_corner ? left
                                                                                         : upper);
}

void filter(int number, Row row, Row above, std::size_t pixel, std::uint8_t* out) {
    switch (number) {
        case 1:
            return subtract(
                row, above, pixel, [](int left, int, int) { return left; }, out);
        case 2:
            return subtract(
                row, above, pixel, [](int, int up, int) { return up; }, out);
        case 3:
            return subtract(
                row, above, pixel, [](int left, int up, int) { return (left + up) / 2; }, out);
        case 4:
            return subtract(row, above, pixel, paeth, out);
        default:
            std::copy(row.begin(), row.end(), out);
    }
}

// Of differences from -128 to 127.
std::uint64_t sum_of_sizes(Row row) {
    constexpr std::size_t block = 1 << 16;  // whose sum has 32 bits
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < row.size(); at += block) {
        std::uint32_t part = 0;
        for (const std::uint8_t byte : row.subspan(at, std::min(block, row.size() - at)))
            part += static_cast<std::uint32_t>(std::abs(static_cast<std::int8_t>(byte)));
        sum += part;
    }
    return sum;
}

}  // namespace

void PngFilter::apply(Row row, Row above, std::span<std::uint8_t> out) {
    const auto best = out.subspan(1);
    out[0] = 0;
    filter(0, row, above, pixel_bytes_, best.data());
    std::uint64_t least = sum_of_sizes(best);
    for (int number = 1; number <= 4 && least > 0; ++number) {
        filter(number, row, above, pixel_bytes_, tried_.data());
        const std::uint64_t sum = sum_of_sizes(tried_);
        if (sum >= least) continue;
        least = sum;
        out[0] = static_cast<std::uint8_t>(number);
        std::copy(tried_.begin(), tried_.end(), best.begin());
    }
}

}  // namespace tesela::io
