// What the readers and writers of NumPy's files share (numpy.org/doc/stable/reference/generated/
// numpy.lib.format.html): .npy holds one array, .npz is a zip archive of them.
#pragma once

#include <string>
#include <vector>

#include "io/volume.h"

namespace tesela::io {

// Members of an .npz beside its image. `axes` names the axes of the array by letters of
// numpy_axes, `spacing` has the distances along z, y and x, `unit` is mm or um, `origin` and
// `direction` are those of Geometry, `time_step` is in seconds, `alpha` says that the last channel
// is opacity.
inline constexpr std::string_view numpy_axes = "tzyxc";
inline constexpr std::string_view numpy_facts[] = {"axes",      "spacing",   "unit", "origin",
                                                   "direction", "time_step", "alpha"};

// The axes that an array of these lengths has where nobody says so: a last axis of at most 4 behind
// two or three others is that of channels. Empty for more than five axes, or none.
std::string guessed_numpy_axes(const std::vector<std::int64_t>& lengths);

inline constexpr char numpy_magic[] = "\x93NUMPY";

void write_npy(const AnyImage& image, OutputFile& file);
void write_npz(const AnyImage& image, OutputFile& file, Compression compression);

}  // namespace tesela::io
