// Numbers, sizes, names and files that verbs refuse with a sentence, where they once went on.
#include <cmath>
#include <fstream>

#include "program.h"
#include "sanitized.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class KeptToLimits : public ProgramTest {
  protected:
    void write_value(const std::string& name, double value) const {
        Image<double> image({30, 20});
        for (std::size_t i = 0; i < image.pixels().size(); ++i)
            image.pixels()[i] = value * static_cast<double>(i * 7 % 13 + 1) / 13;
        write(name, image);
    }
    // The program itself may take so much more than the verb.
    static constexpr std::int64_t others = 300 << 20;
};

TEST_F(KeptToLimits, ValuesBeyondSinglePrecision) {
    write_value("huge.nrrd", 1e300);
    write_text("t.json",
               R"({"format": "tesela-transform", "version": 1, "dimensions": 2, "unit": "px",)"
               R"( "steps": [], "fixed": {"size": [9, 9]}})");
    for (const Names& verb :
         {Names{"wavelet", "denoise", "huge.nrrd"},
          {"level-set", "stop-function", "huge.nrrd"},
          {"level-set", "aos", "huge.nrrd", "--seeds", "5,5"},
          {"level-set", "ftc", "huge.nrrd", "--seeds", "5,5"},
          {"edges", "sobel", "huge.nrrd"},
          {"edges", "canny", "huge.nrrd"},
          {"match", "huge.nrrd", "huge.nrrd"},
          {"flow", "tv-l1", "huge.nrrd", "huge.nrrd"},
          {"flow", "horn-schunck", "huge.nrrd", "huge.nrrd"},
          {"flow", "lucas-kanade", "huge.nrrd", "huge.nrrd"},
          {"segment", "huge.nrrd"},
          {"register", "huge.nrrd", "huge.nrrd"},
          {"warp", "huge.nrrd", "--transform", "t.json"},
          {"mean-shift", "huge.nrrd"},
          {"watershed", "huge.nrrd"},
          {"split-merge", "huge.nrrd"},
          {"threshold", "otsu", "huge.nrrd"},
          {"threshold", "range", "huge.nrrd", "--low", "1", "--high", "2"},
          {"grow", "confidence", "huge.nrrd", "--seeds", "5,5"},
          {"grow", "tolerance", "huge.nrrd", "--seeds", "5,5", "--tolerance", "1"},
          {"zernike", "huge.nrrd"},
          {"texture", "lbp", "huge.nrrd"}}) {
        Names words = verb;
        const char* output = verb[0] == "flow"      ? "o.flo"
                             : verb[0] == "zernike" ? "o.csv"
                                                    : "o.nrrd";
        words.insert(words.end(), {"-o", output, "--device", "cpu"});
        SCOPED_TRACE(verb[0] + " " + verb[1]);
        expect_failure(2, {"too much for single precision"}, words);
    }
}

TEST_F(KeptToLimits, LargeValuesGiveNumbersOrARefusal) {
    for (const double value : {3e38, 1e25, 1e18}) {
        write_value("v.nrrd", value);
        Image<float> single({30, 20});
        const AnyImage read = io::read_image(file("v.nrrd")).image;
        for (std::size_t i = 0; i < single.pixels().size(); ++i)
            single.pixels()[i] =
                static_cast<float>(std::get<Image<double>>(read).pixels()[i] * (i % 2 ? 1 : -1));
        write("v.nrrd", single);
        for (const Names& verb : {Names{"wavelet", "forward", "v.nrrd", "--levels", "2"},
                                  {"wavelet", "denoise", "v.nrrd"},
                                  {"level-set", "stop-function", "v.nrrd"},
                                  {"edges", "sobel", "v.nrrd"},
                                  {"register", "v.nrrd", "v.nrrd"}}) {
            Names words = verb;
            words.insert(words.end(), {"-o", "o.nrrd", "--device", "cpu", "--force"});
            const Outcome outcome = run(words);
            SCOPED_TRACE(verb[1] + ": " + outcome.err);
            EXPECT_LE(outcome.code, 2);  // 1: the images do not match
            if (outcome.code != 0) continue;
            const AnyImage made = io::read_image(file("o.nrrd")).image;
            std::visit(
                [](const auto& image) {
                    for (const auto pixel : image.pixels())
                        ASSERT_TRUE(std::isfinite(static_cast<double>(pixel)));
                },
                made);
        }
    }
}

