// tesela thesis tridiagonal.
#include <fstream>
#include <sstream>

#include "program.h"

namespace tesela::cli::testing {
namespace {

class TridiagonalThesisVerb : public ProgramTest {};

// x = 1, 2, 3 solves it.
TEST_F(TridiagonalThesisVerb, SolvesAFileByEveryMethod) {
    std::ofstream(file("s.csv")) << "# a b c d\nnan 4 1 6\n1, 5, 2, 17\n2;6;nan;22\n";
    for (const std::string method : {"thomas", "bondeli-threads", "cr", "cr-reordered", "cr-split",
                                     "pcr", "pcr-split", "bondeli", "wang"}) {
        SCOPED_TRACE(method);
        const Outcome outcome = run({"thesis", "tridiagonal", "s.csv", "-o", "x.csv", "--method",
                                     method, "--json", "--device", "cpu", "--force"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.json()["rows"], 3);
        EXPECT_LT(outcome.json()["relative_error"], 1e-6);
        std::ifstream lines(file("x.csv"));
        for (int i = 1; i <= 3; ++i) {
            double x = 0;
            ASSERT_TRUE(lines >> x);
            EXPECT_NEAR(x, i, 1e-5);
        }
    }
}

TEST_F(TridiagonalThesisVerb, WrongUse) {
    std::ofstream(file("two.csv")) << "0 1 0 1\n\n0 1 0 1\n";
    expect_failure(2, {"one system"}, {"thesis", "tridiagonal", "two.csv"});
    expect_failure(2, {"--random"}, {"thesis", "tridiagonal"});
    expect_failure(2, {"--random"}, {"thesis", "tridiagonal", "two.csv", "--random", "5"});
    expect_failure(
        2, {"--levels"},
        {"thesis", "tridiagonal", "--random", "5", "--method", "pcr-split", "--levels", "5"});
}

}  // namespace
}  // namespace tesela::cli::testing
