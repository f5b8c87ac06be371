// tesela zernike
#include <fstream>
#include <sstream>

#include "program.h"
#include "tesela/io.h"

namespace tesela::cli::testing {
namespace {

class ZernikeVerb : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        Image<std::uint8_t> image({40, 40}), labels({40, 40}), other({31, 20});
        for (int y = 0; y < 40; ++y)
            for (int x = 0; x < 40; ++x) {
                image(x, y) = static_cast<std::uint8_t>(5 * x + y);
                labels(x, y) = x > 4 && x < 14 && y > 6 && y < 20 ? 1 : x > 30 && y > 30 ? 3 : 0;
            }
        for (std::uint8_t& value : other.pixels()) value = 9;
        io::write_image(image, file("image.png"));
        io::write_image(other, file("other.png"));
        io::write_image(labels, file("labels.png"));
    }
    std::vector<std::string> lines(const std::string& name) {
        std::ifstream in(file(name));
        std::vector<std::string> read;
        for (std::string line; std::getline(in, line);) read.push_back(line);
        return read;
    }
};

TEST_F(ZernikeVerb, ARowForEachMomentOfEachImage) {
    ASSERT_EQ(run({"zernike", "image.png", "other.png", "-o", "m.csv", "--order", "4"}).code, 0);
    const std::vector<std::string> rows = lines("m.csv");
    ASSERT_EQ(rows.size(), 1u + 2 * 9);
    EXPECT_EQ(rows[0], "input,p,q,real,imaginary,magnitude");
    EXPECT_EQ(rows[10], "other.png,0,0,9,0,9");
    ASSERT_EQ(run({"zernike", "image.png", "-o", "m.json", "--magnitudes"}).code, 0);
    std::ifstream in(file("m.json"));
    const auto records = nlohmann::json::parse(in);
    ASSERT_EQ(records.size(), 49u);
    EXPECT_EQ(records[3]["q"], 2);
    EXPECT_FALSE(records[3].contains("real"));
    ASSERT_EQ(run({"zernike", "image.png", "other.png", "-o", "both.json"}).code, 0);
    std::ifstream both(file("both.json"));
    const auto joined = nlohmann::json::parse(both);
    ASSERT_EQ(joined.size(), 98u);
    EXPECT_EQ(joined[49]["input"], "other.png");
    EXPECT_EQ(joined[49]["p"], 0);
}

TEST_F(ZernikeVerb, TheThesisHasARowForEachRepetitionOfAnOrder) {
    const auto call = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"thesis", "zernike",  "image.png", "--order",
                                       "5",      "--device", "cpu",       "-o",
                                       "t.csv",  "--force",  "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    };
    ASSERT_EQ(run({"zernike", "image.png", "-o", "m.csv", "--order", "5"}).code, 0);
    const std::vector<std::string> all = lines("m.csv");
    for (const char* method : {"direct", "recursive"}) {
        const Outcome outcome = call({"--method", method, "--precision", "double"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.json()["statistics"]["angles"], 20 * 21 / 2);
        const std::vector<std::string> rows = lines("t.csv");
        ASSERT_EQ(rows.size(), 1u + 3);
        EXPECT_EQ(rows[0], "p,q,real,imaginary,magnitude");
        for (std::size_t k = 1; k < rows.size(); ++k)  // 5, 1; 5, 3; 5, 5
            EXPECT_EQ(rows[k].substr(0, 9), all[all.size() - 4 + k].substr(0, 9)) << method;
    }
    expect_failure(2, {"--launch queues"},
                   {"thesis", "zernike", "image.png", "-o", "q.csv", "--launch", "queues",
                    "--method", "recursive"});
}

TEST_F(ZernikeVerb, ARowForEachObject) {
    ASSERT_EQ(run({"zernike", "--labels", "labels.png", "-o", "o.csv", "--order", "9",
                   "--normalization", "area", "--magnitudes"})
                  .code,
              0);
    const std::vector<std::string> rows = lines("o.csv");
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0].substr(0, 47), "label,x_px,y_px,radius_px,pixels,Z0_0,Z1_1,Z2_0");
    EXPECT_EQ(rows[1].substr(0, 7), "1,9,13,");
    EXPECT_EQ(rows[2].substr(0, 8), "3,35,35,");
    ASSERT_EQ(
        run({"zernike", "--labels", "labels.png", "--values", "image.png", "-o", "v.csv"}).code, 0);
    EXPECT_NE(lines("v.csv")[1], rows[1]);
}

TEST_F(ZernikeVerb, Reconstruction) {
    ASSERT_EQ(run({"zernike", "image.png", "--order", "2", "--reconstruct", "r.tif"}).code, 0);
    const auto made = std::get<Image<float>>(io::read_image(file("r.tif")).image);
    EXPECT_NEAR(made(20, 20), 120, 10);
    EXPECT_EQ(made(0, 0), 0);
}

TEST_F(ZernikeVerb, ReportAndPlan) {
    const Outcome outcome = run({"zernike", "image.png", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["statistics"]["radius"], 20);
    EXPECT_EQ(run({"zernike", "image.png", "other.png", "-o", "n.csv", "--dry-run"}).code, 0);
    EXPECT_FALSE(std::filesystem::exists(file("n.csv")));
}

TEST_F(ZernikeVerb, BadUsageIsNamed) {
    const auto expect = [&](int code, const char* part, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "zernike");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, code) << outcome.err;
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    };
    expect(2, "INPUT or --labels is missing", {"-o", "m.csv"});
    expect(2, "stands alone", {"image.png", "--labels", "labels.png", "-o", "m.csv"});
    expect(2, "--labels too", {"image.png", "--values", "image.png", "-o", "m.csv"});
    expect(2, "--center and --circle",
           {"--labels", "labels.png", "--circle", "enclosing", "-o", "m.csv"});
    expect(2, "--reconstruct", {"--labels", "labels.png", "--reconstruct", "r.tif"});
    expect(2, "{stem}", {"image.png", "other.png", "--reconstruct", "r.tif"});
    expect(2, "does not fit", {"--labels", "labels.png", "--values", "other.png", "-o", "m.csv"});
    expect(2, "--center: 'x'", {"image.png", "--center", "x", "-o", "m.csv"});
    expect(2, "--order", {"image.png", "--order", "501", "-o", "m.csv"});
    expect(3, "none.png", {"none.png", "-o", "m.csv"});
    expect(1, "folder", {"image.png", "-o", "no/folder/m.csv"});
}

}  // namespace
}  // namespace tesela::cli::testing
