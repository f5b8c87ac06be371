// Images in tiles, at several resolutions, which need not fit into memory: whole slides. What opens
// files is in tesela/slide_io.h.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/tile_cache.h"
#include "tesela/zarr_version.h"

namespace tesela {

// A part of a level, in pixels of that level. It may reach beyond the level.
struct TileBox {
    std::int64_t x = 0, y = 0, width = 0, height = 0;

    bool operator==(const TileBox&) const = default;
};

// One resolution. Level 0 is the finest. Coordinates are those of pixel centers, 0 the first: the
// center of pixel i lies at i * downsample + (downsample - 1) / 2 on level 0.
struct TileLevel {
    Shape shape;                             // z and t are 1
    std::array<double, 2> downsample{1, 1};  // pixels of level 0 for one of this level, x and y
    std::int64_t tile_width = 0, tile_height = 0;
    Geometry geometry;  // of the level; unknown where the slide has no physical size

    std::int64_t columns() const { return (shape.x + tile_width - 1) / tile_width; }
    std::int64_t rows() const { return (shape.y + tile_height - 1) / tile_height; }
    std::int64_t tiles() const { return columns() * rows(); }
    // Between coordinates of this level and of level 0.
    std::array<double, 2> to_level_0(double x, double y) const;
    std::array<double, 2> from_level_0(double x, double y) const;
};

// The downsample of a level of this length below `full` pixels. Levels are cut or padded to whole
// pixels: where `length` is what that makes of a whole downsample, it is that number, otherwise the
// ratio. Throws InvalidArgument for lengths below 1, or `length` above `full`.
double true_downsample(std::int64_t full, std::int64_t length);

// A level below `first`, with its downsample and geometry; its channels are those of `first`.
TileLevel level_below(const TileLevel& first, std::int64_t width, std::int64_t height,
                      std::int64_t tile_width, std::int64_t tile_height);

// The geometry of level 0 with square or oblong pixels. Throws InvalidArgument unless both are
// above 0 and finite.
Geometry micrometers_per_pixel(double x, double y);

struct TileSourceFacts {
    std::string format;              // "OME-TIFF", "aperio"
    PixelType type = PixelType::u8;  // of all levels
    std::vector<TileLevel> levels;   // from fine to coarse, at least one
    std::vector<double> background;  // a value a channel for what has no tile; empty: 0
    bool has_alpha = false;          // the last channel is opacity
    std::string spacing_source;      // "OME", "Aperio MPP"; empty where the spacing is unknown
    std::optional<double> magnification = {};  // of the objective
    std::vector<std::string> warnings = {};    // sentences for the user
    bool separate_channels = false;            // channels are no color
    std::int64_t planes = 1;  // channels, slices and times; the first of them is read
};

// All functions may be called from several threads at once.
class TileSource {
  public:
    TileSource();
    virtual ~TileSource();
    TileSource(const TileSource&) = delete;
    TileSource& operator=(const TileSource&) = delete;

    virtual const TileSourceFacts& facts() const = 0;

    // A tile without a copy, from the cache or decoded. Tiles at the right and lower border have
    // the pixels within the level alone. Throws InvalidArgument for a tile that does not exist, and
    // what decoding throws.
    Tile tile(int level, std::int64_t column, std::int64_t row) const;

    // The pixels of a box, with the geometry of their place. What is beyond the level has the value
    // of the background. Throws InvalidArgument for a level that does not exist and for a box
    // without pixels, OutOfMemory, and what decoding throws.
    AnyImage read(int level, const TileBox& box) const;
    // The same into (x, y) of an image, whose geometry stays. Throws InvalidArgument where it has
    // another type or other channels than the slide, or no room for the box.
    void read_into(int level, const TileBox& box, AnyImage& image, std::int64_t x,
                   std::int64_t y) const;

  protected:
    // May be called from several threads at once. `box` is what the level has of the tile.
    virtual AnyImage decode(int level, const TileBox& box) const = 0;

  private:
    const TileLevel& level_at(int level) const;
    // The level of a box that can be read.
    const TileLevel& level_of(int level, const TileBox& box) const;
    // What the level has of the box, to (x, y) of the image.
    void copy_tiles(int level, const TileBox& box, AnyImage& image, std::int64_t x,
                    std::int64_t y) const;
    AnyImage empty_image(const Shape& shape, bool background) const;

