// TIFF files made by libtiff itself, in the forms that our writer does not make.
#include <tiffio.h>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

struct TiffForm {
    std::uint32_t width = 20, height = 10;
    int samples = 1, bits = 8, photometric = PHOTOMETRIC_MINISBLACK;
    bool separate = false, tiled = false;
    std::uint32_t tile = 16;
    int compression = COMPRESSION_NONE, orientation = 1;
    std::vector<std::uint16_t> extra = {};
};

class TiffTest : public FileTest {
  protected:
    void set_fields(TIFF* tiff, const TiffForm& f) {
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, f.width);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, f.height);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, f.samples);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, f.bits);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, f.photometric);
        TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
                     f.separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
        TIFFSetField(tiff, TIFFTAG_COMPRESSION, f.compression);
        TIFFSetField(tiff, TIFFTAG_ORIENTATION, f.orientation);
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 300.0);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 300.0);
        if (!f.extra.empty())
            TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<int>(f.extra.size()),
                         f.extra.data());
        if (f.tiled) {
            TIFFSetField(tiff, TIFFTAG_TILEWIDTH, f.tile);
            TIFFSetField(tiff, TIFFTAG_TILELENGTH, f.tile);
        } else {
            TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 3);
        }
    }

    // Writes 8- or 16-bit pixels, given interleaved.
    template <class T>
    void write_page(TIFF* tiff, const TiffForm& f, const Image<T>& image) {
        set_fields(tiff, f);
        const int planes = f.separate ? f.samples : 1;
        for (int plane = 0; plane < planes; ++plane) {
            if (f.tiled)
                write_tiles(tiff, f, image, plane);
            else
                write_rows(tiff, f, image, plane);
        }
        TIFFWriteDirectory(tiff);
    }

    template <class T>
    std::vector<T> row_of(const TiffForm& f, const Image<T>& image, std::uint32_t y, int plane) {
        std::vector<T> row;
        for (std::uint32_t x = 0; x < f.width; ++x)
            for (int c = 0; c < f.samples; ++c)
                if (!f.separate || c == plane) row.push_back(image(x, y, 0, 0, c));
        return row;
    }
    template <class T>
    void write_rows(TIFF* tiff, const TiffForm& f, const Image<T>& image, int plane) {
        for (std::uint32_t y = 0; y < f.height; ++y) {
            std::vector<T> row = row_of(f, image, y, plane);
            TIFFWriteScanline(tiff, row.data(), y, static_cast<std::uint16_t>(plane));
        }
    }
    template <class T>
    void write_tiles(TIFF* tiff, const TiffForm& f, const Image<T>& image, int plane) {
        const std::size_t per_pixel = f.separate ? 1u : static_cast<std::size_t>(f.samples);
        for (std::uint32_t ty = 0; ty < f.height; ty += 16)
            for (std::uint32_t tx = 0; tx < f.width; tx += 16) {
                std::vector<T> tile(256 * per_pixel);
                for (std::uint32_t y = ty; y < std::min(ty + 16, f.height); ++y) {
                    const std::vector<T> row = row_of(f, image, y, plane);
                    const std::size_t count = std::min(16u, f.width - tx) * per_pixel;
                    std::copy_n(&row[tx * per_pixel], count, &tile[(y - ty) * 16 * per_pixel]);
                }
                TIFFWriteTile(tiff, tile.data(), tx, ty, 0, static_cast<std::uint16_t>(plane));
            }
    }

    template <class T>
    void check(const TiffForm& f, const Image<T>& image) {
        TIFF* tiff = TIFFOpen(file("a.tif").c_str(), "w");
        write_page(tiff, f, image);
        TIFFClose(tiff);
        const ReadResult result = read_image(file("a.tif"));
        expect_same_pixels(result.image, image);
        EXPECT_FALSE(geometry_of(result.image).known());
    }
};

TEST_F(TiffTest, StripsAndTilesContiguousAndSeparate) {
    for (const bool tiled : {false, true})
        for (const bool separate : {false, true})
            for (const int samples : {1, 3})
                for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW,
                                              COMPRESSION_PACKBITS, COMPRESSION_ADOBE_DEFLATE}) {
                    SCOPED_TRACE(std::to_string(tiled) + std::to_string(separate) +
                                 std::to_string(samples) + " " + std::to_string(compression));
                    TiffForm f{.samples = samples,
                               .separate = separate,
                               .tiled = tiled,
                               .compression = compression};
                    if (samples == 3) f.photometric = PHOTOMETRIC_RGB;
                    check(f, pattern<std::uint8_t>({20, 10, 1, 1, samples}));
                    f.bits = 16;
                    check(f, pattern<std::uint16_t>({20, 10, 1, 1, samples}));
                }
}

