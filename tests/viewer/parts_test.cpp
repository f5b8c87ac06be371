// Components and measures of slides that have no room in memory: part by part, as the command line
// makes them.
#include "tesela/slide_io.h"
#include "viewer_test.h"

namespace tesela::viewer::testing {
namespace {

constexpr std::int64_t most_memory = 48 << 20;

class Parts : public ViewerTest {
  protected:
    // 240 copies of two objects, one of which joins those beside it to a bar across the slide.
    Parts() {
        tesela::Image<std::uint8_t> square({512, 512});
        for (std::int64_t y = 100; y < 130; ++y)
            for (std::int64_t x = 0; x < 512; ++x) square(x, y) = 255;
        for (std::int64_t y = 300; y < 340; ++y)
            for (std::int64_t x = 200; x < 290; ++x) square(x, y) = 200;
        io::write_repeated_slide(square, 7680, 8192, file("mask.ome.tif"),  // 63 MB
                                 {.compression = TileCompression::deflate, .labels = true});
        fs::create_directory(file("saved"));
    }
    void start_with_mask(bool saves) {
        ViewerSettings made = settings({"mask.ome.tif"});
        made.max_memory = most_memory;
        if (saves) made.save_to = file("saved");
        start(made);
    }
    static Json components(const std::vector<std::string>& outputs) {
        return {{"operation", "components"},
                {"inputs", {{"input", {{"image", 1}}}}},
                {"outputs", outputs}};
    }
};
constexpr int bars = 16, objects = bars + 240;

TEST_F(Parts, LabelsAndTablesAreThoseOfTheCommandLine) {
    start_with_mask(true);
    const Json made = done(components({"labels", "table"}));
    EXPECT_EQ(made.at("tables").at("table").at("count"), objects) << made;
    EXPECT_TRUE(made.at("outputs").contains("labels")) << made;
    const std::string name = "labels-" + made.at("job").dump() + ".ome.tif";
    ASSERT_TRUE(fs::exists(file("saved") / name));
    ASSERT_TRUE(runs(made.at("command"))) << made.at("command");
    EXPECT_TRUE(
        std::get<tesela::Image<std::uint16_t>>(io::read_image(file("saved") / name).image)
            .pixels() ==
        std::get<tesela::Image<std::uint16_t>>(io::read_image(again() / name).image).pixels());
    // What was made is measured in turn, on the slide and within it.
    const int labels = made.at("outputs").at("labels");
    const Json measured =
        done({{"operation", "measure"},
              {"inputs", {{"input", {{"image", labels}}}, {"on", {{{"image", 1}}}}}}});
    const Json& table = measured.at("tables").at("table");
    EXPECT_EQ(table.at("count"), objects);
    EXPECT_NE(table.at("columns").dump().find("mean"), std::string::npos) << table.at("columns");
    EXPECT_TRUE(measured.at("outputs").empty()) << measured;
}

TEST_F(Parts, TablesNeedNoFolder) {
    start_with_mask(false);
    const Json made = done(components({"table"}));
    EXPECT_EQ(made.at("tables").at("table").at("count"), objects) << made;
    const Answer labels = client().post("/api/jobs", components({"labels"}));
    EXPECT_EQ(labels.status, 507);
    EXPECT_NE(labels.error().find("--save-to"), std::string::npos) << labels.body;
    const Answer segmented = client().post("/api/jobs", components({"segmented"}));
    EXPECT_EQ(segmented.status, 400);
    EXPECT_EQ(segmented.field(), "outputs");
    EXPECT_NE(segmented.error().find("mask.ome.tif"), std::string::npos) << segmented.body;
}

TEST_F(Parts, SlidesInColorsAreRefused) {
    io::write_repeated_slide(tesela::Image<std::uint8_t>({512, 512, 1, 1, 3}), 5120, 4096,
                             file("mask.ome.tif"), {.compression = TileCompression::deflate});
    start_with_mask(true);
    const Answer refused = client().post("/api/jobs", components({"table"}));
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.field(), "input");
    EXPECT_NE(refused.error().find("3 channels"), std::string::npos) << refused.body;
}

}  // namespace
}  // namespace tesela::viewer::testing
