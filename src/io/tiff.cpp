// Reads pages of TIFF files through libtiff: strips and tiles, both planar configurations.
#include <algorithm>
#include <cstring>
#include <utility>

#include "io/tiff_reader.h"

#include "core/point_text.h"
#include "io/tiff_directory.h"
#include "io/tiff_samples.h"

namespace tesela::io {
namespace {

using Page = TiffPage;

}  // namespace

UnreadableInput TiffReader::damaged() const {
    const std::string reason = tiff_.error().empty() ? tiff_.warning() : tiff_.error();
    return unreadable(file_.path(),
                      "the TIFF data are damaged" + (reason.empty() ? "" : " (" + reason + ")"));
}

double TiffReader::most_expansion() const {
    const auto compression = tiff_.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    if (compression == COMPRESSION_NONE) return 1;
    if (compression == COMPRESSION_LZW || compression == COMPRESSION_ADOBE_DEFLATE ||
        compression == COMPRESSION_DEFLATE || compression == COMPRESSION_PACKBITS)
        return 4096;
    return 70000;  // fax codes and zstd shrink constant areas without limit
}

// Claims that the file cannot hold are refused before anything is allocated for them.
void TiffReader::check_size(const Page& p) const {
    const double most = most_expansion() * static_cast<double>(file_.size());
    const double bytes =
        static_cast<double>(p.width) * static_cast<double>(p.height) * p.samples * p.bits / 8;
    if (bytes > most)
        throw unreadable(file_.path(), "the header claims " + size_text({p.width, p.height}) +
                                           " pixels, but the file is far too short for them");
    const auto chunk = static_cast<double>(TIFFIsTiled(tiff_.get()) ? TIFFTileSize64(tiff_.get())
                                                                    : TIFFStripSize64(tiff_.get()));
    if (chunk > most + 65536) throw unreadable(file_.path(), "the header claims enormous tiles");
}

// A strip or tile, decoded and as stored, and what codecs hold that do not decode in one pass.
std::int64_t TiffReader::chunk_work_here() const {
    TIFF* t = tiff_.get();
    const bool tiled = TIFFIsTiled(t) != 0;
    const auto chunk = static_cast<std::int64_t>(tiled ? TIFFTileSize64(t) : TIFFStripSize64(t));
    const auto compression = tiff_.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    if (compression == COMPRESSION_NONE) return chunk;
    std::uint64_t stored = 0;
    for (std::uint32_t i = 0; i < (tiled ? TIFFNumberOfTiles(t) : TIFFNumberOfStrips(t)); ++i)
        stored = std::max(stored, TIFFGetStrileByteCount(t, i));
    const bool in_one_pass = compression == COMPRESSION_LZW || compression == COMPRESSION_DEFLATE ||
                             compression == COMPRESSION_ADOBE_DEFLATE ||
                             compression == COMPRESSION_PACKBITS;
    return (in_one_pass ? 1 : 3) * chunk +
           std::min(static_cast<std::int64_t>(stored), file_.size());
}

void TiffReader::go_to(std::size_t directory) {
    if (!TIFFSetSubDirectory(tiff_.get(), directories_[directory].offset)) throw damaged();
}

void TiffReader::take(std::size_t directory) {
    go_to(directory);
    check_page(directories_[directory].form, tiff_, file_.path());
    check_size(directories_[directory].form);
    first_ = directory;
    most_chunk_work_ = std::max(most_chunk_work_, chunk_work_here());
}

// Tags by which other programs say what this reader does not look at.
void TiffReader::warn_of_other_programs() {
    constexpr std::uint32_t metamorph = 33628, zeiss_lsm = 34412, gdal_metadata = 42112;
    TIFF* t = tiff_.get();
    const auto has = [&](std::uint32_t tag) { return TIFFFindField(t, tag, TIFF_ANY) != nullptr; };
    if (has(metamorph))
        warnings_.push_back(
            "further planes of a MetaMorph stack lie behind the first and are not read; save it "
            "as OME-TIFF");
    if (has(zeiss_lsm))
        warnings_.push_back(
            "what a Zeiss LSM file says of its channels, slices and times is not read, and its "
            "pages are slices; save it as OME-TIFF");
    std::uint32_t count = 0;
    const char* text = nullptr;
    if (!has(gdal_metadata) || !TIFFGetField(t, gdal_metadata, &count, &text) || !text) return;
    const std::string_view metadata(text, count);
    if (metadata.find("role=\"scale\"") != metadata.npos ||
        metadata.find("role=\"offset\"") != metadata.npos)
        warnings_.push_back("scale and offset of GDAL's metadata are not applied");
}

void TiffReader::find_pages() {
    if (!tiff_.get()) throw damaged();
    bool has_page = false;
    do {
        if (!tiff_.error().empty()) throw damaged();
        check_directory(file_, static_cast<std::int64_t>(TIFFCurrentDirOffset(tiff_.get())));
        const auto kind = tiff_.field<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0);
        const TiffDirectory& directory = directories_.emplace_back(
            TiffDirectory{TIFFCurrentDirOffset(tiff_.get()), describe_page(tiff_),
                          (kind & FILETYPE_REDUCEDIMAGE) != 0, (kind & FILETYPE_MASK) != 0});
        if (directories_.size() == 1) description_ = description_of(tiff_);
        if (!directory.is_page()) continue;
        if (!std::exchange(has_page, true)) {
            check_page(directory.form, tiff_, file_.path());
            check_size(directory.form);
            first_ = directories_.size() - 1;
        }
        if (directory.form == form())
            most_chunk_work_ = std::max(most_chunk_work_, chunk_work_here());
    } while (TIFFReadDirectory(tiff_.get()));
    if (!tiff_.error().empty()) throw damaged();
    if (!tiff_.warning().empty()) warnings_.push_back("TIFF header: " + tiff_.warning());
    take(first_);
    warn_of_other_programs();
}

