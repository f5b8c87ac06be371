// Reads pages of TIFF files through libtiff: strips and tiles, both planar configurations.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "io/tiff_reader.h"

#include "core/point_text.h"
#include "core/threads.h"
#include "io/tiff_directory.h"
#include "io/tiff_samples.h"
#include "io/zlib_stream.h"

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

TiffReader::Chunk TiffReader::chunk_at(const Page& p, std::int64_t index) const {
    TIFF* t = tiff_.get();
    const bool tiled = TIFFIsTiled(t) != 0;
    const std::int64_t width =
        tiled ? tiff_.field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0) : std::int64_t{p.width};
    const std::int64_t height =
        tiled ? tiff_.field<std::uint32_t>(TIFFTAG_TILELENGTH, 0)
              : std::clamp<std::int64_t>(
                    tiff_.field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP, 0xffffffff), 1, p.height);
    if (width <= 0 || height <= 0) throw damaged();
    Chunk c;
    const std::int64_t across = (p.width + width - 1) / width;
    c.count = across * ((p.height + height - 1) / height);
    c.plane = static_cast<int>(index / c.count);
    c.x = index % across * width;
    c.y = index % c.count / across * height;
    c.columns = std::min(width, p.width - c.x);
    c.rows = std::min(height, p.height - c.y);
    c.row_bytes = tiled ? TIFFTileRowSize(t) : TIFFScanlineSize(t);
    c.bytes = tiled ? TIFFTileSize(t) : TIFFVStripSize(t, static_cast<std::uint32_t>(c.rows));
    return c;
}

// Whether chunks of the current page are zlib streams, or nothing but the samples in our order of
// bytes, and so small that many at once are no matter.
bool TiffReader::unpacks_itself(const Page& p, const Chunk& c) const {
    const auto compression = tiff_.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    const bool zlib =
        compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE;
    if ((!zlib && compression != COMPRESSION_NONE) || p.photometric == PHOTOMETRIC_YCBCR)
        return false;
    if (zlib && tiff_.field<std::uint16_t>(TIFFTAG_PREDICTOR, PREDICTOR_NONE) != PREDICTOR_NONE)
        return false;
    constexpr tmsize_t most = 1 << 20;
    return (c.bytes <= most || (!zlib && lies_as_stored(p))) &&
           (p.bits <= 8 || !TIFFIsByteSwapped(tiff_.get())) &&
           tiff_.field<std::uint16_t>(TIFFTAG_FILLORDER, FILLORDER_MSB2LSB) == FILLORDER_MSB2LSB;
}

// Whether decoded strips are whole rows of the image.
bool TiffReader::lies_as_stored(const Page& p) const {
    return !TIFFIsTiled(tiff_.get()) && !planes_separate_ && !is_packed(p) &&
           TIFFScanlineSize(tiff_.get()) == p.width * p.samples * pixel_type_bytes(stored_type(p));
}

// From any thread. False where the chunk is missing, cut off or damaged.
bool TiffReader::unpack_chunk(std::uint32_t number, std::span<std::uint8_t> to) const {
    TIFF* t = tiff_.get();
    const auto offset = static_cast<std::int64_t>(TIFFGetStrileOffset(t, number));
    const std::uint64_t stored = TIFFGetStrileByteCount(t, number);
    if (offset <= 0 || offset >= file_.size()) return false;
    const auto compression = tiff_.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    if (compression == COMPRESSION_NONE) {
        if (stored < to.size() || std::ssize(to) > file_.size() - offset) return false;
        return file_.read_some(offset, to) == to.size();  // this is one of many threads
    }
    if (stored > 2 * to.size() + 1024) return false;
    std::vector<std::uint8_t> packed(stored);
    return file_.read_some(offset, packed) == packed.size() && zlib_unpack(packed, to);
}

void TiffReader::read_chunks(const Page& p, std::uint8_t* out) {
    const Chunk first = chunk_at(p, 0);
    const std::int64_t count = first.count * (planes_separate_ ? p.samples : 1);
    const auto place = [&](const Chunk& c, const std::vector<std::uint8_t>& buffer) {
        for (std::int64_t r = 0; r < c.rows; ++r)
            place_row(p, &buffer[static_cast<std::size_t>(r * c.row_bytes)], c.x, c.y + r,
                      c.columns, c.plane, out);
    };
    const bool direct = lies_as_stored(p);
    std::atomic<bool> whole{unpacks_itself(p, first)};
    if (whole)
        detail::for_each_index(count, 0, [&](std::int64_t i) {
            if (!whole) return;
            const Chunk c = chunk_at(p, i);
            const auto bytes = static_cast<std::size_t>(c.bytes);
            std::vector<std::uint8_t> buffer(direct ? 0 : bytes);
            const bool unpacked = unpack_chunk(
                static_cast<std::uint32_t>(i),
                direct ? std::span(out + c.y * c.row_bytes, bytes) : std::span(buffer));
            if (unpacked && !direct) place(c, buffer);
            if (!unpacked) whole = false;
        });
    // What libtiff alone unpacks, or has to say what is wrong with.
    for (std::int64_t i = 0; i < count && !whole; ++i) {
        const Chunk c = chunk_at(p, i);
        std::vector<std::uint8_t> buffer(static_cast<std::size_t>(c.bytes));
        read_chunk(static_cast<std::uint32_t>(i), buffer, c.bytes);
        place(c, buffer);
    }
}

void TiffReader::read_page(const Page& p, std::uint8_t* out) {
    if (p.photometric == PHOTOMETRIC_YCBCR)
        TIFFSetField(tiff_.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    planes_separate_ =
        p.samples > 1 && tiff_.field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) ==
                             PLANARCONFIG_SEPARATE;
    tiff_.clear();
    read_chunks(p, out);
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