TEST_F(KeptToLimits, OptionsBeyondSinglePrecision) {
    write("a.png", gray_picture(40, 30));
    const auto refuses = [&](const std::string& option, const std::string& value, Names verb) {
        verb.insert(verb.end(), {option, value, "--device", "cpu"});
        expect_failure(2, {option + " is"}, verb);
    };
    for (const std::string value : {"1e-20", "1e-300", "1e300"}) {
        refuses("--contrast", value, {"level-set", "stop-function", "a.png", "-o", "o.tif"});
        refuses("--contrast", value,
                {"level-set", "aos", "a.png", "--seeds", "5,5", "-o", "o.tif"});
        refuses("--contrast", value,
                {"level-set", "ftc", "a.png", "--seeds", "5,5", "-o", "o.tif"});
        refuses("--alpha", value, {"flow", "horn-schunck", "a.png", "a.png", "-o", "o.flo"});
        refuses("--alpha", value, {"flow", "tv-l1", "a.png", "a.png", "-o", "o.flo"});
    }
    refuses("--sigma", "1e300", {"wavelet", "denoise", "a.png", "-o", "o.png"});
    for (const std::string spacing : {"1e-30", "1e30", "1,1e-300"})
        expect_failure(2, {"--spacing", spacing},
                       {"distance", "a.png", "-o", "o.tif", "--spacing", spacing});
}

TEST_F(KeptToLimits, DevicesAreNoLists) {
    for (const Names& verb : {Names{"tridiagonal", "/dev/zero", "-o", "x.csv"},
                              {"evaluate", "circles", "/dev/zero", "/dev/zero"},
                              {"evaluate", "circles", "/dev/full", "/dev/full"},
                              {"evaluate", "landmarks", "/dev/zero", "/dev/zero"}})
        expect_failure(3, {"not a regular file"}, verb);
}