void TiffReader::read_chunk(std::uint32_t chunk, std::vector<std::uint8_t>& buffer,
                            tmsize_t bytes) {
    const tmsize_t got = TIFFIsTiled(tiff_.get())
                             ? TIFFReadEncodedTile(tiff_.get(), chunk, buffer.data(), bytes)
                             : TIFFReadEncodedStrip(tiff_.get(), chunk, buffer.data(), bytes);
    if (got != bytes || !tiff_.error().empty()) throw damaged();
}

// Copies `count` pixels of one decoded row, or of one plane of them, to their place.
void TiffReader::place_row(const Page& p, const std::uint8_t* row, std::int64_t x, std::int64_t y,
                           std::int64_t count, int plane, std::uint8_t* out) const {
    const std::int64_t bytes = pixel_type_bytes(stored_type(p));
    std::uint8_t* target = out + ((y * p.width + x) * p.samples + plane) * bytes;
    const std::int64_t step = planes_separate_ ? p.samples : 1;
    const std::int64_t samples = planes_separate_ ? count : count * p.samples;
    if (is_packed(p))
        return unpack_row(p, row, samples,
                          p.photometric != PHOTOMETRIC_PALETTE && !options_.indices, step, target);
    if (step == 1) {
        std::memcpy(target, row, static_cast<std::size_t>(samples * bytes));
        return;
    }
    for (std::int64_t i = 0; i < samples; ++i)
        std::memcpy(target + i * step * bytes, row + i * bytes, static_cast<std::size_t>(bytes));
}