    std::uint64_t id_;
};

enum class TileCompression { automatic, jpeg, deflate, none };
constexpr auto enum_names(TileCompression) {
    return std::array{EnumNames<TileCompression>{TileCompression::automatic, "auto"},
                      EnumNames<TileCompression>{TileCompression::jpeg, "jpeg"},
                      EnumNames<TileCompression>{TileCompression::deflate, "deflate"},
                      EnumNames<TileCompression>{TileCompression::none, "none"}};
}
constexpr auto enum_help(TileCompression) {
    return std::array<std::string_view, 4>{"by the pixel type", "JPEG, lossy", "Deflate, lossless",
                                           "no compression"};
}

// Where a TIFF has its coarser levels. Few readers look in both places.
enum class PyramidForm { ome, generic };
constexpr auto enum_names(PyramidForm) {
    return std::array{EnumNames<PyramidForm>{PyramidForm::ome, "ome"},
                      EnumNames<PyramidForm>{PyramidForm::generic, "generic"}};
}
constexpr auto enum_help(PyramidForm) {
    return std::array<std::string_view, 2>{
        "in SubIFDs, with OME-XML: QuPath, Bio-Formats, tifffile",
        "in further pages, without OME-XML: OpenSlide, libvips"};
}

// How a slide is written.
struct SlideWriteOptions {
    bool overwrite = true;    // false: an existing file is refused with InvalidArgument
    std::int64_t tile = 256;  // side of a tile in pixels, a multiple of 16 from 16 to 4096
    // `automatic`: JPEG for 8-bit RGB, deflate for everything else. Deflate and none keep pixels.
    TileCompression compression = TileCompression::automatic;
    int quality = 90;                        // of JPEG, 1 to 100
    bool labels = false;                     // coarser levels keep values as they are; never JPEG
    PyramidForm pyramid = PyramidForm::ome;  // generic: not for a name that ends in .ome.tif
    ZarrVersion zarr = ZarrVersion::v0_4;    // of OME-Zarr
    // Columns of tiles that come strip by strip, each row by row, more or less in that order. They
    // lie in the file in exactly that order, so that the same tiles give the same bytes; 0: as they
    // come.
    std::int64_t strip = 0;
};

// The slide that is to be written: level 0.
struct SlideForm {
    PixelType type = PixelType::u8;
    Shape shape;
    Geometry geometry = {};
    bool has_alpha = false;
};

// Takes the tiles of one image, each once, in any order and from several threads at once, and makes
// the coarser levels.
class TileWriter {
  public:
    virtual ~TileWriter() = default;

    // The tile at this place of level 0, cut at the right and lower border. Throws InvalidArgument
    // for a place, size or type that does not fit, or a tile that was written before.
    virtual void write(std::int64_t column, std::int64_t row, const AnyImage& tile) = 0;
    // Completes the output. Without it there is none. Throws InvalidArgument where tiles are
    // missing.
    virtual void finish() = 0;
};

// Half as many pixels along x and y, rounded up: means of 2 x 2 pixels, rounded half up for integer
// types; a last column or row without a partner counts twice. Of labels the upper left pixel of the
// four is taken, as means of numbers have no meaning there.
AnyImage halved(const AnyImageView& image, bool labels = false);

// An empty image of a type that is known at run time, with `background` everywhere.
AnyImage filled_image(PixelType type, const Shape& shape,
                      const std::vector<double>& background = {});
// Copies `box` of `from` to (x, y) of `to`; both have the same type and channels and hold the box.
void copy_box(const AnyImageView& from, const TileBox& box, AnyImage& to, std::int64_t x,
              std::int64_t y);

// A copy of a box within an image, without geometry.
AnyImage part_of(const AnyImageView& image, const TileBox& box);

// The whole slide, its longer side `longest` pixels (at most that of level 0): means over the area
// of each pixel, from the coarsest level that is as large. Reads strip by strip. Throws
// InvalidArgument for a side below 1.
AnyImage thumbnail(const TileSource& source, std::int64_t longest);
// Memory that it takes at most beside the cache, in bytes.
std::int64_t thumbnail_bytes(const TileSource& source, std::int64_t longest);

// Streams of boxes come in strips of so many columns, so that neighbors find their halo in the
// cache.
inline constexpr std::int64_t strip_columns = 8;

// Reads a level in boxes of this size, cut at the right and lower border, and calls `work` with the
// place of each box in their grid and its pixels, at once from several threads; `threads` 0 takes
// all of the CPU. Memory holds a box for each thread. Reports progress and looks at cancellation
// from the caller's thread. The first error ends the work and is thrown. Operations with a halo and
// on devices are in tesela/tile_stream.h.
void for_each_tile(
    const TileSource& source, int level, std::int64_t width, std::int64_t height, int threads,
    const Progress& progress,
    const std::function<void(std::int64_t column, std::int64_t row, const AnyImage& tile)>& work);

}  // namespace tesela
