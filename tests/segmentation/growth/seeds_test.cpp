// Seeds: their text, and where they stand in an image.
#include "tesela/seeds.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "pixels/seeds.h"
#include "tesela/error.h"

namespace tesela {
namespace {

using Numbers = std::vector<std::uint32_t>;

Seeds seeds_of(const std::string& text) {
    const std::optional<Seeds> seeds = parse_seeds(text);
    EXPECT_TRUE(seeds.has_value()) << text;
    return seeds.value_or(AutomaticSeeds{});
}

PlacedSeeds place(const std::string& text, const Shape& shape, const Geometry& geometry = {}) {
    return place_seeds(seeds_of(text), shape, geometry);
}

// The sentence of the error, which has each of these words.
template <class Call>
void expect_refused(const Call& call, const std::vector<std::string>& words) {
    try {
        call();
        ADD_FAILURE() << "nothing was refused; expected: " << words.front();
    } catch (const InvalidArgument& error) {
        for (const std::string& word : words)
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
                << error.what() << "\nlacks " << word;
    }
}

TEST(SeedsText, Kinds) {
    EXPECT_TRUE(std::holds_alternative<AutomaticSeeds>(seeds_of("auto")));
    EXPECT_EQ(std::get<GridSeeds>(seeds_of("grid")).spacing, Length(20));
    EXPECT_EQ(std::get<GridSeeds>(seeds_of("grid:7")).spacing, Length(7));
    EXPECT_EQ(std::get<GridSeeds>(seeds_of("grid:2.5mm")).spacing,
              Length(2.5, Length::In::millimeter));
    const auto points = std::get<std::vector<SeedPoint>>(seeds_of(" 1,2 ; 30,40=7;5,6,7 mm; "));
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(points[0].place.at, (std::array<double, 4>{1, 2, 0, 0}));
    EXPECT_FALSE(points[0].label.has_value());
    EXPECT_EQ(points[1].label, 7u);
    EXPECT_TRUE(points[2].place.millimeters);
    EXPECT_EQ(points[2].place.coordinates, 3);
    const auto boxes = std::get<std::vector<SeedBox>>(seeds_of("box:1,2,3,4;-1,0,0,9,8,7=2"));
    ASSERT_EQ(boxes.size(), 2u);
    EXPECT_EQ(boxes[0].last.at, (std::array<double, 4>{3, 4, 0, 0}));
    EXPECT_EQ(boxes[1].last.at, (std::array<double, 4>{9, 8, 7, 0}));
    EXPECT_EQ(boxes[1].label, 2u);
    const auto balls = std::get<std::vector<SeedBall>>(seeds_of("ball:1,2,3;ball:4,5,6,7.5mm=9"));
    ASSERT_EQ(balls.size(), 2u);
    EXPECT_EQ(balls[0].center.coordinates, 2);
    EXPECT_EQ(balls[0].radius, 3);
    EXPECT_TRUE(balls[1].center.millimeters);
    EXPECT_EQ(balls[1].center.at, (std::array<double, 4>{4, 5, 6, 0}));
    EXPECT_EQ(balls[1].radius, 7.5);
    EXPECT_EQ(balls[1].label, 9u);
}

TEST(SeedsText, OtherTextIsAFile) {
    for (const std::string text : {"seeds.png", "7", "auto.nii", "gridded", "12.5", "a,b.png"})
        EXPECT_FALSE(parse_seeds(text).has_value()) << text;
}

TEST(SeedsText, MistakesAreNamed) {
    const auto refuses = [](const std::string& text, const std::vector<std::string>& words) {
        expect_refused([&] { parse_seeds(text); }, words);
    };
    refuses("", {"empty"});
    refuses("1,2=0", {"'1,2=0'", "from 1"});
    refuses("1,2=4294967295", {"label"});
    refuses("1,2=", {"label"});
    refuses("1,", {"'1,'", "not a number"});
    refuses("1,2;;3,4", {"''"});
    refuses("1,2,3,4,5", {"two to four"});
    refuses("1mm,2", {"'1mm'"});
    refuses("box:1,2,3", {"two corners"});
    refuses("box:1,2,3,x", {"'x'"});
    refuses("ball:1,2", {"'1,2'", "radius"});
    refuses("ball:1,2,0", {"'1,2,0'", "above 0"});
    refuses("ball:1,2,-3mm", {"above 0"});
    refuses("grid:many", {"grid:many"});
}

TEST(SeedsPlaced, PointsHaveTheirNumbersOrLabels) {
    const PlacedSeeds placed = place("3,1;0,0=9;2,1;4,1=1", {5, 2});
    EXPECT_EQ(placed.labels, (Numbers{1, 1, 3, 9}));
    EXPECT_EQ(placed.points, (Numbers{8, 9, 7, 0}));
    const auto ranges = placed.by_label();
    ASSERT_EQ(ranges.size(), 3u);
    EXPECT_EQ(ranges[0].end, 2);
    EXPECT_TRUE(placed.labeled_by_user);
}

TEST(SeedsPlaced, LowestLabelOfAPixelCounts) {
    const PlacedSeeds placed = place("1,0=5;1,0=2;1,0=3", {3, 1});
    EXPECT_EQ(placed.points, Numbers{1});
    EXPECT_EQ(placed.labels, Numbers{2});
}

TEST(SeedsPlaced, BoxesHoldTheirCorners) {
    EXPECT_EQ(place("box:2,1,1,2", {4, 4}).points, (Numbers{5, 6, 9, 10}));
    EXPECT_EQ(place("box:0,0,1,0,0,2", {2, 2, 3}).points, (Numbers{4, 8}));
}

TEST(SeedsPlaced, BallsHoldWhatIsWithinTheRadius) {
    EXPECT_EQ(place("ball:1,1,1", {4, 4}).points, (Numbers{1, 4, 5, 6, 9}));
    EXPECT_EQ(place("ball:0.5,0,0.5", {4, 4}).points, (Numbers{0, 1}));
    EXPECT_EQ(place("ball:1.2,2.2,0.1", {4, 4}).points, Numbers{9});  // the nearest pixel
    EXPECT_EQ(place("ball:-1,0,1", {4, 4}).points, Numbers{0});       // part of it is outside
    EXPECT_EQ(place("ball:1,1,1,1=3", {3, 3, 3}).points, (Numbers{4, 10, 12, 13, 14, 16, 22}));
    EXPECT_EQ(place("ball:1,1,1,1=3", {3, 3, 3}).labels, Numbers(7, 3));
    EXPECT_EQ(place("ball:0,0,0,2,1", {2, 1, 1, 3}).points, (Numbers{4, 5}));  // one frame
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {1, 2, 3};
    EXPECT_EQ(place("ball:1,2,0,2mm", {4, 4, 2}, geometry).points, (Numbers{1, 4, 5, 6, 7, 9}));
}

TEST(SeedsPlaced, GridStandsInTheMiddleOfItsCells) {
    EXPECT_EQ(place("grid:3", {7, 3}).points, (Numbers{8, 11}));
    EXPECT_EQ(place("grid:3", {7, 3}).labels, (Numbers{1, 2}));
    EXPECT_EQ(place("grid:20", {9, 1}).points, Numbers{4});  // smaller than a cell
    EXPECT_EQ(place("grid:20", {1, 1}).points, Numbers{0});
    EXPECT_EQ(place("grid:2", {2, 2, 2}).points, Numbers{7});
    EXPECT_EQ(place("grid:2", {2, 1, 1, 5}).points, Numbers{5});  // the middle frame
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {2, 0.5, 1};
    EXPECT_EQ(place("grid:2mm", {3, 8}, geometry).points, (Numbers{6, 7, 8, 18, 19, 20}));
    EXPECT_FALSE(place("grid", {9, 9}).labeled_by_user);
}

TEST(SeedsPlaced, LabelPicture) {
    LabelImage labels({3, 2});
    labels.pixels() = {0, 4, 0, 1, 0, 4};
    const PlacedSeeds placed = place_seeds(labels, {3, 2, 1, 1, 3}, {});
    EXPECT_EQ(placed.points, (Numbers{3, 1, 5}));
    EXPECT_EQ(placed.labels, (Numbers{1, 4, 4}));
    expect_refused([&] { place_seeds(labels, {2, 3}, {}); }, {"3 x 2", "2 x 3"});
    expect_refused([&] { place_seeds(LabelImage({3, 2}), {3, 2}, {}); }, {"no seeds", "0"});
    expect_refused(
        [&] {
            place_seeds(LabelImage({4, 2}), {3, 2}, {});
        },
        {"has 4 x 2 pixels, and the image has 3 x 2"});
}

TEST(SeedsPlaced, MillimetersGoThroughTheGeometry) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {2, 3, 4};
    geometry.origin = {100, -50, 10};
    // x runs to the right of a patient, y and z are exchanged.
    geometry.direction = {-1, 0, 0, 0, 0, 1, 0, 1, 0};
    const Shape shape{5, 6, 7};
    // Pixel (2, 3, 4): 100 - 2*2, -50 + 4*4, 10 + 3*3.
    EXPECT_EQ(place("96,-34,19mm", shape, geometry).points, Numbers{(4 * 6 + 3) * 5 + 2});
    EXPECT_EQ(place("96.9,-34,20.4mm", shape, geometry).points, Numbers{(4 * 6 + 3) * 5 + 2});
    EXPECT_EQ(place("95,-34,19mm", shape, geometry).points, Numbers{(4 * 6 + 3) * 5 + 3});
    geometry.unit = Unit::micrometer;
    EXPECT_EQ(place("0.096,-0.034,0.019mm", shape, geometry).points, Numbers{(4 * 6 + 3) * 5 + 2});
    expect_refused([&] { place("1,1,1mm", shape); }, {"1,1,1mm", "--spacing"});
    expect_refused([&] { place("grid:3mm", shape); }, {"3mm", "--spacing"});
}

// 3D Slicer and NIfTI count to the right and to the front.
TEST(SeedsPlaced, FramesAreNamed) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {2, 3, 4};
    geometry.origin = {100, -50, 10};
    const Shape shape{5, 6, 7};
    const auto in_lps = place("104,-41,26mm", shape, geometry);
    EXPECT_EQ(in_lps.points, Numbers{(4 * 6 + 3) * 5 + 2});
    for (const char* same : {"LPS:104,-41,26mm", "RAS:-104,41,26mm", "RAS: -104, 41, 26 mm",
                             "RAS:-104,41,26mm;RAS:-104,41,26mm", "RAS:box:-104,41,26,-104,41,26mm",
                             "RAS:ball:-104,41,26,0.1mm", "LPS:box:104,-41,26,104,-41,26mm"})
        EXPECT_EQ(place(same, shape, geometry).points, in_lps.points) << same;
    EXPECT_EQ(place("RAS:-104,41,26mm;-102,41,26mm", shape, geometry).points,
              (Numbers{in_lps.points[0], in_lps.points[0] - 1}));
    expect_refused([&] { parse_seeds("RAS:1,2,3"); }, {"1,2,3", "mm"});
    expect_refused([&] { parse_seeds("RAS:photo.png"); }, {"photo.png"});
    expect_refused([&] { parse_seeds("RAS:"); }, {"place"});
    // What was given in millimeters is reported so, in its frame.
    expect_refused([&] { place("RAS:104,41,26mm", shape, geometry); },
                   {"RAS:104,41,26mm", "outside", "RAS:-100,50,10mm to RAS:-108,35,34mm"});
    expect_refused([&] { place("0,0,0mm", shape, geometry); },
                   {"from 100,-50,10mm to 108,-35,34mm"});
    expect_refused([&] { place("ball:0,0,0,1mm", shape, geometry); }, {"to 108,-35,34mm"});
    const std::array<std::int64_t, 4> pixel{2, 3, 4, 0};
    EXPECT_EQ(millimeters_of(pixel, geometry), (std::array<double, 3>{104, -41, 26}));
    EXPECT_EQ(millimeters_of(pixel, geometry, Frame::ras), (std::array<double, 3>{-104, 41, 26}));
    Image<float> image(shape, geometry);
    image(2, 3, 4) = std::nanf("");
    expect_refused([&] { check_seed_values(image, place("RAS:-104,41,26mm", shape, geometry)); },
                   {"x 2, y 3, z 4 (RAS:-104,41,26mm)", "finite"});
    expect_refused([&] { check_seed_values(image, place("2,3,4", shape, geometry)); },
                   {"x 2, y 3, z 4 stands"});
}

