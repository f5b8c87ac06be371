// Reads TIFF through libtiff: strips and tiles, both planar configurations, stacks of pages.
#include <algorithm>
#include <cstring>

#include "io/picture.h"
#include "io/pixel_size.h"
#include "io/tiff_directory.h"
#include "io/tiff_page.h"
#include "io/tiff_planes.h"
#include "io/tiff_samples.h"
#include "io/tiff_scale.h"

namespace tesela::io {
namespace {

using Page = TiffPage;

std::string size_text(const Page& page) {
    return std::to_string(page.width) + " x " + std::to_string(page.height);
}

class TiffReader {
  public:
    TiffReader(const InputFile& file, const DecodeOptions& options)
        : file_(file), options_(options), tiff_(file.handle(), "rm") {}

    ReadResult read();

  private:
    void find_pages();
    void set_spacing(AnyImage& image);
    void check_size(const Page& page) const;
    std::int64_t chunk_work() const;
    std::int64_t work_bytes(const Shape& shape) const;
    void read_page(const Page& page, std::uint8_t* out);
    void read_chunk(std::uint32_t chunk, std::vector<std::uint8_t>& buffer, tmsize_t bytes);
    void read_strips(const Page& page, std::uint8_t* out);
    void read_tiles(const Page& page, std::uint8_t* out);
    void place_row(const Page& page, const std::uint8_t* row, std::int64_t x, std::int64_t y,
                   std::int64_t count, int plane, std::uint8_t* out) const;
    AnyImage through_palette(const Image<std::uint8_t>& indices);
    AnyImage without_opacity(const Image<std::uint8_t>& indices);
    void turn_white(AnyImage& image);
    UnreadableInput damaged() const;

