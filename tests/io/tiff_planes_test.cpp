// Channels, slices and time points of TIFF files, as OME-XML, ImageJ and tifffile tell of them.
#include <cstdlib>
#include <random>

#include "io/support.h"
#include "io/tiff_sample.h"

namespace tesela::io::testing {
namespace {

class TiffPlanes : public FileTest {
  protected:
    ReadResult read(const TiffSample& sample, const PlaneChoice& choice = {},
                    const std::string& name = "a.tif") {
        write_bytes(file(name), tiff_bytes(sample));
        return read_image(file(name), {.choice = choice});
    }
    void refused(ErrorCode code, const std::vector<std::string>& words, const TiffSample& sample) {
        write_bytes(file("a.tif"), tiff_bytes(sample));
        expect_error(code, words, [&] { read_image(file("a.tif"), {.max_bytes = 1 << 24}); });
    }
};

TiffSample ome(const std::string& sizes, const std::string& inner, int pages) {
    return {.description = ome_text(sizes, inner), .pages = numbered_pages(pages)};
}

// The page that lies at a place, by the first pixel.
int page_at(const ReadResult& read, std::int64_t z, std::int64_t t = 0, int channel = 0) {
    const auto& image = std::get<Image<std::uint8_t>>(read.image);
    EXPECT_EQ(image(3, 2, z, t, channel), image(0, 0, z, t, channel) + 11);
    return image(0, 0, z, t, channel) / 10;
}

void expect_warning(const ReadResult& read, const std::string& words) {
    ASSERT_EQ(read.warnings.size(), 1u) << words;
    EXPECT_NE(read.warnings[0].find(words), std::string::npos) << read.warnings[0];
}

TEST_F(TiffPlanes, HyperstackOfImageJ) {
    const ReadResult result = read(imagej_sample());
    ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 3, 4, 2}));
    for (int t = 0; t < 4; ++t)
        for (int z = 0; z < 3; ++z)
            for (int c = 0; c < 2; ++c) EXPECT_EQ(page_at(result, z, t, c), c + 2 * (z + 3 * t));
    const Geometry& geometry = geometry_of(result.image);
    EXPECT_EQ(geometry.unit, Unit::micrometer);
    EXPECT_EQ(geometry.spacing, (std::array<double, 3>{0.5, 0.5, 3}));
    EXPECT_EQ(geometry.time_step, 2.5);
    EXPECT_EQ(result.spacing_source, "ImageJ");
    EXPECT_TRUE(result.separate_channels);
    EXPECT_TRUE(result.warnings.empty());
}

TEST_F(TiffPlanes, TimeOfImageJ) {
    TiffSample sample{.description = imagej_text("images=3\nframes=3\nfinterval=20\ntunit=ms\n"),
                      .pages = numbered_pages(3)};
    ReadResult result = read(sample);
    EXPECT_EQ(shape_of(result.image), (Shape{4, 3, 1, 3}));
    EXPECT_EQ(geometry_of(result.image).time_step, 0.02);
    EXPECT_FALSE(result.separate_channels);
    sample.description = imagej_text("images=3\nframes=3\nfinterval=20\ntunit=moons\n");
    result = read(sample);
    EXPECT_EQ(geometry_of(result.image).time_step, 1);
    expect_warning(result, "moons");
}

