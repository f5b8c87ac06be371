#include "io/tiff_page.h"

namespace tesela::io {

TiffPage describe_page(const TiffHandle& tiff) {
    TiffPage p;
    p.width = tiff.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
    p.height = tiff.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
    p.samples = tiff.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
    p.bits = tiff.field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
    p.format = tiff.field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    if (p.format == SAMPLEFORMAT_VOID) p.format = SAMPLEFORMAT_UINT;
    p.photometric = tiff.field<std::uint16_t>(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    p.orientation = tiff.field<std::uint16_t>(TIFFTAG_ORIENTATION, 1);
    std::uint16_t extra = 0;
    std::uint16_t* kinds = nullptr;
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_EXTRASAMPLES, &extra, &kinds);
    p.extra_samples = extra;
    const bool last_is_opacity =
        extra > 0 && kinds &&
        (kinds[extra - 1] == EXTRASAMPLE_ASSOCALPHA || kinds[extra - 1] == EXTRASAMPLE_UNASSALPHA);
    p.alpha = last_is_opacity && (p.samples == 2 || p.samples == 4);
    p.premultiplied = p.alpha && kinds[extra - 1] == EXTRASAMPLE_ASSOCALPHA;
    return p;
}

void check_page(const TiffPage& p, const TiffHandle& tiff, const fs::path& path) {
    const auto refuse = [&](const std::string& why) { throw unsupported(path, why); };
    if (p.width == 0 || p.height == 0 || p.samples == 0)
        throw unreadable(path, "the TIFF header claims no pixels");
    if (p.photometric == PHOTOMETRIC_SEPARATED)
        refuse("it is a CMYK TIFF; convert it to RGB first");
    if (const auto depth = tiff.field<std::uint32_t>(TIFFTAG_IMAGEDEPTH, 1); depth > 1)
        refuse("its pages have a depth of " + std::to_string(depth) +
               " slices (ImageDepth); write a page for each slice");
    const auto compression = tiff.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    if (!TIFFIsCODECConfigured(compression))
        refuse("its TIFF compression " + std::to_string(compression) + " is not supported");
    const bool jpeg_colors =
        p.photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG && p.samples == 3;
    const bool gray =
        p.photometric == PHOTOMETRIC_MINISBLACK || p.photometric == PHOTOMETRIC_MINISWHITE;
    // Opacity may lie beside the index.
    const bool palette = p.photometric == PHOTOMETRIC_PALETTE &&
                         (p.samples == 1 || (p.samples == 2 && p.extra_samples == 1)) &&
                         p.bits <= 8 && p.format == SAMPLEFORMAT_UINT;
    const bool rgb = p.photometric == PHOTOMETRIC_RGB && p.samples >= 3;
    if (!jpeg_colors && !gray && !palette && !rgb)
        refuse("its TIFF color space (photometric " + std::to_string(p.photometric) +
               ") is not supported");
    const bool packed = p.bits >= 1 && p.bits < 16 && p.format == SAMPLEFORMAT_UINT &&
                        compression != COMPRESSION_JPEG;
    const bool whole = p.bits == 8 || p.bits == 16 || p.bits == 32;
    const bool integer = p.format == SAMPLEFORMAT_UINT || p.format == SAMPLEFORMAT_INT;
    const bool floating = p.format == SAMPLEFORMAT_IEEEFP && (p.bits == 32 || p.bits == 64);
    if (!(integer && whole) && !floating && !packed)
        refuse("TIFF samples of " + std::to_string(p.bits) + " bits and format " +
               std::to_string(p.format) + " are not supported");
}

PixelType stored_type(const TiffPage& p) {
    if (p.format == SAMPLEFORMAT_IEEEFP) return p.bits == 32 ? PixelType::f32 : PixelType::f64;
    const bool is_signed = p.format == SAMPLEFORMAT_INT;
    if (p.bits <= 8) return is_signed ? PixelType::i8 : PixelType::u8;
    if (p.bits <= 16) return is_signed ? PixelType::i16 : PixelType::u16;
    return is_signed ? PixelType::i32 : PixelType::u32;
}

}  // namespace tesela::io
