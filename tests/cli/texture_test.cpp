// tesela texture glcm|lbp, thesis texture
#include <array>
#include <sstream>

#include "program.h"

namespace tesela::cli::testing {
namespace {

class TextureVerbs : public ProgramTest {
  protected:
    TextureVerbs() {
        // The example of scikit-image's graycomatrix, in four levels.
        constexpr std::array<int, 16> levels{0, 0, 1, 1, 0, 0, 1, 1, 0, 2, 2, 2, 2, 2, 3, 3};
        Image<std::uint8_t> image({4, 4}), mask({4, 4});
        for (std::size_t i = 0; i < 16; ++i) {
            image.pixels()[i] = static_cast<std::uint8_t>(64 * levels[i] + 5);
            mask.pixels()[i] = i < 8 ? 255 : 0;
        }
        write("image.png", image);
        write("mask.png", mask);
    }
    std::vector<std::string> lines(const std::string& name) const {
        std::istringstream in(read_text(name));
        std::vector<std::string> read;
        for (std::string line; std::getline(in, line);) read.push_back(line);
        return read;
    }
};

TEST_F(TextureVerbs, MatricesAreThoseOfThePublishedExample) {
    const std::vector<std::string> glcm{"texture", "glcm",        "image.png", "--levels",
                                        "4",       "--distances", "1",         "--matrices",
                                        "m.csv",   "-o",          "f.csv",     "--force"};
    const Outcome outcome = run(glcm);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::vector<std::string> matrices = lines("m.csv"), features = lines("f.csv");
    ASSERT_EQ(matrices.size(), 5u);  // four angles
    EXPECT_TRUE(matrices[1].ends_with(",1,0,2,2,1,0,0,2,0,0,0,0,3,1,0,0,0,1")) << matrices[1];
    ASSERT_EQ(features.size(), 5u);
    EXPECT_TRUE(features[0].starts_with("channel,distance,angle,asm,contrast,correlation"));
    const double squares = (2 * 2 + 2 * 2 + 1 + 2 * 2 + 3 * 3 + 1 + 1) / 144.0;
    std::istringstream row(features[1]);
    std::vector<std::string> fields;
    for (std::string one; std::getline(row, one, ',');) fields.push_back(one);
    EXPECT_NEAR(std::stod(fields.at(3)), squares, 1e-6);
    EXPECT_NEAR(std::stod(fields.at(4)), (2 * 1 + 1 * 4 + 1 * 1) / 12.0, 1e-6);
    // The upper half alone.
    std::vector<std::string> masked = glcm;
    masked.insert(masked.end(), {"--mask", "mask.png"});
    ASSERT_EQ(run(masked).code, 0);
    EXPECT_TRUE(lines("m.csv")[1].ends_with(",1,0,2,2,0,0,0,2,0,0,0,0,0,0,0,0,0,0"))
        << lines("m.csv")[1];
}

TEST_F(TextureVerbs, TheThesisGivesThirteenFeatures) {
    write("color.png", color_picture(40, 30));
    std::vector<std::string> first;
    for (const char* way : {"predicate", "spread"}) {
        const Outcome outcome =
            run({"thesis", "texture", "color.png", "-o", "f.csv", "--matrices", "m.csv", "--codes",
                 "c.png", "--matrix", way, "--device", "cpu", "--force", "--json"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.json()["statistics"]["passes"], *way == 'p' ? 48 : 1);
        const std::vector<std::string> features = lines("f.csv"), matrices = lines("m.csv");
        ASSERT_EQ(features.size(), 1u + 13);
        EXPECT_EQ(features[0], "feature,value");
        EXPECT_TRUE(features[13].starts_with("lbp-bhattacharyya,"));
        ASSERT_EQ(matrices.size(), 1u + 3);
        EXPECT_TRUE(matrices[1].starts_with("L,1,0,")) << matrices[1];
        EXPECT_EQ(shape_of(io::read_image(file("c.png")).image), (Shape{38, 28}));
        if (first.empty()) first = features;
        EXPECT_EQ(features, first);
    }
    expect_failure(2, {"--levels", "4, 8 or 16"},
                   {"thesis", "texture", "color.png", "-o", "g.csv", "--levels", "6"});
}

TEST_F(TextureVerbs, PatternsAndTheirHistogram) {
    ASSERT_EQ(run({"texture", "lbp", "image.png", "-o", "codes.png", "--histogram", "h.csv"}).code,
              0);
    EXPECT_EQ(shape_of(io::read_image(file("codes.png")).image), (Shape{2, 2}));
    const std::vector<std::string> rows = lines("h.csv");
    ASSERT_EQ(rows.size(), 11u);  // ten codes
    int pixels = 0;
    for (std::size_t i = 1; i < rows.size(); ++i)
        pixels += std::stoi(rows[i].substr(rows[i].find(',') + 1));
    EXPECT_EQ(pixels, 4);
}

TEST_F(TextureVerbs, BadInputIsRefused) {
    write("small.png", Image<std::uint8_t>({3, 3}));
    expect_failure(2, {"small.png", "image.png"},
                   {"texture", "glcm", "image.png", "-o", "f.csv", "--mask", "small.png"});
    expect_failure(2, {"--levels"},
                   {"texture", "glcm", "image.png", "-o", "f.csv", "--levels", "1"});
    expect_failure(2, {"--levels"},
                   {"texture", "glcm", "image.png", "-o", "f.csv", "--levels", "257"});
    expect_failure(3, {"none.png"}, {"texture", "lbp", "none.png", "--histogram", "h.csv"});
}

}  // namespace
}  // namespace tesela::cli::testing
