// What the program prints: one JSON object or text on stdout, messages on stderr.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <sstream>

#include <array>
#include <map>

#include "program.h"
#include "sanitized.h"

namespace tesela::cli::testing {
namespace {

class Report : public ProgramTest {
  protected:
    Report() { write("picture.png", color_picture(60, 50)); }
};

// Options of merging only join regions, down to one; the segmented image has one color a region.
TEST_F(Report, MergedRegions) {
    const auto run_with = [&](const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"mean-shift", "picture.png", "--segmented", "s.png",
                                           "--labels",   "l.png",       "--json",      "--device",
                                           "cpu",        "--force"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const Json json = outcome.json();
        const LabelImage labels = io::read_labels(file("l.png"));
        const auto segmented = std::get<Image<std::uint8_t>>(io::read_image(file("s.png")).image);
        std::map<std::uint32_t, std::array<std::uint8_t, 3>> color;
        for (std::int64_t y = 0; y < 50; ++y)
            for (std::int64_t x = 0; x < 60; ++x) {
                const std::array<std::uint8_t, 3> own{
                    segmented(x, y, 0, 0, 0), segmented(x, y, 0, 0, 1), segmented(x, y, 0, 0, 2)};
                EXPECT_EQ(color.emplace(labels(x, y), own).first->second, own);
            }
        EXPECT_EQ(color.size(), json["statistics"]["region_count"]);
        return json["statistics"];
    };
    const Json plain = run_with({"--fusion-range", "0", "--min-region", "0"});
    EXPECT_EQ(plain["region_count"], plain["component_count"]);
    const Json usual = run_with({});
    EXPECT_EQ(usual["component_count"], plain["component_count"]);
    EXPECT_LE(usual["region_count"], plain["region_count"]);
    EXPECT_EQ(run_with({"--min-region", "3000"})["region_count"], 1);
    EXPECT_EQ(run_with({"--region-scale", "1e9"})["region_count"], 1);
    EXPECT_EQ(run_with({"--fusion-range", "100"})["region_count"], 1);
}

TEST_F(Report, MeanShift) {
    const Outcome outcome = run({"mean-shift", "picture.png", "-o", "f.png", "--labels", "l.png",
                                 "--json", "--profile", "--device", "cpu", "--range", "10"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = outcome.json();
    EXPECT_FALSE(json["version"].get<std::string>().empty());
    EXPECT_EQ(json["verb"], "mean-shift");
    EXPECT_EQ(json["device"]["id"], "cpu");
    EXPECT_FALSE(json["device"]["reason"].get<std::string>().empty());
    EXPECT_EQ(json["parameters"]["range"], 10);
    EXPECT_EQ(json["parameters"]["spatial"], "8px");
    EXPECT_EQ(json["parameters"]["color-space"], "luv");  // what auto came to
    EXPECT_EQ(json["parameters"]["connectivity"], "8");
    EXPECT_EQ(json["input"]["size"], (Json{60, 50, 1, 1}));
    EXPECT_EQ(json["input"]["geometry"]["unit"], "unknown");
    ASSERT_EQ(json["outputs"].size(), 3u);
    for (const Json& output : json["outputs"])
        EXPECT_EQ(output["bytes"], fs::file_size(file(output["path"])));
    EXPECT_GT(json["statistics"]["iterations_per_point"], 0);
    const LabelImage labels = io::read_labels(file("l.png"));
    EXPECT_EQ(json["statistics"]["region_count"],
              *std::max_element(labels.pixels().begin(), labels.pixels().end()));
    EXPECT_GE(json["stages"].size(), 4u);
    EXPECT_EQ(json["stages"].front()["name"], "read");
    EXPECT_EQ(json["stages"].back()["name"], "write");
    EXPECT_GT(json["peak_memory"]["host"], 0);
    EXPECT_EQ(json["transfers"]["bytes"],
              json["counters"]["bytes_uploaded"].get<std::int64_t>() +
                  json["counters"]["bytes_downloaded"].get<std::int64_t>());
    EXPECT_GT(json["transfers"]["count"], 0);
    EXPECT_GT(json["kernels"].size(), 0u);
    EXPECT_GT(json["counters"]["launches"], 0);
    EXPECT_TRUE(json["warnings"].is_array());
}

TEST_F(Report, MessagesSayWhatWasDone) {
    const auto said = [&](const std::string& flag, const std::string& name) {
        const Outcome outcome = run({"mean-shift", "picture.png", "--labels", name + ".png",
                                     "--device", "cpu", "--progress", "none", flag});
        EXPECT_EQ(outcome.out, "");
        return outcome.err;
    };
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    const std::string usual = said("--profile", "l"), verbose = said("-v", "v");
    for (const char* text : {"regions", "iterations per pixel", "wrote l.png", "launches"})
        EXPECT_TRUE(has(usual, text)) << text << " in " << usual;
    for (const char* text :
         {"device cpu", "asked for", "60 x 50", "uint8", "times:", "peak memory"}) {
        EXPECT_TRUE(has(verbose, text)) << text << " in " << verbose;
        EXPECT_FALSE(has(usual, text)) << text << " in " << usual;
    }
    const Outcome quiet =
        run({"mean-shift", "picture.png", "--labels", "q.png", "--device", "cpu", "-q"});
    EXPECT_EQ(quiet.code, 0);
    EXPECT_EQ(quiet.err, "");
    const Outcome warned =
        run({"threshold", "range", "0", "255", "picture.png", "-o", "m.png", "-q"});
    EXPECT_NE(warned.err.find("warning: the mask takes 100.0 %"), std::string::npos) << warned.err;
}

// As behind `| head`.
TEST_F(Report, AReaderThatIsGoneIsNoError) {
    const std::string command = "cd '" + folder.string() + "' && { '" + TESELA_PROGRAM +
                                "' info picture.png 2>err; echo $? >code; } | true";
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(read_text("code"), "141\n");
    EXPECT_EQ(read_text("err"), "");
}

TEST_F(Report, Progress) {
    write("large.png", color_picture(200, 200));
    const auto progress = [&](const std::string& style) {
        return run({"mean-shift", "large.png", "--json", "--device", "cpu", "--progress", style});
    };
    EXPECT_NE(progress("lines").err.find("tesela: 100 %"), std::string::npos);
    EXPECT_EQ(progress("none").err.find(" % ("), std::string::npos);
    EXPECT_NE(progress("bar").err.find("\r["), std::string::npos);
    const std::string lines = progress("json").err;
    double last = 0;
    int count = 0;
    std::istringstream all(lines);
    for (std::string line; std::getline(all, line);) {
        if (!line.starts_with('{')) continue;
        const Json json = Json::parse(line);
        EXPECT_GE(json["progress"], last);
        last = json["progress"];
        ++count;
    }
    EXPECT_EQ(last, 1);
    EXPECT_GE(count, 3);
}

TEST_F(Report, Info) {
    Image<float> image({10, 8});
    image(3, 3) = -2.5f;
    image(4, 4) = std::numeric_limits<float>::quiet_NaN();
    write("real.tif", image);
    const Json json = run({"info", "real.tif", "picture.png", "--json"}).json();
    ASSERT_EQ(json["files"].size(), 2u);
    const Json& real = json["files"][0];
    EXPECT_EQ(real["format"], "TIFF");
    EXPECT_EQ(real["type"], "float32");
    EXPECT_EQ(real["values"]["lowest"], -2.5);
    EXPECT_EQ(real["values"]["highest"], 0);
    EXPECT_EQ(real["values"]["nan"], 1);
    EXPECT_EQ(json["files"][1]["channels"], 3);

    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {0.5, 0.5, 2};
    write("volume.nii.gz", volume(6, 5, 4, geometry));
    const Outcome text = run({"info", "volume.nii.gz"});
    for (const char* part : {"NIfTI", "6 x 5 x 4", "int16", "0.5 x 0.5 x 2 mm", "LPS"})
        EXPECT_NE(text.out.find(part), std::string::npos) << part << " in " << text.out;
}

TEST_F(Report, Devices) {
    const Outcome outcome = run({"devices", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = outcome.json();
    ASSERT_GE(json["devices"].size(), 1u);
    for (const Json& device : json["devices"])
        for (const char* key :
             {"id", "name", "driver", "compute_units", "clock_mhz", "max_group_items",
              "max_group_size", "global_memory", "constant_memory", "local_memory"})
            EXPECT_TRUE(device.contains(key)) << key;
    EXPECT_TRUE(json["auto"].contains("reason"));
    const Outcome text = run({"devices"});
    for (const Json& device : json["devices"])
        EXPECT_NE(text.out.find(device["id"].get<std::string>() + ":"), std::string::npos);
    for (const Json& rejected : json["rejected"])
        EXPECT_NE(text.out.find(rejected["why"].get<std::string>()), std::string::npos);
    EXPECT_NE(text.out.find("--device auto takes"), std::string::npos);
}

TEST_F(Report, DevicesAreTriedAndListedInTheirOrder) {
    // At the end of a program that has run kernels on PoCL the checker of leaks now and then fails
    // itself.
    RunOptions options;
    if (tesela::testing::sanitized) options.environment = {{"OCL_ICD_VENDORS", "/nonexistent"}};
    const Outcome outcome = run({"devices", "--check", "--json"}, options);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json devices = outcome.json()["devices"];
    bool gpus = true;
    for (const Json& device : devices) {
        EXPECT_TRUE(device["works"]) << device;
        EXPECT_TRUE(device["fault"].is_null());
        EXPECT_TRUE(gpus || !device["gpu"]) << device;  // no GPU behind a processor
        gpus = device["gpu"];
    }
    const Outcome text = run({"devices", "--check"}, options);
    EXPECT_NE(text.out.find("check                 works\n"), std::string::npos) << text.out;
    EXPECT_EQ(run({"devices"}).out.find("check"), std::string::npos);
}

TEST_F(Report, FullStandardOutput) {
    // The shell connects stdout with a device that is always full.
    const std::string command =
        std::string(TESELA_PROGRAM) + " devices >/dev/full 2>" + file("err").string();
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_NE(read_text("err").find("standard output"), std::string::npos);
}

}  // namespace
}  // namespace tesela::cli::testing
