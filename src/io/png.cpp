// Reads PNG by libpng. Of the ancillary chunks only transparency, the size of a pixel, the program
// that wrote it and the orientation are read; the checksums of all are verified.
#include <png.h>

#include <bit>
#include <cstring>

#include "io/picture.h"
#include "io/pixel_size.h"

namespace tesela::io {
namespace {

// What libpng's callbacks leave before they jump back. No C++ object lives across a jump.
struct Failure {
    char reason[200] = "", warning[200] = "";
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
    auto* failure = static_cast<Failure*>(png_get_error_ptr(png));
    std::snprintf(failure->reason, sizeof failure->reason, "%s", message);
    png_longjmp(png, 1);
}

// What libpng reads in spite of it, as every other reader does.
void on_warning(png_structp png, png_const_charp message) {
    auto* failure = static_cast<Failure*>(png_get_error_ptr(png));
    if (!*failure->warning) std::snprintf(failure->warning, sizeof failure->warning, "%s", message);
}

constexpr std::string_view software_key = "Software";

struct Header {
    png_uint_32 width = 0, height = 0;
    int depth = 0, color = 0, passes = 1;
    int channels = 0, out_depth = 0;
    bool alpha = false;
};

class Reader {
  public:
    explicit Reader(const InputFile& file) : file_(file) {
        png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure_, on_error, on_warning);
        info_ = png_ ? png_create_info_struct(png_) : nullptr;
        if (!info_) {
            png_destroy_read_struct(&png_, &info_, nullptr);
            throw std::bad_alloc();
        }
    }
    ~Reader() { png_destroy_read_struct(&png_, &info_, nullptr); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // libpng makes room for whole rows as soon as it knows the transformations, so the claims of
    // the header are checked before.
    Header read_header(const DecodeOptions& options) {
        Header header;
        if (!try_claims(header)) throw unreadable(file_.path(), reason());
        check_claims(header);
        constexpr std::int64_t most_bytes = 8;  // of a pixel; libpng keeps two rows
        require_memory(file_.path(), 0, options.max_bytes, 2 * most_bytes * header.width);
        if (!try_transforms(options.indices, header)) throw unreadable(file_.path(), reason());
        return header;
    }
    void read_pixels(const Header& header, void* pixels) {
        const std::size_t row_bytes = static_cast<std::size_t>(header.width) *
                                      static_cast<std::size_t>(header.channels) *
                                      static_cast<std::size_t>(header.out_depth / 8);
        if (!try_pixels(header, static_cast<png_bytep>(pixels), row_bytes))
            throw unreadable(file_.path(), reason());
    }
    // After the pixels: this chunk may come last.
    int orientation() {
        png_uint_32 bytes = 0;
        png_bytep exif = nullptr;
        if (!png_get_eXIf_1(png_, info_, &bytes, &exif) || !exif) return 1;
        return exif_orientation({exif, bytes});
    }
    PixelScale pixel_size() {
        std::array<std::uint32_t, 2> counts{};
        int unit = PNG_RESOLUTION_UNKNOWN;
        if (!png_get_pHYs(png_, info_, &counts[0], &counts[1], &unit) ||
            unit != PNG_RESOLUTION_METER)
            return {};
        return unless_print({png_counts.size_of(counts), "PNG resolution"}, is_ours());
    }
    std::string warning() const { return printable(failure_.warning); }
    // Of an animation (APNG 1.0, chunk acTL).
    std::uint32_t frames() {
        png_unknown_chunkp chunks = nullptr;
        const int count = png_get_unknown_chunks(png_, info_, &chunks);
        return count > 0 && chunks[0].size == 8 ? png_get_uint_32(chunks[0].data) : 1;
    }

  private:
    bool is_ours() {
        png_textp texts = nullptr;
        const int count = png_get_text(png_, info_, &texts, nullptr);
        for (int i = 0; i < count; ++i)
            if (texts[i].key == software_key)
                return texts[i].text && std::string_view(texts[i].text) == software;
        return false;
    }

    std::string reason() const {
        return std::string("the PNG data are damaged (") + failure_.reason + ")";
    }

    static void on_read(png_structp png, png_bytep data, size_t bytes) {
        auto* file = static_cast<std::FILE*>(png_get_io_ptr(png));
        if (std::fread(data, 1, bytes, file) != bytes) png_error(png, "the file ends early");
    }

    bool try_claims(Header& header) {
        if (setjmp(png_jmpbuf(png_))) return false;
        std::rewind(file_.handle());
        png_set_read_fn(png_, file_.handle(), on_read);
        png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
        png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
        static constexpr png_byte taken[] = "pHYs\0tEXt\0eXIf";
        png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_AS_DEFAULT, taken, 3);
        static constexpr png_byte of_animations[] = "acTL";
        png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_ALWAYS, of_animations, 1);
        png_set_benign_errors(png_, 1);
        png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
        png_read_info(png_, info_);
        png_get_IHDR(png_, info_, &header.width, &header.height, &header.depth, &header.color,
                     nullptr, nullptr, nullptr);
        return true;
    }

