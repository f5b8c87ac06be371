#include "jpeg_tiles.h"

#include <cstdio>  // jpeglib.h needs it
#include <map>

#include <jpeglib.h>
#include <tiffio.h>

namespace tesela::bench {

JpegTiles::JpegTiles(const std::filesystem::path& path) {
    TIFF* tiff = TIFFOpen(path.c_str(), "r");
    std::map<std::uint64_t, std::size_t> known;
    for (std::uint32_t i = 0; i < TIFFNumberOfTiles(tiff); ++i) {
        const auto [place, is_new] = known.emplace(TIFFGetStrileOffset(tiff, i), encoded_.size());
        places_.push_back(place->second);
        if (!is_new) continue;
        std::vector<std::uint8_t> bytes(TIFFGetStrileByteCount(tiff, i));
        TIFFReadRawTile(tiff, i, bytes.data(), static_cast<tmsize_t>(bytes.size()));
        encoded_.push_back(std::move(bytes));
    }
    TIFFClose(tiff);
}

void JpegTiles::decode(std::int64_t tile, std::vector<std::uint8_t>& pixels) const {
    const auto& bytes = encoded_[places_[static_cast<std::size_t>(tile)]];
    jpeg_decompress_struct info;
    jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes.data(), bytes.size());
    jpeg_read_header(&info, TRUE);
    info.jpeg_color_space = JCS_YCbCr;
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    const std::size_t row_bytes = std::size_t{3} * info.output_width;
    pixels.resize(row_bytes * info.output_height);
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = pixels.data() + info.output_scanline * row_bytes;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
}

}  // namespace tesela::bench
