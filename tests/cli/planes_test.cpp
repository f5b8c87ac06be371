// --channel, --slice and --time: verbs take a part of what a file holds, or say how to choose one.
#include "io/tiff_sample.h"
#include "program.h"

namespace tesela::cli::testing {
namespace {

using io::testing::imagej_sample;
using io::testing::ome_sample;

class Planes : public ProgramTest {
  protected:
    Planes() {
        write_tiff("ij.tif", imagej_sample());
        write_tiff("ome.tif", ome_sample());
    }
    void write_tiff(const std::string& name, const io::testing::TiffSample& sample) const {
        const std::vector<std::uint8_t> bytes = tiff_bytes(sample);
        write_text(name, std::string(bytes.begin(), bytes.end()));
    }
    Json info(const std::vector<std::string>& options) const {
        std::vector<std::string> arguments{"info", "--json"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.json()["files"][0];
    }
};

TEST_F(Planes, InfoTellsChannelsSlicesAndTime) {
    const Json whole = info({"ij.tif"});
    EXPECT_EQ(whole["size"], (Json{4, 3, 3, 4}));
    EXPECT_EQ(whole["channels"], 2);
    EXPECT_EQ(whole["separate_channels"], true);
    EXPECT_EQ(whole["geometry"]["time_step"], 2.5);
    EXPECT_DOUBLE_EQ(whole["extent_mm"][2], 0.009);
    EXPECT_EQ(info({"ome.tif"})["channel_names"], (Json{"DAPI", "GFP"}));
    const Outcome text = run({"info", "ome.tif", "ij.tif"});
    EXPECT_NE(text.out.find("0 DAPI, 1 GFP"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("4 x 3 x 3 x 4, 2 channels"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("2.5 s"), std::string::npos) << text.out;
}

TEST_F(Planes, InfoTakesAChoice) {
    const Json part = info({"ij.tif", "--channel", "1", "--time", "3", "--at", "0,0,2"});
    EXPECT_EQ(part["size"], (Json{4, 3, 3, 1}));
    EXPECT_EQ(part["points"][0]["values"], (Json{10 * (1 + 2 * (2 + 3 * 3))}));
    EXPECT_EQ(info({"ome.tif", "--channel", "GFP"})["values"]["lowest"], 0);
    EXPECT_EQ(info({"ome.tif", "--channel", "DAPI"})["values"]["lowest"], 30);
    const auto refused = [&](const std::vector<std::string>& words,
                             std::vector<std::string> options) {
        options.insert(options.begin(), "info");
        expect_failure(2, words, options);
    };
    refused({"--channel is 2", "'ij.tif'", "2 channels", "0 to 1"}, {"ij.tif", "--channel", "2"});
    refused({"--channel is Cy5", "DAPI, GFP"}, {"ome.tif", "--channel", "Cy5"});
    refused({"--slice is 3", "3 slices", "0 to 2"}, {"ij.tif", "--slice", "3"});
    refused({"--time is 1", "1 time point"}, {"ome.tif", "--time", "1"});
    refused({"--slice", "-1"}, {"ij.tif", "--slice", "-1"});
}

TEST_F(Planes, ColorsHaveTheirNames) {
    Image<std::uint8_t> color({2, 1, 1, 1, 3});
    color.pixels() = {1, 2, 3, 4, 5, 6};
    write("color.png", color);
    EXPECT_EQ(info({"color.png", "--channel", "green"})["values"]["highest"], 5);
    EXPECT_EQ(info({"color.png", "--channel", "2"})["values"]["lowest"], 3);
}

TEST_F(Planes, VolumesInTimeGiveTimePointsAndSlices) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {1, 1, 2};
    geometry.origin = {0, 0, 10};
    Image<std::int16_t> film({3, 2, 4, 5}, geometry);
    for (std::size_t i = 0; i < film.pixels().size(); ++i)
        film.pixels()[i] = static_cast<std::int16_t>(i);
    for (const std::string name : {"film.nii.gz", "film.nrrd", "film.mha"}) {
        write(name, film);
        const Json part = info({name, "--slice", "1", "--time", "4", "--at", "2,1"});
        EXPECT_EQ(part["size"], (Json{3, 2, 1, 1}));
        EXPECT_EQ(part["points"][0]["values"], (Json{film(2, 1, 1, 4)}));
        EXPECT_DOUBLE_EQ(part["geometry"]["origin"][2], 12);
    }
}

// Luma of channels that are no color is the mean of nothing.
TEST_F(Planes, ChannelsAreNoColor) {
    for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{
             {"threshold", "otsu"}, {"edges", "canny"}, {"mean-shift"}, {"components"}}) {
        std::vector<std::string> arguments = verb;
        arguments.insert(arguments.end(), {"ome.tif", "-o", "out.tif", "--device", "cpu"});
        expect_failure(3, {"'ome.tif'", "2 channels (DAPI, GFP)", "--channel"}, arguments);
    }
    io::testing::TiffSample three = ome_sample();
    three.description = io::testing::ome_text(
        "DimensionOrder=\"XYCZT\" SizeC=\"3\" SizeZ=\"2\" SizeT=\"1\"", "<TiffData/>");
    write_tiff("three.tif", three);
    expect_failure(3, {"'three.tif'", "3 channels", "no color", "--channel"},
                   {"threshold", "otsu", "three.tif", "-o", "out.tif", "--device", "cpu"});
    expect_failure(
        3, {"'three.tif'", "--channel"},
        {"edges", "canny", "three.tif", "-o", "out.ome.tif", "--slice", "0", "--device", "cpu"});
    expect_failure(3, {"'three.tif'", "--channel"},
                   {"evaluate", "labels", "three.tif", "three.tif"});
    const Outcome each = run({"wavelet", "denoise", "three.tif", "-o", "clean.tif", "--device",
                              "cpu"});  // takes each channel by itself
    EXPECT_EQ(each.code, 0) << each.err;
}

TEST_F(Planes, VerbsNameWhatTheyCannotTake) {
    expect_failure(3, {"'ij.tif'", "2 channels", "4 time points", "--channel", "--time"},
                   {"watershed", "ij.tif", "-o", "out.tif", "--device", "cpu"});
    expect_failure(3, {"3 slices", "--slice"},
                   {"texture", "glcm", "ij.tif", "-o", "out.csv", "--channel", "0", "--time", "0",
                    "--device", "cpu"});
    write("one.png", gray_picture(4, 3));
    expect_failure(3, {"--slice", "--time"},
                   {"flow", "tv-l1", "ij.tif", "one.png", "-o", "out.flo", "--channel", "0",
                    "--device", "cpu"});
    expect_failure(3, {"frame 0", "--slice"},
                   {"flow", "tv-l1", "ij.tif", "one.png", "one.png", "-o", "out", "--channel", "0",
                    "--time", "0", "--device", "cpu"});
}

TEST_F(Planes, AVerbComputesOnWhatWasChosen) {
    const std::vector<std::string> choice{"--channel", "1", "--time", "2", "--slice", "1"};
    std::vector<std::string> arguments{"threshold", "otsu",     "ij.tif", "-o",
                                       "part.tif",  "--device", "cpu"};
    arguments.insert(arguments.end(), choice.begin(), choice.end());
    Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    Image<std::uint8_t> alone({4, 3});
    for (std::size_t i = 0; i < 12; ++i)
        alone.pixels()[i] = static_cast<std::uint8_t>(10 * (1 + 2 * (1 + 3 * 2)) + i);
    write("alone.tif", alone);
    outcome = run({"threshold", "otsu", "alone.tif", "-o", "whole.tif", "--device", "cpu"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(std::get<Image<std::uint8_t>>(io::read_image(file("part.tif")).image).pixels(),
              std::get<Image<std::uint8_t>>(io::read_image(file("whole.tif")).image).pixels());
}

// A mask with a single channel and slice serves all of them.
TEST_F(Planes, FurtherFilesMayHaveLess) {
    LabelImage mask({4, 3});
    mask(1, 1) = 1;
    io::write_labels(mask, file("mask.tif"));
    const Outcome outcome = run({"evaluate", "image", "ij.tif", "ij.tif", "--mask", "mask.tif",
                                 "--channel", "1", "--slice", "2", "--time", "0", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["points"], 1);
    expect_failure(2, {"--slice is 2", "'mask.tif'"},
                   {"evaluate", "labels", "mask.tif", "mask.tif", "--slice", "2"});
}

TEST_F(Planes, CompressedVolumesOfAChannel) {
    const Outcome outcome =
        run({"compress", "ij.tif", "-o", "part.tvol", "--channel", "1", "--time", "3"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const AnyImage part = io::read_image(file("part.tvol")).image;
    ASSERT_EQ(shape_of(part), (Shape{4, 3, 3}));
    EXPECT_EQ(std::get<Image<std::uint8_t>>(part)(0, 0, 1), 10 * (1 + 2 * (1 + 3 * 3)));
}

TEST_F(Planes, WhatIsMissingInAFileIsAWarning) {
    write_tiff("few.tif",
               {.description = io::testing::ome_text(
                    "DimensionOrder=\"XYCZT\" SizeC=\"1\" SizeZ=\"3\" SizeT=\"1\"", "<TiffData/>"),
                .pages = io::testing::numbered_pages(2)});
    const Outcome outcome = run({"evaluate", "labels", "few.tif", "few.tif"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("1 of 3 planes are missing"), std::string::npos) << outcome.err;
}

// The files of a set are inputs, all of them.
TEST_F(Planes, NoFileOfASetIsReplaced) {
    const auto half = [](const std::string& z, const std::string& name) {
        return "<TiffData FirstZ=\"" + z + "\" PlaneCount=\"1\"><UUID FileName=\"" + name +
               "\">urn:uuid:" + name + "</UUID></TiffData>";
    };
    const io::testing::TiffSample sample{
        .description =
            io::testing::ome_text("DimensionOrder=\"XYCZT\" SizeC=\"1\" SizeZ=\"2\" SizeT=\"1\"",
                                  half("0", "m0.tif") + half("1", "m1.tif")),
        .pages = io::testing::numbered_pages(1)};
    write_tiff("m0.tif", sample);
    write_tiff("m1.tif", sample);
    expect_failure(2, {"m1.tif"},
                   {"threshold", "otsu", "m0.tif", "-o", "m1.tif", "--force", "--device", "cpu"});
}

}  // namespace
}  // namespace tesela::cli::testing