// Axes may have units of their own, and a distance of exactly 1 is not written.
TEST_F(TiffPlanes, UnitsOfImageJ) {
    const auto spacing = [&](const std::string& lines) {
        TiffSample sample = imagej_sample();
        sample.description = imagej_text("images=24\nslices=24\n" + lines);
        const ReadResult result = read(sample);
        EXPECT_TRUE(result.warnings.empty());
        return geometry_of(result.image).spacing_mm();
    };
    const auto expect = [&](const std::string& lines, double x, double y, double z) {
        const auto found = spacing(lines);
        EXPECT_NEAR(found[0], x, 1e-9) << lines;
        EXPECT_NEAR(found[1], y, 1e-9) << lines;
        EXPECT_NEAR(found[2], z, 1e-9) << lines;
    };
    expect("unit=micron\n", 5e-4, 5e-4, 1e-3);
    expect("unit=micron\nzunit=nm\nspacing=300.0\n", 5e-4, 5e-4, 3e-4);
    expect("unit=micron\nyunit=mm\nspacing=2\n", 5e-4, 0.5, 2e-3);
    expect("unit=millimeters\nspacing=2\n", 0.5, 0.5, 2);
    expect("unit=micrometers\nspacing=2\n", 5e-4, 5e-4, 2e-3);
    TiffSample sample = imagej_sample();
    for (const char* unit : {"unit=furlong\n", "unit=micron\nyunit=furlong\n"}) {
        sample.description = imagej_text("images=24\nslices=24\n" + std::string(unit));
        const ReadResult unknown = read(sample);
        EXPECT_FALSE(geometry_of(unknown.image).known());
        expect_warning(unknown, "'furlong', which is no unit of length");
    }
}

TEST_F(TiffPlanes, CalibrationsOfImageJAreTold) {
    TiffSample sample = imagej_sample();
    sample.description += "cf=0\nc0=-32768.0\nc1=1.0\nvunit=Gray Value\n";
    expect_warning(read(sample),
                   "calibration of values in 'Gray Value', -32768.0 + 1.0 * value, is not applied");
    sample.description = imagej_sample().description + "cf=20\n";
    EXPECT_TRUE(read(sample).warnings.empty());
}

TEST_F(TiffPlanes, DescriptionsOfImageJThatDoNotFit) {
    TiffSample sample{.description = imagej_text("images=6\nchannels=2\nslices=3\n"),
                      .pages = numbered_pages(4)};
    ReadResult result = read(sample);
    ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 3, 1, 2}));
    EXPECT_EQ(page_at(result, 1, 0, 1), 3);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(result.image)(1, 1, 2), 0);
    expect_warning(result, "2 of 6 planes are missing");
    sample.pages = numbered_pages(7);
    result = read(sample);
    EXPECT_EQ(shape_of(result.image), (Shape{4, 3, 7}));
    expect_warning(result, "2 channels x 3 slices x 1 time point, but the file has 7 pages");
    for (const std::string bad : {"channels=-2", "channels=two", "channels=99999999999999999999"}) {
        sample.description = imagej_text("images=6\n" + bad + "\n");
        refused(ErrorCode::unreadable_input, {"a.tif", "channels"}, sample);
    }
    sample.description = imagej_text("images=6\nslices=9000000\n");
    refused(ErrorCode::unreadable_input, {"a.tif", "9000000 planes"}, sample);
}

// Files above 4 GB have one directory.
TEST_F(TiffPlanes, StackOfOneDirectory) {
    for (const bool big_endian : {false, true}) {
        TiffSample sample{.description = imagej_text("images=3\nslices=3\n"),
                          .bits = 16,
                          .big_endian = big_endian};
        Bytes pixels;
        for (int i = 0; i < 36; ++i) {
            const int value = 300 * i;
            for (const int shift : {big_endian ? 8 : 0, big_endian ? 0 : 8})
                pixels.push_back(static_cast<std::uint8_t>(value >> shift));
        }
        sample.pages = {{Bytes(pixels.begin(), pixels.begin() + 24)}};
        sample.behind_pixels.assign(pixels.begin() + 24, pixels.end());
        const ReadResult result = read(sample);
        ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 3}));
        const auto& image = std::get<Image<std::uint16_t>>(result.image);
        for (std::size_t i = 0; i < 36; ++i) EXPECT_EQ(image.pixels()[i], 300 * i);
        EXPECT_TRUE(result.warnings.empty());
        TiffSample truncated = sample;
        truncated.description = R"({"shape": [3, 3, 4], "truncated": true})";
        expect_same_pixels(read(truncated).image, image);
        const ReadResult last = read(sample, {.slice = 2});
        EXPECT_EQ(std::get<Image<std::uint16_t>>(last.image)(0, 0), 300 * 24);
        sample.behind_pixels.clear();  // the directory lies where the third would be
        const ReadResult short_file = read(sample);
        EXPECT_EQ(shape_of(short_file.image), (Shape{4, 3}));
        expect_warning(short_file, "a single page");
    }
}

