// TIFF through libtiff, in the forms that ImageJ, QuPath, libtiff, tifffile and Pillow read alike:
// strips packed by deflate without a predictor, which ImageJ 1.53 undoes for LZW only. Channels lie
// side by side where they are colors of 8 or 16 bits; others have directories of their own.
#include <algorithm>
#include <cstring>

#include "io/in_order.h"
#include "io/picture.h"
#include "io/pixel_size.h"
#include "io/tiff_description.h"
#include "io/tiff_handle.h"
#include "io/zlib_stream.h"

namespace tesela::io {
namespace {

class TiffWriter {
  public:
    TiffWriter(const AnyImage& image, OutputFile& file, bool is_ome, Compression compression,
               bool in_print)
        : image_(image),
          file_(file),
          is_ome_(is_ome),
          compression_(compression),
          in_print_(in_print),
          shape_(shape_of(image)),
          type_(pixel_type_of(image)),
          samples_(samples_of_page()),
          directories_(shape_.z * shape_.t * shape_.channels / samples_),
          // Beyond 32-bit offsets the 64-bit form is needed; deflate may expand a little.
          tiff_(file.handle(), pixel_bytes(image) > 0xf0000000u ? "w8" : "w") {}

    void write() {
        check(tiff_.get() != nullptr);
        const std::int64_t strips = (shape_.y + strip_rows() - 1) / strip_rows();
        make_in_order(
            directories_ * strips, 0,
            [&](std::int64_t i) { return stored_strip(i / strips, i % strips); },
            [&](std::int64_t i, std::vector<std::uint8_t>& strip) {
                if (i % strips == 0) set_fields(i / strips);
                check(TIFFWriteRawStrip(tiff_.get(), static_cast<std::uint32_t>(i % strips),
                                        strip.data(), std::ssize(strip)) >= 0);
                if ((i + 1) % strips == 0) check(TIFFWriteDirectory(tiff_.get()) == 1);
            });
        check(TIFFFlush(tiff_.get()) == 1);
        tiff_.close();
        check(true);
    }

  private:
    void check(bool done) {
        if (done && tiff_.error().empty()) return;
        const int error = tiff_.system_error();
        throw unwritable(file_.shown(), error ? system_reason(error) : tiff_.error());
    }

    // ImageJ takes no other samples side by side, and of 16 bits those of a single picture only.
    // Opacity belongs to its colors.
    int samples_of_page() const {
        const bool is_picture = shape_.z == 1 && shape_.t == 1;
        const bool colors = shape_.channels == 3 &&
                            (type_ == PixelType::u8 || (type_ == PixelType::u16 && is_picture));
        return colors || has_alpha(image_) ? shape_.channels : 1;
    }
    bool is_rgb() const { return samples_ == 3 || (samples_ == 4 && has_alpha(image_)); }

    // Of four packed samples of 16 bits ImageJ 1.53 makes garbage.
    bool is_packed() const {
        return compression_ != Compression::none && !(samples_ == 4 && type_ == PixelType::u16);
    }
    std::vector<std::uint8_t> packed(std::span<const std::uint8_t> strip) const {
        constexpr int usual = 7, small = 12;        // the usual one is what libtiff takes
        constexpr std::size_t most_fast = 1 << 30;  // the fast one counts bytes in 32 bits
        if (compression_ == Compression::fast && strip.size() <= most_fast)
            return zlib_packed_fast(strip);
        return zlib_packed(strip, compression_ == Compression::small ? small : usual);
    }
    std::int64_t row_bytes() const { return shape_.x * samples_ * pixel_type_bytes(type_); }
    std::int64_t strip_rows() const {
        constexpr std::int64_t strip_bytes = 1 << 18;
        return std::clamp<std::int64_t>(strip_bytes / row_bytes(), 1, shape_.y);
    }

