// `tesela flow METHOD`: fields, pictures, reports and bad input.
#include "program.h"
#include "tesela/evaluate_flow.h"
#include "tesela/flow_io.h"
#include "tesela/synthetic_flow.h"

namespace tesela::cli::testing {
namespace {

class Flow : public ProgramTest {
  protected:
    Flow() {
        scene_.width = 64;
        scene_.height = 48;
        scene_.motion = {0, 0, 1, 0.5};
        for (const int index : {0, 1}) {
            const Image<float> frame = synthetic_frame(scene_, index);
            Image<std::uint8_t> picture(frame.shape());
            for (std::size_t i = 0; i < picture.pixels().size(); ++i)
                picture.pixels()[i] = static_cast<std::uint8_t>(
                    std::clamp(std::round(double{frame.pixels()[i]}), 0.0, 255.0));
            write(index == 0 ? "0.png" : "1.png", picture);
        }
    }
    std::vector<std::string> call(std::vector<std::string> more) const {
        std::vector<std::string> arguments{"flow",  "horn-schunck", "0.png",
                                           "1.png", "--device",     "cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    SyntheticScene scene_;
};

TEST_F(Flow, WritesFieldAndPictures) {
    const Outcome outcome = run(call(
        {"-o", "f.flo", "--color", "c.png", "--arrows", "a.png", "--warped", "w.png", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = outcome.json();
    EXPECT_EQ(json["verb"], "flow horn-schunck");
    EXPECT_EQ(json["outputs"].size(), 4u);
    EXPECT_EQ(json["inputs"].size(), 2u);
    EXPECT_EQ(json["levels"], 4);
    const FlowEvaluation found =
        evaluate_flow(io::read_flow(file("f.flo")), synthetic_truth(scene_));
    EXPECT_LT(found.endpoint.mean, 0.2);
    for (const char* picture : {"c.png", "a.png"}) {
        const Shape shape = shape_of(io::read_image(file(picture)).image);
        EXPECT_EQ(shape, (Shape{64, 48, 1, 1, 3})) << picture;
    }
    EXPECT_EQ(shape_of(io::read_image(file("w.png")).image), (Shape{64, 48}));
}

// Cameras of 12 bits, and numbers of any scale.
TEST_F(Flow, ScaleOfTheValuesDoesNotMatter) {
    for (const char* name : {"0", "1"}) {
        const auto picture =
            std::get<Image<std::uint8_t>>(io::read_image(file(std::string(name) + ".png")).image);
        Image<std::uint16_t> of_12_bits(picture.shape());
        Image<float> numbers(picture.shape());
        for (std::size_t i = 0; i < picture.pixels().size(); ++i) {
            of_12_bits.pixels()[i] = static_cast<std::uint16_t>(16 * picture.pixels()[i]);
            numbers.pixels()[i] = 1e-3f * static_cast<float>(picture.pixels()[i]) - 5;
        }
        write(std::string(name) + "_12.tif", of_12_bits);
        write(std::string(name) + "_f.tif", numbers);
    }
    for (const char* method : {"tv-l1", "horn-schunck", "lucas-kanade"})
        for (const std::string scale : {"_12.tif", "_f.tif"}) {
            SCOPED_TRACE(method + scale);
            const Outcome outcome = run({"flow", method, "0" + scale, "1" + scale, "--device",
                                         "cpu", "-o", "f.flo", "--force", "--json"});
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            EXPECT_GT(outcome.json()["range"][1], outcome.json()["range"][0]);
            const FlowEvaluation found =
                evaluate_flow(io::read_flow(file("f.flo")), synthetic_truth(scene_));
            EXPECT_LT(found.endpoint.mean, 0.2);
        }
    expect_failure(2, {"1_12.tif", "another type"}, {"flow", "0.png", "1_12.tif", "-o", "g.flo"});
}

TEST_F(Flow, TheBestMethodIsTheDefault) {
    const auto with = [&](std::vector<std::string> arguments, const std::string& name) {
        arguments.insert(arguments.end(), {"0.png", "1.png", "--device", "cpu", "-o", name});
        EXPECT_EQ(run(arguments).code, 0);
        return read_text(name);
    };
    EXPECT_EQ(with({"flow"}, "default.flo"), with({"flow", "tv-l1"}, "best.flo"));
}

TEST_F(Flow, HornSchunckOfTheThesis) {
    const Outcome outcome =
        run({"thesis", "flow", "horn-schunck", "0.png", "1.png", "--device", "cpu", "-o", "f.flo",
             "--sweeps", "64", "--precision", "double", "-q"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out + outcome.err, "");
    EXPECT_EQ(io::read_flow(file("f.flo")).shape(), (Shape{64, 48, 1, 1, 2}));
}

TEST_F(Flow, TvL1MakesUseOfColors) {
    for (const int index : {0, 1}) {
        const std::string name = std::to_string(index);
        const AnyImage gray = io::read_image(file(name + ".png")).image;
        const auto& values = std::get<Image<std::uint8_t>>(gray).pixels();
        Image<std::uint8_t> color({64, 48, 1, 1, 3});
        for (std::size_t i = 0; i < values.size(); ++i) {
            color.pixels()[3 * i] = values[i];
            color.pixels()[3 * i + 1] = static_cast<std::uint8_t>(i / 3 % 64 < 30 ? 0 : 255);
            color.pixels()[3 * i + 2] = static_cast<std::uint8_t>(255 - values[i]);
        }
        write(name + "c.png", color);
    }
    const auto call_it = [&](std::vector<std::string> frames, const char* output) {
        std::vector<std::string> arguments{"flow", "tv-l1", "--device", "cpu", "-o", output};
        arguments.insert(arguments.end(), frames.begin(), frames.end());
        return run(arguments);
    };
    const Outcome outcome = call_it({"0.png", "1.png", "--json"}, "gray.flo");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["verb"], "flow tv-l1");
    EXPECT_EQ(outcome.json()["levels"], 4);
    const FlowField gray = io::read_flow(file("gray.flo"));
    EXPECT_LT(evaluate_flow(gray, synthetic_truth(scene_)).endpoint.mean, 0.05);
    ASSERT_EQ(call_it({"0c.png", "1c.png"}, "color.flo").code, 0);
    ASSERT_EQ(call_it({"0c.png", "1c.png", "--no-edges", "--no-weighted-median"}, "plain.flo").code,
              0);
    EXPECT_NE(io::read_flow(file("color.flo")).pixels(), io::read_flow(file("plain.flo")).pixels());
    expect_failure(2, {"frame 1 has 3 channels", "frame 0 1"},
                   {"flow", "tv-l1", "0.png", "1c.png", "-o", "f.flo"});
    expect_failure(2, {"updates", "0"},
                   {"flow", "tv-l1", "0.png", "1.png", "-o", "f.flo", "--updates", "0"});
    expect_failure(2, {"--precision"},
                   {"flow", "tv-l1", "0.png", "1.png", "-o", "f.flo", "--precision", "double"});
}

TEST_F(Flow, LucasKanadeWritesConfidence) {
    const Outcome outcome = run({"flow", "lucas-kanade", "0.png", "1.png", "--device", "cpu", "-o",
                                 "f.flo", "--confidence", "c.tif", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["levels"], 2);
    EXPECT_EQ(outcome.json()["outputs"].size(), 2u);
    const FlowField field = io::read_flow(file("f.flo"));
    const FlowEvaluation found = evaluate_flow(field, synthetic_truth(scene_));
    EXPECT_LT(found.endpoint.mean, 0.2);
    EXPECT_EQ(found.density, 1);
    const auto map = std::get<Image<float>>(io::read_image(file("c.tif")).image);
    ASSERT_EQ(map.shape(), (Shape{64, 48}));

    // The vectors that are less reliable are unknown, and no others.
    ASSERT_EQ(run({"flow", "lucas-kanade", "0.png", "1.png", "--device", "cpu", "-o", "s.flo",
                   "--min-confidence", "20", "-q"})
                  .code,
              0);
    const FlowField some = io::read_flow(file("s.flo"));
    std::int64_t known = 0;
    for (std::int64_t y = 0; y < 48; ++y)
        for (std::int64_t x = 0; x < 64; ++x) {
            const bool is_reliable = map(x, y) >= 20;
            ASSERT_EQ(is_known(some(x, y, 0, 0, 0), some(x, y, 0, 0, 1)), is_reliable);
            known += is_reliable;
        }
    EXPECT_GT(known, 0);
    EXPECT_LT(known, 64 * 48);
}

TEST_F(Flow, LucasKanadeOfTheThesis) {
    const std::vector<std::string> call{"thesis", "flow",     "lucas-kanade", "0.png",
                                        "1.png",  "--device", "cpu",          "-o",
                                        "f.flo",  "-q",       "--force"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), call.begin(), call.end());
        return more;
    };
    ASSERT_EQ(run(with({"--precision", "double", "--filter-size", "7"})).code, 0);
    EXPECT_EQ(io::read_flow(file("f.flo")).shape(), (Shape{64, 48, 1, 1, 2}));
    for (const std::string option : {"--warps", "--confidence", "--min-confidence"})
        expect_failure(2, {"no option '" + option + "'"}, with({option, "2"}));
}

TEST_F(Flow, DryRunWritesNothing) {
    const auto before = names();
    const Outcome outcome = run(call({"-o", "f.flo", "--dry-run"}));
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out.find("would write flow f.flo"), std::string::npos);
    EXPECT_NE(outcome.out.find("device memory needed: at most "), std::string::npos);
    EXPECT_EQ(names(), before);
}

TEST_F(Flow, DryRunCoversWhatTheJobTakes) {
    for (const std::string method : {"tv-l1", "horn-schunck", "lucas-kanade"}) {
        const auto job = [&](std::vector<std::string> more) {
            more.insert(more.begin(),
                        {"flow", method, "0.png", "1.png", "--json", "--device", "cpu"});
            return run(more);
        };
        const auto needed = job({"--dry-run"}).json()["device_bytes"]["needed"].get<std::int64_t>();
        const auto taken = job({}).json()["peak_memory"]["device"].get<std::int64_t>();
        EXPECT_LE(taken, needed * 17 / 16 + 20000) << method;
        EXPECT_GE(taken, needed * 2 / 3) << method;
        const Outcome tight = job({"--dry-run", "--max-memory", "20K"});
        EXPECT_EQ(tight.code, 5);
        EXPECT_FALSE(tight.json()["device_bytes"]["fits"].get<bool>());
    }
}

TEST_F(Flow, BadInput) {
    expect_failure(2, {"no output", "--flow"}, call({}));
    expect_failure(2, {"levels", "0"}, call({"-o", "f.flo", "--levels", "0"}));
    expect_failure(2, {"alpha", "0"}, call({"-o", "f.flo", "--alpha", "0"}));
    expect_failure(2, {"no option '--precision'"}, call({"-o", "f.flo", "--precision", "double"}));
    expect_failure(2, {"--confidence"}, call({"-o", "f.flo", "--confidence", "c.tif"}));
    const auto lucas_kanade = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"flow", "lucas-kanade", "0.png", "1.png", "-o", "f.flo"});
        return more;
    };
    expect_failure(2, {"no option '--filter-size'"}, lucas_kanade({"--filter-size", "5"}));
    expect_failure(2, {"no option '--precision'"}, lucas_kanade({"--precision", "double"}));
    expect_failure(2, {"--block-width", "odd"}, lucas_kanade({"--block-width", "8"}));
    expect_failure(2, {"c.png", "float"}, lucas_kanade({"--confidence", "c.png"}));
    expect_failure(2, {"FRAME"}, {"flow", "horn-schunck", "0.png", "-o", "f.flo"});
    expect_failure(2, {"horn-schunk", "'horn-schunck'"}, {"flow", "horn-schunk"});
    expect_failure(3, {"missing.png"},
                   {"flow", "horn-schunck", "0.png", "missing.png", "-o", "f.flo"});
    write("small.png", gray_picture(20, 20));
    expect_failure(2, {"sizes differ", "20 x 20", "64 x 48"},
                   {"flow", "horn-schunck", "0.png", "small.png", "-o", "f.flo"});
    Image<float> wrong({64, 48});
    write("zero.tif", wrong);
    wrong.pixels()[64 * 7 + 3] = std::numeric_limits<float>::quiet_NaN();
    write("nan.tif", wrong);
    expect_failure(2, {"nan.tif", "x 3, y 7", "finite"},
                   {"flow", "horn-schunck", "zero.tif", "nan.tif", "-o", "f.flo"});
}

}  // namespace
}  // namespace tesela::cli::testing
