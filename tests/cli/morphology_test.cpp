// tesela morphology and tesela mask as programs: files, report, refusals.
#include "program.h"

namespace tesela::cli::testing {
namespace {

class MorphologyProgram : public ProgramTest {
  protected:
    MorphologyProgram() {
        // A square with a hole, and a point.
        Image<std::uint8_t> mask({40, 30});
        for (std::int64_t y = 5; y < 20; ++y)
            for (std::int64_t x = 5; x < 20; ++x) mask(x, y) = x == 12 && y == 12 ? 0 : 255;
        mask(35, 25) = 255;
        write("mask.png", mask);
        Image<std::uint8_t> gray({40, 30});
        for (std::int64_t y = 0; y < 30; ++y)
            for (std::int64_t x = 0; x < 40; ++x) gray(x, y) = static_cast<std::uint8_t>(x + 5 * y);
        write("gray.png", gray);
        write("color.png", color_picture(40, 30));
    }

    Outcome expect_success(const std::vector<std::string>& arguments) const {
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"--device", "cpu"});
        Outcome outcome = run(all);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome;
    }
    std::int64_t points_of(const std::string& name) const {
        const LabelImage labels = io::read_labels(file(name));
        return std::ssize(labels.pixels()) -
               std::count(labels.pixels().begin(), labels.pixels().end(), 0U);
    }
    void expect_refused(const std::vector<std::string>& arguments, const std::string& words) const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    }
};

TEST_F(MorphologyProgram, MasksKeepTypeAndValue) {
    const Json report = expect_success({"morphology", "dilate", "mask.png", "-o", "d.png",
                                        "--radius", "2", "--shape", "box", "--json"})
                            .json();
    EXPECT_EQ(report["statistics"]["reach"], Json({2, 2, 0}));
    EXPECT_EQ(points_of("d.png"), 19 * 19 + 25);
    expect_success({"morphology", "erode", "mask.png", "-o", "e.png", "--shape", "box"});
    EXPECT_EQ(points_of("e.png"), 13 * 13 - 9);
    expect_success({"morphology", "open", "mask.png", "-o", "o.png"});
    expect_success({"morphology", "close", "mask.png", "-o", "c.png"});
    EXPECT_EQ(points_of("c.png"), 15 * 15 + 1);
    expect_success({"morphology", "top-hat", "gray.png", "-o", "t.png", "--radius", "3"});
    expect_success({"morphology", "reconstruct", "o.png", "mask.png", "-o", "r.png"});
    EXPECT_EQ(points_of("r.png"), 15 * 15 - 1);
    expect_success({"morphology", "skeleton", "mask.png", "-o", "s.png"});
    EXPECT_LT(points_of("s.png"), 60);
}

// A label map with its side file is one without being told.
TEST_F(MorphologyProgram, LabelsOfSideFilesStayApart) {
    expect_success({"components", "mask.png", "-o", "labels.png"});
    const Json report = expect_success({"morphology", "dilate", "labels.png", "-o", "grown.png",
                                        "--radius", "20", "--json"})
                            .json();
    EXPECT_EQ(report["statistics"]["labels"], true);
    const LabelImage grown = io::read_labels(file("grown.png"));
    EXPECT_EQ(grown(22, 12), 1U);
    EXPECT_EQ(grown(34, 24), 2U);
}

TEST_F(MorphologyProgram, ObjectsOfMasks) {
    expect_success({"mask", "fill-holes", "mask.png", "-o", "filled.png"});
    EXPECT_EQ(points_of("filled.png"), 15 * 15 + 1);
    const Outcome largest = expect_success({"mask", "largest", "mask.png", "-o", "largest.png"});
    EXPECT_NE((largest.out + largest.err).find("1 of 2 objects kept"), std::string::npos);
    EXPECT_EQ(points_of("largest.png"), 15 * 15 - 1);
    expect_success({"mask", "remove-small", "mask.png", "-o", "small.png", "--min-size", "2"});
    EXPECT_EQ(points_of("small.png"), 15 * 15 - 1);
    expect_success({"mask", "clear-border", "mask.png", "-o", "inner.png", "--margin", "5"});
    EXPECT_EQ(points_of("inner.png"), 15 * 15 - 1);
    expect_success({"mask", "split", "mask.png", "-o", "split.png"});
    expect_success({"mask", "keep", "2", "split.png", "-o", "second.png"});
    EXPECT_GE(points_of("second.png"), 1);
}

TEST_F(MorphologyProgram, MasksAreCombined) {
    expect_success({"mask", "invert", "mask.png", "-o", "outside.png"});
    EXPECT_EQ(points_of("outside.png"), 40 * 30 - 15 * 15);
    EXPECT_EQ(run({"mask", "or", "mask.png", "outside.png", "-o", "all.png"}).code, 0);
    EXPECT_EQ(points_of("all.png"), 40 * 30);
    expect_success({"mask", "and", "mask.png", "outside.png", "-o", "none.png"});
    EXPECT_EQ(points_of("none.png"), 0);
    expect_success({"mask", "minus", "all.png", "mask.png", "-o", "rest.png"});
    EXPECT_EQ(points_of("rest.png"), 40 * 30 - 15 * 15);
    expect_success({"mask", "apply", "color.png", "mask.png", "-o", "masked.png", "--value", "7"});
    const auto masked = io::read_image(file("masked.png")).image;
    EXPECT_EQ(std::get<Image<std::uint8_t>>(masked)(0, 0, 0, 0, 1), 7);
    expect_success({"watershed", "gray.png", "--mask", "mask.png", "-o", "w.png"});
    EXPECT_EQ(points_of("w.png"), 15 * 15);
}

TEST_F(MorphologyProgram, BadInputIsRefused) {
    write("other.png", Image<std::uint8_t>({20, 30}));
    expect_refused({"mask", "and", "mask.png", "other.png", "-o", "x.png"}, "other.png");
    expect_refused({"mask", "apply", "mask.png", "other.png", "-o", "x.png"}, "other.png");
    expect_refused({"mask", "apply", "gray.png", "mask.png", "-o", "x.png", "--value", "300"},
                   "--value is 300");
    expect_refused({"mask", "keep", "0", "mask.png", "-o", "x.png"}, "list of labels");
    EXPECT_NE(expect_success({"mask", "keep", "99", "mask.png", "-o", "none.png"})
                  .err.find("no pixel has a label of 99"),
              std::string::npos);
    expect_refused({"mask", "remove-small", "mask.png", "-o", "x.png", "--min-size", "2mm"},
                   "--min-size");
    expect_refused({"morphology", "dilate", "mask.png", "-o", "x.png", "--radius", "0"}, "above 0");
    expect_refused({"morphology", "dilate", "mask.png", "-o", "x.png", "--radius", "-3"},
                   "above 0");
    expect_refused({"morphology", "dilate", "mask.png", "-o", "x.png", "--radius", "2mm"},
                   "no pixel spacing");
    EXPECT_EQ(run({"morphology", "dilate", "color.png", "-o", "x.png"}).code, 3);
}

}  // namespace
}  // namespace tesela::cli::testing
