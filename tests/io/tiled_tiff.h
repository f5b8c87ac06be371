// Tiled TIFF files that the tests write by libtiff itself.
#pragma once

#include <tiffio.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "io/support.h"
#include "tesela/tile_source.h"

namespace tesela::io::testing {

struct TiledTiff {
    std::vector<AnyImage> levels = {};
    std::int64_t tile_width = 64, tile_height = 64;
    int compression = COMPRESSION_ADOBE_DEFLATE;
    bool sub_directories = false, big = false, separate = false;
    std::string description = {};
    float resolution = 0;
    int resolution_unit = RESUNIT_CENTIMETER;
    int orientation = ORIENTATION_TOPLEFT;
    std::vector<std::uint32_t> left_out = {};  // tiles of level 0
};

inline void write_level(TIFF* t, const TiledTiff& file, std::size_t index) {
    const AnyImage& image = file.levels[index];
    const Shape& shape = shape_of(image);
    TIFFSetField(t, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(shape.x));
    TIFFSetField(t, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(shape.y));
    TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, shape.channels);
    TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 8 * pixel_type_bytes(pixel_type_of(image)));
    TIFFSetField(t, TIFFTAG_PLANARCONFIG,
                 file.separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(t, TIFFTAG_TILEWIDTH, static_cast<std::uint32_t>(file.tile_width));
    TIFFSetField(t, TIFFTAG_TILELENGTH, static_cast<std::uint32_t>(file.tile_height));
    TIFFSetField(t, TIFFTAG_COMPRESSION, file.compression);
    TIFFSetField(t, TIFFTAG_ORIENTATION, file.orientation);
    const bool jpeg = file.compression == COMPRESSION_JPEG;
    TIFFSetField(t, TIFFTAG_PHOTOMETRIC,
                 shape.channels < 3 ? PHOTOMETRIC_MINISBLACK
                 : jpeg             ? PHOTOMETRIC_YCBCR
                                    : PHOTOMETRIC_RGB);
    if (jpeg) {
        TIFFSetField(t, TIFFTAG_JPEGQUALITY, 90);
        TIFFSetField(t, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    if (index == 0 && !file.description.empty())
        TIFFSetField(t, TIFFTAG_IMAGEDESCRIPTION, file.description.c_str());
    if (index == 0 && file.resolution > 0) {
        TIFFSetField(t, TIFFTAG_XRESOLUTION, file.resolution);
        TIFFSetField(t, TIFFTAG_YRESOLUTION, file.resolution);
        TIFFSetField(t, TIFFTAG_RESOLUTIONUNIT, file.resolution_unit);
    }
    if (index > 0) TIFFSetField(t, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
    if (index == 0 && file.sub_directories && file.levels.size() > 1) {
        const std::vector<std::uint64_t> places(file.levels.size() - 1, 0);
        TIFFSetField(t, TIFFTAG_SUBIFD, static_cast<int>(places.size()), places.data());
    }
    std::uint32_t number = 0;
    for (int plane = 0; plane < (file.separate ? shape.channels : 1); ++plane)
        for (std::int64_t y = 0; y < shape.y; y += file.tile_height)
            for (std::int64_t x = 0; x < shape.x; x += file.tile_width, ++number) {
                const auto& out = file.left_out;
                if (index == 0 && std::find(out.begin(), out.end(), number) != out.end()) continue;
                AnyImage tile = filled_image(
                    pixel_type_of(image),
                    {file.tile_width, file.tile_height, 1, 1, file.separate ? 1 : shape.channels});
                const TileBox box{x, y, std::min(file.tile_width, shape.x - x),
                                  std::min(file.tile_height, shape.y - y)};
                std::visit(
                    [&](auto& to) {
                        const auto& from = std::get<std::decay_t<decltype(to)>>(image);
                        for (std::int64_t v = 0; v < box.height; ++v)
                            for (std::int64_t u = 0; u < box.width; ++u)
                                for (int c = 0; c < to.shape().channels; ++c)
                                    to(u, v, 0, 0, c) =
                                        from(x + u, y + v, 0, 0, file.separate ? plane : c);
                        ASSERT_GT(
                            TIFFWriteEncodedTile(
                                t, number, to.data(),
                                static_cast<tmsize_t>(to.pixels().size() * sizeof(to.pixels()[0]))),
                            0);
                    },
                    tile);
            }
    ASSERT_EQ(TIFFWriteDirectory(t), 1);
}

inline void write_tiled(const fs::path& path, const TiledTiff& file) {
    TIFF* t = TIFFOpen(path.c_str(), file.big ? "w8" : "w");
    ASSERT_NE(t, nullptr);
    for (std::size_t i = 0; i < file.levels.size(); ++i) write_level(t, file, i);
    TIFFClose(t);
}

// Changes the single value of a tag in the directory with this number, of a file in the old form.
inline void patch_tag(Bytes& bytes, int tag, std::uint32_t value, int directory = 0) {
    for (std::size_t i = 8; i + 12 <= bytes.size(); ++i)
        if (bytes[i] == (tag & 0xff) && bytes[i + 1] == tag >> 8 &&
            (bytes[i + 2] == TIFF_SHORT || bytes[i + 2] == TIFF_LONG) && bytes[i + 3] == 0 &&
            bytes[i + 4] == 1 && bytes[i + 5] == 0 && bytes[i + 6] == 0 && bytes[i + 7] == 0 &&
            directory-- == 0) {
            bytes[i + 2] = TIFF_LONG;
            for (std::size_t b = 0; b < 4; ++b)
                bytes[i + 8 + b] = static_cast<std::uint8_t>(value >> 8 * b);
            return;
        }
    FAIL() << "no tag " << tag;
}

// Smooth colors, so that JPEG does them little harm.
inline Image<std::uint8_t> colors(std::int64_t width, std::int64_t height) {
    Image<std::uint8_t> image({width, height, 1, 1, 3});
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x) {
            image(x, y, 0, 0, 0) = static_cast<std::uint8_t>(128 + 100 * std::sin(double(x) / 30));
            image(x, y, 0, 0, 1) = static_cast<std::uint8_t>(128 + 100 * std::cos(double(y) / 40));
            image(x, y, 0, 0, 2) = static_cast<std::uint8_t>((x + y) % 256 / 2 + 60);
        }
    return image;
}

inline std::vector<AnyImage> pyramid(const AnyImage& image, int levels, bool labels = false) {
    std::vector<AnyImage> all{image};
    while (static_cast<int>(all.size()) < levels) all.push_back(halved(all.back(), labels));
    return all;
}

inline std::string ome_text(const std::string& attributes) {
    return R"(<?xml version="1.0" encoding="UTF-8"?><OME xmlns="x"><Image ID="Image:0">)"
           "<Pixels ID=\"Pixels:0\" " +
           attributes + "><Channel SamplesPerPixel=\"3\"/></Pixels></Image></OME>";
}

}  // namespace tesela::io::testing
