// The size of a pixel in headers that hold a number of pixels for a length.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/slide.h"
#include "tesela/image.h"

namespace tesela::io {

inline constexpr double micrometers_of_inch = 25400, micrometers_of_centimeter = 1e4,
                        micrometers_of_meter = 1e6;

// What the pictures of ours name as the program that wrote them.
inline constexpr char software[] = "Tesela";

// What pictures for looking say; so that it is not taken for their size, no program is named.
inline constexpr double print_pixels_of_inch = 300;

// A resolution coarser than 10 um a pixel is that of print, unless the picture is ours.
PixelScale unless_print(PixelScale scale, bool is_ours);

// The number of the fewest digits near `length` that `is_same` takes: 0.325 where 30769 pixels of a
// centimeter give 0.325002.
double rounded_length(double length, const std::function<bool(double)>& is_same);

// A header with whole numbers of pixels along x and y.
struct PixelCounts {
    double length;  // micrometers
    std::int64_t most;

    std::array<double, 2> size_of(const std::array<std::uint32_t, 2>& counts) const;
    // Empty where the size is not known, or the counts would be wrong by more than a hundredth of a
    // pixel at the image's far end.
    std::optional<std::array<std::uint32_t, 2>> counts_of(const Shape& shape,
                                                          const Geometry& geometry) const;
};
inline constexpr PixelCounts png_counts{micrometers_of_meter, 0x7fffffff},
    jpeg_counts{micrometers_of_centimeter, 0xffff};

// Sets the geometry of a picture that was turned upright from `orientation`, 1 to 8. Gives the
// source of the size; empty where it is not known, or not believed, of which a warning tells.
std::string set_pixel_size(AnyImage& image, const PixelScale& scale, int orientation,
                           std::vector<std::string>& warnings);

}  // namespace tesela::io
