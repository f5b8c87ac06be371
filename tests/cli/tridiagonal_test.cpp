// tesela tridiagonal
#include <fstream>
#include <sstream>

#include "program.h"

namespace tesela::cli::testing {
namespace {

class TridiagonalVerb : public ProgramTest {
  protected:
    void write(const std::string& name, const std::string& text) {
        std::ofstream(file(name)) << text;
    }
    std::string text_of(const std::string& name) {
        std::ostringstream text;
        text << std::ifstream(file(name)).rdbuf();
        return text.str();
    }
    // What the program says of a file that it refuses.
    std::string refusal(const std::string& text, int code) {
        write("bad.csv", text);
        const Outcome outcome = run({"tridiagonal", "bad.csv", "-o", "bad-x.csv"});
        EXPECT_EQ(outcome.code, code) << text;
        EXPECT_FALSE(std::filesystem::exists(file("bad-x.csv")));
        return outcome.err;
    }
    void expect_refused(const std::string& text, int code, const std::string& words) {
        const std::string said = refusal(text, code);
        EXPECT_NE(said.find(words), std::string::npos) << said;
    }
};

// x = 1, 2, 3 and 4, 5, 6 solve these; the first a and the last c are never used.
TEST_F(TridiagonalVerb, SolvesTheSystemsOfAFile) {
    write("s.csv",
          "# a b c d\nnan 4 1 6\n1, 5, 2, 17\n2;6;nan;22\n\n0\t1\t0\t4\n0 1 0 5\n0 1 0 6\n");
    for (const std::string precision : {"float", "double"}) {
        const Outcome outcome = run({"tridiagonal", "s.csv", "-o", "x.csv", "--precision",
                                     precision, "--json", "--device", "cpu", "--force"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const Json json = outcome.json();
        EXPECT_EQ(json["rows"], 3);
        EXPECT_EQ(json["systems"], 2);
        EXPECT_NEAR(json["dominance"], 5.0 / 3, 1e-12);
        EXPECT_LT(json["backward_error"], 1e-6);
        EXPECT_TRUE(json["warnings"].empty());
        std::istringstream lines(text_of("x.csv"));
        std::string line;
        for (int i = 1; i <= 7; ++i) {
            ASSERT_TRUE(std::getline(lines, line));
            if (i == 4) {
                EXPECT_EQ(line, "");
            } else {
                EXPECT_NEAR(std::stod(line), i < 4 ? i : i - 1, 1e-5);
            }
        }
        EXPECT_FALSE(std::getline(lines, line));
    }
}

TEST_F(TridiagonalVerb, RandomSystemsOfEveryKind) {
    for (const std::string kind : {"dominant", "toeplitz", "near-singular"}) {
        const Outcome outcome = run({"tridiagonal", "--random", "100x7", "--kind", kind, "-o",
                                     "x.csv", "--force", "--json"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_LT(outcome.json()["backward_error"], 1e-15);
        const std::string text = text_of("x.csv");
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 706);
    }
    const std::string first = text_of("x.csv");
    run({"tridiagonal", "--random", "100x7", "--kind", "near-singular", "-o", "x.csv", "--force"});
    EXPECT_EQ(text_of("x.csv"), first);
}

TEST_F(TridiagonalVerb, SaysWhereRowsAreNotDominant) {
    write("s.csv", "0 1 2 3\n2 1 2 3\n2 1 0 3\n");
    const Outcome outcome = run({"tridiagonal", "s.csv", "--method", "plain"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.err.find("not diagonally dominant"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("backward error"), std::string::npos);
}

// Rows that are not dominant are exchanged, unless they must not be.
TEST_F(TridiagonalVerb, PivotsWhereItIsNeeded) {
    write("s.csv", "0 0 1 2\n1 0 1 4\n1 0 1 6\n1 0 0 3\n");
    const Outcome outcome = run({"tridiagonal", "s.csv", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["pivoted"], true);
    EXPECT_EQ(outcome.json()["dominance"], 0);
    EXPECT_LT(outcome.json()["backward_error"], 1e-15);
    EXPECT_TRUE(outcome.json()["warnings"].empty());
    const Outcome plain = run({"tridiagonal", "s.csv", "--method", "plain"});
    EXPECT_EQ(plain.code, 2);
    EXPECT_NE(plain.err.find("system 1, row 1: the pivot is 0"), std::string::npos) << plain.err;
    write("d.csv", "0 3 1 5\n1 3 1 10\n1 3 0 11\n");
    EXPECT_EQ(run({"tridiagonal", "d.csv", "--json"}).json()["pivoted"], false);
    EXPECT_EQ(run({"tridiagonal", "d.csv", "--method", "pivoted", "--json"}).json()["pivoted"],
              true);
    EXPECT_EQ(run({"tridiagonal", "d.csv", "--refine"}).code, 0);
}

// A ring of four: x = 1, 2, 3, 4.
TEST_F(TridiagonalVerb, SolvesRings) {
    write("s.csv", "1 3 1 9\n1 3 1 10\n1 3 1 15\n1 3 1 16\n");
    ASSERT_EQ(run({"tridiagonal", "s.csv", "--periodic", "-o", "x.csv"}).code, 0);
    std::istringstream lines(text_of("x.csv"));
    double x = 0;
    for (int i = 1; i <= 4; ++i) {
        ASSERT_TRUE(lines >> x);
        EXPECT_NEAR(x, i, 1e-12);
    }
    EXPECT_EQ(run({"tridiagonal", "s.csv", "--periodic", "--method", "plain"}).code, 2);
    write("nan.csv", "nan 3 1 9\n1 3 1 10\n");
    const Outcome outcome = run({"tridiagonal", "nan.csv", "--periodic"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("system 1, row 1: a is not a finite"), std::string::npos);
}

// One matrix, x = 1, 2, 3, 4 and 2, 4, 6, 8, and of zeros 0: a column for each.
TEST_F(TridiagonalVerb, SolvesSeveralRightHandSides) {
    write("s.csv", "nan,3,1,5,10,0\n1,3,1,10,20,0\n1,3,1,15,30,0\n1,3,nan,15,30,0\n");
    const Outcome outcome = run({"tridiagonal", "s.csv", "-o", "x.csv"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("3 right-hand sides of 4 rows"), std::string::npos) << outcome.out;
    std::istringstream lines(text_of("x.csv"));
    std::string line;
    for (int row = 1; row <= 4; ++row) {
        ASSERT_TRUE(std::getline(lines, line));
        std::istringstream values(line);
        std::string value;
        for (const int factor : {1, 2, 0}) {
            ASSERT_TRUE(std::getline(values, value, ','));
            EXPECT_NEAR(std::stod(value), row * factor, 1e-12);
        }
        EXPECT_FALSE(std::getline(values, value, ','));
    }
    EXPECT_FALSE(std::getline(lines, line));
    EXPECT_EQ(run({"tridiagonal", "s.csv", "--method", "plain"}).code, 2);
    EXPECT_EQ(run({"tridiagonal", "s.csv", "--precision", "float"}).code, 0);
}

// Where rows are exchanged a CPU makes blocks of systems that are shorter than these.
TEST_F(TridiagonalVerb, MemoryOfShortSystemsIsTold) {
    for (const std::string size : {"1x100000", "2x100000", "3x100000", "100x1000"})
        for (const bool is_periodic : {false, true}) {
            std::vector<std::string> arguments{"tridiagonal", "--random", size,  "--method",
                                               "pivoted",     "--device", "cpu", "--json"};
            if (is_periodic) arguments.push_back("--periodic");
            const Outcome outcome = run(arguments);
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            arguments.push_back("--dry-run");
            const Json told = run(arguments).json();
            EXPECT_LE(outcome.json()["peak_memory"]["device"], told["device_bytes"]["needed"])
                << size;
        }
}

TEST_F(TridiagonalVerb, BadTextNamesTheLine) {
    expect_refused("1 2 3 4\n1 2 3\n", 3, "line 2: 3 columns");
    expect_refused("1 2 3 4\n\n1 2 3 4 5\n", 3, "line 3: 5 columns, but the first row has 4");
    expect_refused("1 2 3 4 5\n\n1 2 3 4 5\n", 3, "line 3: a second matrix");
    expect_refused("0 2 1 4 5\n1 2 0 4 nan\n", 3, "line 2: column 5 is not a finite number");
    expect_refused("0 2 0 4\n0 two 0 1\n", 3, "line 2: 'two' is no number");
    expect_refused("0 2 0 4\nnan 2 0 1\n", 3, "line 2: a is not a finite number");
    expect_refused("0 2 nan 4\n1 2 0 1\n", 3, "line 1: c is not a finite number");
    expect_refused("0 inf 0 4\n", 3, "line 1: b is not a finite number");
    expect_refused("0 1 0 nan\n", 3, "line 1: d is not a finite number");
    expect_refused("0 1 0 1\n0 1 0 1\n\n0 1 0 1\n", 3, "line 4: system 2 has 1 rows");
    expect_refused("# nothing\n\n", 3, "has no rows");
    expect_refused("0 1 1 1\n1 1 1 1\n", 2, "system 1, row 2: the pivot is 0");
    expect_refused("0 2 0 1\n0 0 0 1\n", 2, "system 1, row 2: a, b and c are 0");
    expect_refused("0 1 -1 1\n-1 2 -1 1\n-1 1 0 1\n", 2,
                   "system 1, row 3: the pivot is 0 or not finite; the matrix is singular\n");
    EXPECT_EQ(run({"tridiagonal", "missing.csv"}).code, 3);
}

TEST_F(TridiagonalVerb, BadOptionsAreWrongUsage) {
    const auto code = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "tridiagonal");
        return run(arguments).code;
    };
    EXPECT_EQ(code({}), 2);
    EXPECT_EQ(code({"--random", "100"}), 2);
    EXPECT_EQ(code({"--random", "0x5"}), 2);
    EXPECT_EQ(code({"--random", "5x-1"}), 2);
    EXPECT_EQ(code({"--random", "4x4", "--kind", "hilbert"}), 2);
    EXPECT_EQ(code({"--random", "4x4", "--precision", "half"}), 2);
    EXPECT_EQ(code({"--random", "2000000000x2000000000"}), 5);
    EXPECT_EQ(code({"--random", "1000x1000", "--max-memory", "1M"}), 5);
    EXPECT_EQ(code({"--random", "4x4", "--kind", "near-singular", "--periodic"}), 2);
    write("s.csv", "0 1 0 1\n");
    EXPECT_EQ(code({"s.csv", "--random", "4x4"}), 2);
    EXPECT_EQ(code({"s.csv", "-o", "s.csv", "--force"}), 2);
    const Outcome dry = run({"tridiagonal", "--random", "1000x1000", "--dry-run", "--json"});
    EXPECT_EQ(dry.code, 0) << dry.err;
    EXPECT_EQ(dry.json()["systems"], 1000);
}

}  // namespace
}  // namespace tesela::cli::testing
