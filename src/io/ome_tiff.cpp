#include "io/ome_tiff.h"

#include <tiff.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include "io/pixel_size.h"
#include "io/tiff_description.h"
#include "io/tile_codec.h"

namespace tesela::io {
namespace {

void add_resolution(BigTiffDirectory& directory, const Geometry& geometry, double downsample) {
    if (!geometry.known()) return;
    const auto size = micrometers(geometry);
    const auto add = [&](int tag, double pixel) {
        constexpr std::uint32_t parts = 100;
        const double count = micrometers_of_centimeter / (pixel * downsample) * parts;
        directory.add_rational(
            tag, static_cast<std::uint32_t>(std::clamp(std::round(count), 1.0, 4e9)), parts);
    };
    add(TIFFTAG_XRESOLUTION, size[0]);
    add(TIFFTAG_YRESOLUTION, size[1]);
}

bool is_rgb(const SlideForm& form) {
    return form.shape.channels == 3 || (form.shape.channels == 4 && form.has_alpha);
}

// In the order of the tags.
BigTiffDirectory directory_of(const SlideForm& form, const SlideWriteOptions& options,
                              const StoredLevel& level, const std::vector<std::uint64_t>& coarser,
                              bool first) {
    using Shorts = std::vector<std::uint16_t>;
    const bool jpeg = options.compression == TileCompression::jpeg;
    const auto channels = static_cast<std::size_t>(form.shape.channels);
    const double downsample =
        std::round(static_cast<double>(form.shape.x) / static_cast<double>(level.width));
    BigTiffDirectory d;
    d.add_long(TIFFTAG_SUBFILETYPE, first ? 0 : FILETYPE_REDUCEDIMAGE);
    d.add_long(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(level.width));
    d.add_long(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(level.height));
    d.add_short(TIFFTAG_BITSPERSAMPLE,
                Shorts(channels, static_cast<std::uint16_t>(8 * pixel_type_bytes(form.type))));
    d.add_short(TIFFTAG_COMPRESSION,
                Shorts{static_cast<std::uint16_t>(jpeg ? COMPRESSION_JPEG
                                                  : options.compression == TileCompression::deflate
                                                      ? COMPRESSION_ADOBE_DEFLATE
                                                      : COMPRESSION_NONE)});
    d.add_short(TIFFTAG_PHOTOMETRIC,
                Shorts{static_cast<std::uint16_t>(!is_rgb(form) ? PHOTOMETRIC_MINISBLACK
                                                  : jpeg        ? PHOTOMETRIC_YCBCR
                                                                : PHOTOMETRIC_RGB)});
    if (first)
        d.add_text(TIFFTAG_IMAGEDESCRIPTION,
                   ome_description(form.type, form.shape, form.geometry, form.shape.channels));
    d.add_short(TIFFTAG_SAMPLESPERPIXEL, Shorts{static_cast<std::uint16_t>(channels)});
    add_resolution(d, form.geometry, downsample);
    d.add_short(TIFFTAG_PLANARCONFIG, Shorts{PLANARCONFIG_CONTIG});
    if (form.geometry.known()) d.add_short(TIFFTAG_RESOLUTIONUNIT, Shorts{RESUNIT_CENTIMETER});
    if (first) d.add_text(TIFFTAG_SOFTWARE, software);
    d.add_long(TIFFTAG_TILEWIDTH, static_cast<std::uint32_t>(options.tile));
    d.add_long(TIFFTAG_TILELENGTH, static_cast<std::uint32_t>(options.tile));
    d.add_long8(TIFFTAG_TILEOFFSETS, level.offsets);
    d.add_long8(TIFFTAG_TILEBYTECOUNTS, level.bytes);
    if (first && !coarser.empty()) d.add_offsets(TIFFTAG_SUBIFD, coarser);
    Shorts extra(channels - (is_rgb(form) ? 3 : 1), EXTRASAMPLE_UNSPECIFIED);
    if (form.has_alpha && !extra.empty()) extra.back() = EXTRASAMPLE_UNASSALPHA;
    if (!extra.empty()) d.add_short(TIFFTAG_EXTRASAMPLES, extra);
    const bool floating = form.type == PixelType::f32 || form.type == PixelType::f64;
    const bool is_signed =
        form.type == PixelType::i8 || form.type == PixelType::i16 || form.type == PixelType::i32;
    d.add_short(TIFFTAG_SAMPLEFORMAT, Shorts(channels, floating    ? SAMPLEFORMAT_IEEEFP
                                                       : is_signed ? SAMPLEFORMAT_INT
                                                                   : SAMPLEFORMAT_UINT));
    if (jpeg && is_rgb(form)) d.add_short(TIFFTAG_YCBCRSUBSAMPLING, Shorts{1, 1});
    return d;
}

// Tiles of coarser levels lie in memory until their four parts are there.
class OmeTiffWriter : public TileWriter {
  public:
    OmeTiffWriter(const fs::path& path, const SlideForm& form, const SlideWriteOptions& options)
        : form_(form),
          options_(checked(path, form, options)),
          staging_({path}, options.overwrite),
          out_(staging_.staged(), path),
          file_(out_),
          levels_(stored_levels(form.shape, options.tile)) {}

