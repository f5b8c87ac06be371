// Runs `tesela bench` and looks at the tables and charts it leaves.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"

namespace tesela::experiments::testing {

using namespace cli::testing;  // what runs the program

using Names = std::vector<std::string>;

class BenchTest : public ProgramTest {
  protected:
    // Runs experiments in their quick form and gives the report; on the CPU where no device is
    // named.
    Json bench(const std::string& kind, const std::string& experiments,
               const Names& more = {}) const {
        Names arguments{"bench", kind,      "--quick",      "--json",
                        "--out", "results", "--experiment", experiments};
        arguments.insert(arguments.end(), more.begin(), more.end());
        if (std::find(more.begin(), more.end(), "--device") == more.end())
            arguments.insert(arguments.end(), {"--device", "cpu"});
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.code == 0 ? outcome.json() : Json::object();
    }
    // The table NAME of the results, checked to be rectangular.
    std::vector<std::string> table(const std::string& name) const {
        std::vector<std::string> lines = lines_of("results/" + name);
        EXPECT_GE(lines.size(), 2u) << name;
        const auto commas = [](const std::string& line) {
            bool quoted = false;
            return std::count_if(line.begin(), line.end(), [&](char c) {
                quoted = quoted != (c == '"');
                return c == ',' && !quoted;
            });
        };
        for (const std::string& line : lines) EXPECT_EQ(commas(line), commas(lines.front()));
        return lines;
    }
    void expect_chart(const std::string& name) const {
        const std::string svg = read_text("results/" + name);
        EXPECT_TRUE(svg.starts_with("<svg ")) << name;
        EXPECT_TRUE(svg.ends_with("</svg>\n")) << name;
        EXPECT_EQ(svg.find("nan"), std::string::npos) << name;
        EXPECT_EQ(svg.find("inf"), std::string::npos) << name;
    }

  private:
    std::vector<std::string> lines_of(const std::string& name) const {
        std::vector<std::string> lines;
        std::istringstream stream(read_text(name));
        for (std::string line; std::getline(stream, line);) lines.push_back(line);
        return lines;
    }
};

// What the report says about a row of the specification.
inline std::vector<Json> findings_of(const Json& report, const std::string& row) {
    std::vector<Json> found;
    for (const Json& finding : report["findings"])
        if (finding["row"] == row) found.push_back(finding);
    return found;
}

}  // namespace tesela::experiments::testing
