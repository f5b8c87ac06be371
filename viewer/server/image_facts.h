// What the page is told of an image.
#pragma once

#include "viewer/server/images.h"

namespace tesela::viewer {

// As viewer/README.md says. It looks at all values, by so many threads; 0: all.
Json facts_of(const Image& image, int threads);

// "#c08080"
std::string color_text(const std::array<std::uint8_t, 3>& color);

}  // namespace tesela::viewer
