// Decoders and encoders of two-dimensional pictures.
#pragma once

#include <cstdint>

#include "io/file.h"
#include "tesela/image.h"
#include "tesela/io.h"

namespace tesela::io {

struct DecodeOptions {
    std::int64_t max_bytes = 0;  // as ReadOptions
    bool indices = false;  // palette indices and gray levels below 8 bits as stored, not as colors
    bool stored = false;   // as ReadOptions
    PlaneChoice choice = {};
};

// Each decoder throws UnreadableInput, UnsupportedFormat or OutOfMemory. That of TIFF reads what
// was chosen, the others the whole image (plane_choice.h).
ReadResult read_png(const InputFile& file, const DecodeOptions& options);
ReadResult read_jpeg(const InputFile& file, const DecodeOptions& options);
ReadResult read_tiff(const InputFile& file, const DecodeOptions& options);
ReadResult read_bmp(const InputFile& file, const DecodeOptions& options);
ReadResult read_webp(const InputFile& file, const DecodeOptions& options);
ReadResult read_gif(const InputFile& file, const DecodeOptions& options);  // its first frame
bool is_jpeg2000(std::span<const std::uint8_t> head);
ReadResult read_jpeg2000(const InputFile& file, const DecodeOptions& options);
bool is_rasterfile(const InputFile& file);
ReadResult read_rasterfile(const InputFile& file, const DecodeOptions& options);
bool is_pnm(std::span<const std::uint8_t> head);
ReadResult read_pnm(const InputFile& file, const DecodeOptions& options);  // that is_pnm found

// The files of the set that a TIFF file is part of, other than itself, as far as they are there.
std::vector<fs::path> tiff_set_files(const InputFile& file);

// Each encoder takes an image that `check_fits` (format.h) passed, and throws UnwritableOutput.
// `in_print`: 300 pixels an inch, not the size of its pixels; never of OME-TIFF.
void write_png(const AnyImage& image, OutputFile& file, Compression compression,
               bool in_print = false);
void write_jpeg(const AnyImage& image, OutputFile& file);
void write_tiff(const AnyImage& image, OutputFile& file, bool is_ome, Compression compression,
                bool in_print = false);
void write_bmp(const AnyImage& image, OutputFile& file);

struct JpegForm {
    int quality = 95;   // 1 to 100
    bool tile = false;  // of a TIFF: no header of its own, fixed tables
};
// Full resolution of the colors. Takes one channel or three.
std::vector<std::uint8_t> encode_jpeg(const Image<std::uint8_t>& image, const JpegForm& form);

// An image with pixels of zero; its decoder holds `work` bytes beside it. Throws UnreadableInput
// for lengths that no image can have, and OutOfMemory beyond the options' limit.
AnyImage allocate(const fs::path& path, PixelType type, const Shape& shape,
                  const DecodeOptions& options, std::int64_t work = 0);

void* pixel_data(AnyImage& image);
const void* pixel_data(const AnyImage& image);
std::size_t pixel_bytes(const AnyImage& image);

// Turns a picture upright; `orientation` is 1 to 8 as in the EXIF and TIFF tag 274. Meanwhile the
// picture is there twice, unless it is upright already.
void apply_orientation(AnyImage& image, int orientation);
bool is_upright(int orientation);

// The orientation (1 to 8) in an EXIF block, which begins with its TIFF header; 1 where it has none
// or is damaged.
int exif_orientation(std::span<const std::uint8_t> exif);

}  // namespace tesela::io
