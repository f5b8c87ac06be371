// Outputs: all of them or none, never over the input, checked before the work.
#include <sys/mount.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>

#include "outputs.h"
#include "program.h"
#include "tesela/error.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class Outputs : public ProgramTest {
  protected:
    Outputs() { write("picture.png", color_picture(60, 50)); }

    // Values that no file format makes much smaller.
    void write_noise() const {
        Image<std::uint8_t> noise({300, 200, 1, 1, 3});
        std::mt19937 random(1);
        for (std::uint8_t& value : noise.pixels()) value = static_cast<std::uint8_t>(random());
        write("picture.png", noise);
    }

    static Names filter(const Names& options) {
        Names all{"mean-shift", "picture.png", "--device", "cpu"};
        all.insert(all.end(), options.begin(), options.end());
        return all;
    }
};

TEST_F(Outputs, AllOfThem) {
    const Outcome outcome = run(
        filter({"-o", "f.png", "--labels", "l.png", "--overlay", "o.png", "--colored", "c.png"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(names(), (Names{"c.png", "f.png", "l.labels.json", "l.png", "o.png", "picture.png"}));
    const io::ReadResult filtered = io::read_image(file("f.png"));
    EXPECT_EQ(shape_of(filtered.image), (Shape{60, 50, 1, 1, 3}));
    EXPECT_EQ(pixel_type_of(filtered.image), PixelType::u8);
    for (const char* picture : {"o.png", "c.png"})
        EXPECT_EQ(shape_of(io::read_image(file(picture)).image), (Shape{60, 50, 1, 1, 3}));
    // What was made stands on stderr with the path.
    for (const std::string name : {"f.png", "l.png", "o.png", "c.png"})
        EXPECT_NE(outcome.err.find("wrote " + name), std::string::npos) << outcome.err;
}

TEST_F(Outputs, NoneNamed) {
    expect_failure(2, {"--filtered", "--labels"}, filter({}));
    const Outcome json = run(filter({"--json"}));
    EXPECT_EQ(json.code, 0) << json.err;
    EXPECT_GT(json.json()["statistics"]["region_count"], 0);
}

TEST_F(Outputs, ExistingFilesStay) {
    write_text("f.png", "precious");
    expect_failure(2, {"f.png", "--force"}, filter({"-o", "f.png"}));
    EXPECT_EQ(read_text("f.png"), "precious");
    write_text("l.labels.json", "precious too");
    const Outcome kept = run(filter({"--labels", "l.png"}));  // nobody asked for the side file
    EXPECT_EQ(kept.code, 0) << kept.err;
    EXPECT_NE(kept.err.find("'l.labels.json' exists already"), std::string::npos) << kept.err;
    EXPECT_EQ(read_text("l.labels.json"), "precious too");

    const Outcome forced = run(filter({"-o", "f.png", "--labels", "l.png", "--force"}));
    EXPECT_EQ(forced.code, 0) << forced.err;
    EXPECT_NE(read_text("f.png"), "precious");
    EXPECT_NE(read_text("l.labels.json"), "precious too");
}

TEST_F(Outputs, NeverTheInputOrEachOther) {
    expect_failure(2, {"picture.png", "input"}, filter({"-o", "picture.png", "--force"}));
    fs::create_symlink("picture.png", file("link.png"));
    expect_failure(2, {"link.png", "input"}, filter({"-o", "link.png", "--force"}));
    expect_failure(2, {"--filtered", "--overlay"},
                   filter({"-o", "same.png", "--overlay", "./same.png"}));
    expect_failure(2, {"--labels", "--overlay"},
                   filter({"--labels", "a.png", "--overlay", "a.labels.json"}));
}

// The settings are an input too, also through a link and in a folder of results.
TEST_F(Outputs, NeverTheSettings) {
    const std::string text = "device = \"cpu\"\n";
    fs::create_directory(file("fields"));
    for (const char* name : {"settings.csv", "fields/settings.toml"}) write_text(name, text);
    fs::create_symlink("settings.csv", file("link.csv"));
    write("a.png", gray_picture(20, 20));
    for (int i = 0; i < 3; ++i) write("f" + std::to_string(i) + ".png", gray_picture(20, 20));
    for (const std::string output : {"settings.csv", "link.csv"})
        expect_failure(
            2, {output, "is an input"},
            {"components", "a.png", "--table", output, "--force", "--config", "settings.csv"});
    expect_failure(2, {"fields", "holds one"},
                   {"flow", "lucas-kanade", "f0.png", "f1.png", "f2.png", "-o", "fields", "--force",
                    "--config", "fields/settings.toml"});
    EXPECT_EQ(read_text("settings.csv"), text);
    EXPECT_EQ(read_text("fields/settings.toml"), text);
}

TEST_F(Outputs, UnwritablePlaces) {
    expect_failure(1, {"nowhere/f.png", "no folder"}, filter({"-o", "nowhere/f.png"}));
    expect_failure(1, {"picture.png/f.png"}, filter({"-o", "picture.png/f.png"}));
    fs::create_directory(file("folder.png"));
    expect_failure(1, {"folder.png", "folder"}, filter({"-o", "folder.png", "--force"}));
    expect_failure(1, {"/dev/null"}, filter({"-o", "/dev/null", "--force"}));
    expect_failure(1, {"/proc/f.png"}, filter({"-o", "/proc/f.png"}));
}

TEST_F(Outputs, FormatsThatDoNotFit) {
    expect_failure(2, {"f.xyz", ".png"}, filter({"-o", "f.xyz"}));
    expect_failure(2, {"plain"}, filter({"-o", "plain"}));
    expect_failure(2, {"l.jpg"}, filter({"--labels", "l.jpg"}));
    expect_failure(2, {"f.png", "float32", ".tif"},
                   filter({"-o", "f.png", "--filtered-type", "float32"}));
    write("volume.nrrd", volume(9, 8, 7));
    expect_failure(2, {"f.png", "volume"}, {"mean-shift", "volume.nrrd", "-o", "f.png"});
}

TEST_F(Outputs, TooManyRegionsForTheFormat) {
    Image<std::uint8_t> checkers({40, 40});  // 4-connected: one region a pixel
    for (std::int64_t y = 0; y < 40; ++y)
        for (std::int64_t x = 0; x < 40; ++x) checkers(x, y) = (x + y) % 2 ? 255 : 0;
    write("checkers.png", checkers);
    const Names options{
        "mean-shift", "checkers.png",   "--device", "cpu",          "--spatial", "1",  "--range",
        "1",          "--connectivity", "4",        "--min-region", "0",         "-o", "f.png"};
    Names to_bmp = options;
    to_bmp.insert(to_bmp.end(), {"--labels", "l.bmp"});
    // The filtered image was complete by then, and is not left alone either.
    expect_failure(2, {"l.bmp", "255", ".tif"}, to_bmp);
    Names to_png = options;
    to_png.insert(to_png.end(), {"--labels", "l.png"});
    EXPECT_EQ(run(to_png).code, 0);
    EXPECT_EQ(io::read_labels(file("l.png"))(39, 39), 1600u);
}

TEST_F(Outputs, FullDisk) {
    const Names options = filter({"--overlay", "o.png", "-o", "small/f.tif", "--range", "0.5"});
    fs::create_directory(file("small"));
    write_noise();
    const bool mounted = mount("none", file("small").c_str(), "tmpfs", 0, "size=64k") == 0;
    std::cout << (mounted ? "on a file system of 64 KiB\n" : "with a limit on the size of files\n");
    expect_failure(1, {"cannot write", "f.tif", mounted ? "No space left" : "File too large"},
                   options, {.largest_file = mounted ? -1 : 65536});
    if (mounted) {
        EXPECT_EQ(umount(file("small").c_str()), 0);
    }
}

TEST_F(Outputs, LimitOnTheSizeOfFilesKeepsTheOldOne) {
    write_noise();
    write_text("f.tif", "precious");
    write_text("o.png", "precious");
    expect_failure(1, {"cannot write", "f.tif", "File too large"},
                   filter({"-o", "f.tif", "--overlay", "o.png", "--force", "--range", "0.5"}),
                   {.largest_file = 65536});
    EXPECT_EQ(read_text("f.tif"), "precious");
    EXPECT_EQ(read_text("o.png"), "precious");
}

TEST_F(Outputs, DryRunWritesNothing) {
    const Names before = names();
    const Outcome plan = run(filter({"-o", "f.png", "--labels", "l.png", "--dry-run"}));
    EXPECT_EQ(plan.code, 0) << plan.err;
    EXPECT_NE(plan.out.find("f.png"), std::string::npos);
    EXPECT_EQ(names(), before);

    const Json json = run(filter({"-o", "f.png", "--dry-run", "--json"})).json();
    EXPECT_TRUE(json["dry_run"]);
    EXPECT_GT(json["device_bytes"]["needed"], 60 * 50 * 3);
    EXPECT_TRUE(json["device_bytes"]["fits"]);

    const Outcome tight = run(filter({"--dry-run", "--max-memory", "20K"}));
    EXPECT_EQ(tight.code, 5) << tight.err;
    EXPECT_EQ(names(), before);
}

TEST_F(Outputs, DryRunCoversWhatTheJobTakes) {
    const std::int64_t needed = run(filter({"--dry-run", "--json"})).json()["host_bytes"]["needed"];
    const Outcome enough = run(filter({"--json", "--max-memory", std::to_string(needed)}));
    ASSERT_EQ(enough.code, 0) << enough.err;
    EXPECT_LE(enough.json()["peak_memory"]["device"], needed);
}

TEST_F(Outputs, FilteredTypeIsAskedFor) {
    const Outcome outcome = run(filter({"-o", "f.tif", "--filtered-type", "float32"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(pixel_type_of(io::read_image(file("f.tif")).image), PixelType::f32);

    write("volume.nrrd", volume(9, 8, 7));  // values to 4 * 184
    const Outcome narrow = run({"mean-shift", "volume.nrrd", "-o", "v.nrrd", "--filtered-type",
                                "uint8", "--json", "--device", "cpu"});
    ASSERT_EQ(narrow.code, 0) << narrow.err;
    EXPECT_NE(narrow.json()["warnings"].dump().find("saturated"), std::string::npos);
}

TEST_F(Outputs, NobodyReadsTheMessages) {
    const std::string command = "cd " + folder.string() + " && " + TESELA_PROGRAM +
                                " mean-shift picture.png -o f.png --profile 2>&1 | true";
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(names(), (Names{"f.png", "picture.png"}));
}

// The set itself, without the program.
TEST_F(Outputs, AFailureAtTheEndBringsBackWhatWasThere) {
    write_text("a.txt", "old a");
    fs::create_directory(file("later"));
    OutputSet outputs(true);
    outputs.add("a", file("a.txt"));
    outputs.add("b", file("later") / "b.txt");
    const auto put = [](const std::string& text) {
        return [text](const fs::path& path) { std::ofstream(path) << text; };
    };
    outputs.stage("a", put("new a"));
    outputs.stage("b", put("new b"));
    // Between the check and the end somebody puts a folder where b is to go.
    fs::create_directories(file("later") / "b.txt" / "inside");
    EXPECT_THROW(outputs.commit(), Error);
    EXPECT_EQ(read_text("a.txt"), "old a");
}

}  // namespace
}  // namespace tesela::cli::testing
