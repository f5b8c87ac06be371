// --compression: every image file of a verb takes it, or the verb says before its work why not.
#include "program.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class CompressionOfVerbs : public ProgramTest {
  protected:
    CompressionOfVerbs() {
        write("picture.png", gray_picture(300, 200));
        write("volume.nii", volume(40, 30, 20));
    }
    static Names otsu(const std::string& input, const std::string& output,
                      const std::string& compression) {
        return {"threshold", "otsu", input,           "-o",        output,
                "--device",  "cpu",  "--compression", compression, "--force"};
    }
    std::uintmax_t size(const std::string& name) const { return fs::file_size(file(name)); }
};

TEST_F(CompressionOfVerbs, ChoosesBetweenTimeAndBytes) {
    for (const auto& [input, output] : {std::pair{"picture.png", "o.png"},
                                        {"picture.png", "o.tif"},
                                        {"volume.nii", "o.nrrd"},
                                        {"volume.nii", "o.mha"}}) {
        SCOPED_TRACE(output);
        ASSERT_EQ(run(otsu(input, output, "none")).code, 0);
        const AnyImage whole = io::read_image(file(output)).image;
        const std::uintmax_t bytes = size(output);
        for (const char* compression : {"fast", "small"}) {
            ASSERT_EQ(run(otsu(input, output, compression)).code, 0);
            EXPECT_LT(size(output) * 2, bytes) << compression;
            EXPECT_EQ(std::get<Image<std::uint8_t>>(io::read_image(file(output)).image).pixels(),
                      std::get<Image<std::uint8_t>>(whole).pixels());
        }
    }
}

TEST_F(CompressionOfVerbs, AppliesToLabelsAndTheirPictures) {
    const Names job{"components", "picture.png", "--labels", "l.tif",         "--colored",
                    "c.png",      "--device",    "cpu",      "--compression", "none",
                    "--values",   "equal",       "--force"};
    ASSERT_EQ(run(job).code, 0);
    EXPECT_GT(size("l.tif"), 300u * 200u);
    EXPECT_GT(size("c.png"), 3u * 300u * 200u);
}

TEST_F(CompressionOfVerbs, IsRefusedBeforeTheWork) {
    for (const auto& [output, compression, instead] : {std::tuple{"o.nii.gz", "none", "use .nii,"},
                                                       {"o.nii", "small", "use .nii.gz,"},
                                                       {"o.nhdr", "fast", "use .nrrd,"}})
        expect_failure(2, {output, compression, instead}, otsu("volume.nii", output, compression));
    expect_failure(2, {"o.jpg", "use .png,"}, otsu("picture.png", "o.jpg", "fast"));
    expect_failure(2, {"--compression", "best", "auto, none, fast, small"},
                   otsu("picture.png", "o.png", "best"));
}

}  // namespace
}  // namespace tesela::cli::testing
