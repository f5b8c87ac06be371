// Labels that are edited: what each edit changes, that all of it can be taken back, and what
// becomes of it on disk.
#include <algorithm>
#include <cmath>
#include <random>

#include "operations/kinds/image.h"
#include "tesela/align.h"
#include "tesela/components.h"
#include "tesela/mask.h"
#include "tesela/measure.h"
#include "tesela/region_grow.h"
#include "viewer/server/label_history.h"
#include "viewer_test.h"

namespace tesela::viewer::testing {
namespace {

using Bits = std::vector<std::uint32_t>;
using Point = std::array<double, 3>;

// Whole numbers from 0, of a fixed seed.
class Numbers {
  public:
    explicit Numbers(unsigned seed) : random_(seed) {}
    int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
    std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }

  private:
    std::mt19937 random_;
};

// Turned about two axes, with voxels of three different lengths.
Geometry oblique() {
    const double a = 0.5, b = 0.3;
    return {.spacing = {0.5, 1, 2.5},
            .origin = {-20, 12, 5},
            .direction = {std::cos(a), -std::sin(a) * std::cos(b), std::sin(a) * std::sin(b),
                          std::sin(a), std::cos(a) * std::cos(b), -std::cos(a) * std::sin(b), 0,
                          std::sin(b), std::cos(b)},
            .unit = Unit::millimeter};
}

class EditedLabels : public ViewerTest {
  protected:
    static constexpr std::int64_t width = 40, height = 30, depth = 12;

    void start_with_volume(const Geometry& geometry = {.unit = Unit::millimeter}) {
        write("head.nii", cli::testing::volume(width, height, depth, geometry));
        ViewerSettings made = settings({"head.nii"});
        made.save_to = folder;
        start(made);
        labels_ = new_labels({{"of", 1}});
    }
    int new_labels(const Json& request) const {
        const Answer answer = client().post("/api/labels", request);
        EXPECT_EQ(answer.status, 201) << answer.body;
        return answer.status == 201 ? answer.json().at("image").get<int>() : 0;
    }
    std::string address(const std::string& part = "") const {
        return "/api/labels/" + std::to_string(labels_) + part;
    }
    Json state() const { return client().get(address()).json(); }
    std::int64_t revision() const { return state().at("revision"); }
    Answer ask(Json edit) const {
        if (!edit.contains("revision")) edit["revision"] = revision();
        return client().post(address("/edits"), edit);
    }
    Json edit(const Json& request) const {
        const Answer answer = ask(request);
        EXPECT_EQ(answer.status, 200) << request << answer.body;
        return answer.json();
    }
    Json undo() const { return edit({{"edit", "undo"}}); }
    Json redo() const { return edit({{"edit", "redo"}}); }
    void expect_refused(const Json& request, int status, const std::string& field,
                        const std::string& words) const {
        const Bits before = bits();
        const Answer answer = ask(request);
        EXPECT_EQ(answer.status, status) << request << answer.body;
        EXPECT_EQ(answer.field(), field) << request << answer.body;
        EXPECT_NE(answer.error().find(words), std::string::npos) << answer.error();
        EXPECT_EQ(bits(), before);
    }
    Bits bits() const { return samples<std::uint32_t>(labels_); }
    static std::size_t index(std::int64_t x, std::int64_t y, std::int64_t z) {
        return static_cast<std::size_t>((z * height + y) * width + x);
    }
    static Json box(std::uint32_t label, const Json& first, const Json& last) {
        return {{"edit", "box"}, {"label", label}, {"first", first}, {"last", last}};
    }
    static Json dab(std::uint32_t label, const Json& at, double radius) {
        return {{"edit", "stroke"}, {"label", label}, {"points", {at}}, {"radius", radius}};
    }

