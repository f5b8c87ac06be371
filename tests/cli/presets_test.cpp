// Defaults that depend on the image.
#include "program.h"
#include "tesela/mean_shift.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class Presets : public ProgramTest {
  protected:
    Presets() {
        write("color.png", color_picture(60, 50));
        write("gray.png", gray_picture(60, 50));
    }

    // Parameters, and the pictures of the result.
    Json mean_shift(const std::string& image, const Names& more) const {
        Names arguments{"mean-shift", image,     "-o",     "f.png",    "--labels",
                        "l.png",      "--force", "--json", "--device", "cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return {{"parameters", outcome.json()["parameters"]},
                {"pictures", {as_numbers("f.png"), as_numbers("l.png")}}};
    }

    Json as_numbers(const std::string& name) const {
        const std::string bytes = read_text(name);
        return std::vector<unsigned char>(bytes.begin(), bytes.end());
    }
};

const Names photograph{"--gamma",        "none", "--spatial",      "7",    "--range",      "10.5",
                       "--fusion-range", "0",    "--region-scale", "3000", "--min-region", "100"};
const Names plain{"--gamma",        "srgb", "--spatial",      "8", "--range",      "8",
                  "--fusion-range", "0.25", "--region-scale", "0", "--min-region", "20"};

TEST_F(Presets, MeanShiftOfColorPictures) {
    const Json found = mean_shift("color.png", {});
    EXPECT_EQ(found["parameters"]["preset"], "photograph");
    EXPECT_EQ(found["parameters"]["spatial"], "7px");
    EXPECT_EQ(found["parameters"]["region-scale"], 3000);
    EXPECT_EQ(found["pictures"], mean_shift("color.png", photograph)["pictures"]);
    const Json old = mean_shift("color.png", {"--preset", "plain"});
    EXPECT_EQ(old["parameters"]["min-region"], 20);
    EXPECT_EQ(old["pictures"], mean_shift("color.png", plain)["pictures"]);
    EXPECT_NE(old["pictures"], found["pictures"]);
    // An option of these is as before.
    EXPECT_EQ(mean_shift("color.png", {"--range", "8"})["pictures"], old["pictures"]);
    EXPECT_EQ(mean_shift("color.png", {"--range", "10.5", "--preset", "photograph"})["pictures"],
              found["pictures"]);
}

TEST_F(Presets, CppTakesTheSame) {
    for (const std::string name : {"color.png", "gray.png"}) {
        const Json found = mean_shift(name, {});
        Queue queue(Device::parse("cpu"));
        const MeanShiftResult result =
            tesela::mean_shift(io::read_image(file(name)).image, {}, queue);
        write("f.png", result.filtered);
        io::write_labels(result.labels, file("l.png"), {true});
        EXPECT_EQ(found["pictures"], (Json{as_numbers("f.png"), as_numbers("l.png")})) << name;
    }
}

TEST_F(Presets, MeanShiftOfGrayPictures) {
    const Json found = mean_shift("gray.png", {});
    EXPECT_EQ(found["parameters"]["preset"], "plain");
    EXPECT_EQ(found["pictures"], mean_shift("gray.png", plain)["pictures"]);
}

TEST_F(Presets, HelpTellsThem) {
    EXPECT_NE(run({"mean-shift", "--help"}).out.find("8px or 7px"), std::string::npos);
    const Json options = run({"watershed", "--describe"}).json()["options"];
    for (const Json& option : options)
        if (option["name"] == "depth") {
            EXPECT_EQ(option["automatic"], "2.5 times the noise");
        }
}

}  // namespace
}  // namespace tesela::cli::testing