    void write(std::int64_t column, std::int64_t row, const AnyImage& tile) override;
    void finish() override;

  private:
    struct Part {
        std::unique_ptr<AnyImage> image;
        int missing = 0;
    };
    using Place = std::tuple<std::size_t, std::int64_t, std::int64_t>;  // level, row, column
    // Behind which tile of level 0 a tile lies in the file, and its level.
    using Order = std::pair<std::int64_t, std::size_t>;
    struct Encoded {
        std::size_t level = 0, index = 0;
        Order behind{};  // the order of the tile that comes next
        std::vector<std::uint8_t> bytes;
    };

    std::int64_t columns(std::size_t level) const {
        return (levels_[level].width + options_.tile - 1) / options_.tile;
    }
    std::int64_t rows(std::size_t level) const {
        return (levels_[level].height + options_.tile - 1) / options_.tile;
    }
    Shape shape_at(std::size_t level, std::int64_t column, std::int64_t row) const {
        return {std::min(options_.tile, levels_[level].width - column * options_.tile),
                std::min(options_.tile, levels_[level].height - row * options_.tile), 1, 1,
                form_.shape.channels};
    }
    void claim(std::int64_t column, std::int64_t row, const AnyImage& tile);
    std::int64_t last_leaf(std::size_t level, std::int64_t column, std::int64_t row) const;
    void put_in_order(Encoded tile, std::int64_t column, std::int64_t row);
    void put(const Encoded& tile);
    void store(std::size_t level, std::int64_t column, std::int64_t row, const AnyImage& tile);
    std::unique_ptr<AnyImage> add_part(std::size_t level, std::int64_t column, std::int64_t row,
                                       const AnyImage& half);

