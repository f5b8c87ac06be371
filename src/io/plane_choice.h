// Which channel, slice and time point of an image are read.
#pragma once

#include <string>
#include <vector>

#include "io/picture.h"

namespace tesela::io {

// Indices from 0; -1: all.
struct ChosenPlanes {
    std::int64_t channel = -1, slice = -1, time = -1;

    // Of an image of this shape.
    Shape left_of(Shape whole) const;
};

// What the choice means for a file with these axes and channels. Throws InvalidArgument that names
// the option where the file has no such channel, slice or time.
ChosenPlanes chosen_planes(const fs::path& path, const Shape& whole,
                           const std::vector<std::string>& channel_names,
                           const PlaneChoice& choice);
// "red", "green", "blue" and "alpha", as far as an image of these channels has them.
std::vector<std::string> color_names(const Shape& shape, bool has_alpha);

// Says of a whole image's facts what is left of them; the pixels are the caller's business.
void note_choice(const ChosenPlanes& chosen, ReadResult& read);
// The voxel that a chosen slice begins with.
void move_to_slice(std::int64_t slice, Geometry& geometry);

// Cuts an image that was read as a whole. Throws as chosen_planes, and OutOfMemory where there is
// no room for the part beside the whole.
void choose_planes(const fs::path& path, const DecodeOptions& options, ReadResult& read);

}  // namespace tesela::io
