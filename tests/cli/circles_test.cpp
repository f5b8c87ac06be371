// tesela circles, synthesize circles, evaluate circles; Ctrl-C of long searches.
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "program.h"
#include "tesela/io.h"

namespace tesela::cli::testing {
namespace {

class CirclesVerb : public ProgramTest {
  protected:
    // Disks of 5 circles and their truth.
    void make_disks() {
        const Outcome outcome =
            run({"synthesize", "circles", "--drawing", "disks", "--width", "200", "--height", "160",
                 "--count", "5", "--min-radius", "10", "--max-radius", "20", "-o", "disks.png",
                 "--truth", "truth.csv"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    std::vector<std::string> found(std::vector<std::string> more) const {
        std::vector<std::string> words{"circles",      "disks.png", "--min-radius", "8",
                                       "--max-radius", "24",        "--device",     "cpu"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    Json agreement(const std::string& list, const std::string& truth, const std::string& most) {
        const Outcome outcome =
            run({"evaluate", "circles", list, truth, "--tolerance", most, "--json"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.json();
    }
};

TEST_F(CirclesVerb, FindsWhatWasDrawn) {
    make_disks();
    ASSERT_EQ(run(found({"-o", "list.csv", "--labels", "labels.tif", "--votes", "votes.tif",
                         "--overlay", "overlay.png"}))
                  .code,
              0);
    EXPECT_TRUE(read_text("list.csv").starts_with("x,y,radius,votes,score,residual,polarity\n"));
    const Json result = agreement("list.csv", "truth.csv", "1");
    EXPECT_EQ(result["recall"], 1);
    EXPECT_EQ(result["precision"], 1);
    const AnyImage labels = io::read_image(file("labels.tif")).image;
    const auto& numbers = std::get<Image<std::uint8_t>>(labels).pixels();
    EXPECT_EQ(*std::max_element(numbers.begin(), numbers.end()), 5);
    EXPECT_EQ(shape_of(io::read_image(file("votes.tif")).image).x, 200);
    EXPECT_EQ(shape_of(io::read_image(file("overlay.png")).image).channels, 3);
}

TEST_F(CirclesVerb, ListsAsJsonAndGeoJson) {
    make_disks();
    ASSERT_EQ(run(found({"-o", "list.json"})).code, 0);
    const Json list = Json::parse(read_text("list.json"));
    ASSERT_EQ(list.size(), 5u);
    EXPECT_EQ(list[0]["polarity"], "bright");
    EXPECT_GE(list[0]["score"], list[4]["score"]);
    ASSERT_EQ(run(found({"-o", "list.geojson"})).code, 0);
    const Json shapes = Json::parse(read_text("list.geojson"));
    EXPECT_EQ(shapes["features"].size(), 5u);
    ASSERT_EQ(run(found({"-o", "two.json", "--max-circles", "2"})).code, 0);
    EXPECT_EQ(Json::parse(read_text("two.json")).size(), 2u);
}

TEST_F(CirclesVerb, MillimetersStandBesidePixels) {
    make_disks();
    ASSERT_EQ(run({"circles", "disks.png", "--spacing", "0.5,0.5", "--min-radius", "4mm",
                   "--max-radius", "12mm", "-o", "mm.json"})
                  .code,
              0);
    const Json list = Json::parse(read_text("mm.json"));
    ASSERT_EQ(list.size(), 5u);
    for (const Json& circle : list) {
        EXPECT_NEAR(circle["radius_mm"], 0.5 * circle["radius"].get<double>(), 1e-4);
        EXPECT_NEAR(circle["x_mm"], 0.5 * circle["x"].get<double>(), 1e-4);
    }
}

TEST_F(CirclesVerb, PlanWritesNothing) {
    make_disks();
    const Outcome outcome = run(found({"-o", "list.csv", "--dry-run"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_FALSE(fs::exists(file("list.csv")));
    expect_failure(5, {"memory"}, found({"-o", "list.csv", "--max-memory", "100K"}));
}

TEST_F(CirclesVerb, NoCircleIsAnEmptyList) {
    write("flat.png", Image<std::uint8_t>(Shape{60, 50}));
    ASSERT_EQ(
        run({"circles", "flat.png", "--min-radius", "5", "--max-radius", "9", "-o", "n.csv"}).code,
        0);
    EXPECT_EQ(read_text("n.csv"), "x,y,radius,votes,score,residual,polarity\n");
}

TEST_F(CirclesVerb, BadUsageIsNamed) {
    make_disks();
    const auto fails = [&](int code, const char* word, const char* low, const char* high,
                           const char* output) {
        expect_failure(
            code, {word},
            {"circles", "disks.png", "--min-radius", low, "--max-radius", high, "-o", output});
    };
    fails(2, "--min-radius", "9", "5", "n.csv");
    fails(2, "min-radius", "0", "5", "n.csv");
    fails(2, "min-radius", "nan", "5", "n.csv");
    fails(2, "spacing", "1mm", "5mm", "n.csv");
    fails(2, "larger", "5", "500", "n.csv");
    fails(1, "folder", "5", "9", "no/folder/n.csv");
    expect_failure(2, {"max-radius"}, {"circles", "disks.png", "--min-radius", "5", "-o", "n.csv"});
    write_text("bad.csv", "x,y,radius\n1,two,3\n");
    expect_failure(3, {"bad.csv", "line 2"}, {"evaluate", "circles", "bad.csv", "truth.csv"});
    write_text("columns.csv", "x,y\n1,2\n");
    expect_failure(3, {"radius"}, {"evaluate", "circles", "columns.csv", "truth.csv"});
    expect_failure(2, {"no place"},
                   {"synthesize", "circles", "--width", "50", "--height", "50", "--count", "20",
                    "-o", "n.png"});
    expect_failure(2, {"c20r50"}, {"synthesize", "circles", "--scene", "c1r1", "-o", "n.png"});
}

// One setting for 24 coins, whose outlines were drawn by hand.
TEST_F(CirclesVerb, Coins) {
    const char* images = std::getenv("TESELA_IMAGES");
    const fs::path coins = images ? fs::path(images) / "coins.png" : fs::path();
    ASSERT_TRUE(fs::exists(coins))
        << "TESELA_IMAGES does not name the folder that holds coins.png; run ./dev test";
    ASSERT_EQ(run({"circles", coins.string(), "--min-radius", "15", "--max-radius", "35", "-o",
                   "coins.csv"})
                  .code,
              0);
    const Json result = agreement("coins.csv", TESELA_COINS_TRUTH, "4");
    EXPECT_EQ(result["truth"], 24);
    EXPECT_GE(result["matched"], 22);
    EXPECT_LE(result["found"].get<int>() - result["matched"].get<int>(), 2);
}

TEST_F(CirclesVerb, CtrlCLeavesNothing) {
    write("gray.png", gray_picture(2000, 2000));
    const Outcome circles = run({"circles", "gray.png", "--min-radius", "10", "--max-radius", "900",
                                 "--device", "cpu", "-o", "list.csv"},
                                {.interrupt_after = 0.7});
    EXPECT_EQ(circles.code, 130) << circles.err;
    EXPECT_LT(circles.after_interrupt, 5);
    const Outcome zernike =
        run({"zernike", "gray.png", "--order", "300", "--device", "cpu", "-o", "moments.csv"},
            {.interrupt_after = 0.7});
    EXPECT_EQ(zernike.code, 130) << zernike.err;
    EXPECT_LT(zernike.after_interrupt, 5);
    EXPECT_EQ(names(), std::vector<std::string>{"gray.png"});
}

}  // namespace
}  // namespace tesela::cli::testing
