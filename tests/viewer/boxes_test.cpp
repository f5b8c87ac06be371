// Jobs that go over a slide in boxes, and the files that they leave or do not.
#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "operations/kinds/image.h"
#include "tesela/slide_io.h"
#include "viewer/server/images.h"
#include "viewer_test.h"

namespace tesela::viewer::testing {
namespace {

using operations::Call;
using operations::Operation;
using operations::Registry;
using operations::Results;

std::function<void()> in_each_box;

// Gives the slide twice.
const Registry& registry() {
    static const Registry all = [] {
        Registry made;
        made.add(
            Operation{.name = "twice",
                      .purpose = "give the image twice",
                      .sentence = "Gives the image twice.",
                      .task = operations::tasks::filter,
                      .inputs = {operations::image_input},
                      .outputs = {{"first", operations::kinds::image, "the image"},
                                  {"second", operations::kinds::image, "the image"}},
                      .run =
                          [](const Call& call, Queue&, const Progress&) {
                              if (in_each_box) in_each_box();
                              const TileBox whole{0, 0, call.shape().x, call.shape().y};
                              const operations::ImageValue copy = part_of(call.image(), whole);
                              Results results;
                              results.outputs.set("first", copy);
                              results.outputs.set("second", copy);
                              return results;
                          },
                      .memory = [](const Call&, const Device&) { return operations::Memory{}; },
                      .slides = {.halo = [](const auto&, const auto&) { return 0; }}});
        return made;
    }();
    return all;
}

class Boxes : public ViewerTest {
  protected:
    Boxes() {
        in_each_box = nullptr;
        tesela::Image<std::uint8_t> square({512, 512, 1, 1, 3});
        std::minstd_rand random(7);
        for (std::uint8_t& value : square.pixels()) value = static_cast<std::uint8_t>(random());
        io::write_repeated_slide(square, 5120, 4096, file("slide.ome.tif"),  // 63 MB
                                 {.compression = TileCompression::deflate});
        fs::create_directory(file("saved"));
    }
    void start_with_slide(std::chrono::milliseconds gone = std::chrono::seconds(10)) {
        start({.files = {file("slide.ome.tif")},
               .save_to = file("saved"),
               .device = "cpu",
               .max_memory = 48 << 20,
               .describe = cli::description_of_verb,
               .registry = registry(),
               .gone = gone});
    }
    static Json twice(const std::string& view = "") {
        return {{"operation", "twice"},
                {"view", view},
                {"inputs", {{"input", {{"image", 1}}}}},
                {"outputs", {"first", "second"}}};
    }
    std::vector<std::string> saved() const {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator(file("saved")))
            found.push_back(entry.path().filename().string());
        std::sort(found.begin(), found.end());
        return found;
    }
};

TEST_F(Boxes, NamesOfFilesAreThoseOfOneJobAlone) {
    write_text("saved/first-1.ome.tif", "of an earlier viewer");
    start_with_slide();
    done(twice());
    done(twice());
    EXPECT_EQ(saved(),
              (std::vector<std::string>{"first-1-2.ome.tif", "first-1.ome.tif", "first-2.ome.tif",
                                        "second-1.ome.tif", "second-2.ome.tif"}));
    EXPECT_EQ(read_text("saved/first-1.ome.tif"), "of an earlier viewer");
}

TEST_F(Boxes, JobsThatFailLeaveNoFiles) {
    start_with_slide();
    // What is in the way of the second file when the first one is there already.
    in_each_box = [&] { fs::create_directories(file("saved") / "second-1.ome.tif" / "others"); };
    EventReader events(client());
    const Json state = events.until(begin(twice()), {"done", "failed"});
    EXPECT_EQ(state.at("state"), "failed");
    EXPECT_NE(state.at("error").get<std::string>().find("second-1"), std::string::npos) << state;
    EXPECT_EQ(saved(), std::vector<std::string>{"second-1.ome.tif"});
    EXPECT_TRUE(fs::exists(file("saved") / "second-1.ome.tif" / "others"));
}

TEST_F(Boxes, JobsGoOnWhenThePageIsGone) {
    start_with_slide(std::chrono::milliseconds(1));
    { EventReader page(client()); }
    in_each_box = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    const std::string address = "/api/jobs/" + std::to_string(begin(twice("tab")));
    std::string state = "waiting";
    for (int i = 0; i < 400 && (state == "waiting" || state == "running"); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        state = client().get(address).json().at("state");
    }
    EXPECT_EQ(state, "done");
}

TEST_F(Boxes, JobsBeginWhenTheUserWantsThemTo) {
    start_with_slide();
    in_each_box = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    EventReader events(client());
    const int running = begin(twice("tab"));
    Json again = twice("tab");
    again["automatic"] = true;
    const Answer refused = client().post("/api/jobs", again);
    EXPECT_EQ(refused.status, 409);
    EXPECT_NE(refused.error().find("slide.ome.tif"), std::string::npos) << refused.body;
    const Json ended = events.until(running, {"done", "failed", "canceled"});
    EXPECT_EQ(ended.at("state"), "done") << ended;  // the other one took no place of it
    again["automatic"] = "yes";
    EXPECT_EQ(client().post("/api/jobs", again).status, 400);
}

TEST_F(Boxes, FilesThatAreReadAgainCanStillBeForgotten) {
    write("labels-1.ome.tif", cli::testing::gray_picture(31, 17));
    Events events;
    Images images(1 << 20, 1, events);
    const int slide = images.add_file(file("slide.ome.tif"));
    const int made = images.add_made(file("labels-1.ome.tif"), Role::labels, slide);
    images.read_again(file("labels-1.ome.tif"));
    images.forget(made);
    EXPECT_FALSE(fs::exists(file("labels-1.ome.tif")));
}

}  // namespace
}  // namespace tesela::viewer::testing
