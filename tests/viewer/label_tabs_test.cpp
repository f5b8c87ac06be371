// Labels that several tabs and jobs use, and edits that are refused.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>

#include "edited_labels.h"
#include "tesela/region_grow.h"

namespace tesela::viewer::testing {
namespace {

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

TEST_F(EditedLabels, SlicesSinceARevisionHaveWhatHasChanged) {
    start_with_volume(oblique());
    Numbers random(11);
    const auto voxel = [&] { return Json{random.below(40), random.below(30), random.below(12)}; };
    struct Known {
        std::string address;
        std::vector<std::int64_t> size;
        Bits samples;
    };
    const auto words = [](const std::string& text) {
        std::istringstream stream(text);
        return std::vector<std::int64_t>(std::istream_iterator<std::int64_t>(stream), {});
    };
    const auto bits_of = [](const Answer& answer) {
        EXPECT_EQ(answer.status, 200) << answer.body;
        Bits samples(answer.body.size() / sizeof(std::uint32_t));
        std::memcpy(samples.data(), answer.body.data(), answer.body.size());
        return samples;
    };
    std::vector<Known> all;
    for (const char* place : {"axis=x&index=20", "axis=y&index=15", "axis=z&index=6",
                              "axis=z&index=6&step=2", "axis=y&index=14&step=4"}) {
        const std::string address = "/api/images/" + std::to_string(labels_) + "/slice?" + place;
        const Answer answer = client().get(address);
        all.push_back({address, words(answer.headers.at("x-tesela-slice")), bits_of(answer)});
    }
    std::int64_t known = 0, sent = 0, whole = 0;
    for (int i = 0; i < 60; ++i) {
        const int what = random.below(6);
        const Json state = this->state();
        if (what == 0 && !state.at("undo").is_null())
            undo();
        else if (what == 1 && !state.at("redo").is_null())
            redo();
        else if (what == 2)
            edit({{"edit", "describe"}, {"label", 3}, {"name", std::to_string(i)}});
        else if (what < 5)
            edit(dab(static_cast<std::uint32_t>(random.below(4)), voxel(), 1.5 + random.below(5)));
        else
            edit(box(static_cast<std::uint32_t>(random.below(4)), voxel(), voxel()));
        if (random.below(3) == 0) continue;  // a page that misses some
        for (Known& slice : all) {
            const Answer answer = client().get(slice.address + "&since=" + std::to_string(known));
            const auto part = words(answer.headers.at("x-tesela-slice-part"));
            ASSERT_EQ(part.size(), 4u);
            const Bits changed = bits_of(answer);
            ASSERT_EQ(static_cast<std::int64_t>(changed.size()), part[2] * part[3]);
            for (std::int64_t y = 0; y < part[3]; ++y)
                std::copy_n(changed.begin() + y * part[2], part[2],
                            slice.samples.begin() + (part[1] + y) * slice.size[0] + part[0]);
            ASSERT_EQ(slice.samples, bits_of(client().get(slice.address))) << slice.address << i;
            sent += part[2] * part[3];
            whole += slice.size[0] * slice.size[1];
        }
        known = revision();
    }
    EXPECT_LT(sent, whole / 2);
    // Of a revision that there has not been, or that is forgotten, all comes.
    for (const std::int64_t since : {known + 1, std::int64_t{-1}}) {
        const Answer answer = client().get(all.front().address + "&since=" + std::to_string(since));
        EXPECT_FALSE(answer.headers.contains("x-tesela-slice-part"));
        EXPECT_EQ(bits_of(answer), all.front().samples);
    }
    EXPECT_EQ(client().get(all.front().address + "&since=x").field(), "since");
}

// Of the last 1024 changes the boxes are known, each with its own revision.
TEST_F(EditedLabels, OfChangesLongAgoAllComes) {
    start_with_volume();
    constexpr int all = 1030;
    for (int i = 0; i < all; ++i) {
        const int x = i % 40, y = i / 40;
        edit(box(1 + static_cast<std::uint32_t>(i % 3), {x, y, 6}, {x, y, 6}));
    }
    ASSERT_EQ(revision(), all);
    const auto part_since = [&](int revision) {
        const Answer answer =
            client().get("/api/images/" + std::to_string(labels_) +
                         "/slice?axis=z&index=6&since=" + std::to_string(revision));
        const auto found = answer.headers.find("x-tesela-slice-part");
        return found == answer.headers.end() ? std::string() : found->second;
    };
    EXPECT_EQ(part_since(all - 1025), "");
    EXPECT_NE(part_since(all - 1024), "");
    EXPECT_EQ(part_since(all - 1), "29 25 1 1");
    EXPECT_EQ(part_since(all - 3), "27 25 3 1");
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