    void check_claims(const Header& h) const {
        const int samples = h.color == PNG_COLOR_TYPE_PALETTE       ? 1
                            : (h.color & PNG_COLOR_MASK_COLOR) != 0 ? 3
                                                                    : 1;
        const double bytes = static_cast<double>(h.width) * h.height * samples * h.depth / 8;
        // Deflate shrinks data at most 1032-fold (RFC 1951: 258 bytes in 2 bits).
        if (bytes > 1032.0 * static_cast<double>(file_.size()))
            throw unreadable(file_.path(), "the header claims " + std::to_string(h.width) + " x " +
                                               std::to_string(h.height) +
                                               " pixels, but the file is far too short for them");
    }

    bool try_transforms(bool indices, Header& header) {
        if (setjmp(png_jmpbuf(png_))) return false;
        set_transforms(indices, header);
        header.passes = png_set_interlace_handling(png_);
        png_read_update_info(png_, info_);
        header.channels = png_get_channels(png_, info_);
        header.out_depth = png_get_bit_depth(png_, info_);
        header.alpha = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_ALPHA) != 0;
        return true;
    }

    void set_transforms(bool indices, const Header& header) {
        if (header.depth == 16 && std::endian::native == std::endian::little) png_set_swap(png_);
        if (indices) {
            png_set_packing(png_);
            return;
        }
        if (header.color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
        if (header.color == PNG_COLOR_TYPE_GRAY && header.depth < 8)
            png_set_expand_gray_1_2_4_to_8(png_);
        if (png_get_valid(png_, info_, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png_);
    }

    bool try_pixels(const Header& header, png_bytep pixels, std::size_t row_bytes) {
        if (setjmp(png_jmpbuf(png_))) return false;
        for (int pass = 0; pass < header.passes; ++pass)
            for (png_uint_32 y = 0; y < header.height; ++y)
                png_read_row(png_, pixels + y * row_bytes, nullptr);
        png_read_end(png_, info_);
        return true;
    }

    const InputFile& file_;
    Failure failure_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
};

}  // namespace

ReadResult read_png(const InputFile& file, const DecodeOptions& options) {
    Reader reader(file);
    const Header header = reader.read_header(options);
    const Shape shape{header.width, header.height, 1, 1, header.channels};
    AnyImage image = allocate(file.path(), header.out_depth == 16 ? PixelType::u16 : PixelType::u8,
                              shape, options);
    std::visit([&](auto& i) { i.has_alpha = header.alpha; }, image);
    reader.read_pixels(header, pixel_data(image));
    ReadResult result{std::move(image), "PNG", {}};
    if (!reader.warning().empty()) result.warnings.push_back("PNG: " + reader.warning());
    if (reader.frames() > 1)
        result.warnings.push_back("the PNG file is an animation of " +
                                  std::to_string(reader.frames()) +
                                  " frames, of which its still picture is read");
    const int orientation = reader.orientation();
    if (!is_upright(orientation)) {
        result.work_bytes = static_cast<std::int64_t>(pixel_bytes(result.image));
        require_memory(file.path(), result.work_bytes, options.max_bytes, result.work_bytes);
        apply_orientation(result.image, orientation);
    }
    result.spacing_source =
        set_pixel_size(result.image, reader.pixel_size(), orientation, result.warnings);
    return result;
}

}  // namespace tesela::io
