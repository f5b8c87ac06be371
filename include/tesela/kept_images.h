// How much memory of images that have ended is kept for later ones.
#pragma once

#include <cstdint>

namespace tesela {

// What is kept at first.
constexpr std::int64_t images_kept = std::int64_t{128} << 20;

// Keeps at most so many bytes from now on and gives the rest back to the system. 0 is for programs
// that reckon what memory they take.
void keep_images(std::int64_t bytes);

}  // namespace tesela
