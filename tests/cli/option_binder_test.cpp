// A field described in one place is found everywhere.
#include "option_binder.h"
#include "help.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "tesela/error.h"

namespace tesela::cli {
namespace {

enum class Shade { dark, bright };
constexpr auto enum_names(Shade) {
    return std::array{EnumNames<Shade>{Shade::dark, "dark"},
                      EnumNames<Shade>{Shade::bright, "bright"}};
}

struct TestOptions {
    Length radius{2.5, Length::In::millimeter};
    double weight = 0.5;
    int rounds = 3;
    bool smooth = true;
    Shade shade = Shade::bright;
    std::string name;
};

template <class V>
void describe(V&& v, TestOptions& o) {
    v("radius", o.radius, "radius of the disk", OptionRange{.lowest = 0, .excludes_lowest = true});
    v("weight", o.weight, "weight of the past",
      OptionRange{.lowest = 0, .highest = 1, .unit = "share"});
    v("rounds", o.rounds, "how often", OptionRange{.lowest = 1, .highest = 9});
    v("smooth", o.smooth, "smooth the result");
    v("shade", o.shade, "kind of picture");
    v("name", o.name, "what to call it");
}

TestOptions parsed(std::vector<std::string> arguments) {
    TestOptions options;
    CLI::App app;
    bind_flags(app, facts_of(options));
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    validate_options(options);
    return options;
}

TEST(OptionBinder, FlagsSetTheFields) {
    const TestOptions options = parsed({"--radius", "12um", "--weight=0.25", "--rounds", "7",
                                        "--no-smooth", "--shade", "dark", "--name", "x y"});
    EXPECT_EQ(options.radius, (Length{12, Length::In::micrometer}));
    EXPECT_EQ(options.weight, 0.25);
    EXPECT_EQ(options.rounds, 7);
    EXPECT_FALSE(options.smooth);
    EXPECT_EQ(options.shade, Shade::dark);
    EXPECT_EQ(options.name, "x y");
}

TEST(OptionBinder, DefaultsStay) {
    const TestOptions options = parsed({});
    EXPECT_EQ(options.weight, 0.5);
    EXPECT_TRUE(options.smooth);
}

void expect_refused(const std::vector<std::string>& arguments, const std::string& name,
                    const std::string& value, const std::string& allowed) {
    try {
        parsed(arguments);
        ADD_FAILURE() << name << " " << value << " was taken";
    } catch (const InvalidArgument& error) {
        for (const std::string& word : {"--" + name, value, allowed})
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
}

TEST(OptionBinder, ValidationNamesFieldValueAndRange) {
    expect_refused({"--radius", "0"}, "radius", "0px", "above 0");
    expect_refused({"--weight", "1.5"}, "weight", "1.5", "0 to 1");
    expect_refused({"--weight", "nan"}, "weight", "nan", "0 to 1");
    expect_refused({"--weight", "1,5"}, "weight", "1,5", "number");
    expect_refused({"--rounds", "10"}, "rounds", "10", "1 to 9");
    expect_refused({"--rounds", "99999999999"}, "rounds", "99999999999", "whole number");
    expect_refused({"--shade", "gray"}, "shade", "gray", "dark, bright");
}

TEST(OptionBinder, HelpShowsRangeUnitAndDefault) {
    HelpPage page{"test", "Tests help.", {"test a.png"}, {{"INPUT", "a picture"}}, {}};
    page.options = facts_of(TestOptions{});
    page.options[2].advanced = true;
    const std::string help = help_text(page, false);
    for (const char* text :
         {"Tests help.\n\nUsage: tesela test [options] INPUT\n", "Examples:\n  tesela test a.png\n",
          "  INPUT                       a picture\n",
          "  --weight NUMBER             weight of the past (share; 0 to 1)                        "
          "0.5\n",
          "(dark, bright)", "  bright\n", "  2.5mm\n", "  on\n", "lists 1 more option."})
        EXPECT_NE(help.find(text), std::string::npos) << text << " in " << help;
    EXPECT_EQ(help.find("--rounds"), std::string::npos) << help;
    EXPECT_NE(help_text(page, true).find("--rounds"), std::string::npos);
}

TEST(OptionBinder, JsonHasEveryField) {
    const Json values = values_of(TestOptions{});
    EXPECT_EQ(values.dump(), R"({"radius":"2.5mm","weight":0.5,"rounds":3,"smooth":true,)"
                             R"("shade":"bright","name":""})");
    const std::vector<OptionFacts> facts = facts_of(TestOptions{});
    ASSERT_EQ(facts.size(), 6u);
    EXPECT_EQ(facts[4].to_json()["choices"], (Json{"dark", "bright"}));
    EXPECT_EQ(facts[1].to_json()["range"]["highest"], 1);
    EXPECT_EQ(facts[0].to_json()["type"], "length");
    // Limits of integers are integers.
    EXPECT_EQ(facts[2].to_json()["range"].dump(),
              R"({"lowest":1,"excludes_lowest":false,"highest":9,"text":"1 to 9"})");
}

TEST(OptionBinder, TableHasARowForEachField) {
    const std::string table = markdown_table(facts_of(TestOptions{}));
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 2 + 6);
    EXPECT_NE(table.find("| `--weight` | weight of the past | 0 to 1; share | 0.5 |"),
              std::string::npos)
        << table;
}

TEST(OptionBinder, Aliases) {
    TestOptions options;
    CLI::App app;
    bind_flags(app, facts_of(options, "Options", {{"name", "-n,--title"}}));
    app.parse(std::vector<std::string>{"abc", "-n"});
    EXPECT_EQ(options.name, "abc");
}

}  // namespace
}  // namespace tesela::cli
