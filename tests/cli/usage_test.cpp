// Verbs, help, --describe and configuration files.
#include <sstream>

#include "operations/registry.h"
#include "option_binder.h"
#include "other_words.h"
#include "program.h"
#include "tesela/mean_shift.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class Usage : public ProgramTest {
  protected:
    Usage() { write("picture.png", color_picture(60, 50)); }
};

TEST_F(Usage, MainHelpListsTheVerbs) {
    const Outcome help = run({"--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.err, "");
    for (const std::string verb :
         {"devices", "info", "mean-shift", "grow", "components", "split-merge", "threshold",
          "edges", "flow", "evaluate", "synthesize", "bench"}) {
        EXPECT_NE(help.out.find("\n  " + verb + " "), std::string::npos) << verb;
        const Outcome own = run({verb, "--help"});
        EXPECT_EQ(own.code, 0);
        EXPECT_NE(own.out.find("Usage: tesela " + verb), std::string::npos) << own.out;
    }
    EXPECT_EQ(run({"-h"}).out, help.out);
}

TEST_F(Usage, Version) {
    for (const Names& arguments : {Names{"--version"}, Names{"info", "--version"}})
        EXPECT_TRUE(run(arguments).out.starts_with("tesela ")) << arguments.front();
}

TEST_F(Usage, WrongVerbsAndOptions) {
    expect_failure(2, {"no verb", "--help"}, {});
    expect_failure(2, {"mean-shif", "'mean-shift'"}, {"mean-shif"});
    expect_failure(2, {"zzzzzzzz", "--help"}, {"zzzzzzzz"});
    expect_failure(2, {"no verb 'brain'", "'tesela level-set ftc'"}, {"brain", "head.nii.gz"});
    expect_failure(2, {"no verb 'crop'", "'tesela image crop'"}, {"crop"});
    expect_failure(2, {"--json"}, {"--json"});
    expect_failure(2, {"no verb 'prewit'", "'prewitt'"}, {"edges", "prewit"});
    expect_failure(2, {"write one of canny, sobel, prewitt, roberts", "--help"}, {"edges"});
    expect_failure(2, {"write one of limits, tolerance, confidence, compete", "--help"},
                   {"grow", "picture.png"});
    expect_failure(2, {"INPUT"}, {"mean-shift", "-o", "f.png"});
    const auto refuses = [&](const Names& words, const Names& more) {
        Names arguments{"mean-shift", "picture.png", "-o", "f.png"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        expect_failure(2, words, arguments);
    };
    refuses({"no option '--colour'", "'--colored'"}, {"--colour", "3", "--bogus"});
    refuses({"no option '--spatal'", "did you mean '--spatial'?"}, {"--spatal=3"});
    refuses({"no option '-x'; see"}, {"-x"});
    refuses({"'f.png' is one name for 3 inputs"}, {"b.png", "c.png"});
    expect_failure(2, {"'c.png' is one argument too many"},
                   {"slide", "thumbnail", "b.png", "c.png"});
    // Inputs that nothing would look at.
    for (const Names& verb : {Names{"register"}, Names{"match"}, Names{"evaluate", "flow"},
                              Names{"evaluate", "landmarks"}, Names{"evaluate", "circles"}}) {
        Names arguments = verb;
        arguments.insert(arguments.end(), {"a.png", "b.png", "c.png"});
        expect_failure(2, {"'c.png' is one argument too many", "--help"}, arguments);
    }
    refuses({"--range needs a value"}, {"--range"});
    refuses({"--range is given more than once"}, {"--range", "3", "--range", "4"});
    refuses({"--max-iterations", "'1e3' is not a whole number"}, {"--max-iterations", "1e3"});
    refuses({"--max-iterations", "'99999999999999999999'", "from"},
            {"--max-iterations", "99999999999999999999"});
}

// A verb that is taken away or gets another name is no advice any more.
TEST(OtherWords, NameVerbsThatExist) {
    const auto& registry = operations::Registry::all();
    for (const OtherWord& other : other_words()) {
        int verbs = 0;
        constexpr std::string_view before = "'tesela ";
        for (std::size_t at = other.advice.find(before); at != std::string_view::npos;
             at = other.advice.find(before, at + 1)) {
            const std::size_t begin = at + before.size();
            const std::string verb(
                other.advice.substr(begin, other.advice.find('\'', begin) - begin));
            if (verb != "info" && verb != "view" && !registry.family(verb)) {
                EXPECT_NO_THROW(registry.find(verb)) << other.word;
            }
            ++verbs;
        }
        EXPECT_GT(verbs, 0) << other.word;
    }
}

TEST_F(Usage, HelpOfAFamilyShowsWhatIsTypedBehindIt) {
    const std::string threshold = run({"threshold", "--help"}).out;
    for (const std::string text :
         {"Verbs:\n  otsu ", "-o, --output, --mask PATH", "Examples:\n  tesela threshold otsu ",
          "Without VERB, otsu runs:", "'tesela threshold VERB --help'"})
        EXPECT_NE(threshold.find(text), std::string::npos) << text << " in " << threshold;
    EXPECT_EQ(threshold.find("--threads"), std::string::npos);
    EXPECT_NE(run({"threshold", "--help-all"}).out.find("--threads"), std::string::npos);
    const std::string slide = run({"slide", "--help"}).out;
    for (const std::string text : {"-o, --output PATH", "--mpp", "Examples:\n  tesela slide region",
                                   "tesela slide tiles slide.svs -o tiles\n"})
        EXPECT_NE(slide.find(text), std::string::npos) << text << " in " << slide;
    EXPECT_EQ(slide.find("--quality"), std::string::npos) << slide;  // of convert
}

TEST_F(Usage, HelpIsAVerbToo) {
    EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
    EXPECT_EQ(run({"help", "edges"}).out, run({"edges", "--help"}).out);
    EXPECT_EQ(run({"help", "threshold", "range"}).out, run({"threshold", "range", "--help"}).out);
    EXPECT_EQ(run({"threshold", "help", "range"}).out, run({"threshold", "range", "--help"}).out);
    EXPECT_EQ(run({"help", "mean-shift"}).out, run({"mean-shift", "--help"}).out);
    expect_failure(2, {"no verb 'brain'"}, {"help", "brain"});
}

TEST_F(Usage, OptionsThatNeedNoFlagMayHaveOne) {
    Image<std::uint8_t> ramp({100, 1});
    for (std::uint8_t x = 0; x < 100; ++x) ramp(x, 0) = x;
    write("ramp.png", ramp);
    const auto mask_of = [&](const Names& more) {
        Names arguments{"threshold", "range", "-o", "mask.png", "--force"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_EQ(run(arguments).code, 0);
        return read_text("mask.png");
    };
    const std::string bare = mask_of({"60", "90", "ramp.png"});
    EXPECT_EQ(mask_of({"ramp.png", "--low", "60", "--high", "90"}), bare);
    EXPECT_EQ(mask_of({"60", "ramp.png", "--high", "90"}), bare);
    EXPECT_EQ(mask_of({"--low", "60", "90", "ramp.png"}), bare);
    EXPECT_NE(mask_of({"50", "90", "ramp.png"}), bare);
    expect_failure(2, {"--low: 'x'"}, {"threshold", "range", "x", "9", "ramp.png", "-o", "m.png"});
    expect_failure(2, {"--low is given more than once"},
                   {"threshold", "range", "ramp.png", "--low", "3", "--low", "4"});
    expect_failure(2, {"INPUT is missing"}, {"threshold", "range", "--low", "3", "--high", "4"});
    expect_failure(2, {"TEMPLATE is missing"}, {"match", "-o", "scores.tif"});
    expect_failure(2, {"MOVING is missing"}, {"register", "fixed.png", "-o", "aligned.png"});
    EXPECT_NE(run({"match", "--help"}).out.find("Usage: tesela match [options] TEMPLATE INPUT\n"),
              std::string::npos);
}

TEST_F(Usage, SuggestionsAreMuchAlike) {
    expect_failure(2, {"no option '--tabel' (did you mean '--table'?)"},
                   {"components", "mask.png", "--tabel", "t.csv"});
    expect_failure(2, {"no option '--precision'; see"},
                   {"flow", "tv-l1", "a.png", "b.png", "--precision", "double"});
}

TEST_F(Usage, HelpAndDescriptionHoldEveryOption) {
    const std::string help = run({"mean-shift", "--help-all"}).out;
    const Json description = run({"mean-shift", "--describe"}).json();
    std::string names;
    for (const Json& option : description["options"]) {
        names += " " + option["name"].get<std::string>() + " ";
        for (const Json& flag : option["flags"])
            EXPECT_NE(help.find(flag.get<std::string>()), std::string::npos) << flag;
    }
    for (const OptionFacts& facts : facts_of(MeanShiftOptions{}))
        if (facts.name != "variant") {  // of the thesis
            EXPECT_NE(names.find(" " + facts.name + " "), std::string::npos) << facts.name;
        }
    for (const std::string name : {"device", "filtered", "force", "json", "profile", "dry-run",
                                   "max-memory", "threads", "quiet", "verbose", "progress"})
        EXPECT_NE(names.find(" " + name + " "), std::string::npos) << name;
    for (const std::string flag : {"--config", "--describe", "-o", "-q", "-v"})
        EXPECT_NE(help.find(flag), std::string::npos) << flag;
}

TEST_F(Usage, ShortHelpFitsAScreen) {
    const std::string help = run({"mean-shift", "--help"}).out;
    for (const std::string text : {"Examples:\n  tesela mean-shift ", "--spatial", "--range",
                                   "default\n", "'tesela mean-shift --help-all' lists"})
        EXPECT_NE(help.find(text), std::string::npos) << text << " in " << help;
    for (const std::string text : {"--epsilon", "--threads", "default 8", "--version"})
        EXPECT_EQ(help.find(text), std::string::npos) << text << " in " << help;
    EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 50);
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST_F(Usage, DescriptionOfOneOption) {
    const Json description = run({"mean-shift", "--describe"}).json();
    for (const Json& option : description["options"]) {
        if (option["name"] != "epsilon") continue;
        EXPECT_EQ(option["type"], "number");
        EXPECT_EQ(option["default"], 0.01);
        EXPECT_EQ(option["unit"], "bandwidths");
        EXPECT_EQ(option["range"]["lowest"], 0);
        EXPECT_EQ(option["range"]["excludes_lowest"], true);
        EXPECT_EQ(option["range"]["highest"], 1);
        return;
    }
    FAIL() << "--epsilon is not described";
}

TEST_F(Usage, DescriptionAsATable) {
    const Outcome table = run({"mean-shift", "--describe=markdown"});
    EXPECT_EQ(table.code, 0);
    EXPECT_NE(table.out.find("| `--epsilon` |"), std::string::npos) << table.out;
    EXPECT_EQ(run({"mean-shift", "--describe=xml"}).code, 2);
}

TEST_F(Usage, ConfigurationFiles) {
    write_text("job.toml",
               "range = 12.5\nspatial = \"6px\"\n\n[mean-shift]\nmax-iterations = 50\n"
               "\n[grow.limits]\nseed = 3\n");
    write_text("job.json", R"({"range": 12.5, "spatial": "6px", "spacing": [0.5, 0.5],
                               "mean-shift": {"max-iterations": 50}, "info": {"json": true}})");
    for (const std::string name : {"job.toml", "job.json"}) {
        const Outcome outcome = run({"mean-shift", "picture.png", "--json", "--device", "cpu",
                                     "--config", name, "--range", "11"});
        ASSERT_EQ(outcome.code, 0) << name << ": " << outcome.err;
        const Json parameters = outcome.json()["parameters"];
        EXPECT_EQ(parameters["range"], 11);  // the command line wins
        EXPECT_EQ(parameters["spatial"], "6px");
        EXPECT_EQ(parameters["max-iterations"], 50);
    }
}

TEST_F(Usage, ReportServesAsConfiguration) {
    const Outcome first = run({"mean-shift", "picture.png", "--json", "--device", "cpu", "--range",
                               "13", "--connectivity", "4"});
    ASSERT_EQ(first.code, 0) << first.err;
    write_text("used.json", first.json()["parameters"].dump());
    const Outcome second = run({"mean-shift", "picture.png", "--config", "used.json"});
    ASSERT_EQ(second.code, 0) << second.err;
    EXPECT_EQ(second.json()["parameters"], first.json()["parameters"]);
    EXPECT_EQ(second.json()["statistics"], first.json()["statistics"]);
}

TEST_F(Usage, WaysToWriteAConfiguration) {
    for (const std::string text : {
             "spacing = [0.5,0.25]",
             "spacing = [\n  0.5,  # along x\n  0.25,\n]",
             "spacing = [\"0.5\", '0.25']",
             "spacing = \"0.5,0.25\"  # a comment",
             "\"spacing\" = '0.5,0.25'\r\n; a comment",
             "\xef\xbb\xbfspacing=0.5,0.25",
             "spacing = 1,1\n[info]\nspacing = 3\n[mean-shift]\nspacing = 0.5,0.25",
             "mean-shift.spacing = [0.5, 0.25]",
             "\xef\xbb\xbf{\"spacing\": [\"0.5\", 0.25]}",
             "{\"mean-shift\": {\"spacing\": [0.5, 0.25]}, \"spacing\": [1, 1]}",
         }) {
        SCOPED_TRACE(text);
        write_text("job", text);
        const Outcome outcome = run({"mean-shift", "picture.png", "--json", "--dry-run", "--device",
                                     "cpu", "--config", "job"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const Json spacing = outcome.json()["parameters"]["spacing"];
        EXPECT_EQ(spacing[0], 0.5);
        EXPECT_EQ(spacing[1], 0.25);
    }
    write_text("flags.toml", "json\nprofile = false\n[mean-shift]\ndry-run = true\n");
    EXPECT_EQ(run({"mean-shift", "picture.png", "--config", "flags.toml", "--device", "cpu"})
                  .json()["parameters"]["dry-run"],
              true);
}

TEST_F(Usage, BadConfigurationFiles) {
    const auto with = [](const std::string& config) {
        return Names{"mean-shift", "picture.png", "-o", "f.png", "--config", config};
    };
    const auto refused = [&](const std::string& text, const std::string& place,
                             const Names& words) {
        SCOPED_TRACE(text.substr(0, 80));
        write_text("job", text);
        const Outcome outcome = run(with("job"));
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        const std::string begin = "tesela: error: configuration file 'job'" + place + ": ";
        EXPECT_TRUE(outcome.err.starts_with(begin)) << outcome.err;
        for (const std::string& word : words)
            EXPECT_NE(outcome.err.find(word, begin.size()), std::string::npos) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_LT(outcome.err.size(), 250u);
    };
    expect_failure(3, {"nowhere.toml"}, with("nowhere.toml"));
    expect_failure(3, {"'.'", "folder"}, with("."));
    refused("rnage = 12\n", ", line 1", {"'rnage' is no setting", "did you mean 'range'"});
    refused("# first\n\nrange = 1e999\n", ", line 3", {"--range", "1e999"});
    refused("range = 3\nprofile = maybe", ", line 2", {"'profile' is a flag", "maybe"});
    refused("range = 3\nrange = 4", ", line 2", {"'range' is given more than once"});
    refused("{\"range\": 3, \"range\": 4}", "", {"'range' is given more than once"});
    refused("{\"mean-shift\": {\"range\": 3, \"range\": 4}, \"range\": 5}", "",
            {"'range' is given more than once"});
    refused("range =\n", ", line 1", {"'range' has no value"});
    refused("range = [1,\n[2]]", ", line 2", {"'range'", "another list"});
    refused("range = [1,\n2", ", line 2", {"'range'", "no end"});
    refused("range = \"3\nspatial = 4", ", line 1", {"quoted"});
    refused("range = \"3\" 4", ", line 1", {"more behind the value", "'4'"});
    refused("range = {a = 1}", ", line 1", {"'range'", "table"});
    refused("[mean-shift.colors]\nrange = 3", ", line 2", {"no section 'mean-shift colors'"});
    refused("help = true", ", line 1", {"'help' is no setting"});
    refused("[1, 2]", "", {"JSON array"});
    refused("[[1, 2", ", line 1", {"no name of a section"});
    refused("{\"range\": ", "", {"no valid JSON", "line 1"});
    refused("{\"range\": 1e999}", "", {"1e999"});
    refused("{\"range\": [[1]]}", "", {"'range'"});
    refused("{\"a\\nb\": 1}", "", {"'a\\x0ab' is no setting"});
    refused(std::string("range\0= 3", 9), "", {"no text"});
    refused(std::string((1 << 20) + 1, '\n'), "", {"larger than 1 MiB"});
    std::string dotted = "a";
    for (int i = 0; i < 16; ++i) dotted += ".a";
    refused(dotted + " = 1", ", line 1", {"more than 16 levels"});
    const std::size_t deep = 200000;
    refused(std::string(deep, '['), ", line 1", {"no name of a section"});
    std::string objects;
    for (std::size_t i = 0; i < deep; ++i) objects += "{\"a\":";
    refused("range = " + std::string(deep, '['), ", line 1", {"another list"});
    refused(objects.substr(0, 1000000), "", {"more than 16 levels"});
    refused("{\"range\": " + std::string(deep, '['), "", {"more than 16 levels"});
    write_text("bad.toml", "range = -1\n");
    expect_failure(2, {"--range", "-1"}, with("bad.toml"));
}

TEST_F(Usage, NumbersDoNotDependOnTheLocale) {
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    const Outcome outcome =
        run({"mean-shift", "picture.png", "--json", "--device", "cpu", "--range", "7.5"});
    unsetenv("LC_ALL");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["parameters"]["range"], 7.5);
}

}  // namespace
}  // namespace tesela::cli::testing
