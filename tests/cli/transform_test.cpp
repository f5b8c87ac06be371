// tesela transform compose, invert, show and fit as a program, and what is carried along.
#include <cmath>

#include "program.h"
#include "tesela/fit_transform.h"
#include "tesela/geojson_io.h"
#include "tesela/slide_io.h"
#include "tesela/transform_io.h"

namespace tesela::cli::testing {
namespace {

class TransformProgram : public ProgramTest {
  protected:
    // Three sections of one tissue, two of them turned and bent: 00 to 01 and 00 to 02 are known.
    void make_sections() const {
        const Outcome outcome =
            run({"synthesize", "sections", "--count", "3", "--width", "320", "--height", "300",
                 "--landmarks", "40", "--seed", "4", "-o", "s", "--quiet"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    Outcome good(const std::vector<std::string>& words) const {
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome;
    }
    // The largest distance between landmarks of the same name.
    double apart(const std::string& one, const std::string& other) const {
        return good({"evaluate", "landmarks", one, other, "--json"})
            .json()["tre"]["largest"]
            .get<double>();
    }
};

// From section 01 to section 02, whose transform no registration has made.
TEST_F(TransformProgram, PointsAndOutlinesGoFromAnySectionToAnyOther) {
    make_sections();
    good({"transform", "invert", "s/transform01.json", "-o", "1-to-0.json"});
    const Outcome both = good({"transform", "compose", "1-to-0.json", "s/transform02.json", "-o",
                               "1-to-2.json", "--json"});
    EXPECT_EQ(both.json()["statistics"]["transforms"], 2);
    const Transform there = io::read_transform(file("1-to-2.json"));
    EXPECT_EQ(there.fixed->shape, (Shape{320, 300}));
    // The landmarks of section 01 by one transform, and by two exact ones over section 00.
    good(
        {"warp", "s/landmarks01.csv", "--transform", "1-to-2.json", "--inverse", "-o", "once.csv"});
    good({"warp", "s/landmarks01.csv", "--transform", "s/transform01.json", "-o", "half.csv"});
    good({"warp", "half.csv", "--transform", "s/transform02.json", "--inverse", "-o", "twice.csv"});
    EXPECT_LT(apart("once.csv", "twice.csv"), 0.1);
    EXPECT_GT(apart("once.csv", "s/landmarks01.csv"), 5);
    // And back.
    good({"warp", "once.csv", "--transform", "1-to-2.json", "-o", "home.csv"});
    EXPECT_LT(apart("home.csv", "s/landmarks01.csv"), 1e-3);
    write_text("o.geojson", R"({"type":"Feature","properties":{},"geometry":{"type":"Polygon",)"
                            R"("coordinates":[[[100,90],[220,100],[210,200],[100,90]]]}})");
    good({"warp", "o.geojson", "--transform", "1-to-2.json", "--inverse", "-o", "there.geojson"});
    good({"warp", "there.geojson", "--transform", "1-to-2.json", "-o", "back.geojson"});
    const Annotations back = io::read_geojson(file("back.geojson"));
    const PlaneLine& line = std::get<Polygons>(back.list.at(0).shape).at(0).outer;
    double nearest = 1e9;  // rings of mirrored shapes begin elsewhere
    for (const PlanePoint& at : line)
        nearest = std::min(nearest, std::hypot(at.x - 100, at.y - 90));
    EXPECT_LT(nearest, 1e-3);
}

// There and back as one transform leaves everything where it is, also as text of ITK.
TEST_F(TransformProgram, WithItsInverseNothingMoves) {
    make_sections();
    for (const std::string suffix : {".json", ".tfm"}) {
        const std::string back = "back" + suffix, whole = "whole" + suffix;
        const Outcome inverted =
            good({"transform", "invert", "s/transform01.json", "-o", back, "--json"});
        const double error = inverted.json()["statistics"]["largest_error"].get<double>();
        EXPECT_LT(error, 0.1);
        const Outcome composed =
            good({"transform", "compose", "s/transform01.json", back, "-o", whole});
        EXPECT_EQ(composed.err.find("does not name its image") != std::string::npos,
                  suffix == ".tfm")
            << composed.err;
        good({"warp", "s/landmarks00.csv", "--transform", whole, "--inverse", "-o", "same.csv",
              "--force"});
        EXPECT_LT(apart("same.csv", "s/landmarks00.csv"), 4 * error) << suffix;
    }
}

TEST_F(TransformProgram, ShowSaysWhatATransformDoes) {
    write_text("t.json",
               R"({"format":"tesela-transform","version":1,"dimensions":2,"unit":"px",)"
               R"("steps":[{"type":"affine","matrix":[[0,-2],[2,0]],"translation":[80,0]}],)"
               R"("fixed":{"size":[100,100]},"moving":{"size":[200,150]}})");
    const Outcome text = good({"transform", "show", "t.json"});
    for (const char* part :
         {"fixed image   100 x 100 pixels", "moving image  200 x 150 pixels", "affine",
          "90 degrees", "determinant   4 to 4, without folds", "stretch       2 to 2", "(80, 0)"})
        EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
    const Json shown = good({"transform", "show", "t.json", "--json"}).json();
    EXPECT_NEAR(shown["rotation_degrees"].get<double>(), 90, 1e-9);
    EXPECT_EQ(shown["corner_displacements"].size(), 4u);
    EXPECT_EQ(shown["mirrored"], false);
    good({"transform", "invert", "t.json", "-o", "back.tfm"});
    EXPECT_NE(good({"transform", "show", "back.tfm"}).err.find("give --like"), std::string::npos);
    write("like.png", color_picture(100, 100));
    EXPECT_NE(good({"transform", "show", "back.tfm", "--like", "like.png"}).out.find("-90 degrees"),
              std::string::npos);
}

// A file of ITK has the unit of what it is used with.
TEST_F(TransformProgram, FilesOfItkHaveTheUnitOfOthers) {
    write_text("itk.tfm",
               "#Insight Transform File V1.0\n#Transform 0\n"
               "Transform: AffineTransform_double_2_2\nParameters: 1 0 0 1 2 0\n"
               "FixedParameters: 0 0\n");
    write("px.png", color_picture(40, 30));
    AnyImage measured = color_picture(40, 30);
    geometry_of(measured) = micrometers_per_pixel(250, 250);
    write("mm.mha", measured);
    write_text("points.csv", "X,Y\n1,2\n5,9\n3,4\n");
    const auto unit = [&](const std::vector<std::string>& words) {
        return good(words).json()["unit"].get<std::string>();
    };
    const std::vector<std::string> show{"transform", "show", "itk.tfm", "--json"},
        evaluate{"evaluate",    "landmarks", "points.csv", "points.csv",
                 "--transform", "itk.tfm",   "--json"};
    const auto with = [](std::vector<std::string> words, const std::string& option,
                         const std::string& path) {
        words.insert(words.end(), {option, path});
        return words;
    };
    EXPECT_EQ(unit(show), "mm");
    EXPECT_EQ(unit(with(show, "--like", "px.png")), "px");
    EXPECT_EQ(unit(with(show, "--like", "mm.mha")), "mm");
    EXPECT_EQ(unit(evaluate), "mm");
    EXPECT_EQ(unit(with(evaluate, "--image", "px.png")), "px");
    EXPECT_EQ(unit(with(evaluate, "--image", "mm.mha")), "mm");
    for (const std::string name : {"px", "mm"}) {
        write_text("t.json", R"({"format":"tesela-transform","version":1,"dimensions":2,)"
                             R"("steps":[],"unit":")" +
                                 name + "\"}");
        good({"transform", "compose", "itk.tfm", "t.json", "-o", "c.json", "--force"});
        EXPECT_EQ(unit({"transform", "show", "c.json", "--json"}), name);
    }
}

// Landmarks that are exact but for two.
TEST_F(TransformProgram, FitFindsWrongPairs) {
    make_sections();
    Landmarks moving = io::read_landmarks(file("s/landmarks01.csv"));
    ASSERT_GT(moving.list.size(), 20u);
    moving.list[3].point[0] += 60;
    moving.list[8].point[1] -= 90;
    io::write_landmarks(moving, file("wrong.csv"));
    for (const std::string model : {"similarity", "affine", "spline"}) {
        const Outcome outcome =
            good({"transform", "fit", "s/landmarks00.csv", "wrong.csv", "--model", model,
                  "--fixed-image", "s/section00.png", "--moving-image", "s/section01.png", "-o",
                  "t.json", "--residuals", "r.csv", "--force", "--json"});
        const auto outliers =
            outcome.json()["statistics"]["outliers"].get<std::vector<std::string>>();
        for (const std::size_t i : {3, 8})
            EXPECT_EQ(std::count(outliers.begin(), outliers.end(), moving.list[i].name), 1)
                << model;
        EXPECT_LE(outliers.size(), 4u) << model;
        EXPECT_NE(outcome.err.find("left out as"), std::string::npos) << outcome.err;
        const Outcome true_error = good({"evaluate", "landmarks", "s/landmarks00.csv",
                                         "s/landmarks01.csv", "--transform", "t.json", "--json"});
        EXPECT_LT(true_error.json()["tre"]["median"].get<double>(), model == "spline" ? 1 : 4)
            << model;
        EXPECT_EQ(io::read_transform(file("t.json")).fixed->shape, (Shape{320, 300}));
        EXPECT_NE(read_text("r.csv").find("landmark,error_px,outlier"), std::string::npos);
    }
}

// Of slides the header is read, whatever their size.
TEST_F(TransformProgram, FitReadsNoPixels) {
    io::write_repeated_slide(color_picture(256, 256), 50000, 40000, file("slide.ome.tif"));  // 6 GB
    write_text("a.csv", "X,Y\n100,200\n4000,300\n200,5000\n7000,8000\n");
    good({"transform", "fit", "a.csv", "a.csv", "--fixed-image", "slide.ome.tif", "--moving-image",
          "slide.ome.tif", "-o", "t.json", "--max-memory", "256M"});
    EXPECT_EQ(io::read_transform(file("t.json")).fixed->shape.x, 50000);
}

TEST_F(TransformProgram, WhatDoesNotFitIsRefused) {
    const auto transform = [&](const std::string& name, const std::string& fixed,
                               const std::string& moving) {
        write_text(name, R"({"format":"tesela-transform","version":1,"dimensions":2,"unit":"px",)"
                         R"("steps":[],"fixed":{"size":[)" +
                             fixed + R"(]},"moving":{"size":[)" + moving + "]}}");
    };
    transform("a.json", "100,80", "90,70");
    transform("b.json", "60,50", "40,30");
    expect_failure(2,
                   {"b.json does not continue", "a.json", "90 x 70 pixels", "60 x 50 pixels",
                    "transform invert"},
                   {"transform", "compose", "a.json", "b.json", "-o", "c.json"});
    expect_failure(2, {"at least two"}, {"transform", "compose", "a.json", "-o", "c.json"});
    expect_failure(3, {"missing.json"}, {"transform", "invert", "missing.json", "-o", "c.json"});
    write_text("volume.json", R"({"format":"tesela-transform","version":1,"dimensions":3,)"
                              R"("unit":"px","steps":[]})");
    expect_failure(2, {"dimensions"},
                   {"transform", "compose", "a.json", "volume.json", "-o", "c.json"});
    write("like.png", color_picture(10, 10));
    expect_failure(2, {"--like", "3 dimensions"},
                   {"transform", "show", "volume.json", "--like", "like.png"});
    write_text("two.csv", "X,Y\n1,2\n5,9\n");
    expect_failure(2, {"needs 3 pairs"}, {"transform", "fit", "two.csv", "two.csv"});
    expect_failure(2, {"both images or none"},
                   {"transform", "fit", "two.csv", "two.csv", "--model", "rigid", "--fixed-image",
                    "like.png"});
    write_text("three.csv", "X,Y,Z\n1,2,3\n");
    expect_failure(2, {"coordinates"}, {"transform", "fit", "two.csv", "three.csv"});
}

}  // namespace
}  // namespace tesela::cli::testing
