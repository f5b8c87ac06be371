// tesela bench mean-shift, every experiment in its quick form.
#include "bench_program.h"

namespace tesela::experiments::testing {
namespace {

class Bench : public BenchTest {
  protected:
    // Runs experiments on made-up images and gives the report.
    Json bench(const std::string& experiments, Names more = {}) const {
        more.insert(more.begin(), {"--images", folder.string()});
        return BenchTest::bench("mean-shift", experiments, more);
    }
};

TEST_F(Bench, FilteringExperiments) {
    const Json report = bench("E1,E2,E3,E4");
    EXPECT_EQ(report["verb"], "bench mean-shift");
    EXPECT_EQ(table("E1.csv").size(), 1 + 3 * 5u);
    EXPECT_TRUE(fs::exists(file("results/E1-mandrill-16-8.png")));
    EXPECT_EQ(table("E2.csv").size(), 1 + 2 * 5u);
    EXPECT_EQ(table("E3.csv").size(), 1 + 2 * 5u);
    for (const char* chart : {"E2-lenna.svg", "E2-mri-2d.svg", "E3-lenna-percent.svg",
                              "E3-mri-2d-seconds.svg", "E4-time.svg", "E4-queue.svg"})
        expect_chart(chart);
    // 64 x 64 is a power of two, 53 x 64 is not (F17).
    for (const std::string& line : table("E3.csv")) {
        const char* sort = line.starts_with("lenna") ? ",device,"
                           : line.starts_with("mri") ? ",host,"
                                                     : ",sort,";
        EXPECT_NE(line.find(sort), std::string::npos) << line;
    }
    const std::vector<std::string> rounds = table("E4.csv");
    EXPECT_TRUE(rounds[1].starts_with("lenna,1,4096,4096,")) << rounds[1];
    // A claim about two devices cannot be tested on one.
    ASSERT_EQ(findings_of(report, "F35").size(), 2u);
    EXPECT_TRUE(findings_of(report, "F35")[0]["holds"].is_null());
    for (const char* row : {"F36", "F37", "F41"})
        EXPECT_FALSE(findings_of(report, row).empty()) << row;
    EXPECT_EQ(table("findings.csv").size(), 1 + report["findings"].size());
    for (const Json& output : report["outputs"])
        EXPECT_TRUE(fs::exists(file(output.get<std::string>()))) << output;
}

TEST_F(Bench, SortsVolumesAndLabels) {
    const Json report = bench("E5,E7,E8,E10");
    EXPECT_EQ(table("E5.csv").size(), 1 + 4u);  // 2^10 to 2^13
    EXPECT_EQ(table("E7.csv").size(), 1 + 2u);
    EXPECT_EQ(table("E8.csv").size(), 1 + 2 * 7 + 3u);
    EXPECT_EQ(table("E10.csv").size(), 1 + 2 * 7 + 3u);
    for (const char* chart : {"E5.svg", "E7-mri-3d-seconds.svg", "E10.svg"}) expect_chart(chart);
    EXPECT_TRUE(fs::exists(file("results/E8-mri-3d-0.5.png")));
    const std::vector<Json> counts = findings_of(report, "F31");
    ASSERT_EQ(counts.size(), 3u);
    for (const Json& finding : counts) EXPECT_EQ(finding["holds"], true) << finding;
    EXPECT_EQ(findings_of(report, "F33").size(), 3u);
    EXPECT_EQ(findings_of(report, "F42").size(), 1u);
}

// Without EDISON its columns are empty and the thesis's figures stand beside ours.
TEST_F(Bench, ComparisonWithoutEdison) {
    const Json report = bench("E6,E9");
    const std::vector<std::string> rows = table("E6.csv");
    EXPECT_EQ(rows.size(), 1 + 2 * 2 * 5u);
    EXPECT_TRUE(rows[1].starts_with("thesis (E6),lenna,4,4,0.88,3.81,1.53,")) << rows[1];
    expect_chart("E6-lenna.svg");
    for (const char* row : {"F39", "F40"}) {
        const std::vector<Json> found = findings_of(report, row);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_TRUE(found[0]["holds"].is_null());
        EXPECT_NE(found[0]["here"].get<std::string>().find("absent"), std::string::npos);
    }
    EXPECT_NE(read_text("results/E9.csv").find("EDISON none,absent"), std::string::npos);
}

TEST_F(Bench, ComparisonWithAProgramForEdison) {
    write_text("edison", "#!/bin/sh\ntest -s \"$1\" || exit 1\necho 1000 42\n");
    fs::permissions(file("edison"), fs::perms::owner_all);
    const Json report = bench("E6,E9", {"--edison", file("edison").string()});
    EXPECT_EQ(findings_of(report, "F39")[0]["holds"], true);
    EXPECT_NE(read_text("results/E9.csv").find("EDISON medium,42"), std::string::npos);
    write_text("mute", "#!/bin/sh\n");
    fs::permissions(file("mute"), fs::perms::owner_all);
    const Outcome outcome =
        run({"bench", "mean-shift", "--quick", "--device", "cpu", "--out", "mute-results",
             "--images", folder.string(), "--experiment", "E9", "--edison", file("mute").string()});
    EXPECT_EQ(outcome.code, 3);
    ASSERT_EQ(outcome.errors().size(), 1u);
    EXPECT_NE(outcome.errors()[0].find("--edison"), std::string::npos);
}

TEST_F(Bench, VolumeInTime) {
    const Json report = bench("E11");
    EXPECT_EQ(table("E11.csv").size(), 1 + 2u);
    ASSERT_EQ(findings_of(report, "F07").size(), 1u);
    EXPECT_EQ(findings_of(report, "F07")[0]["holds"], true);
}

TEST_F(Bench, OwnImagesTakeThePlaceOfThePictures) {
    write("mine.png", color_picture(40, 30));
    const Json report = bench("E3", {"mine.png"});
    const std::vector<std::string> rows = table("E3.csv");
    ASSERT_EQ(rows.size(), 1 + 5u);
    EXPECT_TRUE(rows[1].starts_with("mine,4,4,")) << rows[1];
    EXPECT_TRUE(fs::exists(file("results/E3-mine-percent.svg")));
}

TEST_F(Bench, WrongUse) {
    const Names usual{"bench", "mean-shift", "--quick", "--device", "cpu"};
    const auto with = [&](const Names& more) {
        Names all = usual;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    expect_failure(2, {"--out"}, usual);
    expect_failure(2, {"'E12'", "E1, E2", "E11"}, with({"--out", "r", "--experiment", "E1,E12"}));
    expect_failure(2, {"--experiment"}, with({"--out", "r", "--experiment", ""}));
    expect_failure(2, {"--images", "nowhere"}, with({"--out", "r", "--images", "nowhere"}));
    expect_failure(2, {"--repetitions"}, with({"--out", "r", "--repetitions", "0"}));
    expect_failure(3, {"nothing.png"}, with({"--out", "r", "nothing.png"}));
    expect_failure(2, {"'speed'"}, {"bench", "speed"});
    expect_failure(4, {"cuda:99"}, {"bench", "mean-shift", "--out", "r", "--device", "cuda:99"});
    write_text("full", "");
    expect_failure(1, {"full"}, with({"--out", "full"}));
    fs::create_directory(file("used"));
    write_text("used/notes.txt", "keep");
    expect_failure(2, {"not empty", "--force"}, with({"--out", "used", "--images", "."}));
    write("used/mine.png", color_picture(40, 30));
    expect_failure(2, {"--out", "input"}, with({"--out", "used", "used/mine.png", "--force"}));
    expect_failure(2, {"--out", "input"}, with({"--out", "used", "--images", "./used", "--force"}));
}

}  // namespace
}  // namespace tesela::experiments::testing