    void set_fields(std::int64_t directory) {
        TIFF* t = tiff_.get();
        const bool floating = type_ == PixelType::f32 || type_ == PixelType::f64;
        const bool is_signed =
            type_ == PixelType::i8 || type_ == PixelType::i16 || type_ == PixelType::i32;
        TIFFSetField(t, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(shape_.x));
        TIFFSetField(t, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(shape_.y));
        TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, samples_);
        TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 8 * pixel_type_bytes(type_));
        TIFFSetField(t, TIFFTAG_SAMPLEFORMAT,
                     floating    ? SAMPLEFORMAT_IEEEFP
                     : is_signed ? SAMPLEFORMAT_INT
                                 : SAMPLEFORMAT_UINT);
        TIFFSetField(t, TIFFTAG_PHOTOMETRIC, is_rgb() ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
        TIFFSetField(t, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        // Without it ImageJ takes planes that are not packed to follow the first one.
        TIFFSetField(t, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
        TIFFSetField(t, TIFFTAG_COMPRESSION,
                     is_packed() ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE);
        TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(strip_rows()));
        std::vector<std::uint16_t> extra(static_cast<std::size_t>(samples_ - (is_rgb() ? 3 : 1)),
                                         EXTRASAMPLE_UNSPECIFIED);
        if (has_alpha(image_) && !extra.empty()) extra.back() = EXTRASAMPLE_UNASSALPHA;
        if (!extra.empty())
            TIFFSetField(t, TIFFTAG_EXTRASAMPLES, static_cast<int>(extra.size()), extra.data());
        if (directories_ > 1) TIFFSetField(t, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
        if (directories_ > 1 && directories_ <= 0xffff)
            TIFFSetField(t, TIFFTAG_PAGENUMBER, static_cast<int>(directory),
                         static_cast<int>(directories_));
        if (in_print_ && !is_ome_) {
            set_resolution(RESUNIT_INCH, print_pixels_of_inch, print_pixels_of_inch);
            return;
        }
        TIFFSetField(t, TIFFTAG_SOFTWARE, software);
        describe(directory == 0);
    }

    // A single picture has the resolution by which every program knows the size of a pixel, a stack
    // that of ImageJ.
    void describe(bool first) {
        TIFF* t = tiff_.get();
        const Geometry& geometry = geometry_of(image_);
        const bool is_imagej = !is_ome_ && directories_ > 1;
        if (first && is_ome_)
            TIFFSetField(t, TIFFTAG_IMAGEDESCRIPTION,
                         ome_description(type_, shape_, geometry, samples_).c_str());
        if (first && is_imagej)
            TIFFSetField(t, TIFFTAG_IMAGEDESCRIPTION,
                         imagej_description(shape_, geometry, shape_.channels / samples_).c_str());
        if (!geometry.known()) return;
        const auto [x, y, z] = micrometers(geometry);
        const double unit = is_imagej ? 1 : micrometers_of_centimeter;
        set_resolution(is_imagej ? RESUNIT_NONE : RESUNIT_CENTIMETER, unit / x, unit / y);
    }
    void set_resolution(int unit, double x, double y) {
        TIFFSetField(tiff_.get(), TIFFTAG_RESOLUTIONUNIT, unit);
        TIFFSetField(tiff_.get(), TIFFTAG_XRESOLUTION, x);
        TIFFSetField(tiff_.get(), TIFFTAG_YRESOLUTION, y);
    }

    // A strip as the file has it. Without a predictor, and in the machine's order of bytes, libtiff
    // would leave the pixels as they are.
    std::vector<std::uint8_t> stored_strip(std::int64_t directory, std::int64_t strip) const {
        const std::int64_t value = pixel_type_bytes(type_), pixel = shape_.channels * value;
        const std::int64_t planes = shape_.channels / samples_;
        const std::int64_t slice = directory / planes, channel = directory % planes;
        const std::int64_t y = strip * strip_rows(), rows = std::min(strip_rows(), shape_.y - y);
        const std::uint8_t* from = static_cast<const std::uint8_t*>(pixel_data(image_)) +
                                   (slice * shape_.y + y) * shape_.x * pixel + channel * value;
        const auto bytes = static_cast<std::size_t>(rows * row_bytes());
        if (planes == 1)
            return is_packed() ? packed({from, bytes}) : std::vector(from, from + bytes);
        std::vector<std::uint8_t> plane(bytes);
        for (std::int64_t i = 0; i < rows * shape_.x; ++i)
            std::memcpy(&plane[static_cast<std::size_t>(i * value)], from + i * pixel,
                        static_cast<std::size_t>(value));
        return is_packed() ? packed(plane) : plane;
    }

    const AnyImage& image_;
    OutputFile& file_;
    bool is_ome_;
    Compression compression_;
    bool in_print_;
    Shape shape_;
    PixelType type_;
    int samples_;  // of a directory
    std::int64_t directories_;
    TiffHandle tiff_;
};

}  // namespace

void write_tiff(const AnyImage& image, OutputFile& file, bool is_ome, Compression compression,
                bool in_print) {
    TiffWriter(image, file, is_ome, compression, in_print).write();
    file.close();
}

}  // namespace tesela::io
