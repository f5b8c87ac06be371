// tesela wavelet, evaluate image and synthesize noise
#include <fstream>
#include <iterator>

#include "program.h"
#include "tesela/io.h"

namespace tesela::cli::testing {
namespace {

class WaveletVerbs : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        Image<std::uint8_t> image({48, 40});
        for (int y = 0; y < 40; ++y)
            for (int x = 0; x < 48; ++x) image(x, y) = (x / 16 + y / 20) % 2 ? 170 : 80;
        io::write_image(image, file("truth.png"));
    }
    double mse(const std::string& result) {
        const Outcome outcome = run({"evaluate", "image", result, "truth.png", "--json"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.json()["mse"];
    }
};

TEST_F(WaveletVerbs, InverseGivesTheImage) {
    for (const char* wavelet : {"cdf9/7", "bior2.2-int"}) {
        ASSERT_EQ(run({"wavelet", "forward", "truth.png", "-o", "bands.nii.gz", "--levels", "max",
                       "--wavelet", wavelet, "--picture", "bands.png", "--force"})
                      .code,
                  0);
        ASSERT_EQ(run({"wavelet", "inverse", "bands.nii.gz", "-o", "again.png", "--force"}).code,
                  0);
        EXPECT_EQ(mse("again.png"), 0) << wavelet;
    }
    ASSERT_EQ(run({"wavelet", "inverse", "bands.nii.gz", "-o", "few.png", "--keep", "5%"}).code, 0);
    EXPECT_GT(mse("few.png"), 0);
}

TEST_F(WaveletVerbs, InverseReadsPackets) {
    for (const char* basis : {"full", "entropy", "l1"})
        for (const char* wavelet : {"cdf9/7", "bior2.2-int"}) {
            const Outcome outcome =
                run({"wavelet", "packet", "truth.png", "-o", "p.nii.gz", "--basis", basis,
                     "--wavelet", wavelet, "--picture", "p.png", "--force", "--json"});
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            EXPECT_GT(outcome.json()["statistics"]["bands"], 1);
            if (std::string(basis) == "full") {
                EXPECT_EQ(outcome.json()["statistics"]["bands"], 64);
            }
            ASSERT_EQ(run({"wavelet", "inverse", "p.nii.gz", "-o", "again.png", "--force"}).code,
                      0);
            EXPECT_EQ(mse("again.png"), 0) << basis << ", " << wavelet;
        }
    EXPECT_EQ(run({"wavelet", "packet", "truth.png", "-o", "q.nii.gz", "--levels", "9"}).code, 2);
    std::ifstream side(file("p.wavelet.json"));
    std::string text((std::istreambuf_iterator<char>(side)), {});
    text.replace(text.find("\"tree\": \"") + 9, 1, "2");
    std::ofstream(file("p.wavelet.json")) << text;
    const Outcome outcome = run({"wavelet", "inverse", "p.nii.gz", "-o", "x.png"});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("make the coefficients again"), std::string::npos) << outcome.err;
}

TEST_F(WaveletVerbs, SideFilesAreChecked) {
    ASSERT_EQ(run({"wavelet", "forward", "truth.png", "-o", "a.nii.gz"}).code, 0);
    ASSERT_EQ(run({"wavelet", "forward", "truth.png", "-o", "b.nii.gz", "--levels", "2"}).code, 0);
    std::filesystem::copy_file(file("b.wavelet.json"), file("a.wavelet.json"),
                               std::filesystem::copy_options::overwrite_existing);
    Outcome outcome = run({"wavelet", "inverse", "a.nii.gz", "-o", "x.png"});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("other coefficients than 'a.nii.gz'"), std::string::npos)
        << outcome.err;
    std::ofstream(file("a.wavelet.json")) << "{\"wavelet\": ";
    outcome = run({"wavelet", "inverse", "a.nii.gz", "-o", "x.png"});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("is no valid JSON"), std::string::npos) << outcome.err;
    std::filesystem::remove(file("a.wavelet.json"));
    EXPECT_EQ(run({"wavelet", "inverse", "a.nii.gz", "-o", "x.png"}).code, 3);
}

