// Every kind of bad input gives one sentence, the documented exit code and no file.
#include <cmath>
#include <limits>

#include "program.h"

namespace tesela::cli::testing {
namespace {

class BadInput : public ProgramTest {
  protected:
    BadInput() { write("picture.png", color_picture(40, 30)); }

    // Filters `input` into out.tif or out.nrrd and expects a failure.
    void expect_failed_filter(int code, const std::vector<std::string>& words,
                              const std::string& input, std::vector<std::string> options = {}) {
        const std::string output = input.find(".n") == std::string::npos ? "out.tif" : "out.nrrd";
        options.insert(options.begin(), {"mean-shift", input, "-o", output, "--device", "cpu"});
        expect_failure(code, words, options);
    }
};

TEST_F(BadInput, MissingFile) {
    expect_failed_filter(3, {"nowhere.png", "No such file"}, "nowhere.png");
    expect_failure(3, {"nowhere.png"}, {"info", "nowhere.png"});
}

TEST_F(BadInput, RegionOptions) {
    expect_failed_filter(2, {"--min-region", "1201", "1200 pixels"}, "picture.png",
                         {"--min-region", "1201"});
    for (const std::string option : {"--min-region", "--fusion-range", "--region-scale"})
        for (const std::string value : {"-1", "nan", "many"})
            expect_failed_filter(2, {option, value}, "picture.png", {option + "=" + value});
    expect_failed_filter(2, {"--min-region"}, "picture.png", {"--min-region", "2.5"});
}

TEST_F(BadInput, EmptyFile) {
    write_text("empty.png", "");
    expect_failed_filter(3, {"empty.png", "empty"}, "empty.png");
}

TEST_F(BadInput, TruncatedFile) {
    const std::string whole = read_text("picture.png");
    write_text("short.png", whole.substr(0, whole.size() / 2));
    expect_failed_filter(3, {"short.png"}, "short.png");

    write("volume.nii", volume(9, 8, 7));
    const std::string bytes = read_text("volume.nii");
    write_text("short.nii", bytes.substr(0, bytes.size() - 100));
    expect_failed_filter(3, {"short.nii"}, "short.nii");
}

TEST_F(BadInput, NoImage) {
    write_text("notes.png",
               "These are notes and no picture at all, but long enough for a header.\n");
    expect_failed_filter(3, {"notes.png"}, "notes.png");
    fs::create_directory(file("folder"));
    expect_failed_filter(3, {"folder"}, "folder");
}

TEST_F(BadInput, LyingSuffixIsReadByContent) {
    write("really.jpg", color_picture(40, 30));
    fs::rename(file("really.jpg"), file("lying.png"));
    const Outcome outcome = run({"mean-shift", "lying.png", "-o", "out.png", "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["input"]["format"], "JPEG");
}

TEST_F(BadInput, EnormousHeader) {
    write("volume.nii", volume(9, 8, 7));
    std::string header = read_text("volume.nii");
    for (int axis = 1; axis <= 3; ++axis) {  // the sizes are 16-bit numbers from byte 42 on
        header[static_cast<std::size_t>(40 + 2 * axis)] = '\xff';
        header[static_cast<std::size_t>(41 + 2 * axis)] = '\x7f';
    }
    write_text("huge.nii", header);
    expect_failed_filter(3, {"huge.nii"}, "huge.nii");
}

TEST_F(BadInput, WrongType) {
    write("two.tif", Image<std::uint8_t>({20, 20, 1, 1, 5}));
    expect_failed_filter(3, {"channels"}, "two.tif");
    write("real.tif", Image<float>({20, 20}));
    expect_failure(3, {"real.tif"}, {"evaluate", "labels", "real.tif", "real.tif"});
}

TEST_F(BadInput, Bandwidths) {
    for (const std::string flag : {"--spatial", "--range"})
        for (const std::string value : {"0", "-3", "nan", "inf", "-inf", "abc", "", "1,5", "8 mm"})
            expect_failed_filter(2, {flag, value}, "picture.png", {flag, value});
}

TEST_F(BadInput, OtherOptionsOutOfRange) {
    expect_failed_filter(2, {"--epsilon", "0", "above 0"}, "picture.png", {"--epsilon", "0"});
    expect_failed_filter(2, {"--epsilon", "1.5"}, "picture.png", {"--epsilon", "1.5"});
    expect_failed_filter(2, {"--max-iterations"}, "picture.png", {"--max-iterations", "0"});
    expect_failed_filter(2, {"--max-iterations", "2.5"}, "picture.png",
                         {"--max-iterations", "2.5"});
    expect_failed_filter(2, {"--label-epsilon", "-1"}, "picture.png", {"--label-epsilon", "-1"});
    expect_failed_filter(2, {"--threads", "-2"}, "picture.png", {"--threads", "-2"});
    expect_failed_filter(2, {"--connectivity", "5"}, "picture.png", {"--connectivity", "5"});
    expect_failed_filter(2, {"--color-space", "hsv"}, "picture.png", {"--color-space", "hsv"});
    expect_failed_filter(2, {"--spacing", "1,0"}, "picture.png", {"--spacing", "1,0"});
    expect_failed_filter(2, {"--spacing"}, "picture.png", {"--spacing", "1,2,3,4"});
    expect_failed_filter(2, {"--max-memory", "8Q"}, "picture.png", {"--max-memory", "8Q"});
    expect_failed_filter(2, {"--max-memory", "0"}, "picture.png", {"--max-memory", "0"});
    expect_failed_filter(2, {"--filtered-type", "uint7"}, "picture.png",
                         {"--filtered-type", "uint7"});
}

TEST_F(BadInput, NaNPixels) {
    for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
        Image<float> image({20, 20});
        image(7, 5) = bad;
        for (const std::string name : {"bad.tif", "bad.nrrd", "bad.nii", "bad.nii.gz", "bad.mha"}) {
            SCOPED_TRACE(name);
            write(name, image);
            expect_failed_filter(2, {"NaN"}, name);
            const Outcome info = run({"info", name, "--json"});
            EXPECT_EQ(info.json()["files"][0]["values"][std::isnan(bad) ? "nan" : "infinite"], 1);
        }
    }
}

TEST_F(BadInput, ConnectivityOfTheOtherDimension) {
    write("volume.nii", volume(12, 11, 10));
    expect_failed_filter(2, {"--connectivity", "8", "volume"}, "volume.nii",
                         {"--connectivity", "8"});
    expect_failed_filter(2, {"--connectivity", "26", "picture"}, "picture.png",
                         {"--connectivity", "26"});
}

TEST_F(BadInput, TimeKernelAndFast) {
    write("volume.nii", volume(12, 11, 10));
    for (const std::string name : {"picture.png", "volume.nii"})
        expect_failed_filter(2, {"--temporal", "3", "no time axis"}, name, {"--temporal", "3"});
    write("film.nii", Image<std::int16_t>({6, 5, 4, 3}));
    for (const std::string value : {"-1", "nan", "inf", "abc", "2s"})
        expect_failed_filter(2, {"--temporal", value}, "film.nii", {"--temporal", value});
    expect_failed_filter(2, {"--connectivity", "26", "80"}, "film.nii", {"--connectivity", "26"});
    expect_failed_filter(2, {"--kernel", "normal", "gaussian"}, "picture.png",
                         {"--kernel", "normal"});
    expect_failed_filter(2, {"--fast", "gaussian"}, "picture.png",
                         {"--fast", "--kernel", "gaussian"});
    write("film.nii.gz", Image<std::int16_t>({6, 5, 4, 3}));
    const Outcome flat =
        run({"mean-shift", "film.nii.gz", "-o", "out.png", "--device", "cpu"});  // 2-D only
    EXPECT_NE(flat.code, 0);
    EXPECT_FALSE(fs::exists(file("out.png")));
}

TEST_F(BadInput, MillimetersWithoutSpacing) {
    expect_failed_filter(2, {"--spatial", "8mm", "--spacing"}, "picture.png", {"--spatial", "8mm"});
    const Outcome given = run({"mean-shift", "picture.png", "-o", "out.png", "--spatial", "2mm",
                               "--spacing", "0.5,0.5", "--device", "cpu"});
    EXPECT_EQ(given.code, 0) << given.err;
    write("volume.nrrd", volume(12, 11, 10));
    expect_failed_filter(2, {"--spacing", "three"}, "volume.nrrd", {"--spacing", "1,1"});
}

TEST_F(BadInput, Devices) {
    expect_failure(4, {"opencl:99", "tesela devices"},
                   {"mean-shift", "picture.png", "-o", "out.png", "--device", "opencl:99"});
    for (const std::string device : {"gpu", "cuda:", "cuda:x", "opencl:-1", "cpu:1x", ""})
        expect_failure(2, {device, "is not a device"},
                       {"mean-shift", "picture.png", "-o", "out.png", "--device", device});
}

TEST_F(BadInput, TooLittleMemory) {
    write("large.png", color_picture(500, 400));
    expect_failed_filter(5, {"bytes"}, "large.png", {"--max-memory", "1M"});
    expect_failed_filter(5, {"large.png"}, "large.png", {"--max-memory", "100K"});
}

TEST_F(BadInput, AlphaIsLeftOutAndSaidSo) {
    Image<std::uint8_t> image({30, 20, 1, 1, 4});
    image.has_alpha = true;
    write("alpha.png", image);
    const Outcome outcome = run({"mean-shift", "alpha.png", "-o", "out.png", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.json()["warnings"].dump().find("lpha"), std::string::npos) << outcome.out;
}

TEST_F(BadInput, OneBadFileOfSeveral) {
    const Outcome outcome = run({"info", "picture.png", "nowhere.png", "--json"});
    EXPECT_EQ(outcome.code, 6);
    EXPECT_EQ(outcome.json()["files"].size(), 1u);
    EXPECT_EQ(outcome.errors().size(), 1u);
}

}  // namespace
}  // namespace tesela::cli::testing