TEST_F(TiffTest, OpacityAndOtherExtraSamples) {
    TiffForm f{.samples = 4, .photometric = PHOTOMETRIC_RGB, .extra = {EXTRASAMPLE_UNASSALPHA}};
    Image<std::uint8_t> image = pattern<std::uint8_t>({20, 10, 1, 1, 4});
    image.has_alpha = true;
    check(f, image);
    f.extra = {EXTRASAMPLE_UNSPECIFIED};
    image.has_alpha = false;
    check(f, image);
}

TEST_F(TiffTest, WhiteIsZero) {
    const TiffForm f{.photometric = PHOTOMETRIC_MINISWHITE};
    Image<std::uint8_t> image = pattern<std::uint8_t>({20, 10});
    TIFF* tiff = TIFFOpen(file("a.tif").c_str(), "w");
    write_page(tiff, f, image);
    TIFFClose(tiff);
    for (std::uint8_t& value : image.pixels()) value = static_cast<std::uint8_t>(255 - value);
    expect_same_pixels(read_image(file("a.tif")).image, image);
}

TEST_F(TiffTest, PackedGrayAndPalette) {
    TIFF* tiff = TIFFOpen(file("gray.tif").c_str(), "w");
    set_fields(tiff, {.width = 3, .height = 1, .bits = 4});
    Bytes row = {0x0f, 0x70};
    TIFFWriteScanline(tiff, row.data(), 0, 0);
    TIFFClose(tiff);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("gray.tif")).image).pixels(),
              (Bytes{0, 255, 119}));

    tiff = TIFFOpen(file("palette.tif").c_str(), "w");
    set_fields(tiff, {.width = 3, .height = 1, .bits = 4, .photometric = PHOTOMETRIC_PALETTE});
    std::vector<std::uint16_t> red(16), green(16), blue(16);
    red[7] = 0x1234;
    green[15] = 0xffff;
    blue[0] = 0x8000;
    TIFFSetField(tiff, TIFFTAG_COLORMAP, red.data(), green.data(), blue.data());
    row = {0x0f, 0x70};
    TIFFWriteScanline(tiff, row.data(), 0, 0);
    TIFFClose(tiff);
    const AnyImage image = read_image(file("palette.tif")).image;
    EXPECT_EQ(std::get<Image<std::uint8_t>>(image).pixels(),
              (Bytes{0, 0, 0x80, 0, 0xff, 0, 0x12, 0, 0}));
    EXPECT_EQ(read_labels(file("palette.tif")).pixels(), (std::vector<std::uint32_t>{0, 15, 7}));
}

TEST_F(TiffTest, PagesOfOneSizeAreAStack) {
    const auto volume = pattern<std::uint16_t>({37, 23, 5});
    write_image(volume, file("a.tif"));
    expect_same_pixels(read_image(file("a.tif")).image, volume);
    // A thumbnail among the pages is left out, and said.
    TIFF* tiff = TIFFOpen(file("b.tif").c_str(), "w");
    const auto page = pattern<std::uint8_t>({20, 10});
    write_page(tiff, {}, page);
    write_page(tiff, {.width = 4, .height = 2}, pattern<std::uint8_t>({4, 2}));
    TIFFClose(tiff);
    const ReadResult result = read_image(file("b.tif"));
    expect_same_pixels(result.image, page);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("1 TIFF pages"), std::string::npos);
}

TEST_F(TiffTest, OrientationIsApplied) {
    const auto image = pattern<std::uint8_t>({20, 10});
    TIFF* tiff = TIFFOpen(file("a.tif").c_str(), "w");
    write_page(tiff, {.orientation = ORIENTATION_RIGHTTOP}, image);
    TIFFClose(tiff);
    const AnyImage any = read_image(file("a.tif")).image;
    const auto& read = std::get<Image<std::uint8_t>>(any);
    ASSERT_EQ(read.shape(), (Shape{10, 20}));
    for (std::int64_t y = 0; y < 20; ++y)
        for (std::int64_t x = 0; x < 10; ++x) EXPECT_EQ(read(x, y), image(y, 9 - x));
}

