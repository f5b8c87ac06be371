#include "io/ome_tiff.h"

#include <tiff.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "io/pixel_size.h"
#include "io/tiff_description.h"
#include "io/tile_codec.h"
#include "io/tile_pyramid.h"

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
    if (first && options.pyramid == PyramidForm::ome)
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

class OmeTiffWriter : public TilePyramid {
  public:
    // Options as `checked` gives them.
    OmeTiffWriter(const fs::path& path, const SlideForm& form, const SlideWriteOptions& options)
        : TilePyramid(path, form, options),
          form_(form),
          options_(options),
          staging_({path}, options.overwrite),
          out_(staging_.staged(), path),
          file_(out_),
          stored_(stored_levels(form.shape, options)) {}

    void finish() override;

  protected:
    void store(std::size_t level, std::int64_t column, std::int64_t row,
               const AnyImage& tile) override;

  private:
    // Behind which tile of level 0 a tile lies in the file, and its level.
    using Order = std::pair<std::int64_t, std::size_t>;
    struct Encoded {
        std::size_t level = 0, index = 0;
        Order behind{};  // the order of the tile that comes next
        std::vector<std::uint8_t> bytes;
    };

    std::int64_t last_leaf(std::size_t level, std::int64_t column, std::int64_t row) const;
    void put_in_order(Encoded tile, std::int64_t column, std::int64_t row);
    void put(const Encoded& tile);

    SlideForm form_;
    SlideWriteOptions options_;
    Staging staging_;
    std::mutex mutex_;  // guards what follows
    OutputFile out_;
    BigTiff file_;
    std::vector<StoredLevel> stored_;
    std::map<Order, Encoded> waiting_;  // for those that lie before them
    std::size_t waiting_bytes_ = 0;
    Order next_{};
};

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
        level + 1 < levels() && last_leaf(level + 1, column / 2, row / 2) == leaf;
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
    StoredLevel& stored = stored_[tile.level];
    stored.offsets[tile.index] = file_.append(std::span(tile.bytes));
    stored.bytes[tile.index] = tile.bytes.size();
}

void OmeTiffWriter::store(std::size_t level, std::int64_t column, std::int64_t row,
                          const AnyImage& tile) {
    Encoded encoded{
        level,
        static_cast<std::size_t>(row * columns(level) + column),
        {},
        encode_tile(padded_tile(tile, options_.tile), options_.compression, options_.quality)};
    const std::lock_guard lock(mutex_);
    if (options_.strip > 0)
        put_in_order(std::move(encoded), column, row);
    else
        put(encoded);
}

void OmeTiffWriter::finish() {
    require_all();
    const std::lock_guard lock(mutex_);
    finish_ome_tiff(file_, form_, options_, stored_);
    staging_.commit();
}

}  // namespace

std::vector<StoredLevel> stored_levels(const Shape& shape, const SlideWriteOptions& options) {
    const std::int64_t tile = options.tile;
    std::vector<StoredLevel> levels;
    for (const auto& [x, y] : pyramid_levels(shape, options)) {
        const std::int64_t count = (x + tile - 1) / tile * ((y + tile - 1) / tile);
        StoredLevel level{x, y, {}, {}};
        level.offsets.resize(static_cast<std::size_t>(count));
        level.bytes.resize(static_cast<std::size_t>(count));
        levels.push_back(std::move(level));
    }
    return levels;
}

SlideWriteOptions checked(const fs::path& path, const SlideForm& form, SlideWriteOptions options) {
    validate(form.shape);
    if (options.tile < 16 || options.tile > 4096 || options.tile % 16 != 0)
        throw InvalidArgument("--tile is " + std::to_string(options.tile) +
                              "; it must be a multiple of 16 from 16 to 4096");
    if (options.quality < 1 || options.quality > 100)
        throw InvalidArgument("--quality is " + std::to_string(options.quality) +
                              "; it must be 1 to 100");
    if (options.pyramid == PyramidForm::generic && is_ome_tiff_name(path))
        throw InvalidArgument("--pyramid is generic, which has no OME-XML, but " +
                              quoted(path.filename()) +
                              " is named as an OME-TIFF; name it without .ome");
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
    if (options.pyramid == PyramidForm::generic) {
        // From the last on, as each names the next.
        std::uint64_t next = 0;
        for (std::size_t i = levels.size(); i-- > 0;)
            next = file.append(directory_of(form, options, levels[i], {}, i == 0), next);
        return file.finish(next);
    }
    std::vector<std::uint64_t> coarser;
    for (std::size_t i = 1; i < levels.size(); ++i)
        coarser.push_back(file.append(directory_of(form, options, levels[i], {}, false)));
    file.finish(file.append(directory_of(form, options, levels.front(), coarser, true)));
}

std::unique_ptr<TileWriter> create_ome_tiff(const fs::path& path, const SlideForm& form,
                                            const SlideWriteOptions& options) {
    return std::make_unique<OmeTiffWriter>(path, form, checked(path, form, options));
}

}  // namespace tesela::io