TEST_F(TiffPlanes, EveryOrderOfOme) {
    for (const std::string order : {"CZT", "CTZ", "ZCT", "ZTC", "TCZ", "TZC"}) {
        SCOPED_TRACE(order);
        const ReadResult result = read(ome("DimensionOrder=\"XY" + order +
                                               "\" SizeC=\"2\" SizeZ=\"3\" SizeT=\"4\" "
                                               "TimeIncrement=\"1.5\" TimeIncrementUnit=\"min\"",
                                           "<TiffData/>", 24));
        ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 3, 4, 2}));
        for (int t = 0; t < 4; ++t)
            for (int z = 0; z < 3; ++z)
                for (int c = 0; c < 2; ++c) {
                    int page = 0, step = 1;
                    for (const char axis : order) {
                        page += step * (axis == 'C' ? c : axis == 'Z' ? z : t);
                        step *= axis == 'C' ? 2 : axis == 'Z' ? 3 : 4;
                    }
                    EXPECT_EQ(page_at(result, z, t, c), page);
                }
        EXPECT_EQ(geometry_of(result.image).spacing, (std::array<double, 3>{0.5, 0.25, 2}));
        EXPECT_EQ(geometry_of(result.image).time_step, 90);
        EXPECT_TRUE(result.warnings.empty());
    }
}

TEST_F(TiffPlanes, TiffDataSaysWhichPageIsWhichPlane) {
    ReadResult result = read(ome_sample());
    ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 3, 1, 2}));
    for (int z = 0; z < 3; ++z) {
        EXPECT_EQ(page_at(result, z, 0, 0), 3 + z);
        EXPECT_EQ(page_at(result, z, 0, 1), z);
    }
    EXPECT_EQ(result.channel_names, (std::vector<std::string>{"DAPI", "GFP"}));
    // The last of two for one plane.
    result = read(ome("DimensionOrder=\"XYCZT\" SizeC=\"1\" SizeZ=\"3\" SizeT=\"1\"",
                      "<TiffData FirstZ=\"2\" IFD=\"0\"/><TiffData IFD=\"2\"/>"
                      "<TiffData IFD=\"1\"/><TiffData FirstZ=\"1\" IFD=\"2\"/>",
                      3));
    for (int z = 0; z < 3; ++z) EXPECT_EQ(page_at(result, z), (z + 1) % 3);
}

TEST_F(TiffPlanes, SamplesOfAPageAreChannels) {
    TiffSample sample = ome("DimensionOrder=\"XYCZT\" SizeC=\"3\" SizeZ=\"2\" SizeT=\"1\"",
                            "<Channel SamplesPerPixel=\"3\"/><TiffData/>", 0);
    sample.samples = 3;
    sample.photometric = 2;
    sample.pages = numbered_pages(2, 36);
    ReadResult result = read(sample);
    ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 2, 1, 3}));
    EXPECT_FALSE(result.separate_channels);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(result.image)(1, 0, 1, 0, 2), 10 + 5);
    sample.description =
        ome_text("DimensionOrder=\"XYCZT\" SizeC=\"6\" SizeZ=\"1\" SizeT=\"1\"",
                 "<Channel SamplesPerPixel=\"3\"/><Channel SamplesPerPixel=\"3\"/><TiffData/>");
    result = read(sample);
    ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 1, 1, 6}));
    EXPECT_TRUE(result.separate_channels);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(result.image)(1, 0, 0, 0, 5), 10 + 5);
    const ReadResult fifth = read(sample, {.channel = "4"});
    EXPECT_EQ(shape_of(fifth.image), (Shape{4, 3}));
    EXPECT_EQ(std::get<Image<std::uint8_t>>(fifth.image)(1, 0), 10 + 4);
    sample.description =
        ome_text("DimensionOrder=\"XYCZT\" SizeC=\"4\" SizeZ=\"1\" SizeT=\"1\"",
                 "<Channel SamplesPerPixel=\"3\"/><Channel SamplesPerPixel=\"1\"/><TiffData/>");
    refused(ErrorCode::unsupported_format, {"different numbers of samples"}, sample);
}

