// What the verbs hold of memory, against --max-memory and what --dry-run tells.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "io/gzip_pieces.h"
#include "program.h"

namespace tesela::cli::testing {
namespace {

constexpr std::int64_t side = 1500;
constexpr double mega = 1e6;
// What the program takes by itself differs by as much.
constexpr double start = 4 * mega;

Image<std::uint8_t> noise(std::int64_t length) {
    Image<std::uint8_t> image({length, length});
    std::mt19937 random(3);
    for (std::uint8_t& pixel : image.pixels()) pixel = static_cast<std::uint8_t>(random());
    return image;
}

class MemoryTest : public ProgramTest {
  protected:
    // Each picture twice: as large as to be measured, and so small that it takes nothing.
    MemoryTest() {
        for (const auto& [size, length] : {std::pair{"large", side}, std::pair{"small", 16L}}) {
            fs::create_directory(file(size));
            const fs::path in(size);
            write(in / "color.png", color_picture(length, length));
            write(in / "gray.png", gray_picture(length, length));
            write(in / "noise.png", noise(length));
        }
    }

    // '@' stands for the size.
    static std::vector<std::string> words(const std::string& line, const std::string& size) {
        std::vector<std::string> arguments;
        std::istringstream in(line);
        for (std::string word; in >> word;) {
            if (const auto at = word.find('@'); at != word.npos) word.replace(at, 1, size);
            arguments.push_back(word);
        }
        return arguments;
    }
    Outcome run_with(std::vector<std::string> arguments,
                     const std::vector<std::string>& more) const {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }

    // While it worked, where its report says so. When the program ends it touches each of its
    // libraries once more: that is more than a small job takes (7 MB were seen), and differs from
    // machine to machine.
    static std::int64_t peak_of(const Outcome& done) {
        const Json report = done.json();
        return report.contains("peak_memory") ? report["peak_memory"]["host"].get<std::int64_t>()
                                              : done.peak_bytes;
    }

    // A verb's peak beyond that of a small picture is at most the plan's and a sixth, and the plan
    // at most `most_times` the peak.
    void expect_as_planned(const std::string& line, double most_times = 2) const {
        SCOPED_TRACE(line);
        const std::vector<std::string> cpu{"--device", "cpu", "--force", "--quiet", "--json"};
        const Outcome small = run_with(words(line, "small"), cpu);
        ASSERT_EQ(small.code, 0) << small.err;
        std::vector<std::string> large = words(line, "large");
        large.insert(large.end(), cpu.begin(), cpu.end());
        const Json plan = run_with(large, {"--dry-run"}).json();
        const auto needed = plan["host_bytes"]["needed"].get<std::int64_t>();
        EXPECT_LT(plan["device_bytes"]["needed"], needed);  // which is part of it
        const Outcome outcome = run_with(large, {"--max-memory", std::to_string(needed)});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const auto planned = static_cast<double>(needed);
        const auto peak = static_cast<double>(peak_of(outcome) - peak_of(small));
        EXPECT_LE(peak, 1.15 * planned) << peak / mega << " MB of " << planned / mega;
        EXPECT_GE(peak + start, planned / most_times) << peak / mega << " MB of " << planned / mega;
    }