TEST_F(KeptToLimits, ListsCountInTheMemory) {
    std::string landmarks = "name,X,Y\n", circles = "x,y,radius\n";
    for (int i = 0; i < 300000; ++i) {
        landmarks += std::to_string(i) + ",1,2\n";
        circles += "1,2,3\n";
    }
    write_text("l.csv", landmarks);
    write_text("c.csv", circles);
    expect_failure(5, {"l.csv"},
                   {"evaluate", "landmarks", "l.csv", "l.csv", "--max-memory", "32M"});
    expect_failure(5, {"c.csv"}, {"evaluate", "circles", "c.csv", "c.csv", "--max-memory", "1M"});
    const Outcome outcome =
        run({"evaluate", "circles", "c.csv", "c.csv", "--max-memory", "200M", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["matched"], 300000);
    if (tesela::testing::sanitized) return;
    EXPECT_LT(outcome.peak_bytes, others + (200 << 20));
}

TEST_F(KeptToLimits, TridiagonalSolutionsAreNumbers) {
    write_text("s.csv", "0 1e-30 0 1e300\n0 1 0 1\n");
    expect_failure(2, {"system 1, row 1", "beyond the range"},
                   {"tridiagonal", "s.csv", "-o", "x.csv"});
    write_text("s.csv", "0 1 0 1\n0 1 0 1e39\n");
    EXPECT_EQ(run({"tridiagonal", "s.csv"}).code, 0);
    expect_failure(2, {"system 1, row 2: d is 1e+39", "--precision double"},
                   {"tridiagonal", "s.csv", "-o", "x.csv", "--precision", "float"});
}

TEST_F(KeptToLimits, LandmarksOfOtherDimensions) {
    write_text("l2.csv", ",X,Y\na,10,10\nb,20,12\n");
    write_text("l3.csv", ",X,Y,Z\na,10,10,1\nb,20,12,1\n");
    for (const auto& [name, dimensions] : {std::pair{"t2.json", "2"}, {"t3.json", "3"}})
        write_text(name,
                   std::string(R"({"format": "tesela-transform", "version": 1, "unit": "px",)") +
                       R"( "steps": [], "dimensions": )" + dimensions + "}");
    expect_failure(2, {"3 dimensions", "landmarks have 2"},
                   {"evaluate", "landmarks", "l2.csv", "l2.csv", "--transform", "t3.json"});
    expect_failure(2, {"2 dimensions", "landmarks have 3"},
                   {"evaluate", "landmarks", "l3.csv", "l3.csv", "--transform", "t2.json"});
    EXPECT_EQ(run({"evaluate", "landmarks", "l3.csv", "l3.csv", "--transform", "t3.json"}).code, 0);
    EXPECT_EQ(run({"evaluate", "landmarks", "l3.csv", "l3.csv"}).code, 0);
}

TEST_F(KeptToLimits, SideFilesOfOtherImages) {
    write("q.jpg", color_picture(60, 50));
    ASSERT_EQ(run({"segment", "q.jpg", "-o", "q.png"}).code, 0);
    write_text("half.json",
               R"({"format": "tesela-transform", "version": 1, "dimensions": 2, "unit": "px",)"
               R"( "steps": [{"type": "rigid", "matrix": [[1, 0], [0, 1]],)"
               R"( "translation": [0.5, 0.5]}], "fixed": {"size": [60, 50]}})");
    ASSERT_EQ(run({"warp", "q.jpg", "--transform", "half.json", "-o", "o.tif"}).code, 0);
    EXPECT_FALSE(fs::exists(file("o.labels.json")));
    EXPECT_EQ(shape_of(io::read_image(file("o.tif")).image).channels, 3);
    ASSERT_EQ(run({"warp", "q.png", "--transform", "half.json", "-o", "p.tif"}).code, 0);
    EXPECT_TRUE(fs::exists(file("p.labels.json")));
    write("q.tif", gray_picture(60, 50));
    const Outcome copy = run({"warp", "q.tif", "--transform", "half.json", "-o", "r.tif"});
    EXPECT_EQ(copy.code, 0);
    EXPECT_NE(copy.err.find("'q.tif' is sampled linearly; give --labels"), std::string::npos)
        << copy.err;
    fs::remove(file("q.tif"));
    const std::string before = read_text("q.labels.json");
    const Outcome other = run({"segment", "q.jpg", "-o", "q.nii.gz", "--force"});
    EXPECT_EQ(other.code, 0);
    EXPECT_NE(other.err.find("'q.labels.json' belongs to 'q.png'"), std::string::npos) << other.err;
    EXPECT_EQ(read_text("q.labels.json"), before);
}

TEST_F(KeptToLimits, CoefficientsKeepTheirSideFile) {
    write("a.png", gray_picture(40, 30));
    ASSERT_EQ(run({"wavelet", "forward", "a.png", "-o", "w.tif"}).code, 0);
    expect_failure(2, {"'w.wavelet.json'", "belongs to 'w.tif'"},
                   {"wavelet", "forward", "a.png", "-o", "w.nii.gz", "--force"});
    EXPECT_EQ(run({"wavelet", "forward", "a.png", "-o", "w.tif", "--force"}).code, 0);
    EXPECT_EQ(run({"wavelet", "inverse", "w.tif", "-o", "back.png"}).code, 0);
    expect_failure(2, {"NAME.wavelet.json", "standard output"},
                   {"wavelet", "forward", "a.png", "-o", "-"});
    write("one.png", Image<std::uint8_t>({1, 1}));
    expect_failure(2, {"one pixel", "--levels 0"},
                   {"wavelet", "forward", "one.png", "-o", "o.tif"});
    EXPECT_EQ(run({"wavelet", "forward", "one.png", "-o", "o.tif", "--levels", "0"}).code, 0);
}

TEST_F(KeptToLimits, MessagesNameNoHiddenFile) {
    write("a.png", gray_picture(40, 30));
    for (const Names& verb : {Names{"distance", "a.png", "-o", "-"},
                              {"level-set", "stop-function", "a.png", "-o", "-"}}) {
        const Outcome outcome = run(verb);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_NE(outcome.err.find("cannot write to standard output: PNG cannot hold"),
                  std::string::npos)
            << outcome.err;
        EXPECT_EQ(outcome.err.find(".tesela-"), std::string::npos) << outcome.err;
    }
}

TEST_F(KeptToLimits, ManPagesOfOthersStay) {
    ASSERT_EQ(run({"man-pages", "man1"}).code, 0);
    ASSERT_EQ(run({"man-pages", "man1"}).code, 0);
    write_text("man1/tesela-segment.1", "my own");
    expect_failure(2, {"'man1/tesela-segment.1'", "not a page of Tesela", "--force"},
                   {"man-pages", "man1"});
    EXPECT_EQ(read_text("man1/tesela-segment.1"), "my own");
    ASSERT_EQ(run({"man-pages", "man1", "--force"}).code, 0);
    EXPECT_NE(read_text("man1/tesela-segment.1"), "my own");
}

TEST_F(KeptToLimits, CancelledVerbsTellWhatStays) {
    ASSERT_EQ(
        run({"synthesize", "slide", "--width", "4000", "--height", "4000", "-o", "s.ome.tif"}).code,
        0);
    const auto has_tiles = [&] {
        std::error_code none;
        return std::distance(fs::directory_iterator(file("tiles"), none), {}) > 50;
    };
    const Outcome outcome = run({"slide", "tiles", "s.ome.tif", "--tile", "8", "-o", "tiles"},
                                {.interrupt_when = has_tiles});
    EXPECT_EQ(outcome.code, 130);
    EXPECT_NE(outcome.err.find("files are kept in 'tiles'"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("no file was written"), std::string::npos) << outcome.err;
}

TEST_F(KeptToLimits, NumbersAreShort) {
    write("v.nii", volume(20, 20, 10));
    const Outcome outcome = run({"compress", "v.nii", "-o", "v.tvol", "--ratio", "1e300"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("--ratio 1e+300"), std::string::npos) << outcome.err;
}

TEST_F(KeptToLimits, ARegionThatCannotBeWrittenIsRefused) {
    ASSERT_EQ(
        run({"synthesize", "slide", "--width", "600", "--height", "400", "-o", "s.ome.tif"}).code,
        0);
    if (tesela::testing::sanitized) return;  // which reserves addresses
    expect_failure(
        5, {"slide region"},
        {"slide", "region", "s.ome.tif", "--width", "2147483647", "--height", "1", "-o", "o.png"},
        {.address_space = std::int64_t{12} << 30});
}

}  // namespace
}  // namespace tesela::cli::testing
