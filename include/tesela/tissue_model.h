// Trained models of tissue, and samples of it, in files.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tesela/io.h"
#include "tesela/stain.h"
#include "tesela/tissue_classifier.h"

namespace tesela {

// What is needed to classify the tiles of a slide.
struct TissueModel {
    std::vector<std::string> classes;
    std::vector<std::array<std::uint8_t, 3>> colors;  // of the classes
    std::string features = "default";                 // groups of FeatureSet
    double micrometers_per_pixel = 0;        // at which tiles are looked at; 0: pixels as they are
    int tile = 256;                          // side of a tile in pixels of this size
    std::optional<StainMatrix> stains = {};  // that slides are normalized to
    Classifier classifier;
};

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
// A name as a field of such a table, in quotes where it has to be (RFC 4180).
std::string csv_field(const std::string& text);

}  // namespace tesela