    int labels_ = 0;
};

// ---- strokes ------------------------------------------------------------------------------------

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

// ---- undo ---------------------------------------------------------------------------------------

TEST_F(EditedLabels, AHundredStepsAreTakenBackAndDoneAgainBitForBit) {
    start_with_volume(oblique());
    const int grown = done(growth("3,4,5=2;30,20,6=9", 12)).at("outputs").at("labels");
    Numbers random(7);
    const auto number = [&](int below) { return random.below(below); };
    std::vector<Bits> states{bits()};
    std::vector<Json> lists{state().at("labels")};
    while (states.size() <= 105) {
        const Json at{number(40), number(30), number(12)}, to{number(40), number(30), number(12)};
        const auto label = static_cast<std::uint32_t>(1 + number(6));
        switch (number(6)) {
            case 0:
                ask({{"edit", "take"}, {"from", grown}});
                break;
            case 1:
                ask(box(label, at, to));
                break;
            case 2:
                ask({{"edit", "delete"}, {"label", label}});
                break;
            case 3:
                ask({{"edit", "describe"}, {"label", label}, {"name", "n" + at.dump()}});
                break;
            case 4:
                ask({{"edit", "component"}, {"label", label}, {"at", at}});
                break;
            default:
                ask({{"edit", "stroke"},
                     {"label", label - 1},
                     {"points", {at, to}},
                     {"radius", 0.5 + number(30) / 7.0}});
        }
        Bits now = bits();
        Json list = state().at("labels");
        if (now == states.back() && list == lists.back()) continue;
        states.push_back(std::move(now));
        lists.push_back(std::move(list));
    }
    for (int step = 105; step-- > 5;) {
        undo();
        ASSERT_TRUE(bits() == states[static_cast<std::size_t>(step)]) << step;
        ASSERT_EQ(state().at("labels"), lists[static_cast<std::size_t>(step)]) << step;
    }
    expect_refused({{"edit", "undo"}}, 409, "edit", "nothing to undo");
    for (int step = 6; step <= 105; ++step) {
        redo();
        ASSERT_TRUE(bits() == states[static_cast<std::size_t>(step)]) << step;
        ASSERT_EQ(state().at("labels"), lists[static_cast<std::size_t>(step)]) << step;
    }
    expect_refused({{"edit", "redo"}}, 409, "edit", "nothing to redo");
    undo();
    edit(box(99, {0, 0, 0}, {0, 0, 0}));
    EXPECT_EQ(state().at("redo"), Json());
}

TEST(LabelHistory, DifferencesKnowTheirRunsAndTheirBox) {
    LabelDifference difference;
    Numbers random(3);
    std::vector<std::array<std::int64_t, 4>> runs;
    for (std::int64_t at = 5; at < 3'000'000; at += 1 + random.below(40))
        runs.push_back({at, 1, random.below(5), 5 + random.below(5)});
    for (const auto& [at, length, before, after] : runs)
        difference.add(at, length, std::uint32_t(before), std::uint32_t(after));
    difference.close();
    EXPECT_EQ(difference.points(), std::int64_t(runs.size()));
    EXPECT_LT(difference.bytes(), std::int64_t(4 * runs.size()));
    std::size_t next = 0;
    std::int64_t offset = 0;
    difference.for_each([&](std::int64_t first, std::int64_t length, std::uint32_t before,
                            std::uint32_t after) {
        for (offset = 0; offset < length; ++offset, ++next)
            ASSERT_EQ(runs[next], (std::array<std::int64_t, 4>{first + offset, 1, before, after}));
    });
    EXPECT_EQ(next, runs.size());

    const Shape shape{.x = 10, .y = 8, .z = 6, .t = 2};
    const auto box_of = [&](std::int64_t first, std::int64_t length) {
        LabelDifference one;
        one.add(first, length, 0, 1);
        one.close();
        return one.box(shape);
    };
    LabelBox box = box_of(480 + 80 + 23, 4);
    EXPECT_EQ(box.first, (std::array<std::int64_t, 3>{3, 2, 1}));
    EXPECT_EQ(box.last, (std::array<std::int64_t, 3>{6, 2, 1}));
    EXPECT_EQ(box.t, 1);
    box = box_of(28, 5);  // goes on in the next row
    EXPECT_EQ(box.first, (std::array<std::int64_t, 3>{0, 2, 0}));
    EXPECT_EQ(box.last, (std::array<std::int64_t, 3>{9, 3, 0}));
    EXPECT_FALSE(box_of(470, 20).t);
}

TEST(LabelHistory, KeepsToItsBytesAndToTheNewestStep) {
    const auto step = [](int points) {
        LabelStep made{.name = "step"};
        Numbers random(1);
        for (std::int64_t at = 0; at < points; ++at)
            made.difference.add(2 * at, 1, 2 * random.word(), random.word() | 1);
        made.difference.close();
        return made;
    };
    LabelHistory history(100, 20'000);
    for (int i = 0; i < 50; ++i) history.add(step(300));
    EXPECT_LE(history.bytes(), 20'000);
    EXPECT_GT(history.bytes(), 10'000);
    history.add(step(100'000));
    ASSERT_TRUE(history.to_undo());
    EXPECT_EQ(history.to_undo()->difference.points(), 100'000);
    history.undone();
    EXPECT_FALSE(history.to_undo());
    EXPECT_TRUE(history.to_redo());
}

// ---- files --------------------------------------------------------------------------------------

TEST_F(EditedLabels, WhatIsSavedEqualsWhatIsShown) {
    start_with_volume(oblique());
    EXPECT_EQ(state().at("unsaved"), false);
    edit(dab(3, {20, 15, 6}, 5));
    edit(box(300, {0, 0, 0}, {3, 3, 3}));
    edit({{"edit", "describe"}, {"label", 3}, {"name", "heart"}, {"color", "#112233"}});
    EXPECT_EQ(state().at("unsaved"), true);
    const std::string save = "/api/images/" + std::to_string(labels_) + "/save";
    EventReader events(client());
    EXPECT_EQ(client().post(save, {{"name", "edited.nii.gz"}}).status, 200);
    EXPECT_EQ(events.until("labels").at("unsaved"), false);
    EXPECT_EQ(state().at("unsaved"), false);
    const io::LabelMap saved = io::read_label_map(file("edited.nii.gz"));
    EXPECT_TRUE(saved.labels.pixels() == bits());
    EXPECT_EQ(label_name(*saved.table, 3), "heart");
    EXPECT_EQ(color_of(saved.table.get(), 3), (Rgb{0x11, 0x22, 0x33}));
    EXPECT_EQ(client().post(save, {{"name", "edited.nii.gz"}}).status, 409);
    EXPECT_EQ(client().post(save, {{"name", "../edited.nii.gz"}}).status, 400);
    EXPECT_EQ(client().post(save, {{"name", "head.nii"}}).status, 403);
    EXPECT_EQ(client().post(save, {{"name", "head.nii"}, {"replace_labels", true}}).status, 403);
    // An edit and its undo come to what the file has.
    edit(dab(4, {20, 15, 6}, 2));
    EXPECT_EQ(state().at("unsaved"), true);
    undo();
    EXPECT_EQ(state().at("unsaved"), false);
}

TEST_F(EditedLabels, AnOpenedLabelMapIsReplacedWhereTheUserSaysSo) {
    write("head.nii", cli::testing::volume(width, height, depth, {.unit = Unit::millimeter}));
    write("regions.nii", LabelImage({width, height, depth}, {.unit = Unit::millimeter}));
    ViewerSettings made = settings({"head.nii"});
    made.labels = file("regions.nii");
    made.save_to = folder;
    start(made);
    labels_ = new_labels({{"from", 2}});
    edit(box(5, {0, 0, 0}, {3, 3, 3}));
    const std::string save = "/api/images/" + std::to_string(labels_) + "/save";
    EXPECT_EQ(client().post(save, {{"name", "regions.nii"}, {"overwrite", true}}).status, 403);
    EXPECT_EQ(io::read_labels(file("regions.nii"))(0, 0, 0), 0u);
    EXPECT_EQ(client().post(save, {{"name", "regions.nii"}, {"replace_labels", true}}).status, 200);
    EXPECT_EQ(io::read_labels(file("regions.nii"))(0, 0, 0), 5u);
    EXPECT_TRUE(samples<std::uint8_t>(2).size() > 0);  // read again
}

TEST_F(EditedLabels, AFullDiskLosesNoEdit) {
    start_with_volume();
    edit(dab(3, {20, 15, 6}, 5));
    const Bits before = bits();
    const std::string save = "/api/images/" + std::to_string(labels_) + "/save";
    {
        const FullDisk full;
        EXPECT_EQ(client().post(save, {{"name", "edited.nii"}}).status, 500);
        EXPECT_EQ(client().post(address("/table"), {{"name", "t.csv"}}).status, 500);
    }
    EXPECT_EQ(names(), std::vector<std::string>{"head.nii"});
    EXPECT_EQ(state().at("unsaved"), true);
    EXPECT_TRUE(bits() == before);
    EXPECT_EQ(client().post(save, {{"name", "edited.nii"}}).status, 200);
}

TEST_F(EditedLabels, TablesAndPicturesAreThoseOfTheVerbs) {
    start_with_volume();
    edit(dab(3, {20, 15, 6}, 5));
    edit({{"edit", "describe"}, {"label", 3}, {"name", "heart"}});
    EXPECT_EQ(client().post(address("/table"), {{"name", "t.csv"}, {"image", 1}}).status, 200);
    EXPECT_EQ(client().post(address("/overlay"), {{"name", "o.png"}, {"image", 1}}).status, 200);
    client().post("/api/images/" + std::to_string(labels_) + "/save", {{"name", "edited.nii"}});
    ASSERT_EQ(run({"measure", "edited.nii", "--on", "head.nii", "-o", "verb.csv"}).code, 0);
    ASSERT_EQ(run({"overlay", "head.nii", "edited.nii", "--fill", "0.4", "-o", "verb.png"}).code,
              0);
    EXPECT_EQ(read_text("t.csv"), read_text("verb.csv"));
    EXPECT_NE(read_text("t.csv").find("heart"), std::string::npos);
    const auto picture = [&](const std::string& name) {
        return std::get<Image<std::uint8_t>>(io::read_image(file(name)).image).pixels();
    };
    EXPECT_TRUE(picture("o.png") == picture("verb.png"));
    EXPECT_EQ(client().post(address("/table"), {{"name", "t.csv"}}).status, 409);
    EXPECT_EQ(client().post(address("/table"), {{"name", "t.doc"}}).status, 422);
    EXPECT_EQ(client().post(address("/overlay"), {{"name", "p.png"}}).field(), "image");
}

TEST_F(EditedLabels, UnsavedLabelsAreKeptWhenTheViewerEnds) {
    start_with_volume(oblique());
    edit(dab(3, {20, 15, 6}, 5));
    edit({{"edit", "describe"}, {"label", 3}, {"name", "heart"}});
    new_labels({{"of", 1}});  // which nobody edits
    const Bits before = bits();
    const auto rescued = viewer().rescue_labels(file("state/tesela"));
    ASSERT_EQ(rescued.size(), 1u);
    EXPECT_EQ(rescued[0].name, "labels of head.nii");
    EXPECT_EQ(rescued[0].error, "");
    EXPECT_TRUE(rescued[0].path.filename().string().starts_with("labels-of-head-"));
    const io::LabelMap kept = io::read_label_map(rescued[0].path);
    EXPECT_TRUE(kept.labels.pixels() == before);
    EXPECT_EQ(label_name(*kept.table, 3), "heart");
    const auto again = viewer().rescue_labels(file("state/tesela"));
    EXPECT_NE(again.at(0).path, rescued[0].path);
    const auto nowhere = viewer().rescue_labels("/proc/none");
    EXPECT_TRUE(nowhere.at(0).path.empty());
    EXPECT_NE(nowhere.at(0).error, "");
}

// ---- several tabs, jobs, and bad input ----------------------------------------------------------

TEST_F(EditedLabels, TwoTabsSeeEachOthersEdits) {
    start_with_volume();
    EventReader other(client());
    edit(box(1, {2, 3, 4}, {5, 6, 7}));
    Json told = other.until("labels");
    EXPECT_EQ(told.at("id"), labels_);
    EXPECT_EQ(told.at("revision"), 1);
    EXPECT_EQ(told.at("box"), Json::parse("[[2,3,4],[5,6,7]]"));
    EXPECT_EQ(told.at("undo"), "box");
    EXPECT_EQ(told.at("table"), false);
    // A stroke of somebody who has not seen that is made on top of it; what is chosen by what is
    // seen is not.
    Json late = dab(2, {20, 20, 6}, 2);
    late["revision"] = 0;
    EXPECT_EQ(client().post(address("/edits"), late).status, 200);
    for (const Json& stale : std::vector<Json>{{{"edit", "delete"}, {"label", 1}},
                                               {{"edit", "undo"}},
                                               {{"edit", "split"}, {"label", 1}}}) {
        Json request = stale;
        request["revision"] = 1;
        const Answer answer = client().post(address("/edits"), request);
        EXPECT_EQ(answer.status, 409) << answer.body;
        EXPECT_EQ(answer.field(), "revision");
    }
    undo();
    EXPECT_EQ(other.until("labels").at("revision"), 2);
    told = other.until("labels");
    EXPECT_EQ(told.at("revision"), 3);
    EXPECT_EQ(told.at("redo"), "brush");
}

TEST_F(EditedLabels, AJobComputesFromWhatTheLabelsWereWhenItBegan) {
    start_with_volume();
    edit(dab(2, {5, 5, 5}, 1.5));
    edit(dab(9, {30, 20, 6}, 1.5));
    const LabelImage seeds = [&] {
        LabelImage image({width, height, depth}, {.unit = Unit::millimeter});
        const Bits now = bits();
        std::copy(now.begin(), now.end(), image.data());
        return image;
    }();
    Json request = growth("", 12);
    request["inputs"]["seeds"] = {{"image", labels_}};
    EventReader events(client());
    const int job = begin(request);
    edit({{"edit", "delete"}, {"label", 2}});
    const Json state = events.until(job, {"done", "failed", "canceled"});
    ASSERT_EQ(state.at("state"), "done") << state;
    Queue queue(Device::parse("cpu"));
    const RegionGrowResult expected =
        region_grow(io::read_image(file("head.nii")).image, SeedLabels(seeds),
                    ToleranceGrowOptions{.tolerance = 12}, queue);
    EXPECT_TRUE(samples<std::uint32_t>(state.at("outputs").at("labels")) ==
                expected.labels.pixels());
    EXPECT_TRUE(state.at("command").get<std::string>().starts_with(
        "# labels-" + std::to_string(labels_) + ".nii.gz: "));
}

TEST_F(EditedLabels, BadEditsAreRefusedWithTheirMember) {
    start_with_volume();
    edit(box(1, {2, 3, 4}, {5, 6, 7}));
    const auto stroke = [](const std::string& member, const Json& value) {
        Json made = dab(1, {5, 5, 5}, 2);
        made[member] = value;
        return made;
    };
    expect_refused(stroke("radius", 0), 400, "radius", "above 0");
    expect_refused(stroke("radius", -3), 400, "radius", "above 0");
    expect_refused(stroke("radius", 1e9), 400, "radius", "1,000,000");
    expect_refused(stroke("radius", "3"), 400, "radius", "number");
    expect_refused(stroke("points", Json::array()), 400, "points", "1 to 20,000");
    expect_refused(stroke("points", {{1, 2}}), 400, "points", "three numbers");
    expect_refused(stroke("points", {{1, 2, 1e7}}), 400, "points", "1,000,000");
    expect_refused(stroke("points", {{1, 2, "z"}}), 400, "points", "numbers");
    expect_refused(stroke("label", 4294967296), 400, "label", "4294967295");
    expect_refused(stroke("label", -1), 400, "label", "-1");
    expect_refused(stroke("across", "w"), 400, "across", "x, y or z");
    expect_refused(stroke("t", 1), 400, "t", "0 to 0");
    expect_refused(stroke("color", "red"), 400, "color", "no part");
    expect_refused(stroke("edit", "explode"), 400, "edit", "explode");
    expect_refused(stroke("revision", "new"), 400, "revision", "whole number");
    expect_refused(box(1, {0, 0, 0}, {40, 0, 0}), 400, "last", "beyond");
    expect_refused({{"edit", "describe"}, {"label", 1}, {"name", "a\nb"}}, 400, "name", "line");
    expect_refused({{"edit", "describe"}, {"label", 1}, {"color", "red"}}, 400, "color", "#a0b1c2");
    expect_refused({{"edit", "describe"}, {"label", 0}, {"name", "air"}}, 400, "label", "0");
    expect_refused({{"edit", "fill"}, {"label", 1}, {"across", "z"}, {"index", 12}}, 400, "index",
                   "0 to 11");
    expect_refused({{"edit", "merge"}, {"label", 1}, {"labels", {1, 0}}}, 400, "labels", "0");
    expect_refused({{"edit", "split"}, {"label", 1}, {"depth", -1}}, 400, "depth", "above 0");
    EXPECT_EQ(client().post(address("/edits"), {{"edit", "undo"}}).field(), "revision");
    EXPECT_EQ(client().get("/api/labels/1").status, 404);  // an image that nobody edits
    EXPECT_EQ(client().get("/api/labels/99").status, 404);
    EXPECT_EQ(client().get(address("/edits")).status, 405);
    EXPECT_EQ(client().get(address("/nothing")).status, 404);
    EXPECT_EQ(client().post("/api/labels", {{"of", 1}, {"from", 1}}).status, 400);
    EXPECT_EQ(client().post("/api/labels", {{"of", 99}}).status, 404);
}

TEST_F(EditedLabels, WhateverIsWrittenForAMemberTheServerAnswers) {
    start_with_volume();
    edit(dab(3, {20, 15, 6}, 5));
    const std::vector<Json> edits{dab(1, {5, 5, 5}, 2),
                                  box(1, {0, 0, 0}, {1, 1, 1}),
                                  {{"edit", "component"}, {"label", 2}, {"at", {20, 15, 6}}},
                                  {{"edit", "take"}, {"from", labels_}, {"label", 4}},
                                  {{"edit", "fill"}, {"label", 3}, {"across", "x"}, {"index", 20}},
                                  {{"edit", "split"}, {"label", 3}, {"depth", 0.5}},
                                  {{"edit", "merge"}, {"labels", {3}}, {"label", 5}},
                                  {{"edit", "describe"}, {"label", 3}, {"name", "x"}}};
    const std::vector<Json> values{nullptr,
                                   true,
                                   -1,
                                   0,
                                   1e300,
                                   "",
                                   "xyz",
                                   1 << 30,
                                   4294967296.,
                                   Json::array(),
                                   Json::object(),
                                   Json::array({1, 2, 3}),
                                   Json::array({Json::array({1, 2, 3}), 1})};
    for (const Json& whole : edits)
        for (const auto& member : whole.items())
            for (const Json& value : values) {
                Json broken = whole;
                broken[member.key()] = value;
                const int status = ask(broken).status;
                EXPECT_TRUE(status == 200 || (status >= 400 && status < 500))
                    << broken << " " << status;
            }
    EXPECT_EQ(client().get("/api/session").status, 200);
}

TEST_F(EditedLabels, StrokesThatTakeTooLongAreRefused) {
    start_with_volume();
    std::vector<Point> points;
    for (int i = 0; i < 2000; ++i) points.push_back({i % 2 * 39.0, 10.0 + i % 3, 5});
    Json stroke = dab(1, {0, 0, 0}, 1e6);
    stroke["points"] = points;
    EXPECT_EQ(ask(stroke).status, 200);  // 40 x 30 x 12 voxels, 2,000 times
    write("long.nii", LabelImage({400, 300, 40}));
    start({"long.nii"});
    labels_ = new_labels({{"of", 1}});
    EXPECT_EQ(ask(stroke).status, 413);
}

TEST_F(EditedLabels, AReadOnlyViewerEditsNothing) {
    write("head.nii", cli::testing::volume(width, height, depth));
    ViewerSettings made = settings({"head.nii"});
    made.read_only = true;
    start(made);
    EXPECT_EQ(client().post("/api/labels", {{"of", 1}}).status, 403);
    EXPECT_EQ(client().post("/api/labels/2/edits", {{"edit", "undo"}}).status, 403);
}

TEST_F(EditedLabels, LabelsKeepToTheMemory) {
    write("head.nii", cli::testing::volume(width, height, depth));
    ViewerSettings made = settings({"head.nii"});
    made.max_memory = 250'000;  // labels take 57,600
    start(made);
    labels_ = new_labels({{"of", 1}});
    for (const int fits : {201, 201, 201, 507})
        EXPECT_EQ(client().post("/api/labels", {{"of", 1}}).status, fits);
    Numbers random(5);
    for (std::uint32_t i = 0; i < 300; ++i)
        edit(dab(1 + i % 9, {random.below(40), random.below(30), random.below(12)}, 3));
    EXPECT_EQ(client().get("/api/session").status, 200);
    EXPECT_NE(state().at("undo"), Json());
    // Forgotten labels make room for others.
    EXPECT_EQ(client().remove("/api/images/" + std::to_string(labels_)).status, 200);
    EXPECT_EQ(client().get(address()).status, 404);
    EXPECT_EQ(client().post("/api/labels", {{"of", 1}}).status, 201);
    std::vector<std::string> called;
    const Json session = client().get("/api/session").json();
    for (const Json& image : session.at("images")) called.push_back(image.at("name"));
    EXPECT_EQ(called,
              (std::vector<std::string>{"head.nii", "labels 2 of head.nii", "labels 3 of head.nii",
                                        "labels 4 of head.nii", "labels of head.nii"}));
}

TEST_F(EditedLabels, EachTimePointHasItsOwnLabels) {
    Image<std::int16_t> series({12, 10, 5, 3});
    write("series.nii", series);
    start({"series.nii"});
    labels_ = new_labels({{"of", 1}});
    Json stroke = dab(2, {5, 5, 2}, 2);
    stroke["t"] = 1;
    const Json answer = edit(stroke);
    EXPECT_EQ(answer.at("t"), 1);
    EXPECT_EQ(answer.at("points"), 33);
    const auto at = [&](int t) {
        const Answer slice = client().get("/api/images/" + std::to_string(labels_) +
                                          "/slice?index=2&t=" + std::to_string(t));
        return reinterpret_cast<const std::uint32_t*>(slice.body.data())[5 * 12 + 5];
    };
    EXPECT_EQ(at(0), 0u);
    EXPECT_EQ(at(1), 2u);
    EXPECT_EQ(client().get(address("/place?label=2")).json(), Json({{"at", {5, 5, 2}}, {"t", 1}}));
    EXPECT_EQ(edit({{"edit", "component"}, {"label", 0}, {"at", {5, 5, 2}}, {"t", 1}}).at("points"),
              33);
}

}  // namespace
}  // namespace tesela::viewer::testing
