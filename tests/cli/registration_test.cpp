// tesela synthesize sections, register, warp and evaluate landmarks as a program.
#include <cmath>

#include "program.h"
#include "tesela/registration.h"
#include "tesela/synthetic_sections.h"
#include "tesela/transform_io.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class RegistrationProgram : public ProgramTest {
  protected:
    // Two sections of so many pixels in the folder "pair".
    void make_pair(const Names& more = {}, const std::string& side = "320") const {
        Names words{"synthesize", "sections", "--width", side, "--height", side,     "--landmarks",
                    "40",         "--seed",   "5",       "-o", "pair",     "--quiet"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = run(words);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    Outcome align(const Names& more) const {
        Names words{"register", "pair/section00.png", "pair/section01.png", "--device", "cpu",
                    "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    AnyImage read(const std::string& name) const { return io::read_image(file(name)).image; }
};

TEST_F(RegistrationProgram, SectionsWithTheirTruth) {
    make_pair({"--count", "3", "--tear", "0.01"});
    EXPECT_EQ(shape_of(read("pair/section02.png")).x, 320);
    const Landmarks first = io::read_landmarks(file("pair/landmarks00.csv"));
    const Landmarks second = io::read_landmarks(file("pair/landmarks02.csv"));
    EXPECT_GT(first.list.size(), 30u);
    EXPECT_GT(second.list.size(), 20u);
    const Transform truth = io::read_transform(file("pair/transform02.json"));
    int near = 0;
    for (const Landmark& there : second.list)
        for (const Landmark& here : first.list)
            if (here.name == there.name) {
                const SpacePoint moved = truth(here.point);
                near += std::hypot(moved[0] - there.point[0], moved[1] - there.point[1]) < 2;
            }
    EXPECT_GT(near, 0.8 * static_cast<double>(second.list.size()));  // but for the tear
    EXPECT_TRUE(fs::exists(file("pair/remaining02.png")));
    expect_failure(2, {"--output"}, {"synthesize", "sections"});
    expect_failure(2, {"not empty", "--force"}, {"synthesize", "sections", "-o", "pair"});
    expect_failure(2, {"--tear"}, {"synthesize", "sections", "--tear", "0.5", "-o", "out"});
    expect_failure(
        5, {"sections"},
        {"synthesize", "sections", "--width", "9000", "-o", "out", "--max-memory", "9M"});
}

// From two pictures to landmarks, labels and outlines of the moving one in the fixed one.
TEST_F(RegistrationProgram, AlignsAndCarriesAlong) {
    make_pair();
    const Outcome outcome =
        align({"-o", "warped.png", "--transform", "t.json", "--itk", "t.tfm", "--field",
               "field.nii.gz", "--overlay", "board.png", "--before", "before.png"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.json()["statistics"]["is_match"].get<bool>());
    for (const char* name : {"warped.png", "board.png", "before.png"})
        EXPECT_EQ(shape_of(read(name)).x, 320);
    for (const char* transform : {"t.json", "t.tfm"}) {
        const Outcome found =
            run({"evaluate", "landmarks", "pair/landmarks00.csv", "pair/landmarks01.csv",
                 "--transform", transform, "--image", "pair/section00.png", "--json"});
        ASSERT_EQ(found.code, 0) << found.err;
        EXPECT_LT(found.json()["tre"]["median"].get<double>(), 1.5) << transform;
    }
    ASSERT_EQ(run({"warp", "pair/landmarks01.csv", "--transform", "t.json", "-o", "back.csv"}).code,
              0);
    const Outcome carried =
        run({"evaluate", "landmarks", "pair/landmarks00.csv", "back.csv", "--json"});
    EXPECT_LT(carried.json()["tre"]["median"].get<double>(), 1.5);
    write_text("outline.geojson",
               R"({"type":"Feature","geometry":{"type":"Polygon","coordinates":)"
               R"([[[100,100],[200,100],[200,200],[100,200],[100,100]]]},"properties":{"a":1}})");
    ASSERT_EQ(
        run({"warp", "outline.geojson", "--transform", "t.json", "--inverse", "-o", "bent.geojson"})
            .code,
        0);
    EXPECT_NE(read_text("bent.geojson").find("Polygon"), std::string::npos);
}

TEST_F(RegistrationProgram, TheWrongDirectionIsNoticed) {
    write_text("t.json",
               R"({"format":"tesela-transform","version":1,"dimensions":2,"unit":"px",)"
               R"("steps":[{"type":"affine","matrix":[[1,0],[0,1]],"translation":[80,0]}],)"
               R"("fixed":{"size":[100,100]},"moving":{"size":[200,100]}})");
    write_text("fixed.csv", "name,X,Y\na,10,10\nb,60,10\nc,30,50\n");
    write_text("moving.csv", "name,X,Y\na,100,10\nb,150,10\nc,120,50\n");
    write_text("fixed.geojson", R"({"type":"Feature","geometry":{"type":"Polygon","coordinates":)"
                                R"([[[10,10],[60,10],[60,60],[10,10]]]},"properties":{}})");
    const auto said = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "warp");
        arguments.insert(arguments.end(), {"--transform", "t.json", "--force"});
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.err;
    };
    const auto warns = [](const std::string& text) {
        return text.find("outside of the") != std::string::npos;
    };
    EXPECT_FALSE(warns(said({"moving.csv", "-o", "o.csv"})));
    EXPECT_FALSE(warns(said({"fixed.csv", "--inverse", "-o", "o.csv"})));
    EXPECT_FALSE(warns(said({"fixed.geojson", "--inverse", "-o", "o.geojson"})));
    const std::string wrong = said({"fixed.csv", "-o", "o.csv"});
    EXPECT_NE(wrong.find("3 of 3 carried points fall outside of the fixed image: without "
                         "--inverse points of the moving image"),
              std::string::npos)
        << wrong;
    EXPECT_NE(said({"moving.csv", "--inverse", "-o", "o.csv"})
                  .find("3 of 3 points lie outside of the fixed image"),
              std::string::npos);
    EXPECT_TRUE(warns(said({"fixed.geojson", "-o", "o.geojson"})));
}

TEST_F(RegistrationProgram, ACanvasForBoth) {
    make_pair({"--shift", "0.3", "--rotation", "30"});
    ASSERT_EQ(align({"--canvas", "union", "-o", "warped.png", "--overlay", "board.png"}).code, 0);
    const Shape shape = shape_of(read("warped.png"));
    EXPECT_GT(shape.x * shape.y, 1.2 * 320 * 320);
    EXPECT_EQ(shape_of(read("board.png")).x, shape.x);
    expect_failure(2, {"--max-canvas"},
                   {"register", "pair/section00.png", "pair/section01.png", "--canvas", "union",
                    "--max-canvas", "1", "-o", "other.png", "--device", "cpu"});
}

// Three slices of the fixed grid side by side.
TEST_F(RegistrationProgram, PicturesOfVolumes) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    Image<std::uint8_t> head({60, 50, 40}, geometry);
    for (std::int64_t z = 0; z < 40; ++z)
        for (std::int64_t y = 0; y < 50; ++y)
            for (std::int64_t x = 0; x < 60; ++x) {
                const auto ball = [&](double cx, double cy, double cz, double r) {
                    return std::hypot(double(x) - cx, double(y) - cy, double(z) - cz) < r;
                };
                head(x, y, z) =
                    static_cast<std::uint8_t>(80 * ball(30, 25, 20, 17) + 90 * ball(24, 20, 16, 6) +
                                              60 * ball(38, 30, 25, 4));
            }
    write("head.nii.gz", head);
    const Outcome outcome = run({"register", "head.nii.gz", "head.nii.gz", "--overlay", "after.png",
                                 "--before", "before.png", "--device", "cpu", "--accept-poor"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (const char* name : {"after.png", "before.png"})
        EXPECT_EQ(shape_of(read(name)), (Shape{60 + 4 + 60 + 4 + 50, 50, 1, 1, 3})) << name;
}

TEST_F(RegistrationProgram, SlidesAreWarpedInTiles) {
    make_pair();
    io::write_transform(io::read_transform(file("pair/transform01.json")), file("t.json"), {true});
    for (const char* output : {"tiles.ome.tif", "whole.tif"})
        ASSERT_EQ(run({"warp", "pair/section01.png", "--transform", "t.json", "-o", output,
                       "--device", "cpu"})
                      .code,
                  0);
    const AnyImage tiles = read("tiles.ome.tif"), whole = read("whole.tif");
    ASSERT_EQ(shape_of(tiles).x, shape_of(whole).x);
    double sum = 0;
    const auto& a = std::get<Image<std::uint8_t>>(tiles).pixels();
    const auto& b = std::get<Image<std::uint8_t>>(whole).pixels();
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
    EXPECT_LT(sum / static_cast<double>(a.size()), 3);  // JPEG
}

TEST_F(RegistrationProgram, WhatDoesNotMatchLeavesAnOverlayToLookAt) {
    make_pair();
    ASSERT_EQ(run({"synthesize", "sections", "--width", "320", "--height", "320", "--seed", "77",
                   "-o", "other", "--quiet"})
                  .code,
              0);
    const Names unrelated{
        "register", "pair/section00.png", "other/section01.png", "--device", "cpu",
        "-o",       "warped.png",         "--transform",         "t.json"};
    expect_failure(1, {"do not match", "--overlay", "--accept-poor"}, unrelated);
    Names looked_at = unrelated;
    looked_at.insert(looked_at.end(), {"--overlay", "look.png"});
    const Outcome doubtful = run(looked_at);
    EXPECT_EQ(doubtful.code, 1);
    EXPECT_NE(doubtful.err.find("parts agree"), std::string::npos) << doubtful.err;
    EXPECT_NE(doubtful.err.find("overlay that was written"), std::string::npos) << doubtful.err;
    EXPECT_EQ(shape_of(read("look.png")).x, 320);
    for (const char* name : {"warped.png", "t.json"}) EXPECT_FALSE(fs::exists(file(name))) << name;
    Names accepted = unrelated;
    accepted.push_back("--accept-poor");
    EXPECT_EQ(run(accepted).code, 0);
    EXPECT_TRUE(fs::exists(file("t.json")));
    write("empty.png", Image<std::uint8_t>({320, 320}));
    expect_failure(2, {"fixed", "no tissue"},
                   {"register", "empty.png", "pair/section01.png", "-o", "out.png"});
    expect_failure(2, {"moving", "mask is 0 everywhere"},
                   {"register", "pair/section00.png", "pair/section01.png", "--moving-mask",
                    "empty.png", "-o", "out.png"});
}

TEST_F(RegistrationProgram, WrongInput) {
    make_pair();
    write("volume.nii.gz", volume(24, 24, 24));
    expect_failure(2, {"picture", "volume"},
                   {"register", "pair/section00.png", "volume.nii.gz", "-o", "out.png"});
    expect_failure(2, {"fixed", "--resolution"},
                   {"register", "pair/section00.png", "pair/section01.png", "--resolution", "2um",
                    "-o", "out.png"});
    expect_failure(2, {"--measure ncc"},
                   {"register", "pair/section00.png", "pair/section01.png", "--measure", "ncc",
                    "-o", "out.png"});
    write_text("singular.json",
               R"({"format":"tesela-transform","version":1,"dimensions":2,"unit":"px","steps":)"
               R"([{"type":"affine","matrix":[[1,2],[2,4]],"translation":[0,0]}]})");
    write_text("foreign.json", R"({"format":"other"})");
    write_text("damaged.json", R"({"format":"tesela-transform","version":1,)");
    for (const auto& [name, word] : {std::pair{"singular.json", "inverted"},
                                     {"foreign.json", "no transform"},
                                     {"damaged.json", "JSON"},
                                     {"missing.json", "missing.json"}})
        expect_failure(3, {word},
                       {"warp", "pair/section01.png", "--transform", name, "-o", "out.png"});
    write_text("far.json",
               R"({"format":"tesela-transform","version":1,"dimensions":2,"unit":"mm","steps":)"
               R"([{"type":"affine","matrix":[[1,0],[0,1]],"translation":[0,0]}]})");
    expect_failure(2, {"millimeters", "no spacing"},
                   {"warp", "pair/section01.png", "--transform", "far.json", "--like",
                    "pair/section00.png", "-o", "out.png"});
    expect_failure(2, {"--like"},
                   {"warp", "pair/section01.png", "--transform", "far.json", "-o", "out.png"});
    write_text("alone.csv", ",X,Y\nnobody,1,2\n");
    expect_failure(2, {"landmark"}, {"evaluate", "landmarks", "pair/landmarks00.csv", "alone.csv"});
}

// Two persons of whom one is turned by 31 degrees: steps from aligned centers alone end 16 mm off.
TEST(DataTest, AHeadThatIsTurnedIsFound) {
    const char* data = std::getenv("TESELA_DATA");
    if (!data) GTEST_SKIP() << "TESELA_DATA does not name the folder of test images";
    const auto head = [&](const char* name) {
        return io::read_image(fs::path(data) / "volumes" / name).image;
    };
    const AnyImage fixed = head("spm152.nii.gz");
    AnyImage moving = head("chris_t1.nii.gz");
    Queue queue(Device::parse("cpu"));
    const RegistrationOptions options{.model = RegistrationModel::similarity,
                                      .resolution = Length(2, Length::In::millimeter)};
    const Transform straight = register_images(fixed, moving, options, queue).transform;
    // The other way round a head that shrinks into the other one would be as similar.
    EXPECT_NO_THROW(register_images(moving, fixed, options, queue));
    // About the axis between front and back, through the middle of the image.
    const double c = std::cos(0.544), s = std::sin(0.544);
    LinearMap turn{LinearKind::rigid, {c, 0, s, 0, 1, 0, -s, 0, c}, {}};
    const Shape& shape = shape_of(moving);
    const LinearMap placed = placement(grid_of(moving));
    const SpacePoint middle =
        placed({0.5 * static_cast<double>(shape.x), 0.5 * static_cast<double>(shape.y),
                0.5 * static_cast<double>(shape.z)});
    for (std::size_t a = 0; a < 3; ++a) turn.translation[a] = middle[a] - turn(middle)[a];
    const LinearMap carried = composed(placed, turn);
    Geometry& geometry = geometry_of(moving);
    const std::array<double, 3> spacing = geometry.spacing_mm();
    geometry = {.spacing = spacing, .origin = carried.translation, .unit = Unit::millimeter};
    for (std::size_t i = 0; i < 9; ++i) geometry.direction[i] = carried.matrix[i] / spacing[i % 3];
    const Transform found = register_images(fixed, moving, options, queue).transform;
    const LinearMap corner = placement(grid_of(fixed));
    for (const SpacePoint& voxel : {SpacePoint{40, 40, 40}, SpacePoint{160, 200, 150}}) {
        const SpacePoint a = found(corner(voxel)), b = turn(straight(corner(voxel)));
        EXPECT_LT(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 1);
    }
}

TEST_F(RegistrationProgram, AnInterruptLeavesNothing) {
    make_pair({}, "1600");
    const Outcome outcome = run({"register", "pair/section00.png", "pair/section01.png", "-o",
                                 "warped.png", "--device", "cpu"},
                                {.interrupt_after = 0.5});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_FALSE(fs::exists(file("warped.png")));
}

}  // namespace
}  // namespace tesela::cli::testing