TEST_F(TiffTest, Refusals) {
    const auto refused = [&](const TiffForm& f, const std::string& word) {
        TIFF* tiff = TIFFOpen(file("a.tif").c_str(), "w");
        write_page(tiff, f, pattern<std::uint8_t>({f.width, f.height, 1, 1, f.samples}));
        TIFFClose(tiff);
        expect_error(ErrorCode::unsupported_format, {"a.tif", word},
                     [&] { read_image(file("a.tif")); });
    };
    refused({.samples = 4, .photometric = PHOTOMETRIC_SEPARATED}, "CMYK");
    refused({.samples = 3, .photometric = PHOTOMETRIC_CIELAB}, "photometric 8");
}

// One 8-bit strip at byte 8, its directory behind it, with a size of our choice.
Bytes tiff_claiming(std::uint32_t width, std::uint32_t height, std::uint32_t compression) {
    Bytes b = {'I', 'I', 42, 0, 16, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    const auto put = [&](std::uint32_t value, int count) {
        for (int i = 0; i < count; ++i) b.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    };
    const std::uint32_t entries[][2] = {{256, width},       {257, height}, {258, 8},
                                        {259, compression}, {262, 1},      {273, 8},
                                        {277, 1},           {278, height}, {279, 8}};
    put(std::size(entries), 2);
    for (const auto& [tag, value] : entries) {
        put(tag, 2);
        put(4, 2);  // 32-bit
        put(1, 4);
        put(value, 4);
    }
    put(0, 4);
    return b;
}

TEST_F(TiffTest, ClaimsBeyondTheFileAreRefused) {
    write_bytes(file("a.tif"), tiff_claiming(4, 2, COMPRESSION_NONE));
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read_image(file("a.tif")).image).pixels(),
              (Bytes{1, 2, 3, 4, 5, 6, 7, 8}));
    for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
        write_bytes(file("a.tif"),
                    tiff_claiming(1000000000, 2000000000, static_cast<std::uint32_t>(compression)));
        expect_error(ErrorCode::unreadable_input, {"a.tif", "1000000000 x 2000000000"},
                     [&] { read_image(file("a.tif")); });
    }
    // A strip that is said to be shorter than its rows: libtiff takes the rows' word, and says so.
    write_bytes(file("a.tif"), tiff_claiming(9, 1, COMPRESSION_NONE));
    EXPECT_EQ(read_image(file("a.tif")).warnings.size(), 1u);
}

TEST_F(TiffTest, LargeTilesCount) {
    constexpr std::uint32_t side = 4096;
    TIFF* tiff = TIFFOpen(file("a.tif").c_str(), "w");
    set_fields(tiff, {.tiled = true, .tile = side, .compression = COMPRESSION_ADOBE_DEFLATE});
    Bytes tile(std::size_t{side} * side);
    TIFFWriteEncodedTile(tiff, 0, tile.data(), static_cast<tmsize_t>(tile.size()));
    TIFFClose(tiff);
    expect_error(ErrorCode::out_of_memory, {"a.tif", "bytes"},
                 [&] { read_image(file("a.tif"), {.max_bytes = 1 << 24}); });
    EXPECT_NO_THROW(read_image(file("a.tif"), {.max_bytes = 1 << 25}));
}

// ---- Spacing -----------------------------------------------------------------------------------

struct Scale {
    std::string description;
    double x = 0, y = 0;  // resolution
    int unit = RESUNIT_NONE, orientation = 1, pages = 1;
};

class TiffSpacing : public FileTest {
  protected:
    ReadResult read(const Scale& scale) {
        TIFF* tiff = TIFFOpen(file("scaled.tif").c_str(), "w");
        const std::vector<std::uint8_t> row(6, 1);
        for (int page = 0; page < scale.pages; ++page) {
            TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 6);
            TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 4);
            TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
            TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
            TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
            TIFFSetField(tiff, TIFFTAG_ORIENTATION, scale.orientation);
            if (scale.x > 0) TIFFSetField(tiff, TIFFTAG_XRESOLUTION, scale.x);
            if (scale.y > 0) TIFFSetField(tiff, TIFFTAG_YRESOLUTION, scale.y);
            TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, scale.unit);
            if (page == 0 && !scale.description.empty())
                TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, scale.description.c_str());
            for (std::uint32_t y = 0; y < 4; ++y)
                TIFFWriteScanline(tiff, const_cast<std::uint8_t*>(row.data()), y, 0);
            TIFFWriteDirectory(tiff);
        }
        TIFFClose(tiff);
        return read_image(file("scaled.tif"));
    }
    void expect_spacing(const Scale& scale, const std::array<double, 3>& micrometers,
                        const std::string& source) {
        const ReadResult result = read(scale);
        EXPECT_EQ(result.spacing_source, source);
        const Geometry& geometry = geometry_of(result.image);
        ASSERT_EQ(geometry.known(), !source.empty());
        if (source.empty()) return;
        const auto spacing = geometry.spacing_mm();
        for (std::size_t axis = 0; axis < (scale.pages > 1 ? 3u : 2u); ++axis)
            EXPECT_NEAR(spacing[axis] * 1e3, micrometers[axis], 1e-5 * micrometers[axis]);
    }
};