TEST_F(WaveletVerbs, DenoiseTakesNoiseOut) {
    ASSERT_EQ(run({"synthesize", "noise", "truth.png", "--sigma", "12", "-o", "noisy.png"}).code,
              0);
    const double before = mse("noisy.png");
    EXPECT_NEAR(before, 144, 15);
    ASSERT_EQ(run({"wavelet", "denoise", "noisy.png", "-o", "clean.png"}).code, 0);
    EXPECT_LT(mse("clean.png"), 0.7 * before);
}

// In a TIFF as it is, in a PNG around gray.
TEST_F(WaveletVerbs, DenoiseShowsTheResidual) {
    ASSERT_EQ(run({"synthesize", "noise", "truth.png", "--sigma", "12", "-o", "noisy.png"}).code,
              0);
    for (const char* name : {"residual.tif", "residual.png"})
        ASSERT_EQ(run({"wavelet", "denoise", "noisy.png", "--residual", name}).code, 0) << name;
    const auto exact = std::get<Image<float>>(io::read_image(file("residual.tif")).image);
    const auto shown = std::get<Image<std::uint8_t>>(io::read_image(file("residual.png")).image);
    for (std::size_t i = 0; i < exact.pixels().size(); ++i)
        EXPECT_NEAR(shown.pixels()[i] - 128, exact.pixels()[i], 1) << i;
}

TEST_F(WaveletVerbs, OnePixelAndConstantImages) {
    for (const Shape& shape : {Shape{1, 1}, Shape{31, 20}}) {
        Image<std::uint8_t> image(shape);
        for (std::uint8_t& pixel : image.pixels()) pixel = 77;
        io::write_image(image, file("truth.png"));
        ASSERT_EQ(run({"wavelet", "forward", "truth.png", "-o", "bands.nii.gz", "--levels", "max",
                       "--force"})
                      .code,
                  0);
        ASSERT_EQ(run({"wavelet", "inverse", "bands.nii.gz", "-o", "again.png", "--force"}).code,
                  0);
        EXPECT_EQ(mse("again.png"), 0);
        const Outcome outcome = run({"wavelet", "denoise", "truth.png", "-o", "c.png", "--force"});
        EXPECT_EQ(outcome.code, 0);
        EXPECT_NE(outcome.err.find("no noise was found"), std::string::npos) << outcome.err;
        EXPECT_EQ(mse("c.png"), 0);
    }
}

TEST_F(WaveletVerbs, WhatDoesNotFitAndCtrlCLeaveNothing) {
    Image<std::uint8_t> image({1500, 1500});
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<std::uint8_t>(i * i % 251);
    io::write_image(image, file("large.png"));
    EXPECT_EQ(run({"wavelet", "denoise", "large.png", "-o", "c.png", "--max-memory", "30M"}).code,
              5);
    const Outcome outcome =
        run({"wavelet", "denoise", "large.png", "-o", "c.png", "--shifts", "16", "--device", "cpu"},
            {.interrupt_after = 0.7});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_LT(outcome.after_interrupt, 5);
    EXPECT_FALSE(std::filesystem::exists(file("c.png")));
}

TEST_F(WaveletVerbs, BadOptionsAreWrongUsage) {
    const auto code = [&](const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"wavelet", "denoise", "truth.png", "-o", "c.png"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return run(arguments).code;
    };
    EXPECT_EQ(code({"--sigma", "-1"}), 2);
    EXPECT_EQ(code({"--sigma", "much"}), 2);
    EXPECT_EQ(code({"--levels", "9"}), 2);
    EXPECT_EQ(code({"--wavelet", "haar-int"}), 2);
    EXPECT_EQ(code({"--shifts", "0"}), 2);
    EXPECT_EQ(run({"synthesize", "noise", "truth.png", "--sigma", "-2", "-o", "n.png"}).code, 2);
}

}  // namespace
}  // namespace tesela::cli::testing
