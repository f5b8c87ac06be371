// Labels that are edited: what each edit changes.
#include <algorithm>
#include <cmath>

#include "edited_labels.h"
#include "operations/kinds/image.h"
#include "tesela/align.h"
#include "tesela/mask.h"

namespace tesela::viewer::testing {
namespace {

double distance_to_way(const Point& p, const Point& a, const Point& b) {
    double along = 0, length = 0;
    for (int i = 0; i < 3; ++i) {
        along += (p[i] - a[i]) * (b[i] - a[i]);
        length += (b[i] - a[i]) * (b[i] - a[i]);
    }
    const double part = length > 0 ? std::clamp(along / length, 0.0, 1.0) : 0;
    double square = 0;
    for (int i = 0; i < 3; ++i) square += std::pow(p[i] - a[i] - part * (b[i] - a[i]), 2);
    return std::sqrt(square);
}

// Voxels whose centers lie within the radius in space, through direction and spacing of the image.
Bits painted(const Geometry& geometry, const std::vector<Point>& path, double radius, int across) {
    constexpr std::int64_t width = 40, height = 30, depth = 12;
    Bits bits(width * height * depth, 0);
    std::size_t at = 0;
    for (std::int64_t z = 0; z < depth; ++z)
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x, ++at) {
                const Point voxel{double(x), double(y), double(z)};
                if (across >= 0 && voxel[across] != std::round(path[0][across])) continue;
                double least = HUGE_VAL;
                for (std::size_t i = 0; i < path.size(); ++i) {
                    Point from = path[i > 0 ? i - 1 : 0], to = path[i];
                    if (across >= 0) from[across] = to[across] = voxel[across];
                    least = std::min(least, distance_to_way(physical_point(geometry, voxel),
                                                            physical_point(geometry, from),
                                                            physical_point(geometry, to)));
                }
                if (least <= radius) bits[at] = 3;
            }
    return bits;
}

TEST_F(EditedLabels, AStrokePaintsTheVoxelsThatItsMillimetersSay) {
    start_with_volume(oblique());
    const AnyImage image = io::read_image(file("head.nii")).image;
    const Geometry geometry = AnyImageView(image).geometry();
    const std::vector<Point> path{{10.2, 8.4, 5.3}, {25.7, 14.1, 5.1}, {25.1, 22.8, 6.7}};
    for (const int across : {-1, 0, 1, 2})
        for (const double radius : {1.37, 2.2, 4.01}) {
            Json stroke{{"edit", "stroke"}, {"label", 3}, {"points", path}, {"radius", radius}};
            if (across >= 0) stroke["across"] = std::string(1, "xyz"[across]);
            const Json answer = edit(stroke);
            const Bits expected = painted(geometry, path, radius, across);
            const auto count = std::count(expected.begin(), expected.end(), 3u);
            EXPECT_GT(count, 5);
            EXPECT_EQ(answer.at("points"), count) << across << " " << radius;
            EXPECT_TRUE(bits() == expected) << across << " " << radius;
            undo();
        }
}

TEST_F(EditedLabels, CentersAtTheRadiusAreInsideAndThinStrokesHaveNoGaps) {
    start_with_volume({.spacing = {0.1, 0.1, 3}, .unit = Unit::millimeter});
    EXPECT_EQ(edit(dab(1, {20, 15, 5}, 0.3)).at("points"), 29);  // a disc of 3 voxels: 29 of 49
    undo();
    edit({{"edit", "stroke"},
          {"label", 2},
          {"points", {{1, 1, 5}, {38, 1, 5}, {38, 28, 5}}},
          {"radius", 0.01},
          {"across", "z"}});
    const Bits thin = bits();
    for (int x = 1; x <= 38; ++x) EXPECT_EQ(thin[index(x, 1, 5)], 2u);
    EXPECT_EQ(std::count(thin.begin(), thin.end(), 2u), 38 + 27);
}

TEST_F(EditedLabels, BrushAndBoxChangeWhatTheyMayPaintOver) {
    start_with_volume();
    edit(box(1, {0, 0, 0}, {19, 29, 11}));
    edit(
        {{"edit", "box"}, {"label", 2}, {"first", {30, 29, 3}}, {"last", {10, 0, 2}}, {"over", 0}});
    EXPECT_EQ(bits()[index(10, 5, 2)], 1u);
    EXPECT_EQ(bits()[index(20, 5, 2)], 2u);
    EXPECT_EQ(bits()[index(31, 5, 2)], 0u);
    EXPECT_EQ(bits()[index(20, 5, 4)], 0u);
    edit(
        {{"edit", "stroke"}, {"label", 0}, {"points", {{19.5, 5, 2}}}, {"radius", 3}, {"over", 2}});
    EXPECT_EQ(bits()[index(19, 5, 2)], 1u);
    EXPECT_EQ(bits()[index(20, 5, 2)], 0u);
    // What is beyond the image is not painted, and an edit of nothing is none.
    const std::int64_t before = revision();
    EXPECT_EQ(edit(dab(1, {500, 5, 5}, 2)).at("points"), 0);
    EXPECT_EQ(edit(dab(1, {5, 5, 5}, 2)).at("points"), 0);
    EXPECT_EQ(revision(), before);
    EXPECT_EQ(edit(dab(4, {-2, 5, 5}, 2.5)).at("points"), 1 + 8);
}

// ---- computed edits -----------------------------------------------------------------------------

TEST_F(EditedLabels, AComponentGetsALabelAloneAlsoOneOfAnotherMap) {
    start_with_volume();
    edit(box(1, {0, 0, 0}, {3, 3, 3}));
    edit(box(1, {10, 0, 0}, {13, 3, 3}));
    edit(box(1, {14, 4, 4}, {15, 5, 5}));  // touches the last one at a corner
    EXPECT_EQ(edit({{"edit", "component"}, {"label", 7}, {"at", {11, 1, 1}}}).at("points"), 64 + 8);
    EXPECT_EQ(bits()[index(15, 5, 5)], 7u);
    EXPECT_EQ(bits()[index(0, 0, 0)], 1u);
    const int grown = done(growth("3,4,5=2;30,20,6=9", 12)).at("outputs").at("labels");
    const Bits other = samples<std::uint32_t>(grown);
    Bits expected = bits();
    edit({{"edit", "component"}, {"label", 5}, {"at", {30, 20, 6}}, {"from", grown}});
    for (std::size_t i = 0; i < other.size(); ++i)
        if (other[i] == 9) expected[i] = 5;
    EXPECT_TRUE(bits() == expected);
    expect_refused({{"edit", "component"}, {"label", 5}, {"at", {39, 29, 0}}}, 400, "at",
                   "no label");
}

TEST_F(EditedLabels, HolesAreFilledInSpaceAndInASlice) {
    start_with_volume();
    edit(box(1, {5, 5, 2}, {15, 15, 8}));
    edit(box(0, {8, 8, 4}, {10, 10, 6}));    // closed all around
    edit(box(0, {12, 12, 2}, {13, 13, 8}));  // a tunnel
    edit(box(2, {9, 9, 5}, {9, 9, 5}));      // of another label, in the hole
    EXPECT_EQ(edit({{"edit", "fill"}, {"label", 1}}).at("points"), 26);
    EXPECT_EQ(bits()[index(9, 9, 5)], 2u);
    EXPECT_EQ(bits()[index(12, 12, 5)], 0u);
    EXPECT_EQ(edit({{"edit", "fill"}, {"label", 1}, {"across", "z"}, {"index", 5}}).at("points"),
              4);
    EXPECT_EQ(bits()[index(12, 12, 5)], 1u);
    EXPECT_EQ(bits()[index(12, 12, 4)], 0u);
    // A ring in one slice is open in space.
    edit(box(3, {25, 10, 6}, {30, 10, 9}));
    edit(box(3, {25, 5, 6}, {25, 10, 9}));
    edit(box(3, {30, 5, 6}, {30, 10, 9}));
    edit(box(3, {25, 5, 6}, {30, 5, 9}));
    EXPECT_EQ(edit({{"edit", "fill"}, {"label", 3}}).at("points"), 0);
    EXPECT_EQ(edit({{"edit", "fill"}, {"label", 3}, {"across", "z"}, {"index", 7}}).at("points"),
              16);
}

TEST_F(EditedLabels, TouchingObjectsAreSplitAsTheLibraryDoes) {
    start_with_volume();
    edit(dab(4, {12, 14, 6}, 6));
    edit(dab(4, {22, 14, 6}, 5));
    edit(box(9, {36, 26, 0}, {38, 28, 2}));
    const Bits before = bits();
    EXPECT_EQ(edit({{"edit", "split"}, {"label", 4}}).at("undo"), "split");
    Image<std::uint8_t> mask({width, height, depth}, {.unit = Unit::millimeter});
    std::transform(before.begin(), before.end(), mask.data(),
                   [](std::uint32_t label) { return std::uint8_t(label == 4 ? 255 : 0); });
    Queue queue(Device::parse("cpu"));
    const SplitResult split = split_objects(mask, {}, queue);
    ASSERT_EQ(split.parts, 2u);
    const Bits after = bits();
    for (std::size_t i = 0; i < after.size(); ++i) {
        const std::uint32_t part = split.labels.data()[i];
        // The larger one, which comes first, keeps the label.
        EXPECT_EQ(after[i], part == 0 ? before[i] : part == 1 ? 4u : 10u);
    }
    expect_refused({{"edit", "split"}, {"label", 9}}, 400, "label", "no neck");
    expect_refused({{"edit", "split"}, {"label", 77}}, 400, "label", "no voxel");
}

TEST_F(EditedLabels, LabelsAreMergedDeletedNamedAndListed) {
    start_with_volume();
    edit(box(1, {0, 0, 0}, {9, 9, 9}));
    edit(box(2, {10, 0, 0}, {19, 9, 9}));
    edit(box(12, {20, 0, 0}, {29, 9, 4}));
    edit({{"edit", "describe"}, {"label", 2}, {"name", "Left kidney"}, {"color", "#01fe80"}});
    edit({{"edit", "describe"}, {"label", 30}, {"name", "not there yet"}});
    const Json list = state();
    EXPECT_EQ(list.at("count"), 4);
    EXPECT_EQ(list.at("next"), 31);
    EXPECT_EQ(
        list.at("labels")[1],
        Json({{"label", 2}, {"name", "Left kidney"}, {"color", "#01fe80"}, {"points", 1000}}));
    EXPECT_EQ(list.at("labels")[3].at("points"), 0);
    const auto found = [&](const std::string& text) {
        std::vector<int> labels;
        const Json list_found = client().get(address("?search=" + text)).json();
        for (const Json& row : list_found.at("labels")) labels.push_back(row.at("label"));
        return labels;
    };
    EXPECT_EQ(found("KID"), std::vector<int>{2});
    EXPECT_EQ(found("1"), (std::vector<int>{1, 12}));
    EXPECT_EQ(client().get(address("/place?label=12")).json().at("at"), Json({24, 4, 2}));
    EXPECT_EQ(client().get(address("/place?label=99")).status, 404);
    const Json image = client().get("/api/images/" + std::to_string(labels_)).json();
    EXPECT_EQ(image.at("labels")[0].at("name"), "Left kidney");
    EXPECT_EQ(image.at("editable"), true);

    EXPECT_EQ(edit({{"edit", "merge"}, {"labels", {2, 12}}, {"label", 1}}).at("points"), 1500);
    EXPECT_EQ(state().at("labels")[0].at("points"), 2500);
    EXPECT_EQ(state().at("count"), 2);  // names of merged labels go with them
    undo();
    EXPECT_EQ(state().at("labels"), list.at("labels"));
    edit({{"edit", "delete"}, {"label", 2}});
    EXPECT_EQ(state().at("count"), 3);
    undo();
    EXPECT_EQ(state().at("labels"), list.at("labels"));
}

TEST_F(EditedLabels, ResultsAreTakenInWithTheirNames) {
    start_with_volume();
    const int grown = done(growth("3,4,5=2;30,20,6=9", 12)).at("outputs").at("labels");
    const Bits other = samples<std::uint32_t>(grown);
    edit(box(1, {0, 0, 0}, {39, 29, 5}));
    Bits expected = bits();
    edit({{"edit", "take"}, {"from", grown}, {"over", 0}});
    for (std::size_t i = 0; i < other.size(); ++i)
        if (other[i] != 0 && expected[i] == 0) expected[i] = other[i];
    EXPECT_TRUE(bits() == expected);
    edit({{"edit", "take"}, {"from", grown}, {"label", 6}});
    for (std::size_t i = 0; i < other.size(); ++i)
        if (other[i] != 0) expected[i] = 6;
    EXPECT_TRUE(bits() == expected);
    // A copy begins with all of it, and what it was made of stays.
    const int copy = new_labels({{"from", labels_}});
    EXPECT_TRUE(samples<std::uint32_t>(copy) == expected);
    edit({{"edit", "delete"}, {"label", 6}});
    EXPECT_TRUE(samples<std::uint32_t>(copy) == expected);
    EXPECT_TRUE(samples<std::uint32_t>(grown) == other);
}

TEST_F(EditedLabels, LabelMapsOfAnotherGridAreRefused) {
    start_with_volume(oblique());
    LabelImage small({10, 10, 3});
    write("small.nii", small);
    Geometry moved = oblique();
    moved.origin[0] += 1;
    write("moved.nii", LabelImage({width, height, depth}, moved));
    Image<std::int16_t> below({width, height, depth}, oblique());
    std::fill(below.pixels().begin(), below.pixels().end(), std::int16_t{-1});
    write("below.nii", below);
    start({"head.nii", "small.nii", "moved.nii", "below.nii"});
    labels_ = new_labels({{"of", 1}});
    expect_refused({{"edit", "take"}, {"from", 2}}, 400, "from", "another grid");
    expect_refused({{"edit", "take"}, {"from", 3}}, 400, "from", "another grid");
    expect_refused({{"edit", "take"}, {"from", 55}}, 404, "", "no image 55");
    expect_refused({{"edit", "component"}, {"label", 1}, {"at", {1, 1, 1}}, {"from", 2}}, 400,
                   "from", "another grid");
    expect_refused({{"edit", "take"}, {"from", 4}}, 400, "from", "no label map");
    EXPECT_EQ(client().post("/api/labels", {{"from", 4}}).field(), "from");
}

}  // namespace
}  // namespace tesela::viewer::testing
