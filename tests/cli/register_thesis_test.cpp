// tesela thesis register.
#include "program.h"
#include "tesela/synthetic_sections.h"
#include "tesela/transform_io.h"

namespace tesela::cli::testing {
namespace {

class RegisterThesisVerb : public ProgramTest {
  protected:
    void write_sections() const {
        const SyntheticSectionsOptions options{.width = 480,
                                               .height = 480,
                                               .stains = SectionStains::he,
                                               .mirror = SectionMirror::no,
                                               .scale = 0,
                                               .seed = 7};
        write("a.png", synthetic_stack_section(options, 0).picture);
        write("b.png", synthetic_stack_section(options, 1).picture);
    }
};

TEST_F(RegisterThesisVerb, FromPicturesToATransform) {
    write_sections();
    const Outcome outcome =
        run({"thesis", "register", "a.png", "b.png", "-o", "t.json", "--matches", "m.csv",
             "--window", "48", "--device", "cpu", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json report = outcome.json();
    EXPECT_EQ(report["verb"], "thesis register");
    const Json& figures = report["statistics"];
    EXPECT_EQ(figures["start"], "votes");
    EXPECT_EQ(figures["tiles"], 100);
    EXPECT_EQ(figures["polynomial_x"].size(), 6u);
    EXPECT_EQ(figures["shares"][0]["tested"], 100);
    EXPECT_EQ(figures["imbalance"], 0);
    const Transform transform = io::read_transform(file("t.json"));
    EXPECT_EQ(transform.steps.size(), 2u);
    const std::string matches = read_text("m.csv");
    EXPECT_TRUE(matches.starts_with("x,y,moving_x,moving_y,score,state\n")) << matches;
    EXPECT_NE(matches.find("accepted"), std::string::npos);
}

TEST_F(RegisterThesisVerb, WrongUse) {
    write_sections();
    const std::vector<std::string> call{"thesis", "register", "a.png", "b.png", "-o", "t.json"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), call.begin(), call.end());
        return more;
    };
    expect_failure(2, {"--search", "60"}, with({"--window", "64", "--search", "60"}));
    expect_failure(2, {"--window"}, with({"--window", "2"}));
    expect_failure(3, {"missing.png"},
                   {"thesis", "register", "a.png", "missing.png", "-o", "t.json"});
}

}  // namespace
}  // namespace tesela::cli::testing
