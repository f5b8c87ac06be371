// tesela level-set ftc, distance, synthesize volume and evaluate labels --by-label as programs.
#include "tesela/level_set.h"
#include "program.h"

namespace tesela::cli::testing {
namespace {

class LevelSetProgram : public ProgramTest {
  protected:
    Outcome expect_success(const std::vector<std::string>& arguments) const {
        Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome;
    }
};

TEST_F(LevelSetProgram, FromAVolumeToItsDice) {
    expect_success({"synthesize", "volume", "--scene", "bridged-spheres", "--size", "48,48,48",
                    "--noise", "5%", "--bias", "0.2", "-o", "v.nii", "--truth", "t.nii"});
    const Json grown =
        expect_success({"level-set", "ftc", "v.nii", "--seeds", "ball:12,24,24,3mm=1", "--against",
                        "ball:36,24,24,3", "--lower", "120", "-o", "l.nii", "--device", "cpu",
                        "--json"})
            .json();
    EXPECT_EQ(grown["statistics"]["end"], "stable");
    EXPECT_EQ(grown["objects"].size(), 1u);
    EXPECT_EQ(grown["parameters"]["speed"], "window");
    const Json compared =
        expect_success({"evaluate", "labels", "l.nii", "t.nii", "--by-label", "--json"}).json();
    const Json& first = compared["truths"][0]["labels"][0];
    EXPECT_EQ(first["label"], 1);
    EXPECT_GT(first["dice"].get<double>(), 0.95);
    EXPECT_LT(first["mean_distance"].get<double>(), 0.6);
    EXPECT_TRUE(compared["truths"][0]["labels"][1]["mean_distance"].is_null());
    const Outcome text = run({"evaluate", "labels", "l.nii", "t.nii", "--by-label"});
    EXPECT_NE(text.out.find("label 1"), std::string::npos) << text.out;
    // Going on, without a part.
    expect_success({"level-set", "ftc", "v.nii", "--from", "l.nii", "--erase", "box:0,0,0,8,47,47",
                    "--mask", "t.nii", "--lower", "120", "-o", "again.nii", "--device", "cpu",
                    "--snapshots", "states", "--every", "10"});
    EXPECT_TRUE(fs::exists(file("states") / "labels000010.nii.gz"));
    EXPECT_TRUE(fs::exists(file("states") / "overlay000010.png"));
    expect_success({"distance", "l.nii", "-o", "d.nii", "--device", "cpu"});
    const auto distance = std::get<Image<float>>(io::read_image(file("d.nii")).image);
    EXPECT_LT(distance(12, 24, 24), -5);
    EXPECT_GT(distance(40, 24, 24), 5);
}

double dice(const fs::path& labels, const fs::path& truth) {
    const auto found = std::get<Image<std::uint8_t>>(io::read_image(labels).image);
    const auto wanted = std::get<Image<std::uint8_t>>(io::read_image(truth).image);
    double both = 0, either = 0;
    for (std::size_t i = 0; i < found.pixels().size(); ++i) {
        const bool a = found.pixels()[i] != 0, b = wanted.pixels()[i] != 0;
        both += a && b;
        either += double(a) + double(b);
    }
    return 2 * both / either;
}

// No other option: limits and necks are found, and told as they would be given.
TEST_F(LevelSetProgram, TheBrainOfAHeadFromOneBall) {
    const char* images = std::getenv("TESELA_IMAGES");
    const fs::path head = images ? fs::path(images) / "ch2.nii.gz" : fs::path();
    ASSERT_TRUE(fs::exists(head))
        << "TESELA_IMAGES does not name the folder that holds ch2.nii.gz; run ./dev test";
    for (const char* seeds : {"ball:90,110,80,10", "ball:115,140,95,10"}) {
        const Outcome done = expect_success({"level-set", "ftc", head.string(), "--seeds", seeds,
                                             "-o", "b.nii", "--force", "--json"});
        EXPECT_GE(dice(file("b.nii"), head.parent_path() / "ch2bet.nii.gz"), 0.94) << seeds;
        const Json report = done.json();
        EXPECT_NEAR(report["parameters"]["lower"].get<double>(), 50, 10);
        EXPECT_EQ(report["parameters"]["neck"], "5mm");
        EXPECT_EQ(report["objects"][0]["lower"], report["parameters"]["lower"]);
    }
}

TEST(DataTest, TheBrainOfAnotherHead) {
    const char* data = std::getenv("TESELA_DATA");
    if (!data) GTEST_SKIP() << "TESELA_DATA does not name the folder of test images";
    const AnyImage head = io::read_image(fs::path(data) / "volumes" / "chris_t1.nii.gz").image;
    Queue queue(Device::parse("cpu"));
    for (const char* seeds : {"ball:63,130,95,11", "ball:120,150,110,11", "ball:81,160,95,11"}) {
        const LevelSetResult found = level_set(head, *parse_seeds(seeds), {}, queue);
        EXPECT_GT(*found.objects[0].volume, 1.35e6) << seeds;
        EXPECT_LT(*found.objects[0].volume, 1.55e6) << seeds;
    }
}

TEST_F(LevelSetProgram, ASurface) {
    expect_success({"synthesize", "volume", "--scene", "sphere", "--size", "32,32,32", "-o",
                    "v.nii", "--truth", "t.nii"});
    const Json found =
        expect_success({"level-set", "aos", "v.nii", "--seeds", "ball:16,16,16,5mm", "--lower",
                        "120", "-o", "l.nii", "--distance", "d.nii", "--device", "cpu", "--json",
                        "--snapshots", "states", "--every", "20"})
            .json();
    EXPECT_EQ(found["statistics"]["end"], "stable");
    EXPECT_EQ(found["objects"].size(), 1u);
    EXPECT_GT(found["parameters"]["contrast"].get<double>(), 0);
    EXPECT_EQ(found["parameters"]["step"].get<double>(), 0.5);
    EXPECT_TRUE(fs::exists(file("states") / "labels000020.nii.gz"));
    const auto labels = std::get<Image<std::uint8_t>>(io::read_image(file("l.nii")).image);
    const auto distance = std::get<Image<float>>(io::read_image(file("d.nii")).image);
    for (std::size_t i = 0; i < labels.pixels().size(); ++i)
        EXPECT_EQ(labels.pixels()[i] != 0, distance.pixels()[i] < 0);
    expect_failure(
        2, {"2 labels"},
        {"level-set", "aos", "v.nii", "--seeds", "3,3,3;9,9,9", "-o", "n.nii", "--device", "cpu"});
}

// The folder of snapshots is an output like others.
TEST_F(LevelSetProgram, SnapshotsTouchNoInputAndNoOtherOutput) {
    write("gray.png", gray_picture(60, 50));
    fs::create_directory(file("other"));
    write("other/gray.png", gray_picture(60, 50));
    const auto with = [](std::vector<std::string> options) {
        options.insert(options.begin(), {"level-set", "ftc", "gray.png", "--device", "cpu"});
        return options;
    };
    const Outcome first = expect_success(
        with({"--seeds", "30,30", "--snapshots", "states", "--every", "10", "-o", "l.png"}));
    const auto count =
        std::distance(fs::directory_iterator(file("states")), fs::directory_iterator());
    EXPECT_NE(first.err.find("wrote states (" + std::to_string(count) + " files"),
              std::string::npos)
        << first.err;
    const std::string before = read_text("states/labels000010.png");
    expect_failure(2, {"--snapshots", "'states' is an input or holds one"},
                   with({"--from", "states/labels000010.png", "--seeds", "9,9", "--snapshots",
                         "states", "--every", "10", "-o", "new.png", "--force"}));
    EXPECT_EQ(read_text("states/labels000010.png"), before);
    expect_failure(2, {"'states/labels000010.png' lies in the folder of --snapshots"},
                   with({"--seeds", "9,9", "--snapshots", "states", "-o", "states/labels000010.png",
                         "--force"}));
    expect_failure(1, {"l.png", "no folder"},
                   with({"--seeds", "9,9", "--snapshots", "l.png", "--dry-run"}));
    expect_failure(2, {"--snapshots", "'gray.png'", "'other/gray.png'", "'s_gray'"},
                   with({"other/gray.png", "--seeds", "9,9", "--snapshots", "s_{stem}", "--json"}));
    // Refused by the algorithm itself: no folder is left.
    expect_failure(2, {"999,9"}, with({"--seeds", "999,9", "--snapshots", "new/deep"}));
    EXPECT_EQ(run(with({"--seeds", "9,9", "--snapshots", "new/deep", "--dry-run", "--json"}))
                  .json()["outputs"][0]["path"],
              "new/deep");
}

TEST_F(LevelSetProgram, BadInput) {
    write("gray.png", gray_picture(20, 20));
    write("small.png", gray_picture(5, 5));
    const auto refuse = [&](int code, const std::vector<std::string>& words,
                            std::vector<std::string> options) {
        options.insert(options.begin(), {"level-set", "ftc", "gray.png"});
        options.insert(options.end(), {"-o", "out.png", "--device", "cpu"});
        expect_failure(code, words, options);
    };
    refuse(2, {"--seeds is missing"}, {});
    refuse(2, {"auto"}, {"--seeds", "auto"});
    refuse(2, {"'5,5'", "radius"}, {"--seeds", "ball:5,5"});
    refuse(2, {"radius"}, {"--seeds", "ball:5,5,0"});
    refuse(2, {"--spacing"}, {"--seeds", "ball:5,5,2mm"});
    refuse(3, {"--against", "nowhere.png"}, {"--seeds", "5,5", "--against", "nowhere.png"});
    refuse(3, {"--mask", "nowhere.png"}, {"--seeds", "5,5", "--mask", "nowhere.png"});
    refuse(2, {"small.png"}, {"--seeds", "5,5", "--mask", "small.png"});
    expect_failure(2, {"small.png"},
                   {"level-set", "ftc", "gray.png", "--seeds", "5,5", "--mask", "small.png", "-o",
                    "small.png", "--force", "--ignore-geometry"});
    expect_failure(2, {"--size", "3,3"}, {"synthesize", "volume", "--size", "3,3", "-o", "v.nii"});
    expect_failure(2, {"noise"},
                   {"synthesize", "volume", "--size", "3,3,3", "--noise", "300%", "-o", "v.nii"});
    expect_failure(2, {"label 7"},
                   {"distance", "gray.png", "--label", "700", "-o", "d.nii", "--device", "cpu"});
}

}  // namespace
}  // namespace tesela::cli::testing
