// Images that can show stains.
#pragma once

#include <string>

#include "tesela/image.h"

namespace tesela {

[[noreturn]] inline void throw_no_stains(const AnyImage& image) {
    const int channels = shape_of(image).channels;
    throw UnsupportedFormat(
        "stains are separated in RGB images of 8 or 16 bits, and this one has " +
        std::to_string(channels) + (channels == 1 ? " channel" : " channels") + " of " +
        std::string(pixel_type_name(pixel_type_of(image))));
}

// Calls `work` with the Image<std::uint8_t> or Image<std::uint16_t> of colors, with alpha or not.
// Throws UnsupportedFormat for other images.
template <class Work>
auto with_colors(const AnyImage& image, const Work& work) {
    if (shape_of(image).channels != (has_alpha(image) ? 4 : 3)) throw_no_stains(image);
    if (const auto* bytes = std::get_if<Image<std::uint8_t>>(&image)) return work(*bytes);
    if (const auto* words = std::get_if<Image<std::uint16_t>>(&image)) return work(*words);
    throw_no_stains(image);
}

}  // namespace tesela
