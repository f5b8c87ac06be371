// Descriptions, options without types, the registry, and calls by name.
#include <gtest/gtest.h>

#include <stdexcept>

#include "operations/kinds/image.h"
#include "operations/kinds/transform.h"
#include "operations/registry.h"
#include "tesela/compute/device.h"
#include "tesela/error.h"
#include "tesela/threshold.h"

namespace tesela::operations {
namespace {

enum class Shade { dark, bright };
constexpr auto enum_names(Shade) {
    return std::array{EnumNames<Shade>{Shade::dark, "dark"},
                      EnumNames<Shade>{Shade::bright, "bright"}};
}

struct TestOptions {
    Length radius = 2;
    float weight = 0.5f;
    std::int8_t rounds = 3;
    bool smooth = true;
    Shade shade = Shade::bright;
    std::optional<double> share = {};
};
template <class V>
void describe(V&& v, TestOptions& o) {
    v("radius", o.radius, "radius of the disk", OptionRange{.lowest = 0, .unit = "px"});
    v("weight", o.weight, "weight of the past", OptionRange{.lowest = 0, .highest = 1});
    v("rounds", o.rounds, "how often");
    v("smooth", o.smooth, "smooth the result");
    v("shade", o.shade, "kind of picture");
    v("share", o.share, "share of pixels");
}

TEST(Options, AreDescribedWithoutTheirTypes) {
    const Options options = Options::of(TestOptions{});
    const std::vector<Option>& described = options.described();
    ASSERT_EQ(described.size(), 6u);
    EXPECT_EQ(described[0].kind, OptionKind::length);
    EXPECT_EQ(described[0].range.unit, "px");
    EXPECT_EQ(std::get<Length>(described[0].default_value), Length(2));
    EXPECT_EQ(std::get<double>(described[1].default_value), 0.5);
    EXPECT_EQ(described[2].highest_integer, 127);
    EXPECT_EQ(std::get<std::string>(described[4].default_value), "bright");
    EXPECT_EQ(described[4].choices.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(described[5].default_value));
}

TEST(Options, AreSetAndReadByName) {
    Options options = Options::of(TestOptions{});
    const Options before = options;
    options.set("radius", Length{3, Length::In::millimeter});
    options.set("weight", std::int64_t{1});
    options.set("rounds", std::int64_t{7});
    options.set("smooth", false);
    options.set("shade", std::string("dark"));
    options.set("share", 0.25);
    const auto& values = options.as<TestOptions>();
    EXPECT_EQ(values.radius, (Length{3, Length::In::millimeter}));
    EXPECT_EQ(values.weight, 1);
    EXPECT_EQ(values.rounds, 7);
    EXPECT_FALSE(values.smooth);
    EXPECT_EQ(values.shade, Shade::dark);
    EXPECT_EQ(values.share, 0.25);
    EXPECT_EQ(std::get<std::string>(options.get("shade")), "dark");
    options.set("share", std::monostate{});
    EXPECT_FALSE(options.as<TestOptions>().share);
    options.set("radius", std::string("4px"));
    EXPECT_EQ(options.as<TestOptions>().radius, Length(4));
    EXPECT_EQ(before.as<TestOptions>().rounds, 3);  // a copy is independent
}

template <class F>
void expect_refused(const std::vector<std::string>& words, F call) {
    try {
        call();
        ADD_FAILURE() << words.front() << " was taken";
    } catch (const InvalidArgument& error) {
        for (const std::string& word : words)
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
}

TEST(Options, BadValuesAreRefused) {
    Options options = Options::of(TestOptions{});
    expect_refused({"no option 'radios'"}, [&] { options.set("radios", 1.0); });
    expect_refused({"no option"}, [] { Options().get("radius"); });
    expect_refused({"rounds", "128", "-128 to 127"},
                   [&] { options.set("rounds", std::int64_t{128}); });
    expect_refused({"rounds", "integer"}, [&] { options.set("rounds", 1.5); });
    expect_refused({"shade", "dark, bright"}, [&] { options.set("shade", std::string("gray")); });
    expect_refused({"smooth", "flag"}, [&] { options.set("smooth", std::string("yes")); });
    expect_refused({"radius", "2miles"}, [&] { options.set("radius", std::string("2miles")); });
    options.set("weight", 2.0);
    expect_refused({"weight", "0 to 1"}, [&] { options.validate(); });
}

Operation test_operation(const std::string& name) {
    return {.name = name,
            .inputs = {image_input},
            .outputs = {{.name = "out", .kind = kinds::image, .help = ""}},
            .run = [](const Call&, Queue&, const Progress&) { return Results{}; },
            .memory = [](const Call&, const Device&) { return Memory{}; }};
}

TEST(Registry, RefusesWhatIsNotComplete) {
    Registry registry;
    registry.add(test_operation("a"));
    EXPECT_THROW(registry.add(test_operation("a")), std::logic_error);
    EXPECT_THROW(registry.add(test_operation("family b")), std::logic_error);
    registry.add(Family{.name = "family"});
    registry.add(test_operation("family b"));
    EXPECT_THROW(registry.add(Family{.name = "family"}), std::logic_error);
    Operation twice = test_operation("c");
    twice.outputs.push_back(twice.outputs.front());
    EXPECT_THROW(registry.add(std::move(twice)), std::logic_error);
    Operation idle = test_operation("c");
    idle.run = nullptr;
    EXPECT_THROW(registry.add(std::move(idle)), std::logic_error);
    EXPECT_EQ(registry.find("family b").name, "family b");
    expect_refused({"no operation 'c'"}, [&] { registry.find("c"); });
}

// Each has what a caller needs; what it says of itself fits a line.
TEST(Registry, DescriptionsAreComplete) {
    const Registry& registry = Registry::all();
    EXPECT_FALSE(registry.operations().empty());
    for (const Operation& operation : registry.operations()) {
        SCOPED_TRACE(operation.name);
        EXPECT_GE(operation.examples.size(), 2u);
        for (const std::string& example : operation.examples)
            EXPECT_TRUE(example.starts_with(operation.name)) << example;
        EXPECT_LE(operation.purpose.size(), 60u);
        EXPECT_TRUE(operation.sentence.ends_with('.'));
        for (const Output& output : operation.outputs) {
            EXPECT_FALSE(output.help.empty());
            EXPECT_LE(output.help.size(), 70u) << output.name;
        }
        for (const Option& option : operation.options.described())
            EXPECT_FALSE(option.help.empty());
        operation.options.validate();
    }
    for (const Family& family : registry.families()) {
        if (family.default_operation.empty()) continue;
        EXPECT_EQ(family_of(registry.find(family.default_operation).name), family.name);
    }
}

// What is missing or of another type is found before anything is computed, named inputs too.
TEST(Registry, InputsAreOfTheirKinds) {
    const Registry& registry = Registry::all();
    const std::set<std::string, std::less<>> wanted;
    const auto refused = [&](const char* name, const Values& inputs,
                             std::initializer_list<std::string> parts) {
        const Operation& operation = registry.find(name);
        expect_refused(parts, [&] { check(operation, {inputs, operation.options, wanted}); });
    };
    Values inputs;
    refused("edges sobel", inputs, {"edges sobel", "the input 'input' is missing"});
    inputs.set("input", Landmarks{});
    refused("edges sobel", inputs, {"the input 'input' is not of the kind 'image'"});
    const AnyImage image = Image<std::uint8_t>({2, 2});
    inputs.refer("input", image);
    const Operation& sobel = registry.find("edges sobel");
    check(sobel, {inputs, sobel.options, wanted});
    inputs.set("input", Warpable(ImageValue(image)));
    refused("warp", inputs, {"the input 'transform' is missing"});
    // Several values of an input are a vector.
    inputs.set("truth", LabelImage({2, 2}));
    inputs.set("segmentation", LabelImage({2, 2}));
    refused("evaluate labels", inputs, {"the input 'truth' is not of the kind 'labels'"});
    inputs.set("truth", std::vector<ImageValue>{LabelImage({2, 2}), Image<float>({2, 2})});
    refused("evaluate labels", inputs, {"'truth' has pixels of float32", "are uint32"});
}

// Nobody gets another result from C++ than from the program. The experiments of the theses name
// their settings.
TEST(Registry, DefaultsAreThoseOfTheLibrary) {
    int options = 0;
    for (const Operation& operation : Registry::all().operations()) {
        if (operation.name.starts_with("thesis ")) continue;
        for (const Option& option : operation.options.described()) {
            const OptionValue untouched = operation.options.untouched(option.name);
            EXPECT_TRUE(option.default_value == untouched &&
                        operation.options.get(option.name) == untouched)
                << operation.name << " --" << option.name;
            ++options;
        }
    }
    EXPECT_GT(options, 200);
}

TEST(Options, KnowTheValueThatTheirStructBeginsWith) {
    TestOptions changed;
    changed.rounds = 5;
    const Options options = Options::of(changed);
    EXPECT_EQ(options.get("rounds"), OptionValue(std::int64_t{5}));
    EXPECT_EQ(options.untouched("rounds"), OptionValue(std::int64_t{3}));
    expect_refused({"no option 'radios'"}, [&] { options.untouched("radios"); });
}

TEST(Run, GivesWhatTheAlgorithmGives) {
    Image<std::uint8_t> gray({37, 23});
    for (std::size_t i = 0; i < gray.pixels().size(); ++i)
        gray.pixels()[i] = static_cast<std::uint8_t>(i * 7 % 251);
    Queue queue(Device::parse("cpu"));
    const ThresholdResult expected = otsu_threshold(gray, queue);

    const AnyImage image = gray;
    const Operation& otsu = Registry::all().find("threshold otsu");
    Values inputs;
    inputs.refer("input", image);
    const std::set<std::string, std::less<>> wanted{"mask"};
    const Results results = run(otsu, {inputs, otsu.options, wanted}, queue);
    EXPECT_EQ(results.outputs.image("mask").image_of<std::uint8_t>().pixels(),
              expected.mask.pixels());
    EXPECT_FALSE(results.summary.empty());
}

TEST(Run, RefusesWhatDoesNotFit) {
    Queue queue(Device::parse("cpu"));
    const Operation& adaptive = Registry::all().find("threshold adaptive");
    const std::set<std::string, std::less<>> mask{"mask"}, other{"edges"};
    Values inputs;
    expect_refused({"threshold adaptive", "'input' is missing"}, [&] {
        run(adaptive, {inputs, adaptive.options, mask}, queue);
    });
    inputs.set("input", AnyImage(Image<std::uint8_t>({3, 3})));
    expect_refused({"no output 'edges'"}, [&] {
        run(adaptive, {inputs, adaptive.options, other}, queue);
    });
    Options options = adaptive.options;
    options.set("radius", std::int64_t{500});
    expect_refused({"radius", "1 to 127"}, [&] { run(adaptive, {inputs, options, mask}, queue); });
    options.set("radius", std::int64_t{5});
    expect_refused({"radius", "mean"}, [&] { run(adaptive, {inputs, options, mask}, queue); });
    Values wrong;
    wrong.set("input", std::string("a picture"));
    expect_refused({"'input'", "kind"}, [&] {
        run(adaptive, {wrong, adaptive.options, mask}, queue);
    });
}

// A mask of the moving image is compared with that, not with the first image.
TEST(Run, InputsLieOnTheGridThatTheyNameOrTheFirst) {
    Geometry near, far;
    near.unit = far.unit = Unit::millimeter;
    far.origin = {500, 0, 0};
    const Operation& align = Registry::all().find("register pair");
    const auto with_mask = [&](const char* name, const Geometry& place) {
        Values inputs;
        inputs.set("input", AnyImage(Image<std::uint8_t>({4, 3, 2}, near)));
        inputs.set("moving", AnyImage(Image<std::uint8_t>({4, 3, 2}, far)));
        inputs.set(name, AnyImage(Image<std::uint8_t>({4, 3, 2}, place)));
        const std::set<std::string, std::less<>> wanted{"warped"};
        check(align, {inputs, align.options, wanted});
    };
    EXPECT_NO_THROW(with_mask("fixed-mask", near));
    EXPECT_NO_THROW(with_mask("moving-mask", far));
    EXPECT_THROW(with_mask("fixed-mask", far), InvalidInput);
    EXPECT_THROW(with_mask("moving-mask", near), InvalidInput);
}

TEST(VolumeText, IsInMillilitersWhereThereAreSome) {
    EXPECT_EQ(volume_text(12.345), "12.3 mm^3");
    EXPECT_EQ(volume_text(845.2), "845 mm^3");
    EXPECT_EQ(volume_text(2345), "2.35 ml");
    EXPECT_EQ(volume_text(2.02956e6), "2030 ml");
}

}  // namespace
}  // namespace tesela::operations
