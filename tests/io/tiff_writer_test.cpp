// The tags by which other programs read our TIFF files. That they do is tested by
// `./dev check`.
#include <tiffio.h>

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

}  // namespace
}  // namespace tesela::io::testing
