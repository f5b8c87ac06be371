// Whole slides and other tiled images in files.
//
//   scanners' formats  Aperio, Hamamatsu, Leica, MIRAX, Philips, Sakura, Trestle and Ventana,
//   through
//                      OpenSlide, where Tesela was built with it. Colors are those of OpenSlide on
//                      its background (white where the file names none).
//   OME-TIFF           with the pyramid in SubIFDs; the first image, its first plane.
//   OME-Zarr           folders and zip archives of pictures in several levels.
//   tiled TIFF         and BigTIFF, whose coarser directories are levels; also Aperio's (SVS) where
//                      OpenSlide is missing.
//   pictures           every other format of tesela/io.h, as one level in memory.
//
// The size of a pixel comes from, in this order: the caller; OpenSlide's mpp-x and mpp-y; OME's
// PhysicalSize; Aperio's MPP; a TIFF resolution finer than 10 um, as a coarser one is that of print
// unless Tesela wrote it. Sizes below 0.001 um or above 1000 um are not believed.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tesela/options.h"
#include "tesela/tile_source.h"

namespace tesela::io {

enum class SlideReader { automatic, openslide, tiff };

struct SlideReadOptions {
    std::int64_t max_bytes = 0;  // as ReadOptions, for a picture or a tile
    std::optional<std::array<double, 2>> micrometers_per_pixel = {};  // instead of the file's
    SlideReader reader = SlideReader::automatic;  // for files that both can read
};

// Throws UnreadableInput, UnsupportedFormat (also for what needs OpenSlide where it
// is missing), OutOfMemory, and InvalidArgument for a size of pixels that cannot be. Tiles that the
// file leaves out have the color of the background, which a warning of the facts tells. A file that
// changes while it is open is found when a tile is decoded: UnreadableInput.
std::unique_ptr<TileSource> open_slide(const std::filesystem::path& path,
                                       const SlideReadOptions& options = {});

// "OME-TIFF", "OME-Zarr" for a picture, "tiled TIFF" for one with several levels, or OpenSlide's
// name of the scanner's format; empty for everything else, such as another folder. Throws
// UnreadableInput for a file that cannot be read.
std::string slide_format(const std::filesystem::path& path);

bool has_openslide();  // whether Tesela was built with it, and it can be loaded

// Whether it ends in .ome.tif or .ome.tiff, whatever the case.
bool is_ome_tiff_name(const std::filesystem::path& path);
bool is_ome_zarr_name(const std::filesystem::path& path);  // .zarr or .zarr.zip

using tesela::PyramidForm;
using tesela::SlideForm;
using tesela::SlideWriteOptions;
using tesela::TileCompression;

// A BigTIFF with OME-XML, the coarser levels, each half of the one before until it fits into one
// tile, in SubIFDs; or as a generic pyramid without OME-XML, the coarser levels in the directories
// behind the first, as far as they are not narrower than a tile. Holds a row of tiles of each
// coarser level at most. The file is written beside its target and renamed by finish(). Throws
// InvalidArgument for options, UnsupportedFormat for a volume or for JPEG of other pixels than
// 8-bit gray and RGB, UnwritableOutput.
std::unique_ptr<TileWriter> create_ome_tiff(const std::filesystem::path& path,
                                            const SlideForm& form,
                                            const SlideWriteOptions& options = {});

// An OME-Zarr, a folder, whose chunks are the tiles of one channel each; the same levels.
// Deflate stands for Blosc with zstd. Throws as create_ome_tiff, and UnsupportedFormat for JPEG, a
// generic pyramid or an archive, or where Blosc is missing.
std::unique_ptr<TileWriter> create_ome_zarr(const std::filesystem::path& path,
                                            const SlideForm& form,
                                            const SlideWriteOptions& options = {});

// Copies of a square picture side by side, as many as make a slide of this size, cut at the right
// and lower border; in the form of create_ome_tiff. Each tile is in the file once, so that a slide
// of any size is a small file. The side of the picture is that of a tile times a power of two.
// Throws as create_ome_tiff, and InvalidArgument for another picture.
void write_repeated_slide(const AnyImage& picture, std::int64_t width, std::int64_t height,
                          const std::filesystem::path& path, const SlideWriteOptions& options = {});

}  // namespace tesela::io
