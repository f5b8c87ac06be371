// The tags by which other programs read our TIFF files. That they do is tested by
// `./dev check`.
#include <tiffio.h>

#include <fstream>

#include "io/support.h"
#include "tesela/tile_source.h"

namespace tesela::io::testing {
namespace {

Geometry microscope(double x, double y, double z = 1, double seconds = 1) {
    Geometry geometry = micrometers_per_pixel(x, y);
    geometry.spacing[2] = z;
    geometry.time_step = seconds;
    return geometry;
}

// What a directory says.
struct Directory {
    std::uint16_t samples = 0, bits = 0, format = 1, photometric = 0, compression = 0,
                  predictor = 1, planar = 1, unit = 0, orientation = 0;
    float x = 0, y = 0;  // resolution
    std::vector<std::uint16_t> extra;
    std::string description, software;
};

class TiffWriterTest : public FileTest {
  protected:
    std::vector<Directory> written(const AnyImage& image, const std::string& name = "a.tif") {
        EXPECT_TRUE(write_image(image, file(name)).empty());
        std::vector<Directory> all;
        TIFF* t = TIFFOpen(file(name).c_str(), "r");
        do {
            Directory d;
            TIFFGetField(t, TIFFTAG_SAMPLESPERPIXEL, &d.samples);
            TIFFGetField(t, TIFFTAG_BITSPERSAMPLE, &d.bits);
            TIFFGetField(t, TIFFTAG_SAMPLEFORMAT, &d.format);
            TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &d.photometric);
            TIFFGetField(t, TIFFTAG_COMPRESSION, &d.compression);
            TIFFGetField(t, TIFFTAG_PREDICTOR, &d.predictor);
            TIFFGetField(t, TIFFTAG_PLANARCONFIG, &d.planar);
            TIFFGetField(t, TIFFTAG_RESOLUTIONUNIT, &d.unit);
            TIFFGetField(t, TIFFTAG_ORIENTATION, &d.orientation);
            TIFFGetField(t, TIFFTAG_XRESOLUTION, &d.x);
            TIFFGetField(t, TIFFTAG_YRESOLUTION, &d.y);
            std::uint16_t count = 0, *kinds = nullptr;
            if (TIFFGetField(t, TIFFTAG_EXTRASAMPLES, &count, &kinds))
                d.extra.assign(kinds, kinds + count);
            char* text = nullptr;
            if (TIFFGetField(t, TIFFTAG_IMAGEDESCRIPTION, &text)) d.description = text;
            if (TIFFGetField(t, TIFFTAG_SOFTWARE, &text)) d.software = text;
            all.push_back(std::move(d));
        } while (TIFFReadDirectory(t));
        TIFFClose(t);
        return all;
    }
    template <class T>
    void expect_form(int channels, bool alpha, std::size_t directories, int samples,
                     int photometric, int compression = COMPRESSION_ADOBE_DEFLATE) {
        SCOPED_TRACE(std::string(pixel_type_name(pixel_type_of<T>())) + " x " +
                     std::to_string(channels));
        Image<T> image = pattern<T>({37, 23, 1, 1, channels});
        image.has_alpha = alpha;
        const std::vector<Directory> all = written(image);
        ASSERT_EQ(all.size(), directories);
        for (const Directory& d : all) {
            EXPECT_EQ(d.samples, samples);
            EXPECT_EQ(d.bits, 8 * sizeof(T));
            EXPECT_EQ(d.photometric, photometric);
            EXPECT_EQ(d.compression, compression);
            EXPECT_EQ(d.predictor, PREDICTOR_NONE);
            EXPECT_EQ(d.planar, PLANARCONFIG_CONTIG);
            EXPECT_EQ(d.orientation, ORIENTATION_TOPLEFT);
            EXPECT_EQ(d.software, "Tesela");
            EXPECT_EQ(d.extra, (alpha ? std::vector<std::uint16_t>{EXTRASAMPLE_UNASSALPHA}
                                      : std::vector<std::uint16_t>{}));
        }
    }
};

// ImageJ undoes predictors of LZW only, and takes no other samples side by side than colors.
TEST_F(TiffWriterTest, GrayAndColorsAreOneDirectoryWithoutAPredictor) {
    expect_form<std::uint8_t>(1, false, 1, 1, PHOTOMETRIC_MINISBLACK);
    expect_form<std::int16_t>(1, false, 1, 1, PHOTOMETRIC_MINISBLACK);
    expect_form<std::uint32_t>(1, false, 1, 1, PHOTOMETRIC_MINISBLACK);
    expect_form<float>(1, false, 1, 1, PHOTOMETRIC_MINISBLACK);
    expect_form<std::uint8_t>(3, false, 1, 3, PHOTOMETRIC_RGB);
    expect_form<std::uint16_t>(3, false, 1, 3, PHOTOMETRIC_RGB);
    expect_form<std::uint8_t>(4, true, 1, 4, PHOTOMETRIC_RGB);
    expect_form<std::uint16_t>(4, true, 1, 4, PHOTOMETRIC_RGB, COMPRESSION_NONE);
    expect_form<std::uint8_t>(2, true, 1, 2, PHOTOMETRIC_MINISBLACK);
}

TEST_F(TiffWriterTest, OtherChannelsAreDirectories) {
    expect_form<std::uint8_t>(2, false, 2, 1, PHOTOMETRIC_MINISBLACK);
    expect_form<std::uint8_t>(4, false, 4, 1, PHOTOMETRIC_MINISBLACK);
    expect_form<std::int16_t>(3, false, 3, 1, PHOTOMETRIC_MINISBLACK);
    expect_form<float>(3, false, 3, 1, PHOTOMETRIC_MINISBLACK);
}

// ImageJ reads the first of several pages of 16-bit colors, and zeros for the others.
TEST_F(TiffWriterTest, ColorsOfVolumesAreSideBySideIn8Bits) {
    EXPECT_EQ(written(pattern<std::uint8_t>({5, 4, 2, 1, 3})).size(), 2u);
    EXPECT_EQ(written(pattern<std::uint16_t>({5, 4, 2, 1, 3})).size(), 6u);
}

TEST_F(TiffWriterTest, SampleFormats) {
    EXPECT_EQ(written(pattern<std::uint32_t>({5, 4}))[0].format, SAMPLEFORMAT_UINT);
    EXPECT_EQ(written(pattern<std::int8_t>({5, 4}))[0].format, SAMPLEFORMAT_INT);
    EXPECT_EQ(written(pattern<double>({5, 4}))[0].format, SAMPLEFORMAT_IEEEFP);
}

TEST_F(TiffWriterTest, APictureHasItsResolution) {
    const std::vector<Directory> all =
        written(pattern<std::uint16_t>({5, 4}, microscope(0.325, 0.5)));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].unit, RESUNIT_CENTIMETER);
    EXPECT_FLOAT_EQ(all[0].x, 1e4f / 0.325f);
    EXPECT_FLOAT_EQ(all[0].y, 20000);
    EXPECT_EQ(all[0].description, "");
    EXPECT_EQ(written(pattern<std::uint8_t>({5, 4}))[0].x, 0);
}

