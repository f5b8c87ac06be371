// tesela thesis wavelet.
#include <sstream>

#include "program.h"

namespace tesela::cli::testing {
namespace {

class WaveletThesisVerb : public ProgramTest {};

// The low value of a constant line is its square root of two a level, high ones are 0.
TEST_F(WaveletThesisVerb, TransformsARow) {
    Image<float> row({64, 1});
    for (float& value : row.pixels()) value = 3;
    write("row.tif", row);
    const Outcome outcome = run({"thesis", "wavelet", "row.tif", "-o", "v.csv", "--wavelet", "d4",
                                 "--levels", "2", "--device", "cpu", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["statistics"]["samples"], 64);
    std::istringstream lines(read_text("v.csv"));
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, "value");
    for (int i = 0; i < 64; ++i) {
        ASSERT_TRUE(std::getline(lines, line));
        EXPECT_NEAR(std::stod(line), i < 16 ? 6 : 0, 1e-5) << i;
    }
}

TEST_F(WaveletThesisVerb, WrongUse) {
    write("small.tif", Image<float>({10, 5}));
    const std::vector<std::string> call{"thesis", "wavelet", "small.tif", "-o", "v.csv"};
    expect_failure(2, {"--levels"}, call);
    std::vector<std::string> three = call;
    three.insert(three.end(), {"--levels", "3", "--phase-levels", "3"});
    expect_failure(2, {"--phase-levels"}, three);
}

}  // namespace
}  // namespace tesela::cli::testing