TEST_F(TiffSpacing, OfPrintIsUnknown) {
    expect_spacing({"", 300, 300, RESUNIT_INCH}, {}, "");
    expect_spacing({"", 72, 72, RESUNIT_INCH}, {}, "");
    for (const double dots_of_inch : {72.0, 96.0, 300.0})
        expect_spacing({"", dots_of_inch / 2.54, dots_of_inch / 2.54, RESUNIT_CENTIMETER}, {}, "");
    expect_spacing({"", 20000, 20000, RESUNIT_NONE}, {}, "");  // of no length
    expect_spacing({"ImageJ=1.53t\nunit=inch\n", 300, 300, RESUNIT_INCH}, {}, "");
    expect_spacing({"ImageJ=1.53t\nunit=pixel\n", 1, 1}, {}, "");
    expect_spacing({}, {}, "");
}

TEST_F(TiffSpacing, OfAMicroscopeIsRead) {
    expect_spacing({"", 20000, 40000, RESUNIT_CENTIMETER}, {0.5, 0.25, 0}, "TIFF resolution");
    expect_spacing({"", 50800, 50800, RESUNIT_INCH}, {0.5, 0.5, 0}, "TIFF resolution");
    expect_spacing({"Aperio Image Library|AppMag = 20|MPP = 0.4990", 1, 1}, {0.499, 0.499, 0},
                   "Aperio MPP");
}

TEST_F(TiffSpacing, OfImageJ) {
    expect_spacing({"ImageJ=1.53t\nunit=micron\n", 2, 4}, {0.5, 0.25, 0}, "ImageJ");
    expect_spacing({"ImageJ=1.53t\nunit=nm\nloop=false\n", 0.01, 0.01}, {0.1, 0.1, 0}, "ImageJ");
    expect_spacing({"ImageJ=1.53t\nunit=\\u00B5m\r\n", 2, 2}, {0.5, 0.5, 0}, "ImageJ");
    expect_spacing({"ImageJ=1.53t\nunit=mm\n", 4, 4}, {250, 250, 0}, "ImageJ");
    expect_spacing({"ImageJ=1.53t\nunit=um\n", 40000, 20000, RESUNIT_CENTIMETER}, {0.25, 0.5, 0},
                   "ImageJ");
    expect_spacing({"ImageJ=1.53t\nslices=3\nunit=micron\nspacing=2.5\n", 2, 2, RESUNIT_NONE, 1, 3},
                   {0.5, 0.5, 2.5}, "ImageJ");
}

TEST_F(TiffSpacing, OfOme) {
    const std::string ome = "<?xml version=\"1.0\"?><OME><Image><Pixels SizeX=\"6\" SizeY=\"4\" ";
    expect_spacing({ome + "PhysicalSizeX=\"0.5\" PhysicalSizeY=\"0.25\"/></Image></OME>"},
                   {0.5, 0.25, 0}, "OME");
    expect_spacing({ome + "SizeZ=\"2\" PhysicalSizeX=\"500\" PhysicalSizeXUnit=\"nm\" "
                          "PhysicalSizeZ=\"3\"/></Image></OME>",
                    0, 0, RESUNIT_NONE, 1, 2},
                   {0.5, 0.5, 3}, "OME");
    expect_spacing({ome + "/></Image></OME>"}, {}, "");
    expect_spacing({"<OME><Image>"}, {}, "");  // damaged
}

TEST_F(TiffSpacing, TurnsWithThePicture) {
    expect_spacing({"ImageJ=1.53t\nunit=micron\n", 2, 4, RESUNIT_NONE, 6}, {0.25, 0.5, 0},
                   "ImageJ");
}

TEST_F(TiffSpacing, UnbelievableOnesAreTold) {
    const ReadResult result = read({"ImageJ=1.53t\nunit=m\n", 2, 2});
    EXPECT_FALSE(geometry_of(result.image).known());
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("--spacing"), std::string::npos);
    EXPECT_EQ(result.spacing_source, "");
}

TEST_F(TiffSpacing, PagesWithoutADistanceAreTold) {
    const ReadResult result = read({"", 20000, 20000, RESUNIT_CENTIMETER, 1, 3});
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("distance of its pages"), std::string::npos);
}

}  // namespace
}  // namespace tesela::io::testing