// Gray samples are no color, however many there are.
TEST_F(TiffPlanes, ColorIsWhatTheFileCallsColor) {
    TiffSample sample{.pages = numbered_pages(1, 36), .samples = 3, .photometric = 2};
    EXPECT_FALSE(read(sample).separate_channels);
    sample.photometric = 1;
    EXPECT_TRUE(read(sample).separate_channels);
    EXPECT_FALSE(read(sample, {.channel = "1"}).separate_channels);
}

// A directory that is named stands for one plane unless its number is given.
TEST_F(TiffPlanes, ADirectoryIsOnePlane) {
    const ReadResult result = read(ome("DimensionOrder=\"XYZCT\" SizeZ=\"5\"",
                                       "<TiffData IFD=\"0\" FirstZ=\"0\"/>"
                                       "<TiffData IFD=\"1\" FirstZ=\"3\"/>"
                                       "<TiffData IFD=\"2\" FirstZ=\"4\"/>",
                                       3));
    EXPECT_EQ(page_at(result, 3), 1);
    EXPECT_EQ(page_at(result, 4), 2);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(result.image)(3, 2, 1), 0);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(result.image)(3, 2, 2), 0);
    expect_warning(result, "2 of 5 planes are missing");
}

TEST_F(TiffPlanes, UnitsOfOme) {
    const auto read_in = [&](const std::string& unit) {
        return read(ome("SizeZ=\"2\" PhysicalSizeXUnit=\"" + unit + "\" PhysicalSizeYUnit=\"" +
                            unit + "\" PhysicalSizeZUnit=\"" + unit + "\"",
                        "<TiffData/>", 2));
    };
    const ReadResult points = read_in("pt");
    EXPECT_NEAR(geometry_of(points.image).spacing_mm()[0], 0.5 * 25.4 / 72, 1e-9);
    EXPECT_TRUE(points.warnings.empty());
    const ReadResult unknown = read_in("furlong");
    EXPECT_FALSE(geometry_of(unknown.image).known());
    expect_warning(unknown, "'furlong', which is no unit of length");
    EXPECT_TRUE(read_in("reference frame").warnings.empty());
    const ReadResult deep =
        read(ome("SizeZ=\"2\" PhysicalSizeXUnit=\"pixel\" "
                 "PhysicalSizeYUnit=\"pixel\"",
                 "<TiffData/>", 2));
    expect_warning(deep, "distance of slices without a size of pixels");
    const auto step_in = [&](const std::string& unit) {
        return read(ome("SizeT=\"2\" TimeIncrement=\"2\" TimeIncrementUnit=\"" + unit + "\"",
                        "<TiffData/>", 2));
    };
    EXPECT_EQ(geometry_of(step_in("ks").image).time_step, 2000);
    expect_warning(step_in("moons"), "OME-XML gives it in 'moons'");
}

