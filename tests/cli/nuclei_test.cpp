// tesela nuclei, with nuclei counted by eye in parts of a section.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "program.h"

namespace tesela::cli::testing {
namespace {

class NucleiVerb : public ProgramTest {};

std::vector<std::vector<double>> numbers_of(std::istream& text) {
    std::vector<std::vector<double>> rows;
    std::string line;
    std::getline(text, line);
    while (std::getline(text, line)) {
        rows.emplace_back();
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');)
            rows.back().push_back(std::strtod(cell.c_str(), nullptr));
    }
    return rows;
}

TEST_F(NucleiVerb, CountsASection) {
    const char* images = std::getenv("TESELA_IMAGES");
    ASSERT_TRUE(images) << "TESELA_IMAGES does not name the folder of images; run ./dev test";
    const Outcome outcome = run({"nuclei", (fs::path(images) / "ihc.png").string(), "-o",
                                 "nuclei.png", "--table", "nuclei.csv", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::istringstream table(read_text("nuclei.csv"));
    std::ifstream parts(fs::path(TESELA_COINS_TRUTH).parent_path() / "../cli/ihc_nuclei.csv");
    const auto nuclei = numbers_of(table), truth = numbers_of(parts);
    ASSERT_EQ(truth.size(), 3u);
    double found = 0, wanted = 0;
    for (const auto& part : truth) {
        wanted += part[4];
        for (const auto& nucleus : nuclei) {
            const double y = nucleus[4], x = nucleus[5];  // centroid-0 and centroid-1
            found += x >= part[0] && x < part[0] + part[2] && y >= part[1] && y < part[1] + part[3];
        }
    }
    EXPECT_NEAR(found, wanted, 0.1 * wanted);
}

TEST_F(NucleiVerb, SaysWhatItChose) {
    ASSERT_EQ(run({"synthesize", "nuclei", "-o", "known.png"}).code, 0);
    const Outcome outcome = run({"nuclei", "known.png", "-o", "nuclei.png"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE((outcome.out + outcome.err).find("100 nuclei: bright on a dark ground (dapi)"),
              std::string::npos)
        << outcome.out << outcome.err;
    EXPECT_NE((outcome.out + outcome.err).find("estimated"), std::string::npos);
}

TEST_F(NucleiVerb, BadOptions) {
    ASSERT_EQ(run({"synthesize", "nuclei", "-o", "known.png"}).code, 0);
    expect_failure(2, {"--diameter", "3 to 4000 pixels"},
                   {"nuclei", "known.png", "-o", "n.png", "--diameter", "1"});
    expect_failure(2, {"no pixel spacing"},
                   {"nuclei", "known.png", "-o", "n.png", "--diameter", "5um"});
}

}  // namespace
}  // namespace tesela::cli::testing