TEST_F(TiffWriterTest, AStackIsImageJs) {
    std::vector<Directory> all =
        written(pattern<std::uint16_t>({5, 4, 3}, microscope(0.25, 0.5, 2.5)));
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].description,
              "ImageJ=1.53t\nimages=3\nslices=3\nunit=micron\nspacing=2.5\nloop=false\n");
    EXPECT_EQ(all[1].description, "");
    for (const Directory& d : all) {
        EXPECT_EQ(d.unit, RESUNIT_NONE);
        EXPECT_FLOAT_EQ(d.x, 4);
        EXPECT_FLOAT_EQ(d.y, 2);
    }
    Geometry patient;
    patient.unit = Unit::millimeter;
    patient.spacing = {1, 1, 3};
    EXPECT_EQ(written(pattern<float>({5, 4, 2}, patient))[0].description,
              "ImageJ=1.53t\nimages=2\nslices=2\nunit=micron\nspacing=3000\nloop=false\n");
    EXPECT_EQ(written(pattern<float>({5, 4, 2}))[0].description,
              "ImageJ=1.53t\nimages=2\nslices=2\nloop=false\n");
    EXPECT_EQ(written(pattern<std::uint8_t>({5, 4, 2, 1, 3}))[0].description,
              "ImageJ=1.53t\nimages=2\nslices=2\nloop=false\n");
}

