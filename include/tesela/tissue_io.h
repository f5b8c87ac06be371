// Trained models of tissue, samples of it, and tiles for training, in files.
#pragma once

#include <filesystem>
#include <string>

#include "tesela/io.h"
#include "tesela/tissue_classifier.h"
#include "tesela/tissue_model.h"
#include "tesela/tissue_tiles.h"

namespace tesela {

// JSON with a version and a checksum; numbers come back as they were, to the bit. Throws
// UnreadableInput (missing, truncated, damaged, another kind of file), UnsupportedFormat (a newer
// version, or other features than this program computes), OutOfMemory; writing UnwritableOutput and
// InvalidArgument for a file that exists.
TissueModel read_tissue_model(const std::filesystem::path& path,
                              const io::ReadOptions& options = {});
void write_tissue_model(const TissueModel& model, const std::filesystem::path& path,
                        const io::WriteOptions& options = {});

// CSV: tile, class and slide, then a column a feature. Throws as above.
TissueSamples read_tissue_samples(const std::filesystem::path& path,
                                  const io::ReadOptions& options = {});
void write_tissue_samples(const TissueSamples& samples, const std::filesystem::path& path,
                          const io::WriteOptions& options = {});

// The pictures below `folder`: a folder for each class, named after it; a picture in a folder of
// its own within that belongs to the slide of this name. Throws UnreadableInput that names the
// folder, InvalidArgument for a folder without classes or a class without pictures. Pictures are
// read when they are asked for, with errors that name them.
TilePictures open_tile_folder(const std::filesystem::path& folder,
                              const io::ReadOptions& reading = {});

}  // namespace tesela
