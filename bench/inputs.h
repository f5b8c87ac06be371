// Images for the benchmark programs: NAME.raw and NAME.txt as made by tesela_decode_inputs, or a
// made picture.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tesela/image.h"

namespace tesela::bench {

// $TESELA_IMAGES, or this folder.
std::filesystem::path input_folder();

// Patches of color with a little noise.
Image<std::uint8_t> made_picture(const Shape& shape);

struct Picture {
    std::string name;
    Image<std::uint8_t> image;
};
// The image from the folder; where it is not there, a made one of the shape, and a line that says
// so. Throws UnreadableInput or UnsupportedFormat for a file that is not what its header says.
Picture load_picture(const std::filesystem::path& folder, const std::string& name,
                     const Shape& otherwise);

// A photograph and a scan of a head.
struct Pictures {
    Picture photo, head;
};
Pictures load_pictures();

// "512x512", with the lengths of further axes that have more than one point.
std::string size_text(const Shape& shape);

// 24 bits of a linear congruential generator.
std::uint64_t next_random(std::uint64_t& state);

// The image, cut or repeated to fill x, y and z of `shape`, which has its channels.
Image<std::uint8_t> repeated(const Image<std::uint8_t>& image, const Shape& shape);

}  // namespace tesela::bench
