// Several inputs of one verb, and outputs on standard output.
#include <algorithm>
#include <sstream>

#include "program.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class Batch : public ProgramTest {
  protected:
    Batch() {
        fs::create_directory(file("in"));
        fs::create_directory(file("out"));
        write("in/a.png", gray_picture(40, 30));
        write("in/b.tif", gray_picture(25, 35));
    }

    Outcome done(const Names& arguments) const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome;
    }
    Names outputs() const {
        Names found;
        for (const auto& entry : fs::directory_iterator(file("out")))
            found.push_back(entry.path().filename().string());
        std::sort(found.begin(), found.end());
        return found;
    }
};

// Each output is what the input alone gives.
TEST_F(Batch, EachInputHasItsOutput) {
    done({"threshold", "otsu", "in/a.png", "in/b.tif", "-o", "out/{stem}.png"});
    EXPECT_EQ(outputs(), (Names{"a.png", "b.png"}));
    done({"threshold", "otsu", "in/b.tif", "-o", "alone-{stem}.png"});
    EXPECT_EQ(read_text("out/b.png"), read_text("alone-b.png"));
    EXPECT_NE(read_text("out/a.png"), read_text("out/b.png"));
}

// In verbs of one result: filled where there is one input, and never the name of a file.
TEST_F(Batch, StemsOfVerbsThatTakeNoSeveral) {
    done({"slide", "convert", "in/b.tif", "-o", "out/{stem}.ome.tif"});
    EXPECT_EQ(outputs(), (Names{"b.ome.tif"}));
    expect_failure(
        2, {"--warped: {stem} in 'out/{stem}.png'", "'register pair' has 2", "write a name"},
        {"register", "in/a.png", "in/a.png", "-o", "out/{stem}.png"});
    expect_failure(2, {"--output: {stem}", "has none"},
                   {"synthesize", "circles", "-o", "{stem}.png"});
}

TEST_F(Batch, FoldersAreTakenApartOnlyWhereAsked) {
    write_text("in/notes.txt", "no image");
    const Json report =
        done({"threshold", "otsu", "in", "--each", "-o", "out/{stem}.png", "--json"}).json();
    EXPECT_EQ(outputs(), (Names{"a.png", "b.png"}));
    EXPECT_EQ(report["failed"], 0);
    ASSERT_EQ(report["results"].size(), 2u);
    EXPECT_EQ(report["results"][0]["input"]["path"], "in/a.png");
    EXPECT_EQ(report["results"][1]["input"]["path"], "in/b.tif");
    expect_failure(3, {"in"}, {"threshold", "otsu", "in", "-o", "m.png"});
    fs::create_directory(file("empty"));
    expect_failure(3, {"--each", "empty"}, {"threshold", "otsu", "empty", "--each", "-o", "m.png"});
}

TEST_F(Batch, TablesAreJoined) {
    done({"components", "in/a.png", "in/b.tif", "--table", "all.csv"});
    done({"components", "in/a.png", "--table", "a.csv"});
    done({"components", "in/b.tif", "--table", "b.csv"});
    const auto lines = [&](const std::string& name, const std::string& first, bool header) {
        std::istringstream text(read_text(name));
        std::string found;
        bool is_header = true;
        for (std::string line; std::getline(text, line); is_header = false)
            if (!is_header)
                found += first + "," + line + "\n";
            else if (header)
                found += "input," + line + "\n";
        return found;
    };
    EXPECT_EQ(read_text("all.csv"),
              lines("a.csv", "in/a.png", true) + lines("b.csv", "in/b.tif", false));
    expect_failure(2, {"all.csv", "exists"},
                   {"components", "in/a.png", "in/b.tif", "--table", "all.csv"});
    done({"components", "in/a.png", "in/b.tif", "--table", "out/{stem}.csv"});
    EXPECT_EQ(read_text("out/b.csv"), read_text("b.csv"));
    EXPECT_EQ(done({"components", "in/a.png", "in/b.tif", "--table", "-"}).out,
              read_text("all.csv"));
}

TEST_F(Batch, OneBadFileAmongMany) {
    write_text("in/bad.png", "no picture");
    const Outcome outcome = run({"threshold", "otsu", "in/a.png", "in/bad.png", "in/b.tif", "-o",
                                 "out/{stem}.png", "--json"});
    EXPECT_EQ(outcome.code, 6);
    EXPECT_EQ(outputs(), (Names{"a.png", "b.png"}));
    ASSERT_EQ(outcome.errors().size(), 1u) << outcome.err;
    EXPECT_NE(outcome.errors().front().find("in/bad.png"), std::string::npos);
    const Json report = outcome.json();
    EXPECT_EQ(report["failed"], 1);
    EXPECT_EQ(report["results"][1]["input"]["path"], "in/bad.png");
    EXPECT_TRUE(report["results"][1].contains("error"));
}

// Nothing is computed where names cannot be right.
TEST_F(Batch, NamesOfOutputs) {
    expect_failure(2, {"'m.png'", "2 inputs", "{stem}"},
                   {"threshold", "otsu", "in/a.png", "in/b.tif", "-o", "m.png"});
    write("a.tif", gray_picture(20, 20));
    expect_failure(2, {"'in/a.png'", "'a.tif'", "'out/a.png'"},
                   {"threshold", "otsu", "in/a.png", "a.tif", "-o", "out/{stem}.png"});
    expect_failure(2, {"in/b.tif", "is an input"},
                   {"threshold", "otsu", "in/a.png", "in/b.tif", "-o", "in/{stem}.tif", "--force"});
    expect_failure(
        3, {"--seeds", "nowhere.png"},
        {"watershed", "in/a.png", "in/b.tif", "--seeds", "nowhere.png", "-o", "out/{stem}.png"});
    write("out/b.png", gray_picture(20, 20));
    expect_failure(2, {"out/b.png", "exists already"},
                   {"threshold", "otsu", "in/a.png", "in/b.tif", "-o", "out/{stem}.png"});
}

TEST_F(Batch, StandardOutput) {
    done({"threshold", "otsu", "in/a.png", "-o", "mask.png"});
    EXPECT_EQ(done({"threshold", "otsu", "in/a.png", "-o", "-"}).out, read_text("mask.png"));
    done({"components", "in/a.png", "-o", "labels.png", "--table", "table.csv"});
    const Outcome streamed = done({"components", "in/a.png", "-o", "-"});
    EXPECT_EQ(streamed.out, read_text("labels.png"));
    EXPECT_NE(streamed.err.find("wrote standard output ("), std::string::npos) << streamed.err;
    EXPECT_EQ(streamed.err.find(".tesela-"), std::string::npos) << streamed.err;
    EXPECT_EQ(done({"components", "in/a.png", "--table", "-"}).out, read_text("table.csv"));
    write("volume.nii", Image<std::uint8_t>({5, 4, 3}));
    write_text("mask.nii", done({"threshold", "range", "0", "9", "volume.nii", "-o", "-"}).out);
    EXPECT_EQ(shape_of(io::read_image(file("mask.nii")).image).z, 3);
    expect_failure(2, {"--labels", "--table", "standard output"},
                   {"components", "in/a.png", "-o", "-", "--table", "-"});
    expect_failure(2, {"'compress' does not write to standard output"},
                   {"compress", "volume.nii", "-o", "-"});
    expect_failure(2, {"--json", "standard output"},
                   {"components", "in/a.png", "-o", "-", "--json"});
}

}  // namespace
}  // namespace tesela::cli::testing