TEST_F(TiffPlanes, PlanesThatAreNotThere) {
    const std::string three = "DimensionOrder=\"XYCZT\" SizeC=\"1\" SizeZ=\"3\" SizeT=\"1\"";
    const ReadResult result = read(ome(three, "<TiffData/>", 2));
    ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 3}));
    EXPECT_EQ(page_at(result, 1), 1);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(result.image)(0, 0, 2), 0);
    expect_warning(result, "1 of 3 planes are missing");
    expect_warning(read(ome(three, "<TiffData/>", 5)), "2 pages that OME-XML does not name");
    EXPECT_TRUE(read(ome(three, "<TiffData/>", 2), {.slice = 1}).warnings.empty());
    write_bytes(file("a.tif"), tiff_bytes(ome(three, "<TiffData/>", 2)));
    expect_error(ErrorCode::unreadable_input, {"a.tif", "none of the planes"},
                 [&] { read_image(file("a.tif"), {.choice = {.slice = 2}}); });
}

TEST_F(TiffPlanes, OfSeveralImagesTheFirstOneIsRead) {
    TiffSample sample = ome("DimensionOrder=\"XYCZT\" SizeC=\"1\" SizeZ=\"1\" SizeT=\"1\"",
                            "<TiffData IFD=\"1\"/></Pixels></Image><Image Name=\"b\"><Pixels "
                            "SizeX=\"4\" SizeY=\"3\" SizeZ=\"1\" SizeC=\"1\" SizeT=\"1\" "
                            "DimensionOrder=\"XYCZT\" Type=\"uint8\"><TiffData IFD=\"0\"/>",
                            2);
    const ReadResult result = read(sample);
    EXPECT_EQ(shape_of(result.image), (Shape{4, 3}));
    EXPECT_EQ(page_at(result, 0), 1);
    expect_warning(result, "2 images");
}

TEST_F(TiffPlanes, WhatOmeAndThePagesDoNotShare) {
    TiffSample sample =
        ome("DimensionOrder=\"XYCZT\" SizeC=\"1\" SizeZ=\"1\" SizeT=\"1\"", "<TiffData/>", 1);
    sample.description.replace(sample.description.find("uint8"), 5, "int16");
    expect_warning(read(sample), "int16");
    sample.description.replace(sample.description.find("int16"), 5, "uint8");
    sample.description.replace(sample.description.find("SizeX=\"4\""), 9, "SizeX=\"9\"");
    expect_warning(read(sample), "9 x 3");
    sample.description = ome_text("SizeC=\"1\"", "<TiffData/>").substr(0, 120);
    expect_warning(read(sample), "damaged");
}

std::string part(const std::string& plane, const std::string& name) {
    return "<TiffData " + plane + " IFD=\"0\" PlaneCount=\"1\"><UUID FileName=\"" + name +
           "\">urn:uuid:" + name + "</UUID></TiffData>";
}

TEST_F(TiffPlanes, SetsOfFiles) {
    const std::string sizes = "DimensionOrder=\"XYCZT\" SizeC=\"2\" SizeZ=\"1\" SizeT=\"1\"";
    const std::string text =
        ome_text(sizes, part("FirstC=\"0\"", "m0.ome.tif") + part("FirstC=\"1\"", "m1.ome.tif"));
    TiffSample sample{.description = text, .pages = numbered_pages(1)};
    // Alone it is not complete, but for the channel that it holds.
    write_bytes(file("m0.ome.tif"), tiff_bytes(sample));
    expect_error(ErrorCode::unsupported_format, {"m0.ome.tif", "1 of its planes", "m1.ome.tif"},
                 [&] { read_image(file("m0.ome.tif")); });
    EXPECT_EQ(page_at(read_image(file("m0.ome.tif"), {.choice = {.channel = "0"}}), 0), 0);
    sample.pages = {numbered_pages(2)[1]};
    write_bytes(file("m1.ome.tif"), tiff_bytes(sample));
    for (const std::string name : {"m0.ome.tif", "m1.ome.tif"}) {
        const ReadResult result = read_image(file(name));
        ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 1, 1, 2}));
        EXPECT_EQ(page_at(result, 0, 0, 0), 0);
        EXPECT_EQ(page_at(result, 0, 0, 1), 1);
        EXPECT_TRUE(result.warnings.empty());
        const std::vector<fs::path> files = files_read(file(name));
        EXPECT_NE(std::find(files.begin(), files.end(), file("m1.ome.tif")), files.end());
    }
    sample.width = 3;  // a page of another form is none of its planes
    sample.height = 4;
    write_bytes(file("m1.ome.tif"), tiff_bytes(sample));
    expect_warning(read_image(file("m0.ome.tif")), "1 of 2 planes are missing");
}

