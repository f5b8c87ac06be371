// tesela image as a program: files, report, refusals.
#include <algorithm>

#include "program.h"

namespace tesela::cli::testing {
namespace {

class ImageProgram : public ProgramTest {
  protected:
    ImageProgram() {
        Image<std::uint8_t> gray({40, 30});
        for (std::int64_t y = 0; y < 30; ++y)
            for (std::int64_t x = 0; x < 40; ++x) gray(x, y) = static_cast<std::uint8_t>(x + 5 * y);
        gray(20, 15) = 255;
        write("gray.png", gray);
        write("color.png", color_picture(40, 30));
    }

    Outcome expect_success(const std::vector<std::string>& arguments) const {
        Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome;
    }
    void expect_refused(const std::vector<std::string>& arguments, const std::string& words) const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    }
    AnyImage read(const std::string& name) const { return io::read_image(file(name)).image; }
};

TEST_F(ImageProgram, SmoothedImagesHaveTypeAndChannels) {
    const Json report = expect_success({"image", "smooth", "median", "gray.png", "-o", "m.png",
                                        "--radius", "2", "--device", "cpu", "--json"})
                            .json();
    EXPECT_EQ(report["statistics"]["reach"], Json({2, 2, 0}));
    const AnyImage made = read("m.png");
    // Of 83 to 107, where 95 is replaced by 255.
    EXPECT_EQ(std::get<Image<std::uint8_t>>(made)(20, 15), 96);
    expect_success({"image", "smooth", "gaussian", "color.png", "-o", "g.png", "--sigma", "0.05mm",
                    "--spacing", "0.1", "--device", "cpu"});
    EXPECT_EQ(shape_of(read("g.png")), (Shape{40, 30, 1, 1, 3}));
    expect_refused({"image", "smooth", "gaussian", "gray.png", "-o", "n.png", "--sigma", "1mm"},
                   "--spacing");
    expect_refused({"image", "smooth", "median", "gray.png", "-o", "n.png", "--radius", "200"},
                   "65535");
}

TEST_F(ImageProgram, ProjectionsAndMergedImages) {
    expect_success({"image", "merge", "gray.png", "gray.png", "gray.png", "--along", "z",
                    "--spacing", "0.1,0.1,2", "-o", "stack.nii.gz"});
    const AnyImage stack = read("stack.nii.gz");
    EXPECT_EQ(shape_of(stack), (Shape{40, 30, 3}));
    EXPECT_NEAR(geometry_of(stack).spacing[2], 2, 1e-6);
    const Json report = expect_success({"image", "project", "stack.nii.gz", "--by", "sum", "-o",
                                        "sum.nii.gz", "--device", "cpu", "--json"})
                            .json();
    EXPECT_EQ(report["statistics"]["count"], 3);
    EXPECT_EQ(report["statistics"]["axis"], "z");
    const AnyImage sum = read("sum.nii.gz");
    EXPECT_EQ(std::get<Image<float>>(sum)(3, 2), 3 * 13);
    EXPECT_NEAR(geometry_of(sum).spacing[0], 0.1, 1e-6);
    expect_success(
        {"image", "project", "stack.nii.gz", "--axis", "y", "-o", "front.png", "--device", "cpu"});
    EXPECT_EQ(shape_of(read("front.png")), (Shape{40, 3}));
    expect_success({"image", "merge", "gray.png", "gray.png", "-o", "two.tif", "--json"});
    expect_success({"image", "convert", "two.tif", "--channel", "1", "-o", "second.png"});
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read("second.png")).pixels(),
              std::get<Image<std::uint8_t>>(read("gray.png")).pixels());
    expect_refused({"image", "project", "gray.png", "-o", "n.png"}, "--axis x or y");
    expect_refused({"image", "merge", "gray.png", "color.png", "--along", "z", "-o", "n.tif"},
                   "image 2 has 3 channels");
    Image<std::uint8_t> small({4, 3});
    write("small.png", small);
    expect_refused({"image", "merge", "gray.png", "small.png", "-o", "n.tif"}, "small.png");
}

TEST_F(ImageProgram, FormulasGiveMasksAndImages) {
    expect_success(
        {"image", "math", "a > 100 && b < 50", "gray.png", "gray.png", "-o", "none.png"});
    const AnyImage none = read("none.png");
    const auto& mask = std::get<Image<std::uint8_t>>(none).pixels();
    EXPECT_EQ(std::count(mask.begin(), mask.end(), 0), std::ssize(mask));
    expect_success({"image", "math", "(a + b + c) / 3", "gray.png", "gray.png", "gray.png", "-o",
                    "mean.png", "--image-type", "uint8"});
    EXPECT_EQ(std::get<Image<std::uint8_t>>(read("mean.png")).pixels(),
              std::get<Image<std::uint8_t>>(read("gray.png")).pixels());
    expect_success({"image", "math", "2 * a - 0.5", "gray.png", "-o", "scaled.tif"});
    EXPECT_EQ(std::get<Image<float>>(read("scaled.tif"))(3, 2), 25.5F);
    expect_refused({"image", "math", "a > q", "gray.png", "-o", "n.png"},
                   "column 5: there is no image 'q'");
    Image<std::uint8_t> small({4, 3});
    write("small.png", small);
    expect_refused({"image", "math", "a + b", "gray.png", "small.png", "-o", "n.tif"}, "small.png");
}

