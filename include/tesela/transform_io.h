// Files of transforms and of landmarks.
//
//   .json  Tesela's own: steps in the order in which they are applied, and both images' grids.
//   .tfm   Text files of ITK (.txt too): one transform, or a composite of them.
//   .csv   Landmarks: a row each, with a name and x, y and, of volumes, z in pixels.
#pragma once

#include <filesystem>
#include <string>

#include "tesela/io.h"
#include "tesela/landmarks.h"
#include "tesela/transform.h"

namespace tesela::io {

// Told by content. Of ITK, takes translations, Euler2D, Similarity2D, affine, cubic B-splines, and
// composites. Throws UnreadableInput (missing, damaged, a matrix that cannot be inverted),
// UnsupportedFormat (no transform, or another kind), OutOfMemory.
Transform read_transform(const std::filesystem::path& path, const ReadOptions& options = {});
// By suffix. Throws UnwritableOutput, UnsupportedFormat (another suffix).
void write_transform(const Transform& transform, const std::filesystem::path& path,
                     const WriteOptions& options = {});
// The text of a .json file. Members beside its own are passed over when it is read.
std::string transform_json(const Transform& transform);

// Columns are told by their names: X, Y, Z in either case; the first column without one of these
// names is the landmark's. Throws UnreadableInput with the row, OutOfMemory.
Landmarks read_landmarks(const std::filesystem::path& path, const ReadOptions& options = {});
void write_landmarks(const Landmarks& landmarks, const std::filesystem::path& path,
                     const WriteOptions& options = {});

}  // namespace tesela::io
