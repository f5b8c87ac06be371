// Completion, manual pages, and the list of verbs, which are made from the descriptions.
#include <cstdlib>

#include "program.h"

namespace tesela::cli::testing {
namespace {

class Documentation : public ProgramTest {
  protected:
    // What bash offers for the words, of which the last is not complete.
    std::string offered(const std::string& words, int last) {
        write_text("ask.bash", "source ./tesela.bash\nCOMP_WORDS=(" + words +
                                   ")\nCOMP_CWORD=" + std::to_string(last) +
                                   "\n_tesela\nprintf '%s ' \"${COMPREPLY[@]}\" > offered\n");
        const std::string command = "cd '" + folder.string() + "' && bash ask.bash";
        EXPECT_EQ(std::system(command.c_str()), 0);
        return read_text("offered");
    }
};

TEST_F(Documentation, BashCompletesVerbsOptionsAndValues) {
    const Outcome script = run({"completion", "bash"});
    ASSERT_EQ(script.code, 0) << script.err;
    write_text("tesela.bash", script.out);
    EXPECT_EQ(offered("tesela thre", 1), "threshold ");
    EXPECT_EQ(offered("tesela threshold ot", 2), "otsu ");
    EXPECT_EQ(offered("tesela mean-shift --spat", 2), "--spatial ");
    EXPECT_EQ(offered("tesela mean-shift photo.jpg --color-space l", 4), "luv lab ");
    write_text("photo.jpg", "");
    EXPECT_EQ(offered("tesela mean-shift ph", 2), "photo.jpg ");
}

TEST_F(Documentation, OtherShells) {
    EXPECT_TRUE(run({"completion", "zsh"}).out.starts_with("#compdef tesela\n"));
    EXPECT_NE(run({"completion", "fish"}).out.find("-l color-space"), std::string::npos);
    expect_failure(2, {"'tcsh'", "bash, zsh, fish"}, {"completion", "tcsh"});
    expect_failure(2, {"SHELL is missing"}, {"completion"});
}

TEST_F(Documentation, AManualPageForEachVerb) {
    ASSERT_EQ(run({"man-pages", "man1"}).code, 0);
    const std::string page = read_text("man1/tesela-threshold-otsu.1");
    for (const std::string text :
         {".TH tesela-threshold-otsu 1", "Otsu", "\\-\\-mask", ".SH EXAMPLES"})
        EXPECT_NE(page.find(text), std::string::npos) << text;
    const std::string list = read_text("man1/tesela.1");
    for (const std::string verb : {"segment", "threshold otsu", "evaluate labels", "man\\-pages"})
        EXPECT_NE(list.find("\\fB" + verb + "\\fR"), std::string::npos) << verb;
    write_text("file", "");
    expect_failure(1, {"'file'"}, {"man-pages", "file"});
}

// Every option has a help line of the length that fits its column, and values have their help.
TEST_F(Documentation, EveryOptionIsDescribed) {
    const Json description = run({"mean-shift", "--describe"}).json();
    for (const Json& option : description["options"]) {
        if (option["name"] == "color-space") {
            EXPECT_EQ(option["choice_help"].size(), option["choices"].size());
            EXPECT_EQ(option["advanced"], true);
        }
        if (option["name"] == "spatial") {
            EXPECT_EQ(option["advanced"], false);
            EXPECT_LT(option["suggested"]["lowest"], 8);
            EXPECT_GT(option["suggested"]["highest"], 8);
            EXPECT_EQ(option["suggested"]["scale"], "linear");
        }
    }
    EXPECT_EQ(description["inputs"][0]["kind"], "image");
    EXPECT_EQ(description["inputs"][0]["required"], true);
}

}  // namespace
}  // namespace tesela::cli::testing
