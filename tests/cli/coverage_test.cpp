// Results that mostly come from a mistake are given with a warning, never as if they were fine.
#include "program.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

// A bright square of 12 x 12 in a dark picture of 40 x 40.
Image<std::uint8_t> square() {
    Image<std::uint8_t> image({40, 40});
    for (auto& value : image.pixels()) value = 50;
    for (int y = 14; y < 26; ++y)
        for (int x = 14; x < 26; ++x) image(x, y) = 200;
    return image;
}

class Coverage : public ProgramTest {
  protected:
    Coverage() { write("square.png", square()); }

    std::string warnings(const Names& arguments) const {
        Names all = arguments;
        all.insert(all.end(), {"square.png", "--json", "--device", "cpu"});
        const Outcome outcome = run(all);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const Json report = outcome.json();
        std::string text;
        for (const Json& warning : report["warnings"]) text += warning.get<std::string>() + "\n";
        return text;
    }
    void expect_warning(const std::string& words, const Names& arguments) const {
        const std::string text = warnings(arguments);
        EXPECT_NE(text.find(words), std::string::npos) << text;
    }
};

TEST_F(Coverage, OfMasks) {
    EXPECT_EQ(warnings({"threshold", "range", "150", "255"}), "");
    EXPECT_EQ(warnings({"threshold", "otsu"}), "");
    expect_warning("the mask is empty: none of 1600 pixels", {"threshold", "range", "201", "255"});
    expect_warning("the mask takes 100.0 % of the image (1600 of 1600 pixels)",
                   {"threshold", "range", "0", "255"});
    expect_warning("the mask takes 100.0 % of the border of the image (156 of 156 pixels)",
                   {"threshold", "range", "0", "100"});
}

TEST_F(Coverage, OfRegionsFromSeeds) {
    const Names within{"grow", "limits", "--lower", "150"};
    const auto with = [](Names names, const Names& more) {
        names.insert(names.end(), more.begin(), more.end());
        return names;
    };
    EXPECT_EQ(warnings(with(within, {"--seeds", "20,20"})), "");
    expect_warning(
        "1 of 2 seeds are outside of the limits, and nothing grows there: the value at "
        "x 3, y 5 is 50; change the limits, or move the seeds",
        with(within, {"--seeds", "20,20;3,5"}));
    expect_warning("1 of 1 seed is outside of the limits", with(within, {"--seeds", "3,5"}));
    expect_warning("the label map is empty", with(within, {"--seeds", "3,5"}));
    expect_warning("% of the border of the image",
                   {"grow", "tolerance", "--tolerance", "10", "--seeds", "3,5"});
    expect_warning("the label map takes 100.0 % of the image",
                   {"level-set", "ftc", "--seeds", "ball:20,20,5", "--lower", "0", "--speed",
                    "window", "--smoothing", "0"});
}

TEST_F(Coverage, OfComponents) {
    expect_warning("this is no mask: it has several values besides 0 (50, 200, ...)",
                   {"components"});
    EXPECT_EQ(warnings({"components", "--values", "equal"}), "");
    Image<std::uint8_t> mask = square();
    for (auto& value : mask.pixels()) value = value > 100 ? 255 : 0;
    write("square.png", mask);
    EXPECT_EQ(warnings({"components"}), "");
    expect_warning("the label map is empty", {"components", "--min-size", "1000"});
}

TEST_F(Coverage, OfEdgesAndCircles) {
    EXPECT_EQ(warnings({"edges"}), "");
    expect_warning("no edge was found", {"edges", "--low", "7", "--high", "8"});
    expect_warning("no edge was found, so there are no circles",
                   {"circles", "--min-radius", "3", "--max-radius", "5", "--high", "8"});
    expect_warning("no circle was found",
                   {"circles", "--min-radius", "2", "--max-radius", "3", "--min-score", "1"});
}

}  // namespace
}  // namespace tesela::cli::testing