    // For verbs without --dry-run, of inputs beyond 1 MiB: whatever the limit, it holds, 1 MiB is
    // not enough, and soon is enough.
    void expect_limited(const std::string& line) const {
        SCOPED_TRACE(line);
        const Outcome small = run_with(words(line, "small"), {"--json"});
        ASSERT_EQ(small.code, 0) << small.err;
        constexpr std::int64_t first = 1 << 20;
        for (std::int64_t limit = first;; limit = limit * 3 / 2) {
            const Outcome outcome =
                run_with(words(line, "large"), {"--json", "--max-memory", std::to_string(limit)});
            const bool done = outcome.code == 0;
            const auto peak = static_cast<double>(done ? peak_of(outcome) - peak_of(small)
                                                       : outcome.peak_bytes - small.peak_bytes);
            EXPECT_LE(peak, 1.15 * static_cast<double>(limit) + start) << outcome.err;
            if (done) {
                EXPECT_GT(limit, first);
                EXPECT_GE(peak + start, static_cast<double>(limit) / 3);
                return;
            }
            ASSERT_EQ(outcome.code, 5) << outcome.err;
            EXPECT_NE(outcome.err.find("bytes"), std::string::npos) << outcome.err;
        }
    }
};

TEST_F(MemoryTest, MeanShift) {
    expect_as_planned("mean-shift @/color.png --fast -o f.png");
    expect_as_planned("mean-shift @/gray.png --spatial 2 --labels l.png --overlay o.png");
}

TEST_F(MemoryTest, Grow) {
    expect_as_planned("grow compete @/gray.png --seeds grid:20 -o l.png");
    // Planned with labels on the device and on the host, which are the same on a CPU.
    constexpr double labels_twice = 4;
    for (const char* line :
         {"confidence @/gray.png", "tolerance @/gray.png --tolerance 9",
          "limits @/gray.png --lower 0 --radius 0", "limits @/gray.png --lower 0 --radius 1"})
        expect_as_planned("grow " + std::string(line) + " --seeds 4,4=1 -o l.png", labels_twice);
}

TEST_F(MemoryTest, GrowCompeteByMean) {
    expect_as_planned("grow compete @/color.png --by mean --seeds auto -o l.png");
    // The list could hold every pixel, and in noise holds few.
    expect_as_planned("grow compete @/noise.png --by mean --seeds 4,4=1 -o l.png", 3);
    expect_as_planned("grow compete @/gray.png --by mean --seeds grid:2px -o l.tif");
}

// Beyond the plan the job is refused before it takes memory, and writes nothing.
TEST_F(MemoryTest, WhatIsPlannedBeyondTheLimitIsRefused) {
    const std::vector<std::string> verb{"grow",    "compete", "large/color.png", "--by", "mean",
                                        "--seeds", "auto",    "--device",        "cpu",  "-o",
                                        "l.png"};
    const Json plan = run_with(verb, {"--dry-run", "--json"}).json();
    const auto needed = plan["host_bytes"]["needed"].get<std::int64_t>();
    std::vector<std::string> tight = verb;
    tight.insert(tight.end(), {"--max-memory", std::to_string(needed - 1)});
    expect_failure(5, {std::to_string(needed) + " bytes", std::to_string(needed - 1) + " bytes"},
                   tight);
    EXPECT_EQ(run_with(tight, {"--dry-run"}).code, 5);
    const std::int64_t read = run({"info", "large/color.png"}).peak_bytes;
    constexpr double libraries = 90 * mega;  // that computing verbs load
    EXPECT_LE(static_cast<double>(run(tight).peak_bytes - read), libraries);
}

// How many regions automatic seeds make shows while they grow.
TEST_F(MemoryTest, GrowCompeteRefusesMoreRegionsThanFit) {
    Image<std::uint8_t> squares({side, side});
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x) squares(x, y) = (x / 3 + y / 3) % 2 ? 200 : 20;
    write("squares.png", squares);
    const std::vector<std::string> verb{"grow", "compete", "squares.png", "--by",
                                        "mean", "--seeds", "auto",        "--device",
                                        "cpu",  "-o",      "l.tif"};
    const Json plan = run_with(verb, {"--dry-run", "--json"}).json();
    std::vector<std::string> tight = verb;
    tight.insert(tight.end(), {"--max-memory", plan["host_bytes"]["needed"].dump()});
    expect_failure(5, {"lists of neighbors", "bytes"}, tight);
}

TEST_F(MemoryTest, Watershed) {
    expect_as_planned("watershed @/gray.png -o l.tif");
    expect_as_planned("watershed @/noise.png -o l.tif --line --overlay o.png");
}

TEST_F(MemoryTest, Components) {
    expect_as_planned("components @/gray.png -o l.tif");
    expect_as_planned("components @/noise.png -o l.tif --values equal");
    expect_as_planned("components @/noise.png -o l.tif --values equal --table t.csv");
}

TEST_F(MemoryTest, Thresholds) {
    expect_as_planned("threshold otsu @/gray.png -o m.png");
    expect_as_planned("threshold iterative @/color.png -o m.png");
    // The mask could have as many regions as pixels.
    expect_as_planned("threshold adaptive @/noise.png -o m.png --surface s.tif", 3);
    expect_as_planned("threshold adaptive --method mean @/gray.png -o m.png --surface s.tif");
}

TEST_F(MemoryTest, EdgesAndSplitMerge) {
    for (const char* name : {"sobel", "prewitt", "roberts", "canny"})
        expect_as_planned("edges " + std::string(name) + " @/gray.png -o e.png");
    expect_as_planned("split-merge @/noise.png -o l.tif");
}

TEST_F(MemoryTest, Flow) {
    expect_as_planned("flow tv-l1 @/gray.png @/noise.png -o f.flo");
    expect_as_planned("flow horn-schunck @/gray.png @/noise.png -o f.flo --color c.png");
    expect_as_planned("flow lucas-kanade @/gray.png @/noise.png -o f.flo --arrows a.png");
}

TEST_F(MemoryTest, VerbsOfPictures) {
    constexpr double upper_bound = 4;
    for (const char* line :
         {"segment @/color.png -o l.png", "level-set ftc @/gray.png --seeds 4,4 -o l.png",
          "level-set aos @/gray.png --seeds ball:8,8,5 --max-iterations 20 -o l.png",
          "level-set stop-function @/gray.png -o s.tif", "distance @/noise.png --label 7 -o d.tif",
          "circles @/gray.png --min-radius 3 --max-radius 6 -o c.csv",
          "wavelet forward @/gray.png -o w.tif", "wavelet denoise @/gray.png -o d.png",
          "stain separate @/color.png -o a.tif", "match small/gray.png @/gray.png -o s.tif",
          "texture lbp @/gray.png -o c.png", "thesis mean-shift @/gray.png -o f.png",
          "thesis region-grow @/color.png --block 8 -o l.png",
          "thesis flow horn-schunck @/gray.png @/noise.png -o f.flo"})
        expect_as_planned(line, upper_bound);
    // Planned for an object as large as the picture, and for as many gray levels as there can be.
    expect_as_planned("zernike @/gray.png -o m.csv", 10);
    expect_as_planned("texture glcm @/gray.png -o g.csv", 20);
}

TEST_F(MemoryTest, VerbsOfVolumes) {
    write("small/head.nii", volume(8, 8, 8));
    write("large/head.nii", volume(160, 160, 120));
    write_text("move.json",
               R"({"format":"tesela-transform","version":1,"dimensions":3,"unit":"px","steps":)"
               R"([{"type":"affine","matrix":[[1,0,0],[0,1,0],[0,0,1]],"translation":[1,2,3]}]})");
    constexpr double upper_bound = 4;
    expect_as_planned("render @/head.nii -o v.png --size 64x64", upper_bound);
    expect_as_planned("warp @/head.nii --transform move.json --like @/head.nii -o w.nii",
                      upper_bound);
    expect_limited("compress @/head.nii -o @/head.tvol --force");
    // Without the wavelet, which takes no floating-point numbers.
    write("small/field.nii", Image<float>({8, 8, 8}));
    Image<float> field({96, 96, 96});
    std::mt19937 random(5);
    for (float& value : field.pixels()) value = static_cast<float>(random());
    write("large/field.nii", field);
    expect_limited("compress @/field.nii -o @/field.tvol --force");
    expect_limited("decompress @/head.tvol -o d.nii --force");
    const std::string part = "decompress large/head.tvol --box 0,0,0,32,32,32 -o d.nii --force";
    EXPECT_EQ(run_with(words(part, ""), {"--max-memory", "3M"}).code, 0);  // less than the whole
    // With a scaling, which makes numbers twice as long.
    for (const std::string size : {"small", "large"}) {
        std::string bytes = read_text(size + "/head.nii");
        constexpr float slope = 0.5;
        constexpr std::size_t scl_slope = 112;
        std::memcpy(&bytes[scl_slope], &slope, sizeof slope);
        write_text(size + "/scaled.nii", bytes);
    }
    expect_limited("compress @/scaled.nii -o @/scaled.tvol --force");
    expect_limited("decompress @/scaled.tvol -o d.nii --force");
    expect_limited("evaluate image @/head.nii @/head.nii");
}

TEST_F(MemoryTest, EvaluateSynthesizeInfo) {
    expect_limited("evaluate labels @/gray.png @/noise.png");
    for (const std::string size : {"small", "large"}) {
        const std::string length = size == "small" ? "16" : std::to_string(side);
        ASSERT_EQ(
            run({"synthesize", "flow", "-o", size + "/flow", "--width", length, "--height", length})
                .code,
            0);
    }
    expect_limited("evaluate flow @/flow/flow10.flo @/flow/flow10.flo");
    expect_limited("info @/noise.png");
    expect_failure(5, {"synthesize flow", "the limit"},
                   {"synthesize", "flow", "-o", "new", "--width", "3000", "--height", "3000",
                    "--max-memory", "20M"});
}

// Every pixel of the truth is a region of its own.
TEST_F(MemoryTest, EvaluateMillionsOfLabels) {
    Image<std::uint32_t> labels({1000, 1000});
    std::uint32_t next = 0;
    for (std::uint32_t& label : labels.pixels()) label = ++next;
    write("many.tif", labels);
    const std::vector<std::string> verb{"evaluate", "labels", "many.tif", "many.tif",
                                        "--max-memory"};
    expect_failure(5, {"evaluate labels", "bytes"}, [&] {
        auto arguments = verb;
        arguments.emplace_back("20M");
        return arguments;
    }());
    const Outcome small = run({"evaluate", "labels", "small/gray.png", "small/gray.png", "--json"});
    const Outcome outcome = run_with(verb, {"200M", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_LE(peak_of(outcome) - peak_of(small), 200 << 20);
}

// A NIfTI header that unpacks to an extension of 256 MB.
TEST_F(MemoryTest, LongExtensionsOfHeadersAreNotHeld) {
    constexpr std::int32_t extension = 256'000'000;
    const Image<std::uint8_t> image({4, 4, 4});
    write("plain.nii", image);
    std::string bytes = read_text("plain.nii");
    const std::string voxels = bytes.substr(352);
    bytes.resize(352);
    const auto set = [&](std::size_t at, auto value) {
        std::memcpy(&bytes[at], &value, sizeof value);
    };
    set(108, static_cast<float>(352 + extension));  // vox_offset
    bytes[348] = 1;                                 // extensions follow
    bytes.resize(360);
    set(352, extension);
    set(356, std::int32_t{6});  // a comment
    bytes.resize(352 + std::size_t{extension});
    write_text("long.nii", bytes + voxels);
    {
        io::OutputFile packed(file("long.nii.gz"), file("long.nii.gz"));
        io::gzip_file(file("long.nii"), packed);
        packed.close();
    }
    const std::int64_t small = run({"info", "plain.nii"}).peak_bytes;
    const std::vector<std::string> verb{"info", "long.nii.gz"};
    const Outcome refused = run_with(verb, {"--max-memory", "50M"});
    EXPECT_EQ(refused.code, 5) << refused.err;
    EXPECT_NE(refused.err.find("long.nii.gz"), std::string::npos) << refused.err;
    const Outcome read = run(verb);
    EXPECT_EQ(read.code, 0) << read.err;
    for (const Outcome* outcome : {&refused, &read})
        EXPECT_LE(outcome->peak_bytes - small, 10 * mega);
    EXPECT_EQ(run({"info", "long.nii", "--json"}).json()["files"][0]["size"][0], 4);
}

}  // namespace
}  // namespace tesela::cli::testing