TEST_F(TiffPlanes, RenamedFilesAndNamesElsewhere) {
    const std::string one = "DimensionOrder=\"XYCZT\" SizeC=\"1\" SizeZ=\"1\" SizeT=\"1\"";
    const std::string two = "DimensionOrder=\"XYCZT\" SizeC=\"1\" SizeZ=\"2\" SizeT=\"1\"";
    const auto sample = [](const std::string& sizes, const std::string& inner) {
        return ome(sizes, inner, 1);
    };
    EXPECT_TRUE(read(sample(one, part("", "before.ome.tif"))).warnings.empty());
    write_bytes(file("secret.tif"), tiff_bytes({.pages = numbered_pages(1)}));
    fs::create_directory(file("sub"));
    write_bytes(file("sub/a.tif"),
                tiff_bytes(sample(two, part("", "a.tif") + part("FirstZ=\"1\"", "../secret.tif"))));
    expect_error(ErrorCode::unsupported_format, {"../secret.tif", "one folder"},
                 [&] { read_image(file("sub/a.tif")); });
}

TEST_F(TiffPlanes, MetadataInAnotherFile) {
    const TiffSample sample{
        .description =
            "<OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\" "
            "UUID=\"urn:uuid:own\"><BinaryOnly MetadataFile=\"all.companion.ome\" "
            "UUID=\"urn:uuid:all\"/></OME>",
        .pages = numbered_pages(2)};
    refused(ErrorCode::unsupported_format, {"a.tif", "all.companion.ome"}, sample);
    const std::string text =
        ome_text("DimensionOrder=\"XYCZT\" SizeC=\"2\" SizeZ=\"1\" SizeT=\"1\"",
                 "<TiffData PlaneCount=\"2\"><UUID FileName=\"x.tif\">urn:uuid:own</UUID>"
                 "</TiffData>");
    write_bytes(file("all.companion.ome"), Bytes(text.begin(), text.end()));
    const ReadResult result = read(sample);
    EXPECT_EQ(shape_of(result.image), (Shape{4, 3, 1, 1, 2}));
    EXPECT_EQ(geometry_of(result.image).spacing[1], 0.25);
    EXPECT_EQ(files_read(file("a.tif")).size(), 2u);
    const std::string& again = sample.description;
    write_bytes(file("all.companion.ome"), Bytes(again.begin(), again.end()));
    refused(ErrorCode::unsupported_format, {"a.tif", "does not describe"}, sample);
}

TEST_F(TiffPlanes, MasksAndReducedImagesAreNoSlices) {
    TiffSample sample{.pages = numbered_pages(4)};
    sample.pages[0].kind = 1;
    sample.pages[2].kind = 4;
    const ReadResult result = read(sample);
    ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 2}));
    EXPECT_EQ(page_at(result, 0), 1);
    EXPECT_EQ(page_at(result, 1), 3);
    expect_warning(result, "1 page that is a transparency mask");
}