TEST(SeedsPlaced, PlacesOutsideAreRefused) {
    expect_refused([] { place("5,0", {5, 5}); }, {"5,0", "outside", "5 x 5"});
    expect_refused([] { place("1,1;-1,0", {5, 5}); }, {"-1,0", "outside"});
    expect_refused([] { place("1,1,1", {5, 5}); }, {"1,1,1", "outside"});
    expect_refused([] { place("box:0,0,9,1", {5, 5}); }, {"9,1", "outside"});
    expect_refused([] { place("ball:9,1,2", {5, 5}); }, {"9,1", "outside", "5 x 5"});
    expect_refused([] { place("ball:1,1,2", {5, 5, 5}); }, {"1,1", "3 axes"});
    expect_refused([] { place("ball:1,1,2mm", {5, 5}); }, {"mm", "--spacing"});
    expect_refused([] { place("1.5,1", {5, 5}); }, {"1.5,1", "whole"});
    expect_refused([] { place("1,1", {5, 5, 5}); }, {"1,1", "3 axes"});
    expect_refused([] { place("1,1,0", {5, 5, 1, 5}); }, {"4 axes"});
    expect_refused([] { place("grid:0", {5, 5}); }, {"0px", "from 1"});
    expect_refused([] { place("auto", {5, 5}); }, {"auto", "label picture"});
    expect_refused([] { place_seeds(std::vector<SeedPoint>{}, {5, 5}, {}); }, {"no seed"});
    const SeedPoint zero{SeedPlace{}, 0};
    expect_refused([&] { place_seeds(std::vector{zero}, {5, 5}, {}); }, {"label 0"});
}

}  // namespace
}  // namespace tesela