void TiffReader::read_strips(const Page& p, std::uint8_t* out) {
    TIFF* t = tiff_.get();
    const std::int64_t rows_per_strip = std::clamp<std::int64_t>(
        tiff_.field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP, 0xffffffff), 1, p.height);
    std::vector<std::uint8_t> buffer(static_cast<std::size_t>(TIFFStripSize(t)));
    const int planes = planes_separate_ ? p.samples : 1;
    for (int plane = 0; plane < planes; ++plane)
        for (std::int64_t y = 0; y < p.height; y += rows_per_strip) {
            const std::int64_t rows = std::min(rows_per_strip, p.height - y);
            const std::uint32_t strip = TIFFComputeStrip(t, static_cast<std::uint32_t>(y),
                                                         static_cast<std::uint16_t>(plane));
            read_chunk(strip, buffer, TIFFVStripSize(t, static_cast<std::uint32_t>(rows)));
            const tmsize_t row_bytes = TIFFScanlineSize(t);
            for (std::int64_t r = 0; r < rows; ++r)
                place_row(p, &buffer[static_cast<std::size_t>(r * row_bytes)], 0, y + r, p.width,
                          plane, out);
        }
}

void TiffReader::read_tiles(const Page& p, std::uint8_t* out) {
    TIFF* t = tiff_.get();
    const std::int64_t tile_width = tiff_.field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0);
    const std::int64_t tile_height = tiff_.field<std::uint32_t>(TIFFTAG_TILELENGTH, 0);
    if (tile_width <= 0 || tile_height <= 0) throw damaged();
    std::vector<std::uint8_t> buffer(static_cast<std::size_t>(TIFFTileSize(t)));
    const tmsize_t row_bytes = TIFFTileRowSize(t);
    const int planes = planes_separate_ ? p.samples : 1;
    for (int plane = 0; plane < planes; ++plane)
        for (std::int64_t y = 0; y < p.height; y += tile_height)
            for (std::int64_t x = 0; x < p.width; x += tile_width) {
                const std::uint32_t tile =
                    TIFFComputeTile(t, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                                    0, static_cast<std::uint16_t>(plane));
                read_chunk(tile, buffer, static_cast<tmsize_t>(buffer.size()));
                const std::int64_t rows = std::min(tile_height, p.height - y);
                for (std::int64_t r = 0; r < rows; ++r)
                    place_row(p, &buffer[static_cast<std::size_t>(r * row_bytes)], x, y + r,
                              std::min(tile_width, p.width - x), plane, out);
            }
}

void TiffReader::read_page(const Page& p, std::uint8_t* out) {
    if (p.photometric == PHOTOMETRIC_YCBCR)
        TIFFSetField(tiff_.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    planes_separate_ =
        p.samples > 1 && tiff_.field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) ==
                             PLANARCONFIG_SEPARATE;
    tiff_.clear();
    if (TIFFIsTiled(tiff_.get()))
        read_tiles(p, out);
    else
        read_strips(p, out);
    // What libtiff reads in spite of an oddity, such as LZW in its first form, every reader does.
    if (!tiff_.warning().empty() && !warned_) warnings_.push_back("TIFF data: " + tiff_.warning());
    warned_ = warned_ || !tiff_.warning().empty();
}

bool TiffReader::read(std::int64_t directory, const Page& form, std::uint8_t* out) {
    const auto index = static_cast<std::size_t>(directory);
    if (index >= directories_.size() || !(directories_[index].form == form)) return false;
    go_to(index);
    check_page(form, tiff_, file_.path());
    check_size(form);
    read_page(form, out);
    return true;
}

void TiffReader::read_behind(std::int64_t number, std::uint8_t* out) const {
    const Page& p = form();
    const std::int64_t bytes = p.width * p.height * p.samples * (p.bits / 8);
    const auto begin = first_of_many(file_, tiff_, p, number + 1);
    if (!begin) throw damaged();
    file_.read(*begin + number * bytes, {out, static_cast<std::size_t>(bytes)});
    const auto value = static_cast<std::ptrdiff_t>(p.bits / 8);
    if (!TIFFIsByteSwapped(tiff_.get()) || value == 1) return;
    for (std::uint8_t* at = out; at < out + bytes; at += value) std::reverse(at, at + value);
}

}  // namespace tesela::io