TEST_F(ImageProgram, OverlaysTellWhatTheyDraw) {
    Image<std::uint8_t> none({40, 30});
    write("none.png", none);
    const Outcome outcome = expect_success({"overlay", "gray.png", "none.png", "-o", "o.png"});
    EXPECT_NE(outcome.err.find("no pixel has a label"), std::string::npos) << outcome.err;
    expect_success({"overlay", "gray.png", "gray.png", "--scale-bar", "--spacing", "0.1", "-o",
                    "scale.png", "--enlarge", "4"});
    EXPECT_EQ(shape_of(read("scale.png")), (Shape{160, 120, 1, 1, 3}));
    expect_refused({"overlay", "gray.png", "gray.png", "--scale-bar", "-o", "n.png"}, "--spacing");
}

TEST_F(ImageProgram, LegendsListWhatIsThere) {
    Image<std::uint8_t> labels({40, 30});
    for (std::int64_t x = 0; x < 40; ++x) labels(x, 9) = labels(x, 20) = x < 20 ? 3 : 200;
    write("labels.png", labels);
    const auto width = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"overlay", "gray.png", "labels.png", "-o", "o.png", "--force"});
        expect_success(more);
        return shape_of(read("o.png")).x;
    };
    const auto numbers = width({"--fill", "0.5", "--legend"});
    EXPECT_GT(numbers, 40 + 3 * 9);
    EXPECT_GT(width({"--outline", "labels", "--legend", "--names", "3=left kidney,7=liver"}),
              numbers);
    expect_refused({"overlay", "gray.png", "labels.png", "--legend", "-o", "n.png"}, "--fill");
}

TEST_F(ImageProgram, PicturesForPapersHave300PixelsAnInch) {
    for (const char* name : {"o.png", "o.tif"}) {
        expect_success({"overlay", "gray.png", "gray.png", "--spacing", "0.1", "-o", name});
        EXPECT_FALSE(geometry_of(read(name)).known()) << name;
    }
    EXPECT_NE(read_text("o.png").find(std::string("pHYs\0\0\x2e\x23\0\0\x2e\x23\1", 13)),
              std::string::npos);
    EXPECT_NE(read_text("o.tif").find(std::string("\x2c\1\0\0\1\0\0\0", 8)), std::string::npos);
}

TEST_F(ImageProgram, BadInputIsNamed) {
    expect_refused({"image", "crop", "gray.png", "--width", "0", "-o", "n.png"},
                   "--width is 0px: give at least one pixel");
    expect_refused({"nuclei", "gray.png", "--expand", "5um", "-o", "n.png"}, "--expand is 5um");
    Image<std::uint8_t> one({1, 1});
    write("one.png", one);
    EXPECT_NE(expect_success({"threshold", "otsu", "one.png", "-o", "m.png"})
                  .err.find("none of 1 pixel is in it"),
              std::string::npos);
    write("none.png", Image<std::uint8_t>({40, 30}));
    const Json split =
        expect_success({"mask", "split", "none.png", "-o", "s.png", "--json"}).json();
    EXPECT_EQ(split["statistics"]["part_count"], 0);
    EXPECT_NE(expect_success({"morphology", "skeleton", "gray.png", "-o", "k.png"})
                  .err.find("this is no mask"),
              std::string::npos);
}

TEST_F(ImageProgram, SizesOfPixelsAreFinite) {
    for (const char* size : {"0", "-1", "nan", "inf"})
        expect_refused({"image", "resample", "gray.png", "--pixel-size", size, "-o", "n.png"},
                       "finite lengths above 0");
    expect_refused({"image", "resample", "gray.png", "--pixel-size", "1e-30", "-o", "n.png"},
                   "new pixels of 1e-30 old ones");
}

TEST_F(ImageProgram, HysteresisKeepsConnectedPixels) {
    const Json report = expect_success({"threshold", "hysteresis", "90", "250", "gray.png", "-o",
                                        "h.png", "--device", "cpu", "--json"})
                            .json();
    EXPECT_GT(report["statistics"]["points_above"], 500);
    expect_refused({"threshold", "hysteresis", "90", "50", "gray.png", "-o", "n.png"}, "--high");
}

}  // namespace
}  // namespace tesela::cli::testing
