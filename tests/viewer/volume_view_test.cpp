// Volumes in three dimensions: pictures are those of `tesela render`, to the bit, whatever was
// shown before.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "tesela/render.h"
#include "viewer_test.h"

namespace tesela::viewer::testing {
namespace {

using namespace std::chrono_literals;
using operations::Registry;

// A ball of 1000 in 0 around voxel (20, 16, 12), with soft borders: 500 lie 13.5 mm from its
// middle.
Image<std::int16_t> ball(const Geometry& geometry) {
    Image<std::int16_t> volume({40, 32, 24}, geometry);
    for (std::int64_t z = 0; z < 24; ++z)
        for (std::int64_t y = 0; y < 32; ++y)
            for (std::int64_t x = 0; x < 40; ++x) {
                const double far = std::hypot(double(x - 20), double(y - 16), 1.5 * double(z - 12));
                volume(x, y, z) =
                    static_cast<std::int16_t>(std::clamp(1050 - 100 * (far - 8), 0., 1000.));
            }
    return volume;
}
const Geometry in_millimeters{.spacing = {1, 1, 1.5}, .unit = Unit::millimeter};

Json view_of(const Json& options, const Json& more_inputs = Json::object()) {
    Json inputs{{"input", {{"image", 1}}}};
    inputs.update(more_inputs);
    return {{"inputs", inputs}, {"options", options}};
}

class VolumeView : public ViewerTest {
  protected:
    void start_with_ball() {
        write("ball.nii", ball(in_millimeters));
        start_there({"ball.nii"});
    }
    Answer frame(const Json& body) const { return client().post("/api/views/frame", body); }
    Json pick(Json body, std::int64_t x, std::int64_t y) const {
        body["at"] = {x, y};
        const Answer answer = client().post("/api/views/pick", body);
        EXPECT_EQ(answer.status, 200) << answer.body;
        return answer.json().at("hit");
    }
    Json lines(const Json& body) const {
        const Answer answer = client().post("/api/views/lines", body);
        EXPECT_EQ(answer.status, 200) << answer.body;
        return answer.json();
    }
    // The samples of a picture against those of the file that the command line makes.
    void expect_same(const Json& body) {
        const Answer answer = frame(body);
        ASSERT_EQ(answer.status, 200) << body << answer.body;
        const std::string command = lines(body).at("command");
        ASSERT_TRUE(runs(command)) << command;
        const AnyImage made = io::read_image(again() / "view.png").image;
        const auto& pixels = std::get<Image<std::uint8_t>>(made).pixels();
        EXPECT_TRUE(
            std::equal(pixels.begin(), pixels.end(), answer.body.begin(), answer.body.end(),
                       [](std::uint8_t a, char b) { return a == static_cast<unsigned char>(b); }))
            << command << ": " << answer.body.size() << " bytes";
        EXPECT_NE(std::count_if(pixels.begin(), pixels.end(), [](int p) { return p > 50; }), 0)
            << command;
    }
    void expect_refused(const Json& body, int status, const std::string& field,
                        const std::string& words, const std::string& what = "frame") const {
        const Answer answer = client().post("/api/views/" + what, body);
        EXPECT_EQ(answer.status, status) << body << answer.body;
        EXPECT_EQ(answer.field(), field) << body << answer.body;
        EXPECT_NE(answer.error().find(words), std::string::npos) << answer.error();
    }
};

TEST_F(VolumeView, PicturesAreThoseOfTheCommandLine) {
    LabelImage labels({40, 32, 24}, in_millimeters);
    const tesela::Image<std::int16_t> volume = ball(in_millimeters);
    for (std::size_t i = 0; i < volume.pixels().size(); ++i)
        labels.pixels()[i] = volume.pixels()[i] > 500 ? 3 : 0;
    write("ball.nii", volume);
    io::write_labels(labels, file("labels.nii"));
    start_there({"ball.nii", "labels.nii"});
    const Json on{{"labels", {{"image", 2}}}};
    expect_same(view_of({{"size", "70x60"}}));
    expect_same(view_of({{"size", "70x60"}, {"mode", "mip"}}));
    expect_same(
        view_of({{"size", "40x50"}, {"azimuth", 30}}, {{"transfer", {{"text", "mr-vessel"}}}}));
    expect_same(view_of({{"size", "70x60"}, {"mode", "average"}}));
    expect_same(view_of({{"size", "70x60"}, {"mode", "isosurface"}, {"iso", "500"}}));
    expect_same(view_of({{"size", "70x60"}, {"mode", "isosurface"}}, on));
    expect_same(view_of({{"size", "70x60"}, {"label-opacity", "3=0.5"}}, on));
    expect_same(view_of({{"size", "70x60"}, {"clip-box", "0,0,0,20,31,23"}, {"no-shading", true}}));
    const std::string transfer =
        R"({"format": "tesela-transfer", "version": 1, "name": "", "units": "file",)"
        R"( "reference_length_mm": 1, "color": [[0, 1, 0.5, 0.25]],)"
        R"( "opacity": [[300, 0], [900.5, 0.8]], "gradient_opacity": []})";
    const std::string camera =
        R"({"position": [300.5, -200, 100], "target": [20.1, 16, 18], "up": [0, 0.1, 1],)"
        R"( "height": 41.7})";
    expect_same(view_of({{"size", "70x60"}},
                        {{"transfer", {{"text", transfer}}}, {"camera", {{"text", camera}}}}));
    expect_same(view_of({{"size", "70x60"}}, {{"camera", {{"text", "left"}}}}));
}

TEST_F(VolumeView, PicturesOfResultsNameAllSteps) {
    start_with_ball();
    const Json grown = done(growth("20,16,12=7", 300));
    const int labels = grown.at("outputs").at("labels");
    expect_same(view_of({{"size", "50x50"}}, {{"labels", {{"image", labels}}}}));
}

#ifdef TESELA_PYTHON_FOLDER
TEST_F(VolumeView, PythonGivesTheSameBits) {
    start_with_ball();
    const Json body = view_of({{"size", "50x50"}, {"azimuth", 20}},
                              {{"camera",
                                {{"text", R"({"position": [20, -200, 18], "target": )"
                                          R"([20, 16, 18], "up": [0, 0, 1], "height": 50})"}}}});
    write_text("again.py", "import tesela\n" + lines(body).at("python").get<std::string>() +
                               "\ntesela.write('python.png', r0.view)\n");
    const std::string command = "cd '" + folder.string() +
                                "'; PYTHONPATH=" TESELA_PYTHON_FOLDER " " TESELA_PYTHON " again.py";
    ASSERT_EQ(std::system(command.c_str()), 0) << read_text("again.py");
    const AnyImage made = io::read_image(file("python.png")).image;
    const auto& pixels = std::get<Image<std::uint8_t>>(made).pixels();
    EXPECT_EQ(std::string(pixels.begin(), pixels.end()), frame(body).body);
}
#endif

TEST_F(VolumeView, PicturesAreSmallerAsJpegAndGzip) {
    start_with_ball();
    Json body = view_of({{"size", "160x120"}});
    const Answer whole = frame(body);
    EXPECT_EQ(whole.headers.at("x-tesela-frame"), "160 120 3 0");
    EXPECT_EQ(whole.body.size(), 160u * 120 * 3);
    const Answer packed = client().post("/api/views/frame", body, {{"Accept-Encoding", "gzip"}});
    EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
    EXPECT_LT(packed.body.size(), whole.body.size());
    body["jpeg"] = 85;
    const Answer jpeg = frame(body);
    EXPECT_EQ(jpeg.headers.at("content-type"), "image/jpeg");
    EXPECT_LT(jpeg.body.size(), whole.body.size() / 5);
    write_text("frame.jpg", jpeg.body);
    const AnyImage read = io::read_image(file("frame.jpg")).image;
    const auto& pixels = std::get<Image<std::uint8_t>>(read).pixels();
    ASSERT_EQ(pixels.size(), whole.body.size());
    double error = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i)
        error += std::pow(pixels[i] - static_cast<unsigned char>(whole.body[i]), 2);
    EXPECT_LT(error / static_cast<double>(pixels.size()), 20);  // 35 dB
}

TEST_F(VolumeView, AClickFindsTheVoxelThatIsSeen) {
    start_with_ball();
    const Json body = view_of({{"size", "101x101"}, {"mode", "isosurface"}, {"iso", "500"}});
    const Json hit = pick(body, 50, 50);
    ASSERT_FALSE(hit.is_null());
    // The face is seen; it is where y is smallest.
    EXPECT_NEAR(hit.at("voxel")[0].get<int>(), 20, 1);
    EXPECT_NEAR(hit.at("voxel")[1].get<double>(), 16 - 13.5, 1);
    EXPECT_NEAR(hit.at("voxel")[2].get<int>(), 12, 1);
    EXPECT_NEAR(hit.at("position")[1].get<double>(), 16 - 13.5, 0.2);
    EXPECT_NEAR(hit.at("value").get<double>(), 500, 10);
    EXPECT_TRUE(pick(body, 0, 0).is_null());
    // Another view of the same volume comes between.
    const Json left = view_of({{"size", "51x51"}, {"mode", "isosurface"}, {"iso", "500"}},
                              {{"camera", {{"text", "left"}}}});
    EXPECT_EQ(frame(left).status, 200);
    EXPECT_EQ(pick(body, 50, 50), hit);
    EXPECT_NEAR(pick(left, 25, 25).at("voxel")[0].get<double>(), 20 + 13.5, 1);
}

TEST_F(VolumeView, AClickTellsTheLabel) {
    start_with_ball();
    const Json grown = done(growth("20,16,12=7", 300));
    const Json body = view_of({{"size", "61x61"}, {"mode", "isosurface"}},
                              {{"labels", {{"image", grown.at("outputs").at("labels")}}}});
    EXPECT_EQ(pick(body, 30, 30).at("label"), 7);
}

TEST_F(VolumeView, LabelsThatAreEditedAreSeenAsTheyAreNow) {
    start_with_ball();
    const Answer begun = client().post("/api/labels", {{"of", 1}});
    ASSERT_EQ(begun.status, 201) << begun.body;
    const int labels = begun.json().at("image");
    const Json body =
        view_of({{"size", "61x61"}, {"mode", "isosurface"}}, {{"labels", {{"image", labels}}}});
    const std::string address = "/api/labels/" + std::to_string(labels);
    const auto edit = [&](Json request) {
        request["revision"] = client().get(address).json().at("revision");
        const Answer answer = client().post(address + "/edits", request);
        EXPECT_EQ(answer.status, 200) << answer.body;
    };
    const auto box = [&](int label) {
        edit({{"edit", "box"}, {"label", label}, {"first", {10, 8, 6}}, {"last", {29, 23, 17}}});
    };
    box(4);
    const std::string one = frame(body).body;
    EXPECT_EQ(pick(body, 30, 30).at("label"), 4);
    box(5);
    EXPECT_TRUE(frame(body).body != one);
    EXPECT_EQ(pick(body, 30, 30).at("label"), 5);
    edit({{"edit", "undo"}});
    EXPECT_EQ(pick(body, 30, 30).at("label"), 4);
    EXPECT_TRUE(frame(body).body == one);
}

// Strokes, what takes them back, new labels, colors and those that go: whatever was uploaded of
// them, pictures are those of a view that never saw the labels before.
TEST_F(VolumeView, PicturesAfterEditsAreThoseOfAllLabels) {
    start_with_ball();
    const Answer begun = client().post("/api/labels", {{"of", 1}});
    ASSERT_EQ(begun.status, 201) << begun.body;
    const int labels = begun.json().at("image");
    const Json body =
        view_of({{"size", "61x61"}, {"mode", "isosurface"}}, {{"labels", {{"image", labels}}}});
    const Json colored = view_of({{"size", "61x61"}}, {{"labels", {{"image", labels}}}});
    // Without labels in between, all of them are set anew.
    const Json without = view_of({{"size", "20x20"}});
    const std::string address = "/api/labels/" + std::to_string(labels);
    const auto stroke = [](int label, double x, double radius) {
        return Json{{"edit", "stroke"},
                    {"label", label},
                    {"points", {{x, 16, 12}, {x + 4, 14, 12}}},
                    {"radius", radius}};
    };
    const std::vector<Json> edits{stroke(4, 10, 6),
                                  stroke(2, 20, 5),
                                  stroke(4, 30, 3),
                                  {{"edit", "undo"}},
                                  {{"edit", "redo"}},
                                  stroke(0, 20, 4),
                                  {{"edit", "describe"}, {"label", 4}, {"color", "#00ff40"}},
                                  {{"edit", "merge"}, {"labels", {2}}, {"label", 4}},
                                  {{"edit", "undo"}},
                                  {{"edit", "delete"}, {"label", 4}}};
    frame(body);
    std::string last;
    for (const Json& edit : edits) {
        Json request = edit;
        request["revision"] = client().get(address).json().at("revision");
        const Answer answer = client().post(address + "/edits", request);
        ASSERT_EQ(answer.status, 200) << edit << answer.body;
        const std::string picture = frame(body).body, tinted = frame(colored).body;
        EXPECT_TRUE(picture != last) << edit;
        last = picture;
        EXPECT_EQ(frame(without).status, 200);
        EXPECT_TRUE(frame(body).body == picture) << edit;
        EXPECT_TRUE(frame(colored).body == tinted) << edit;
    }
}

TEST_F(VolumeView, VolumesWithoutSpacingAndMicrometersAreShown) {
    write("ball.nii", ball({}));
    write("cells.nii",
          ball({.spacing = {2, 2, 3}, .origin = {50, 0, -7}, .unit = Unit::micrometer}));
    start_there({"ball.nii", "cells.nii"});
    for (const int image : {1, 2}) {
        const Json body = view_of({{"size", "61x61"}, {"mode", "isosurface"}, {"iso", "500"}},
                                  {{"input", {{"image", image}}}});
        const Json hit = pick(body, 30, 30);
        ASSERT_FALSE(hit.is_null()) << image;
        EXPECT_NEAR(hit.at("voxel")[0].get<int>(), 20, 1) << image;
        EXPECT_NEAR(hit.at("voxel")[1].get<double>(), 16 - 13.5, 1) << image;
    }
}

TEST_F(VolumeView, AScenePutsPresetsIntoFileUnits) {
    start_with_ball();
    const Answer answer = client().post("/api/views/scene", view_of(Json::object()));
    ASSERT_EQ(answer.status, 200) << answer.body;
    const Json scene = answer.json();
    EXPECT_EQ(scene.at("histogram").at("lowest"), 0);
    EXPECT_EQ(scene.at("histogram").at("highest"), 1000);
    std::int64_t voxels = 0;
    for (const Json& count : scene.at("histogram").at("counts")) voxels += count.get<int>();
    EXPECT_EQ(voxels, 40 * 32 * 24);
    EXPECT_EQ(scene.at("presets").size(), transfer_presets().size() + 1);
    for (const Json& preset : scene.at("presets"))
        EXPECT_EQ(preset.at("transfer").at("units"), "file") << preset;
    // What a page sends back gives the same picture.
    const Json camera = scene.at("cameras").at("anterior");
    const Json first = scene.at("presets")[0].at("transfer");
    EXPECT_EQ(frame(view_of({{"size", "64x64"}}, {{"camera", {{"text", camera.dump()}}},
                                                  {"transfer", {{"text", first.dump()}}}}))
                  .body,
              frame(view_of({{"size", "64x64"}})).body);
}

TEST_F(VolumeView, ANewerRequestOfAViewTakesThePlaceOfAnOlderOne) {
    start_with_ball();
    frame(view_of({{"size", "16x16"}}));  // takes the volume onto the device
    Json slow = view_of({{"size", "700x700"}, {"step", 0.05}}),
         quick = view_of({{"size", "20x20"}});
    slow["view"] = quick["view"] = "tab 1";
    Json other = slow;
    other["view"] = "tab 2";
    other["options"]["size"] = "200x200";
    const auto sent = [&](const Json& body) {
        auto socket = std::make_unique<Socket>(client().port());
        socket->send(client().request("POST", "/api/views/frame", body.dump()));
        return socket;
    };
    const auto drawn = sent(slow);
    std::this_thread::sleep_for(200ms);
    const auto kept = sent(other), waits = sent(slow);
    std::this_thread::sleep_for(100ms);
    const auto newest = sent(quick);
    const auto status = [](const std::unique_ptr<Socket>& socket) {
        const Answer answer = parsed(socket->receive_all(20s));
        return std::pair(answer.status, answer.status == 200 ? "" : answer.error());
    };
    EXPECT_EQ(status(newest).first, 200);
    EXPECT_EQ(status(kept).first, 200);
    for (const auto* older : {&drawn, &waits}) {
        const auto [code, error] = status(*older);
        EXPECT_EQ(code, 409);
        EXPECT_NE(error.find("newer"), std::string::npos) << error;
    }
}

struct NoOptions {};
template <class V>
void describe(V&&, NoOptions&) {}

std::atomic<bool> is_busy{false};

// Takes the thread of jobs until it is canceled.
operations::Results work(const operations::Call&, Queue&, const Progress& progress) {
    is_busy = true;
    for (;; std::this_thread::sleep_for(1ms)) progress.report(0, "work");
}

const Registry& registry() {
    static const Registry all = [] {
        Registry made;
        operations::add_render(made);
        made.add(
            {.name = "work",
             .purpose = "work on",
             .sentence = "Works until it is canceled.",
             .task = operations::tasks::filter,
             .inputs = {operations::volume_input},
             .outputs = {{"image", operations::kinds::image, "nothing"}},
             .options = operations::Options::of(NoOptions{}),
             .run = work,
             .memory = [](const operations::Call&, const Device&) { return operations::Memory{}; },
             .device = {.on_host = true}});
        return made;
    }();
    return all;
}

TEST_F(VolumeView, PicturesComeWhileAJobRuns) {
    write("ball.nii", ball(in_millimeters));
    start(ViewerSettings{.files = {file("ball.nii")},
                         .device = "cpu",
                         .describe = cli::description_of_verb,
                         .registry = registry()});
    const int job = begin({{"operation", "work"}, {"inputs", {{"input", {{"image", 1}}}}}});
    while (!is_busy) std::this_thread::sleep_for(1ms);
    for (const char* size : {"40x40", "80x80"})
        EXPECT_EQ(frame(view_of({{"size", size}})).status, 200);
    EXPECT_FALSE(pick(view_of({{"size", "80x80"}, {"mode", "mip"}}), 40, 40).is_null());
    EXPECT_EQ(client().get("/api/jobs/" + std::to_string(job)).json().at("state"), "running");
}

TEST_F(VolumeView, WhatCannotBeShownIsRefusedByName) {
    write("series.nii", Image<std::int16_t>({8, 8, 8, 3}, in_millimeters));
    write("small.nii", Image<std::uint8_t>({8, 8, 8}, in_millimeters));
    write("ball.nii", ball(in_millimeters));
    start_there({"ball.nii", "series.nii", "small.nii"});
    const auto sized = [](const std::string& size) { return view_of({{"size", size}}); };
    expect_refused(sized("0x5"), 400, "size", "--size");
    expect_refused(sized("5"), 400, "size", "--size");
    expect_refused(sized("-5x5"), 400, "size", "--size");
    expect_refused(sized("99999999999999999999x1"), 400, "size", "--size");
    expect_refused(sized("16000x16000"), 413, "size", "8 Mi");
    expect_refused(view_of({{"step", 0}}), 400, "step", "--step");
    expect_refused(view_of({{"iso", "nan"}, {"mode", "isosurface"}}), 400, "iso", "--iso");
    expect_refused(view_of({{"mode", "isosurface"}}), 400, "", "isovalues or labels");
    expect_refused(view_of({{"clip-box", "5,5,5,1,1,1"}}), 400, "", "clip box");
    expect_refused(view_of({{"turntable", 4}}), 400, "turntable", "one picture");
    expect_refused(view_of({{"speed", 4}}), 400, "speed", "no option");
    const auto with = [](const char* input, const Json& value) {
        return view_of({{"size", "20x20"}}, {{input, value}});
    };
    const auto text = [](const std::string& words) { return Json{{"text", words}}; };
    expect_refused(with("transfer", text("pretty")), 400, "transfer", "'pretty'");
    expect_refused(with("transfer", text("{\"format\": 5")), 400, "transfer", "JSON");
    expect_refused(with("transfer", text("{}")), 400, "transfer", "tesela-transfer");
    expect_refused(with("transfer", text("{\"a\": " + std::string(5000, '['))), 400, "transfer",
                   "nested");
    expect_refused(with("transfer", text("{" + std::string(std::size_t{2} << 20, ' ') + "}")), 400,
                   "transfer", "bytes");
    expect_refused(
        with("camera",
             text(R"({"position": [0,0,0], "target": [0,0,0], "up": [0,0,1], "height": 5})")),
        400, "camera", "target");
    expect_refused(
        with("camera",
             text(R"({"position": [0,0,1e999], "target": [0,0,0], "up": [0,1,0], "height": 5})")),
        400, "camera", "");
    expect_refused(with("camera", {{"image", 1}}), 400, "camera", "text");
    expect_refused(with("labels", {{"image", 3}}), 400, "", "size of the volume");
    expect_refused(with("input", {{"image", 9}}), 404, "", "no image 9");
    expect_refused(with("input", {{"image", 2}}), 422, "", "3 time points");
    expect_refused(with("input", {{"text", "ball.nii"}}), 400, "input", "one image");
    expect_refused({{"options", Json::object()}}, 400, "input", "one image");
    Json body = sized("20x20");
    for (const Json& jpeg : {Json(0), Json(101), Json("best"), Json(1e300)}) {
        body["jpeg"] = jpeg;
        expect_refused(body, 400, "jpeg", "jpeg");
    }
    body = view_of({{"size", "20x20"}, {"background", "transparent"}});
    body["jpeg"] = 80;
    expect_refused(body, 400, "jpeg", "background");
    body = sized("20x20");
    expect_refused(body, 400, "at", "[x, y]", "pick");
    for (const Json& at : {Json{20, 0}, Json{0, -1}, Json{0.5, 1}, Json{"1", 2}, Json{1}}) {
        body["at"] = at;
        expect_refused(body, 400, "at", "at", "pick");
    }
    body = sized("20x20");
    body["device"] = "cuda:77";
    expect_refused(body, 400, "device", "cuda:77");
    EXPECT_EQ(client().post("/api/views/film", sized("20x20")).status, 404);
    EXPECT_EQ(client().get("/api/views/frame").status, 405);
    EXPECT_EQ(frame(sized("20x20")).status, 200);
}

TEST_F(VolumeView, ManyVolumesGiveWayToEachOther) {
    std::vector<std::string> names;
    for (int i = 0; i < 7; ++i) {
        names.push_back("ball" + std::to_string(i) + ".nii");
        write(names.back(), ball(in_millimeters));
    }
    auto made = settings(names);
    made.max_memory = 3 << 20;
    start(made);
    std::string first;
    for (int round = 0; round < 2; ++round)
        for (int image = 1; image <= 7; ++image) {
            const Answer answer =
                frame(view_of({{"size", "64x64"}}, {{"input", {{"image", image}}}}));
            ASSERT_EQ(answer.status, 200) << answer.body;
            if (first.empty()) first = answer.body;
            EXPECT_EQ(answer.headers.at("x-tesela-frame"), "64 64 3 0");
            EXPECT_TRUE(answer.body == first);
        }
    // A picture that does not fit is refused, and the next one comes.
    expect_refused(view_of({{"size", "2000x2000"}}), 507, "", "");
    EXPECT_EQ(frame(view_of({{"size", "64x64"}})).status, 200);
}

TEST_F(VolumeView, ReadOnlyViewersShowThem) {
    write("ball.nii", ball(in_millimeters));
    auto made = settings({"ball.nii"});
    made.read_only = true;
    start(made);
    EXPECT_EQ(frame(view_of({{"size", "20x20"}})).status, 200);
    EXPECT_EQ(client()
                  .post("/api/views/frame", view_of({{"size", "20x20"}}),
                        {{"Origin", "http://evil.example"}})
                  .status,
              403);
    EXPECT_EQ(client().post("/api/jobs", growth("1,1,1", 5)).status, 403);
}

}  // namespace
}  // namespace tesela::viewer::testing