    SlideForm form_;
    SlideWriteOptions options_;
    Staging staging_;
    std::mutex mutex_;  // guards what follows
    OutputFile out_;
    BigTiff file_;
    std::vector<StoredLevel> levels_;
    std::vector<bool> claimed_;
    std::int64_t stored_ = 0;  // of level 0
    std::map<Place, Part> parts_;
    std::map<Order, Encoded> waiting_;  // for those that lie before them
    std::size_t waiting_bytes_ = 0;
    Order next_{};
};

void OmeTiffWriter::claim(std::int64_t column, std::int64_t row, const AnyImage& tile) {
    const std::string name = "tile " + std::to_string(column) + ", " + std::to_string(row);
    if (column < 0 || row < 0 || column >= columns(0) || row >= rows(0))
        throw InvalidArgument(name + " is not one of the " + std::to_string(columns(0)) + " x " +
                              std::to_string(rows(0)) + " tiles of " + quoted(staging_.target()));
    if (pixel_type_of(tile) != form_.type || !(shape_of(tile) == shape_at(0, column, row)))
        throw InvalidArgument(name + " has not the size or pixel type of its place in " +
                              quoted(staging_.target()));
    const std::lock_guard lock(mutex_);
    if (claimed_.empty()) claimed_.resize(levels_.front().offsets.size());
    auto&& mine = claimed_[static_cast<std::size_t>(row * columns(0) + column)];
    if (mine) throw InvalidArgument(name + " of " + quoted(staging_.target()) + " comes twice");
    mine = true;
}

void OmeTiffWriter::write(std::int64_t column, std::int64_t row, const AnyImage& tile) {
    claim(column, row, tile);
    store(0, column, row, tile);
}

// The number of the last tile of level 0 that is part of a tile, in the order of strips.
std::int64_t OmeTiffWriter::last_leaf(std::size_t level, std::int64_t column,
                                      std::int64_t row) const {
    const std::int64_t parts = std::int64_t{1} << level;
    const std::int64_t last_column = std::min((column + 1) * parts, columns(0)) - 1;
    const std::int64_t last_row = std::min((row + 1) * parts, rows(0)) - 1;
    const std::int64_t first = last_column / options_.strip * options_.strip;
    const std::int64_t width = std::min(options_.strip, columns(0) - first);
    return first * rows(0) + last_row * width + last_column - first;
}

// Strip by strip, tiles of coarser levels behind the last of their parts, whichever thread is
// first: the same tiles give the same bytes. Where they come in quite another order, they do not
// wait for ever.
void OmeTiffWriter::put_in_order(Encoded tile, std::int64_t column, std::int64_t row) {
    constexpr std::size_t most_waiting = std::size_t{1} << 28;
    const std::size_t level = tile.level;
    const std::int64_t leaf = last_leaf(level, column, row);
    const bool ends_coarser =
        level + 1 < levels_.size() && last_leaf(level + 1, column / 2, row / 2) == leaf;
    tile.behind = ends_coarser ? Order{leaf, level + 1} : Order{leaf + 1, 0};
    waiting_bytes_ += tile.bytes.size();
    waiting_.emplace(Order{leaf, level}, std::move(tile));
    while (!waiting_.empty()) {
        const auto first = waiting_.begin();
        if (first->first > next_ && waiting_bytes_ <= most_waiting) return;
        put(first->second);
        next_ = std::max(next_, first->second.behind);
        waiting_bytes_ -= first->second.bytes.size();
        waiting_.erase(first);
    }
}

void OmeTiffWriter::put(const Encoded& tile) {
    StoredLevel& stored = levels_[tile.level];
    stored.offsets[tile.index] = file_.append(std::span(tile.bytes));
    stored.bytes[tile.index] = tile.bytes.size();
    stored_ += tile.level == 0;
}

void OmeTiffWriter::store(std::size_t level, std::int64_t column, std::int64_t row,
                          const AnyImage& tile) {
    Encoded encoded{
        level,
        static_cast<std::size_t>(row * columns(level) + column),
        {},
        encode_tile(padded_tile(tile, options_.tile), options_.compression, options_.quality)};
    {
        const std::lock_guard lock(mutex_);
        if (options_.strip > 0)
            put_in_order(std::move(encoded), column, row);
        else
            put(encoded);
    }
    if (level + 1 == levels_.size()) return;
    const auto whole = add_part(level, column, row, halved(tile, options_.labels));
    if (whole) store(level + 1, column / 2, row / 2, *whole);
}

// Gives the tile of the next level where this was the last of its parts.
std::unique_ptr<AnyImage> OmeTiffWriter::add_part(std::size_t level, std::int64_t column,
                                                  std::int64_t row, const AnyImage& half) {
    const std::int64_t x = column / 2, y = row / 2;
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = parts_.try_emplace(Place{level + 1, y, x});
    Part& part = place->second;
    if (is_new) {
        part.image =
            std::make_unique<AnyImage>(filled_image(form_.type, shape_at(level + 1, x, y)));
        const bool two_columns = 2 * x + 1 < columns(level), two_rows = 2 * y + 1 < rows(level);
        part.missing = (two_columns ? 2 : 1) * (two_rows ? 2 : 1);
    }
    const Shape& shape = shape_of(half);
    copy_box(half, {0, 0, shape.x, shape.y}, *part.image, column % 2 * options_.tile / 2,
             row % 2 * options_.tile / 2);
    if (--part.missing > 0) return {};
    std::unique_ptr<AnyImage> whole = std::move(part.image);
    parts_.erase(place);
    return whole;
}

void OmeTiffWriter::finish() {
    const std::lock_guard lock(mutex_);
    const std::int64_t missing = columns(0) * rows(0) - stored_;
    if (missing > 0)
        throw InvalidArgument(std::to_string(missing) + " tiles of " + quoted(staging_.target()) +
                              " were not written");
    finish_ome_tiff(file_, form_, options_, levels_);
    staging_.commit();
}

}  // namespace

std::vector<StoredLevel> stored_levels(const Shape& shape, std::int64_t tile) {
    std::vector<StoredLevel> levels;
    for (std::int64_t x = shape.x, y = shape.y;; x = (x + 1) / 2, y = (y + 1) / 2) {
        const std::int64_t count = (x + tile - 1) / tile * ((y + tile - 1) / tile);
        StoredLevel level{x, y, {}, {}};
        level.offsets.resize(static_cast<std::size_t>(count));
        level.bytes.resize(static_cast<std::size_t>(count));
        levels.push_back(std::move(level));
        if (x <= tile && y <= tile) return levels;
    }
}

SlideWriteOptions checked(const fs::path& path, const SlideForm& form, SlideWriteOptions options) {
    validate(form.shape);
    if (options.tile < 16 || options.tile > 4096 || options.tile % 16 != 0)
        throw InvalidArgument("--tile is " + std::to_string(options.tile) +
                              "; it must be a multiple of 16 from 16 to 4096");
    if (options.quality < 1 || options.quality > 100)
        throw InvalidArgument("--quality is " + std::to_string(options.quality) +
                              "; it must be 1 to 100");
    if (form.shape.dimensions() != 2)
        throw UnsupportedFormat("cannot write " + quoted(path) + ": a slide is one picture");
    const bool fits_jpeg = form.type == PixelType::u8 && !form.has_alpha && !options.labels &&
                           (form.shape.channels == 1 || form.shape.channels == 3);
    if (options.compression == TileCompression::automatic)
        options.compression = fits_jpeg && form.shape.channels == 3 ? TileCompression::jpeg
                                                                    : TileCompression::deflate;
    if (options.compression == TileCompression::jpeg && !fits_jpeg)
        throw UnsupportedFormat("cannot write " + quoted(path) +
                                ": JPEG takes 8-bit gray and RGB pictures alone; use deflate");
    return options;
}

void finish_ome_tiff(BigTiff& file, const SlideForm& form, const SlideWriteOptions& options,
                     const std::vector<StoredLevel>& levels) {
    std::vector<std::uint64_t> coarser;
    for (std::size_t i = 1; i < levels.size(); ++i)
        coarser.push_back(file.append(directory_of(form, options, levels[i], {}, false)));
    file.finish(file.append(directory_of(form, options, levels.front(), coarser, true)));
}

std::unique_ptr<TileWriter> create_ome_tiff(const fs::path& path, const SlideForm& form,
                                            const SlideWriteOptions& options) {
    return std::make_unique<OmeTiffWriter>(path, form, options);
}

}  // namespace tesela::io
