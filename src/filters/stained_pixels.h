// Images that can show stains.
#pragma once

#include <string>

#include "tesela/image_view.h"

namespace tesela {

[[noreturn]] inline void throw_no_stains(const AnyImageView& image) {
    const int channels = image.shape().channels;
    throw UnsupportedFormat(
        "stains are separated in RGB images of 8 or 16 bits, and this one has " +
        std::to_string(channels) + (channels == 1 ? " channel" : " channels") + " of " +
        std::string(pixel_type_name(image.pixel_type())));
}

// Calls `work` with the PixelView<std::uint8_t> or PixelView<std::uint16_t> of colors, with alpha
// or not. Throws UnsupportedFormat for other images.
template <class Work>
auto with_colors(const AnyImageView& image, const Work& work) {
    if (image.shape().channels != (image.has_alpha() ? 4 : 3)) throw_no_stains(image);
    if (const auto* bytes = image.get_if<std::uint8_t>()) return work(*bytes);
    if (const auto* words = image.get_if<std::uint16_t>()) return work(*words);
    throw_no_stains(image);
}

}  // namespace tesela