TEST_F(TiffPlanes, AxesOfTifffile) {
    TiffSample sample{.description = R"({"shape": [2, 3, 3, 4], "axes": "TCYX"})",
                      .pages = numbered_pages(6)};
    const ReadResult result = read(sample);
    ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 1, 2, 3}));
    EXPECT_EQ(page_at(result, 0, 1, 2), 5);
    for (const std::string other :
         {R"({"shape": [6, 3, 4]})", R"({"shape": [6, 3, 4], "axes": "QYX"})", "{", "{}",
          R"({"shape": 3, "axes": 7})", R"({"shape": [2, 3, 3, 4], "axes": "CCYX"})"}) {
        sample.description = other;
        EXPECT_EQ(shape_of(read(sample).image), (Shape{4, 3, 6})) << other;
    }
    sample.description = R"({"shape": [6, 3, 4, 1]})";
    EXPECT_EQ(shape_of(read(sample).image), (Shape{4, 3, 6}));
    EXPECT_TRUE(read(sample).warnings.empty());
    TiffSample single{.description = R"({"shape": [3, 4, 1]})", .pages = numbered_pages(1)};
    EXPECT_EQ(shape_of(read(single).image), (Shape{4, 3}));
    for (const std::string mixed :
         {R"({"shape": [2, 3, 3, 4], "axes": "QZYX"})", R"({"shape": [2, 3, 3, 4]})"}) {
        sample.description = mixed;
        const ReadResult slices = read(sample);
        EXPECT_EQ(shape_of(slices.image), (Shape{4, 3, 6}));
        expect_warning(slices, "all planes are read as slices");
    }
    sample.description = R"({"shape": [-2, 3, 3, 4], "axes": "TCYX"})";
    refused(ErrorCode::unreadable_input, {"-2 time points"}, sample);
}

TEST_F(TiffPlanes, WhatOtherProgramsSayIsNamed) {
    struct Case {
        std::uint16_t tag;
        const char *text, *warning;
    };
    for (const Case& one :
         {Case{33628, "stack", "MetaMorph"}, Case{34412, "of a microscope", "Zeiss LSM"},
          Case{42112, "<Item role=\"scale\">2</Item>", "GDAL"}}) {
        TiffSample sample{.description = one.text, .pages = numbered_pages(1)};
        EXPECT_TRUE(read(sample).warnings.empty());
        sample.further_tag = one.tag;
        expect_warning(read(sample), one.warning);
    }
}

TEST_F(TiffPlanes, DamagedOmeIsRefused) {
    const auto bad = [&](const std::string& sizes, const std::string& inner,
                         const std::string& word) {
        SCOPED_TRACE(sizes + inner);
        refused(ErrorCode::unreadable_input, {"a.tif", word}, ome(sizes, inner, 2));
    };
    const std::string order = "DimensionOrder=\"XYCZT\" ";
    bad(order + "SizeZ=\"-3\"", "<TiffData/>", "SizeZ");
    bad(order + "SizeZ=\"3x\"", "<TiffData/>", "SizeZ");
    bad(order + "SizeZ=\"0\"", "<TiffData/>", "0 slices");
    bad(order + "SizeZ=\"99999999999999999999\"", "<TiffData/>", "SizeZ");
    bad(order + "SizeZ=\"4000000000\" SizeT=\"4000000000\"", "<TiffData/>", "4000000000");
    bad(order + "SizeZ=\"1000000\"", "<TiffData/>", "1000000 planes");
    bad("DimensionOrder=\"XYABC\" SizeZ=\"2\" SizeC=\"2\"", "<TiffData/>", "DimensionOrder");
    bad(order + "SizeZ=\"2\"", "<TiffData FirstZ=\"2\"/>", "beyond");
    bad(order + "SizeZ=\"2\"", "<TiffData IFD=\"-1\"/>", "IFD");
    bad(order + "SizeZ=\"2\"", "<TiffData IFD=\"9223372036854775807\"/>", "none of the planes");
    bad(order + "SizeC=\"2\"", "<Channel SamplesPerPixel=\"-1\"/><TiffData/>", "SamplesPerPixel");
}

