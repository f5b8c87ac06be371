// The size of a pixel goes from inputs to outputs of every kind, and what is lost is told.
#include "program.h"
#include "tesela/slide_io.h"
#include "tesela/tile_source.h"

namespace tesela::cli::testing {
namespace {

using Words = std::vector<std::string>;

class PixelSizes : public ProgramTest {
  protected:
    PixelSizes() {
        Image<std::uint8_t> cells = gray_picture(120, 90);
        cells.geometry = micrometers_per_pixel(0.325, 0.65);
        write("cells.tif", cells);
        Image<std::uint8_t> section = color_picture(120, 90);
        section.geometry = micrometers_per_pixel(0.325, 0.65);
        write("section.png", section);
    }
    Outcome run_on_cpu(Words arguments) {
        arguments.insert(arguments.end(), {"--device", "cpu", "--force"});
        return run(arguments);
    }
    void expect_size(const std::string& name, double times = 1) {
        const Geometry geometry = geometry_of(io::read_image(file(name)).image);
        ASSERT_TRUE(geometry.known()) << name;
        EXPECT_NEAR(geometry.spacing_mm()[0], 0.325e-3 * times, 1e-12) << name;
        EXPECT_NEAR(geometry.spacing_mm()[1], 0.65e-3 * times, 1e-12) << name;
    }
};

TEST_F(PixelSizes, GoThroughEveryVerbOfPictures) {
    const auto expect_kept = [&](const Words& arguments, const Words& files) {
        SCOPED_TRACE(arguments[0]);
        const Outcome outcome = run_on_cpu(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.err.find("geometry"), std::string::npos) << outcome.err;
        for (const std::string& name : files) expect_size(name);
    };
    for (const std::string type : {".tif", ".png", ".ome.tif"}) {
        expect_kept({"threshold", "otsu", "cells.tif", "-o", "mask" + type}, {"mask" + type});
        expect_kept({"edges", "canny", "cells.tif", "-o", "edges" + type}, {"edges" + type});
        expect_kept({"components", "mask" + type, "-o", "labels" + type, "--overlay",
                     "overlay" + type, "--colored", "colors" + type},
                    {"labels" + type, "overlay" + type, "colors" + type});
        expect_kept({"mean-shift", "section.png", "-o", "smooth" + type}, {"smooth" + type});
    }
    expect_kept({"stain", "separate", "section.png", "-o", "amounts.tif"}, {"amounts.tif"});
}

TEST_F(PixelSizes, OfSlides) {
    const Outcome region = run({"slide", "region", "section.png", "--x", "20", "--y", "10",
                                "--width", "60", "--height", "40", "-o", "region.png"});
    ASSERT_EQ(region.code, 0) << region.err;
    EXPECT_NE(region.err.find("its origin (6.5, 6.5, 0 um)"), std::string::npos) << region.err;
    expect_size("region.png");
    const Outcome thumbnail =
        run({"slide", "thumbnail", "section.png", "--size", "60", "-o", "small.tif"});
    ASSERT_EQ(thumbnail.code, 0) << thumbnail.err;
    EXPECT_EQ(thumbnail.err.find("geometry"), std::string::npos) << thumbnail.err;
    expect_size("small.tif", 2);
}

TEST_F(PixelSizes, OmeTiffIsOne) {
    ASSERT_EQ(run_on_cpu({"threshold", "otsu", "cells.tif", "-o", "mask.ome.tif"}).code, 0);
    EXPECT_EQ(io::slide_format(file("mask.ome.tif")), "");  // no tiles
    EXPECT_EQ(io::read_image(file("mask.ome.tif")).spacing_source, "OME");
}

TEST_F(PixelSizes, WhatIsLostIsTold) {
    const Outcome bmp = run_on_cpu({"threshold", "otsu", "cells.tif", "-o", "mask.bmp", "--json"});
    ASSERT_EQ(bmp.code, 0) << bmp.err;
    EXPECT_NE(bmp.err.find("'mask.bmp' does not keep the image's geometry: BMP does not hold its "
                           "pixel size (0.325 x 0.65 um)"),
              std::string::npos)
        << bmp.err;
    EXPECT_EQ(bmp.json()["warnings"].size(), 1u);
    Geometry patient;
    patient.unit = Unit::millimeter;
    patient.origin = {-10, 20, 30};
    write("head.nrrd", volume(12, 10, 8, patient));
    const Outcome stack =
        run_on_cpu({"threshold", "otsu", "head.nrrd", "-o", "mask.tif", "-q", "--json"});
    ASSERT_EQ(stack.code, 0) << stack.err;
    ASSERT_EQ(stack.json()["warnings"].size(), 1u);
    EXPECT_NE(stack.json()["warnings"][0].get<std::string>().find("(-10, 20, 30 mm)"),
              std::string::npos);
}

}  // namespace
}  // namespace tesela::cli::testing