TEST_F(TiffWriterTest, AHyperstackIsImageJs) {
    const Image<float> image = pattern<float>({5, 4, 3, 4, 2}, microscope(0.25, 0.5, 2.5, 0.5));
    const std::vector<Directory> all = written(image);
    ASSERT_EQ(all.size(), 24u);
    EXPECT_EQ(all[0].description,
              "ImageJ=1.53t\nimages=24\nchannels=2\nslices=3\nframes=4\nhyperstack=true\n"
              "mode=grayscale\nunit=micron\nspacing=2.5\nfinterval=0.5\nloop=false\n");
    // Channels first, then slices, then frames.
    TIFF* t = TIFFOpen(file("a.tif").c_str(), "r");
    for (int frame = 0; frame < 4; ++frame)
        for (int z = 0; z < 3; ++z)
            for (int c = 0; c < 2; ++c) {
                std::vector<float> plane(20);
                ASSERT_EQ(TIFFReadEncodedStrip(t, 0, plane.data(), 80), 80);
                for (std::size_t i = 0; i < 20; ++i)
                    ASSERT_EQ(plane[i], image(static_cast<std::int64_t>(i) % 5,
                                              static_cast<std::int64_t>(i) / 5, z, frame, c));
                TIFFReadDirectory(t);
            }
    TIFFClose(t);
}

TEST_F(TiffWriterTest, OmeByItsName) {
    for (const std::string name : {"a.ome.tif", "b.OME.TIFF"}) {
        const std::vector<Directory> all =
            written(pattern<std::int16_t>({5, 4, 3, 4, 2}, microscope(0.25, 0.5, 2.5, 0.5)), name);
        ASSERT_EQ(all.size(), 24u);
        EXPECT_EQ(all[0].unit, RESUNIT_CENTIMETER);
        EXPECT_FLOAT_EQ(all[0].x, 40000);
        const std::string& xml = all[0].description;
        const std::string pixels =
            "<Pixels ID=\"Pixels:0\" DimensionOrder=\"XYCZT\" Type=\"int16\" SizeX=\"5\" "
            "SizeY=\"4\" SizeZ=\"3\" SizeC=\"2\" SizeT=\"4\" PhysicalSizeX=\"0.25\" "
            "PhysicalSizeXUnit=\"\xc2\xb5m\" PhysicalSizeY=\"0.5\" PhysicalSizeYUnit=\"\xc2\xb5m\" "
            "PhysicalSizeZ=\"2.5\" PhysicalSizeZUnit=\"\xc2\xb5m\" TimeIncrement=\"0.5\" "
            "TimeIncrementUnit=\"s\"><Channel ID=\"Channel:0:0\" SamplesPerPixel=\"1\"/>"
            "<Channel ID=\"Channel:0:1\" SamplesPerPixel=\"1\"/>"
            "<TiffData IFD=\"0\" PlaneCount=\"24\"/></Pixels>";
        EXPECT_NE(xml.find(pixels), std::string::npos) << xml;
        EXPECT_EQ(all[1].description, "");
    }
    const std::vector<Directory> color =
        written(pattern<std::uint8_t>({5, 4, 1, 1, 3}), "c.ome.tif");
    ASSERT_EQ(color.size(), 1u);
    EXPECT_NE(color[0].description.find("SizeZ=\"1\" SizeC=\"3\" SizeT=\"1\"><Channel "
                                        "ID=\"Channel:0:0\" SamplesPerPixel=\"3\"/>"
                                        "<TiffData IFD=\"0\" PlaneCount=\"1\"/>"),
              std::string::npos);
}

TEST_F(TiffWriterTest, LabelsHaveIt) {
    write_labels(LabelImage({5, 4}, microscope(0.325, 0.325)), file("l.tif"));
    EXPECT_EQ(geometry_of(read_image(file("l.tif")).image).spacing[0], 0.325);
}

// Pixels that other programs store in one of the ways that TIFF has.
struct Storage {
    int compression, predictor, planar;
    std::uint32_t rows_of_strip;  // 0: tiles
    const char* mode;
};