// Bytes of descriptions and directories changed at random.
TEST_F(TiffPlanes, MutationsReadOrFailCleanly) {
    const QuietScope quiet;
    std::mt19937 random(7);
    for (const auto& [name, bytes] : sample_stack_files())
        for (int round = 0; round < 300; ++round) {
            Bytes changed = bytes;
            for (int i = 0; i < 1 + round % 4; ++i)
                changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
            write_bytes(file(name), changed);
            try {
                read_image(file(name), {.max_bytes = 1 << 24});
            } catch (const Error& error) {
                EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
            }
        }
}

TEST_F(TiffPlanes, Choice) {
    const auto chosen = [&](const PlaneChoice& choice) { return read(imagej_sample(), choice); };
    ReadResult result = chosen({.channel = "1", .slice = 2, .time = 3});
    ASSERT_EQ(shape_of(result.image), (Shape{4, 3}));
    EXPECT_EQ(page_at(result, 0), 1 + 2 * (2 + 3 * 3));
    EXPECT_EQ(geometry_of(result.image).origin[2], 6);
    EXPECT_FALSE(result.separate_channels);
    result = chosen({.time = 1});
    ASSERT_EQ(shape_of(result.image), (Shape{4, 3, 3, 1, 2}));
    EXPECT_EQ(page_at(result, 2, 0, 1), 11);
    for (const std::string name : {"GFP", "gfp", "1"})
        EXPECT_EQ(page_at(read(ome_sample(), {.channel = name}), 1), 1) << name;
    EXPECT_EQ(read(ome_sample(), {.channel = "1"}).channel_names, std::vector<std::string>{"GFP"});
}

// Where all of the image is too large, a part of it may do.
TEST_F(TiffPlanes, MemoryIsThatOfTheChoice) {
    const auto volume = pattern<std::uint8_t>({1000, 1000, 4});
    write_image(volume, file("a.tif"));
    const ReadOptions small{.max_bytes = 3'000'000};
    EXPECT_THROW(read_image(file("a.tif"), small), OutOfMemory);
    ReadOptions one = small;
    one.choice.slice = 3;
    const AnyImage slice = read_image(file("a.tif"), one).image;
    EXPECT_EQ(std::get<Image<std::uint8_t>>(slice)(999, 999), volume(999, 999, 3));
}

class TiffPlaneCases : public ::testing::Test {
  protected:
    void SetUp() override {
        const char* cases = std::getenv("TESELA_CASES");
        if (!cases || !fs::is_directory(cases))
            GTEST_SKIP() << "TESELA_CASES does not name the folder of cases";
        root = fs::path(cases) / "20-tiff-pages";
    }
    fs::path root;
};

TEST_F(TiffPlaneCases, AreReadAsWhatTheyAre) {
    const auto read = [&](const char* name) { return read_image(root / name); };
    const ReadResult hyperstack = read("ij.tif");
    EXPECT_EQ(shape_of(hyperstack.image), (Shape{4, 3, 3, 4, 2}));
    EXPECT_EQ(geometry_of(hyperstack.image).spacing[2], 3);
    EXPECT_EQ(geometry_of(hyperstack.image).time_step, 2.5);
    EXPECT_EQ(shape_of(read("ome-XYZTC.tif").image), (Shape{4, 3, 3, 4, 2}));
    const ReadResult turned = read("ome-ifd.tif");
    const auto& planes = std::get<Image<std::uint8_t>>(turned.image);
    EXPECT_EQ(planes(0, 0, 0), 20);
    EXPECT_EQ(planes(0, 0, 1), 0);
    EXPECT_EQ(planes(0, 0, 2), 10);
    expect_warning(read("ome-few.tif"), "1 of 3");
    EXPECT_EQ(shape_of(read("mf0.ome.tif").image), (Shape{4, 3, 2}));
    EXPECT_EQ(shape_of(read("ij-one.tif").image), (Shape{4, 3, 6}));
    EXPECT_EQ(shape_of(read("mask.tif").image), (Shape{4, 3}));
}

}  // namespace
}  // namespace tesela::io::testing
