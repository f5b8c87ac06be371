// Operations with a halo from compressed volumes and OME-Zarr to compressed volumes.
#include "program.h"
#include "tesela/volume_io.h"

namespace tesela::cli::testing {
namespace {

class VolumePartsProgram : public ProgramTest {
  protected:
    void done(const std::vector<std::string>& arguments) {
        const Outcome outcome = run(arguments);
        ASSERT_EQ(outcome.code, 0) << arguments.front() << ": " << outcome.err;
    }
    void make_volumes() {
        done({"synthesize", "volume", "--scene", "vessels", "--size", "100,90,130", "--noise", "2%",
              "-o", "v.nii"});
        io::write_image(io::read_image(file("v.nii")).image, file("v.zarr"));
        done({"compress", "v.nii", "-o", "v.tvol"});
    }
    void expect_same(const std::string& a, const std::string& b) {
        const AnyImage first = io::read_image(file(a)).image,
                       second = io::read_image(file(b)).image;
        ASSERT_EQ(first.index(), second.index());
        EXPECT_TRUE(std::visit(
            [&](const auto& image) {
                return image.pixels() == std::get<std::decay_t<decltype(image)>>(second).pixels();
            },
            first))
            << a << " and " << b;
    }
};

TEST_F(VolumePartsProgram, ResultsAreThoseOfTheWhole) {
    make_volumes();
    const std::vector<std::vector<std::string>> verbs{
        {"morphology", "open", "--radius", "2"},
        {"edges", "sobel"},
        {"image", "smooth", "gaussian", "--sigma", "1.5"},
        {"threshold", "range", "60", "255"}};
    for (const std::vector<std::string>& verb : verbs)
        for (const std::string input : {"v.tvol", "v.zarr"}) {
            const auto made = [&](const std::string& from, const std::string& to) {
                std::vector<std::string> words = verb;
                words.insert(words.end(), {from, "-o", to, "--force", "--device", "cpu"});
                done(words);
            };
            made("v.nii", "whole.nii");
            made(input, "parts.tvol");
            expect_same("parts.tvol", "whole.nii");
        }
    EXPECT_TRUE(io::open_volume_file(file("parts.tvol"))->facts().is_labels);  // a mask
}

TEST_F(VolumePartsProgram, TellsWhatMasksCover) {
    io::write_image(Image<std::uint8_t>({70, 80, 75}), file("flat.nii"));
    done({"compress", "flat.nii", "-o", "flat.tvol"});
    for (const std::string output : {"m.nii", "m.tvol"}) {
        const Outcome outcome = run({"threshold", "range", "5", "9", "flat.tvol", "-o", output});
        EXPECT_EQ(outcome.code, 0);
        EXPECT_NE(outcome.err.find("the mask is empty: none of 420000 pixels"), std::string::npos)
            << output << ": " << outcome.err;
    }
}

TEST_F(VolumePartsProgram, WhatNeedsTheWholeSaysSo) {
    make_volumes();
    expect_failure(2, {"needs the whole volume"},
                   {"threshold", "adaptive", "v.tvol", "-o", "m.tvol"});
    io::write_image(Image<float>({20, 20, 20}), file("f.nii"));
    done({"compress", "f.nii", "-o", "f.tvol"});
    expect_failure(2, {"float32 pixels", "limits of the whole", "needs the whole volume"},
                   {"edges", "sobel", "f.tvol", "-o", "e.tvol"});
}

}  // namespace
}  // namespace tesela::cli::testing