void write_stored(const Image<std::uint16_t>& image, const Storage& s, const fs::path& path) {
    const Shape& shape = image.shape();
    TIFF* t = TIFFOpen(path.c_str(), s.mode);
    TIFFSetField(t, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(shape.x));
    TIFFSetField(t, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(shape.y));
    TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, shape.channels);
    TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 16);
    TIFFSetField(t, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
    TIFFSetField(t, TIFFTAG_PLANARCONFIG, s.planar);
    TIFFSetField(t, TIFFTAG_COMPRESSION, s.compression);
    if (s.compression != COMPRESSION_NONE) TIFFSetField(t, TIFFTAG_PREDICTOR, s.predictor);
    const std::uint32_t side = s.rows_of_strip ? s.rows_of_strip : 64;
    if (s.rows_of_strip) {
        TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, side);
    } else {
        TIFFSetField(t, TIFFTAG_TILEWIDTH, side);
        TIFFSetField(t, TIFFTAG_TILELENGTH, side);
    }
    const bool together = s.planar == PLANARCONFIG_CONTIG;
    const std::int64_t planes = together ? 1 : shape.channels, samples = shape.channels / planes;
    const std::int64_t width = s.rows_of_strip ? shape.x : side;
    std::uint32_t number = 0;
    for (std::int64_t plane = 0; plane < planes; ++plane)
        for (std::int64_t y = 0; y < shape.y; y += side)
            for (std::int64_t x = 0; x < shape.x; x += width, ++number) {
                const std::int64_t rows =
                    s.rows_of_strip ? std::min<std::int64_t>(side, shape.y - y) : side;
                std::vector<std::uint16_t> chunk;
                for (std::int64_t i = 0; i < rows * width * samples; ++i)
                    chunk.push_back(image(std::min(x + i / samples % width, shape.x - 1),
                                          std::min(y + i / samples / width, shape.y - 1), 0, 0,
                                          static_cast<int>(plane + i % samples)));
                const auto bytes = static_cast<tmsize_t>(chunk.size() * sizeof(std::uint16_t));
                EXPECT_EQ(s.rows_of_strip ? TIFFWriteEncodedStrip(t, number, chunk.data(), bytes)
                                          : TIFFWriteEncodedTile(t, number, chunk.data(), bytes),
                          bytes);
            }
    TIFFClose(t);
}

TEST_F(TiffWriterTest, StripsAndTilesOfOtherProgramsAreRead) {
    const auto image = pattern<std::uint16_t>({333, 251, 1, 1, 3});
    for (const char* mode : {"wl", "wb"})
        for (const std::uint32_t rows : {0u, 1u, 17u, 251u})
            for (const int planar : {PLANARCONFIG_CONTIG, PLANARCONFIG_SEPARATE})
                for (const auto& [compression, predictor] : {std::pair{COMPRESSION_NONE, 1},
                                                             {COMPRESSION_ADOBE_DEFLATE, 1},
                                                             {COMPRESSION_ADOBE_DEFLATE, 2},
                                                             {COMPRESSION_LZW, 1}}) {
                    const Storage storage{compression, predictor, planar, rows, mode};
                    SCOPED_TRACE(std::string(mode) + " rows " + std::to_string(rows) + " planar " +
                                 std::to_string(planar) + " compression " +
                                 std::to_string(compression));
                    write_stored(image, storage, file("s.tif"));
                    EXPECT_TRUE(
                        std::get<Image<std::uint16_t>>(read_image(file("s.tif")).image).pixels() ==
                        image.pixels());
                }
}

// One strip whose pixels are more than one part of what is read at once.
TEST_F(TiffWriterTest, LongStripsWithoutCompressionAreRead) {
    const auto image = pattern<std::uint16_t>({1100, 900, 1, 1, 3});
    write_stored(image, {COMPRESSION_NONE, 1, PLANARCONFIG_CONTIG, 900, "w"}, file("s.tif"));
    EXPECT_TRUE(std::get<Image<std::uint16_t>>(read_image(file("s.tif")).image).pixels() ==
                image.pixels());
    fs::resize_file(file("s.tif"), fs::file_size(file("s.tif")) - 1000);
    EXPECT_THROW(read_image(file("s.tif")), UnreadableInput);
}

TEST_F(TiffWriterTest, DamageInOneOfManyStripsIsFound) {
    write_image(pattern<std::uint16_t>({700, 900, 2}), file("a.tif"));
    const auto bytes = fs::file_size(file("a.tif"));
    std::fstream stream(file("a.tif"), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(bytes / 3));
    stream.write("\0\xff\0\xff\0\xff\0\xff", 8);
    stream.close();
    expect_error(ErrorCode::unreadable_input, {"a.tif", "damaged"},
                 [&] { read_image(file("a.tif")); });
}

}  // namespace
}  // namespace tesela::io::testing
