// An operation that the test describes, and what the command line makes of the description.
#include "operation_verb.h"

#include <gtest/gtest.h>

#include "operations/kinds/image.h"
#include "option_types.h"
#include "program.h"
#include "tesela/error.h"

namespace tesela::cli::testing {
namespace {

using operations::Call;
using operations::Memory;
using operations::Operation;
using operations::Options;
using operations::Registry;
using operations::Results;

enum class Rule { above, below };
constexpr auto enum_names(Rule) {
    return std::array{EnumNames<Rule>{Rule::above, "above"}, EnumNames<Rule>{Rule::below, "below"}};
}

struct CutOptions {
    int level = 100;
    Rule rule = Rule::above;
    std::optional<double> share = {};
    bool invert = false;
};
template <class V>
void describe(V&& v, CutOptions& o) {
    v("level", o.level, "value to cut at", OptionRange{.lowest = 0, .highest = 255});
    v("rule", o.rule, "side that is kept");
    v("share", o.share, "least share of pixels", OptionRange{.lowest = 0, .highest = 1});
    v("invert", o.invert, "swap both sides");
}

Results cut(const Call& call, Queue&, const Progress&) {
    const auto& options = call.options.as<CutOptions>();
    const auto& image = call.inputs.pixels<std::uint8_t>("input");
    Image<std::uint8_t> mask(image.shape(), image.geometry);
    std::int64_t kept = 0;
    for (std::size_t i = 0; i < mask.pixels().size(); ++i) {
        const bool above = image.pixels()[i] > options.level;
        const bool keep = above == ((options.rule == Rule::above) != options.invert);
        mask.pixels()[i] = keep ? 255 : 0;
        kept += keep;
    }
    Results results;
    results.summary = std::to_string(kept) + " kept";
    results.figures = {{"kept", kept}};
    results.used = {{"share", 0.5}};
    results.outputs.set("cut", AnyImage(std::move(mask)));
    return results;
}

// What the test registers; nothing else knows of it.
Registry registry() {
    Registry made;
    made.add(Operation{.name = "cut",
                       .purpose = "keep one side of a level",
                       .sentence = "Keeps the pixels on one side of a level.",
                       .examples = {"cut coins.png -o cut.png"},
                       .inputs = {operations::image_input},
                       .outputs = {{.name = "cut",
                                    .kind = operations::kinds::mask,
                                    .help = "255 where a pixel is kept",
                                    .pixels = operations::mask_pixels}},
                       .options = Options::of(CutOptions{}),
                       .run = cut,
                       .memory = [](const Call&, const Device&) { return Memory{}; }});
    return made;
}

class OperationVerb : public ProgramTest {
  protected:
    OperationVerb() : registry_(registry()) { write("gray.png", gray_picture(7, 5)); }

    // What the verb prints.
    std::string printed(const std::vector<std::string>& arguments) {
        ::testing::internal::CaptureStdout();
        EXPECT_EQ(call(arguments), exit_done);
        return ::testing::internal::GetCapturedStdout();
    }
    int call(const std::vector<std::string>& arguments) {
        const std::vector<Verb> verbs = verbs_of(registry_);
        return dispatch({"tesela", "A test.", verbs}, arguments);
    }
    void refuses(const std::vector<std::string>& words, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"cut", file("gray.png").string()});
        try {
            call(arguments);
            ADD_FAILURE() << arguments.back() << " was taken";
        } catch (const InvalidArgument& error) {
            for (const std::string& word : words)
                EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    }

    Registry registry_;
};

TEST_F(OperationVerb, IsListedWithItsPurpose) {
    EXPECT_NE(printed({"--help"}).find("  cut           keep one side of a level\n"),
              std::string::npos);
}

TEST_F(OperationVerb, HelpHoldsSentenceOutputsAndOptions) {
    const std::string help = printed({"cut", "--help"});
    for (const std::string text :
         {"Keeps the pixels on one side of a level.", "Usage: tesela cut [options] INPUT", "-o",
          "--cut", "255 where a pixel is kept", "--level", "value to cut at", "0 to 255", "100",
          "--rule", "above, below", "--share", "--invert", "--device", "--spacing", "--json"})
        EXPECT_NE(help.find(text), std::string::npos) << text << " in " << help;
}

TEST_F(OperationVerb, DescriptionHoldsEverything) {
    const Json json = Json::parse(printed({"cut", "--describe"}));
    EXPECT_EQ(json["verb"], "cut");
    EXPECT_EQ(json["inputs"].size(), 1u);
    EXPECT_EQ(json["outputs"][0]["name"], "cut");
    EXPECT_EQ(json["outputs"][0]["kind"], "mask");
    EXPECT_EQ(json["examples"][0], "cut coins.png -o cut.png");
    std::map<std::string, Json> options;
    for (const Json& option : json["options"]) options[option["name"]] = option;
    EXPECT_EQ(options["level"]["default"], 100);
    EXPECT_EQ(options["level"]["type"], "integer");
    EXPECT_EQ(options["level"]["range"]["highest"], 255);
    EXPECT_EQ(options["rule"]["default"], "above");
    EXPECT_EQ(options["rule"]["choices"], (Json{"above", "below"}));
    EXPECT_TRUE(options["share"]["default"].is_null());
    EXPECT_EQ(options["invert"]["type"], "flag");
    EXPECT_NE(printed({"cut", "--describe=markdown"}).find("| `--level` | value to cut at |"),
              std::string::npos);
}

TEST_F(OperationVerb, RunsAndReports) {
    const std::string input = file("gray.png").string(), output = file("cut.png").string();
    const Json json = Json::parse(printed({"cut", input, "-o", output, "--level", "90", "--rule",
                                           "below", "--json", "-q", "--device", "cpu"}));
    EXPECT_EQ(json["verb"], "cut");
    EXPECT_EQ(json["parameters"]["level"], 90);
    EXPECT_EQ(json["parameters"]["rule"], "below");
    EXPECT_EQ(json["parameters"]["share"], 0.5);  // as used
    const auto gray = std::get<Image<std::uint8_t>>(io::read_image(input).image);
    const auto mask = std::get<Image<std::uint8_t>>(io::read_image(output).image);
    std::int64_t kept = 0;
    for (std::size_t i = 0; i < gray.pixels().size(); ++i) {
        EXPECT_EQ(mask.pixels()[i], gray.pixels()[i] > 90 ? 0 : 255);
        kept += gray.pixels()[i] <= 90;
    }
    EXPECT_EQ(json["statistics"]["kept"], kept);
}

TEST_F(OperationVerb, BadInputIsRefusedWithASentence) {
    const std::string output = file("x.png").string();
    refuses({"--level", "300", "0 to 255"}, {"-o", output, "--level", "300"});
    refuses({"--level", "'1e3' is not a whole number"}, {"-o", output, "--level", "1e3"});
    refuses({"--rule", "'beside' is not one of above, below"}, {"-o", output, "--rule", "beside"});
    refuses({"--share", "nan"}, {"-o", output, "--share", "nan"});
    refuses({"no option '--levle'", "'--level'"}, {"-o", output, "--levle", "3"});
    refuses({"no output was named", "--cut (-o)"}, {"--device", "cpu"});
    EXPECT_FALSE(fs::exists(output));
}

}  // namespace
}  // namespace tesela::cli::testing