    const InputFile& file_;
    const DecodeOptions& options_;
    TiffHandle tiff_;
    bool planes_separate_ = false;
    Page first_;
    StackScale scale_;
    PlaneCounts planes_;
    std::string description_;
    std::vector<std::uint64_t> offsets_;  // of the directories of the stack's pages
    std::int64_t chunk_work_ = 0;         // the most that a page takes while it is decoded
    std::vector<std::string> warnings_;
    bool warned_ = false;  // of the data
};

UnreadableInput TiffReader::damaged() const {
    const std::string reason = tiff_.error().empty() ? tiff_.warning() : tiff_.error();
    return unreadable(file_.path(),
                      "the TIFF data are damaged" + (reason.empty() ? "" : " (" + reason + ")"));
}

// Claims that the file cannot hold are refused before anything is allocated for them.
void TiffReader::check_size(const Page& p) const {
    const auto compression = tiff_.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    double most_expansion = 70000;  // fax codes and zstd shrink constant areas without limit
    if (compression == COMPRESSION_NONE) most_expansion = 1;
    if (compression == COMPRESSION_LZW || compression == COMPRESSION_ADOBE_DEFLATE ||
        compression == COMPRESSION_DEFLATE || compression == COMPRESSION_PACKBITS)
        most_expansion = 4096;
    const double most = most_expansion * static_cast<double>(file_.size());
    const double bytes =
        static_cast<double>(p.width) * static_cast<double>(p.height) * p.samples * p.bits / 8;
    if (bytes > most)
        throw unreadable(file_.path(), "the header claims " + size_text(p) +
                                           " pixels, but the file is far too short for them");
    const auto chunk = static_cast<double>(TIFFIsTiled(tiff_.get()) ? TIFFTileSize64(tiff_.get())
                                                                    : TIFFStripSize64(tiff_.get()));
    if (chunk > most + 65536) throw unreadable(file_.path(), "the header claims enormous tiles");
}

// A strip or tile, decoded and as stored, and what codecs hold that do not decode in one pass.
std::int64_t TiffReader::chunk_work() const {
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

// Beside an image of this shape; colors of a palette and upright copies come after the decoding.
std::int64_t TiffReader::work_bytes(const Shape& shape) const {
    const std::int64_t bytes = shape.elements() * pixel_type_bytes(stored_type(first_));
    const bool colored = first_.photometric == PHOTOMETRIC_PALETTE && !options_.indices;
    const std::int64_t colors = colored ? (2 + first_.samples) * shape.points() : 0;
    const std::int64_t upright =
        is_upright(first_.orientation) ? 0 : std::max(2 * colors - bytes, bytes);
    const std::int64_t planes = planes_.channels > 1 || planes_.frames > 1 ? bytes : 0;
    return std::max({chunk_work_, colors, upright, planes});
}

void TiffReader::find_pages() {
    int others = 0;
    do {
        if (!tiff_.error().empty()) throw damaged();
        check_directory(file_, static_cast<std::int64_t>(TIFFCurrentDirOffset(tiff_.get())));
        const bool reduced =
            (tiff_.field<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0) & FILETYPE_REDUCEDIMAGE) != 0;
        const Page page = describe_page(tiff_);
        if (offsets_.empty()) {
            check_page(page, tiff_, file_.path());
            check_size(page);
            first_ = page;
            scale_ = stack_scale(tiff_);
            description_ = description_of(tiff_);
        } else if (!(page == first_)) {
            others += !reduced;
            continue;
        }
        offsets_.push_back(TIFFCurrentDirOffset(tiff_.get()));
        chunk_work_ = std::max(chunk_work_, chunk_work());
    } while (TIFFReadDirectory(tiff_.get()));
    if (!tiff_.error().empty()) throw damaged();
    if (others > 0) {
        warnings_.push_back(std::to_string(others) +
                            " TIFF pages of another size or type than the first were left out");
    }
    if (!tiff_.warning().empty()) warnings_.push_back("TIFF header: " + tiff_.warning());
}

// Of an image that is upright already.
void TiffReader::set_spacing(AnyImage& image) {
    scale_.pixel.source = set_pixel_size(image, scale_.pixel, first_.orientation, warnings_);
    if (scale_.pixel.source.empty()) return;
    Geometry& geometry = geometry_of(image);
    geometry.time_step = planes_.time_step;
    if (scale_.depth > 0) geometry.spacing[2] = scale_.depth;
    if (shape_of(image).z > 1 && !(scale_.depth > 0)) {
        geometry.spacing[2] = geometry.spacing[0];
        warnings_.push_back("the distance of its pages is not told; that of pixels is taken");
    }
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

AnyImage TiffReader::through_palette(const Image<std::uint8_t>& indices) {
    const Palette palette = palette_of(tiff_, first_.bits);
    if (palette[0].empty()) throw damaged();
    Shape shape = indices.shape();
    shape.channels = 2 + first_.samples;
    AnyImage colors = allocate(file_.path(), PixelType::u8, shape, options_);
    look_up(first_, indices, palette, std::get<Image<std::uint8_t>>(colors));
    return colors;
}

// The numbers of a label map that has a palette.
AnyImage TiffReader::without_opacity(const Image<std::uint8_t>& indices) {
    Shape shape = indices.shape();
    shape.channels = 1;
    AnyImage numbers = allocate(file_.path(), PixelType::u8, shape, options_);
    const std::uint8_t* in = indices.data();
    for (std::uint8_t& number : std::get<Image<std::uint8_t>>(numbers).pixels()) {
        number = *in;
        in += first_.samples;
    }
    warnings_.push_back("the opacity beside the numbers of its palette is left out");
    return numbers;
}

void TiffReader::turn_white(AnyImage& image) {
    if (first_.format != SAMPLEFORMAT_UINT)
        warnings_.push_back(
            "0 is white in this TIFF of signed or floating-point numbers; their order was turned");
    invert(image, first_);
}

ReadResult TiffReader::read() {
    if (!tiff_.get()) throw damaged();
    find_pages();
    const Shape shape{first_.width, first_.height, static_cast<std::int64_t>(offsets_.size()), 1,
                      first_.samples};
    planes_ = plane_counts(description_, shape.z, first_.samples);
    const std::int64_t work = work_bytes(shape);
    AnyImage image = allocate(file_.path(), stored_type(first_), shape, options_, work);
    auto* out = static_cast<std::uint8_t*>(pixel_data(image));
    const std::size_t page_bytes = pixel_bytes(image) / offsets_.size();
    for (const std::uint64_t offset : offsets_) {
        if (!TIFFSetSubDirectory(tiff_.get(), offset)) throw damaged();
        check_page(first_, tiff_, file_.path());
        check_size(first_);
        read_page(first_, out);
        out += page_bytes;
    }
    const bool has_palette = first_.photometric == PHOTOMETRIC_PALETTE;
    if (has_palette && !options_.indices)
        image = through_palette(std::get<Image<std::uint8_t>>(image));
    if (has_palette && options_.indices && first_.samples > 1)
        image = without_opacity(std::get<Image<std::uint8_t>>(image));
    if (first_.photometric == PHOTOMETRIC_MINISWHITE && !options_.indices) turn_white(image);
    const bool has_opacity = first_.alpha && !(has_palette && options_.indices);
    std::visit([&](auto& i) { i.has_alpha = has_opacity; }, image);
    if (first_.premultiplied)
        warnings_.push_back("the TIFF's colors are multiplied by its opacity");
    apply_orientation(image, first_.orientation);
    image = with_planes(std::move(image), planes_);
    set_spacing(image);
    ReadResult result{std::move(image), "TIFF", std::move(warnings_), 0, work};
    result.spacing_source = scale_.pixel.source;
    return result;
}

}  // namespace

ReadResult read_tiff(const InputFile& file, const DecodeOptions& options) {
    return TiffReader(file, options).read();
}

}  // namespace tesela::io
