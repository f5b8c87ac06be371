// From a volume to its labels, a compressed file and a picture (spec 004, row F68), and the
// pictures of `tesela render` that depend on its options.
#include <algorithm>
#include <array>
#include <set>

#include "program.h"

namespace tesela::cli::testing {
namespace {

class VolumeChain : public ProgramTest {
  protected:
    // Ends the test where a step does not end with 0.
    nlohmann::json done(std::vector<std::string> arguments) {
        arguments.push_back("--json");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << arguments.front() << ": " << outcome.err;
        return outcome.code == 0 ? outcome.json() : nlohmann::json{};
    }
    Image<std::uint8_t> picture(const std::string& name) const {
        return std::get<Image<std::uint8_t>>(io::read_image(file(name)).image);
    }
};

std::int64_t bright_pixels(const Image<std::uint8_t>& picture) {
    return std::count_if(picture.pixels().begin(), picture.pixels().end(),
                         [](std::uint8_t value) { return value > 60; });
}

TEST_F(VolumeChain, FromVolumeToPicture) {
    done({"synthesize", "volume", "--scene", "kissing-spheres", "--size", "64,64,64", "--noise",
          "2%", "-o", "spheres.nii.gz"});
    done({"level-set", "ftc", "spheres.nii.gz", "--seeds", "ball:19,32,32,5=1;ball:45,32,32,5=2",
          "--device", "cpu", "-o", "labels.nii.gz"});
    done({"compress", "spheres.nii.gz", "-o", "spheres.tvol"});
    done({"compress", "labels.nii.gz", "--labels", "-o", "labels.tvol"});
    done({"render", "spheres.tvol", "--mode", "isosurface", "--labels", "labels.tvol", "--size",
          "96x96", "--device", "cpu", "-o", "view.png"});
    const Image<std::uint8_t> view = picture("view.png");
    EXPECT_EQ(view.shape(), (Shape{96, 96, 1, 1, 3}));
    EXPECT_GT(bright_pixels(view), 1000);
}

// Blocks of 16^3 voxels with a label in them or beside them, and bricks of 64^3 with such a block.
std::array<std::int64_t, 2> blocks_and_bricks(const Image<std::uint8_t>& labels) {
    const Shape& shape = labels.shape();
    std::set<std::array<std::int64_t, 3>> blocks, bricks;
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                if (labels(x, y, z) == 0) continue;
                for (int i = 0; i < 27; ++i) {
                    const std::array<std::int64_t, 3> at{x + i % 3 - 1, y + i / 3 % 3 - 1,
                                                         z + i / 9 - 1};
                    if (at[0] < 0 || at[0] >= shape.x || at[1] < 0 || at[1] >= shape.y ||
                        at[2] < 0 || at[2] >= shape.z)
                        continue;
                    blocks.insert({at[0] / 16, at[1] / 16, at[2] / 16});
                    bricks.insert({at[0] / 64, at[1] / 64, at[2] / 64});
                }
            }
    return {std::ssize(blocks), std::ssize(bricks)};
}

// Spec 004, row F65: labels of both level sets, compressed, brick by brick. Bricks at the upper
// borders hold no label and are not decoded.
TEST_F(VolumeChain, LabelsOfLevelSetsLeaveEmptyBricksOut) {
    done({"synthesize", "volume", "--scene", "kissing-spheres", "--size", "72,68,67", "--noise",
          "2%", "-o", "spheres.nii"});
    const std::vector<std::vector<std::string>> methods{
        {"level-set", "ftc", "spheres.nii", "--seeds", "ball:22,34,34,5=1;ball:50,34,34,5=2"},
        {"level-set", "aos", "spheres.nii", "--seeds", "ball:22,34,34,5", "--lower", "100"}};
    for (std::vector<std::string> method : methods) {
        SCOPED_TRACE(method[1]);
        method.insert(method.end(), {"--device", "cpu", "--force", "-o", "labels.nii"});
        done(method);
        done({"compress", "labels.nii", "--labels", "--force", "-o", "labels.tvol"});
        const auto rendered = [&](const std::string& input, const std::string& output) {
            return done({"render", input, "--level", "0", "--transfer",
                         R"({"format": "tesela-transfer", "version": 1, "name": "labels",
                             "units": "file", "reference_length_mm": 1, "color": [[0, 1, 1, 1]],
                             "opacity": [[0.5, 0], [1, 0.5]], "gradient_opacity": []})",
                         "--size", "96x96", "--device", "cpu", "--force", "-o", output});
        };
        rendered("labels.nii", "whole.png");
        const nlohmann::json bricks = rendered("labels.tvol", "bricks.png").at("bricks");
        EXPECT_TRUE(picture("bricks.png").pixels() == picture("whole.png").pixels());
        EXPECT_GT(bright_pixels(picture("whole.png")), 1000);
        const auto [seen_blocks, seen_bricks] = blocks_and_bricks(picture("labels.nii"));
        EXPECT_EQ(bricks.at("blocks"), 5 * 5 * 5);
        EXPECT_EQ(bricks.at("skipped_blocks"), 5 * 5 * 5 - seen_blocks);
        EXPECT_EQ(bricks.at("filled"), seen_bricks);
        EXPECT_LT(seen_bricks, 2 * 2 * 2);
    }
}

// Without --transfer values below -500 HU tell that a volume is a CT.
TEST_F(VolumeChain, PresetIsChosenByTheValues) {
    const auto chosen = [&](float lowest, const std::string& mode) {
        Image<float> volume({12, 12, 12});
        for (std::int64_t i = 0; i < volume.shape().points(); ++i)
            volume.pixels()[i] = lowest + static_cast<float>(i);
        io::write_image(volume, file("ramp.nii"));
        const Outcome outcome = run({"render", "ramp.nii", "--mode", mode, "--size", "16x16",
                                     "--device", "cpu", "--force", "-o", "ramp.png"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const std::size_t at = outcome.err.find("with the preset ");
        return at == std::string::npos ? "" : outcome.err.substr(at + 16, 2);
    };
    EXPECT_EQ(chosen(-1000, "composite"), "ct");
    EXPECT_EQ(chosen(0, "composite"), "mr");
    EXPECT_EQ(chosen(-5000, "composite"), "mr");
    EXPECT_EQ(chosen(0, "mip"), "");
    expect_failure(2, {"--transfer-function", "--transfer names one"},
                   {"render", "ramp.nii", "--mode", "mip", "-o", "mip.png", "--transfer-function",
                    "used.json", "--device", "cpu"});
}

// However small its voxels are.
TEST_F(VolumeChain, APresetShowsMicroscopyLikeHeads) {
    done({"synthesize", "volume", "--size", "32,32,32", "-o", "body.nii"});
    const auto covered = [&](const std::string& spacing) {
        return done({"render", "body.nii", "--spacing", spacing, "--size", "64x64", "--device",
                     "cpu", "--force", "-o", "body.png"})["statistics"]["covered"]
            .get<double>();
    };
    const double large = covered("1");
    EXPECT_GT(large, 0.2);
    EXPECT_NEAR(covered("0.001"), large, 0.01);
}

TEST_F(VolumeChain, LevelsAndSizes) {
    done({"synthesize", "volume", "--scene", "vessels", "--size", "96,96,96", "-o", "tree.nii.gz",
          "--truth", "tree-labels.nii.gz"});
    const auto seen = [&](const std::string& level) {
        const nlohmann::json report =
            done({"render", "tree.nii.gz", "--mode", "isosurface", "--iso", "120", "--level", level,
                  "--size", "96x96", "--device", "cpu", "--force", "-o", "tree.png"});
        EXPECT_NE(report.dump().find("\"level\":" + (level == "auto" ? "0" : level)),
                  std::string::npos)
            << report.dump();
        return bright_pixels(picture("tree.png"));
    };
    const std::int64_t all = seen("auto");
    EXPECT_GT(all, 1000);
    EXPECT_GT(seen("1"), all / 2);  // the thinnest vessels are lost
    const Outcome wrong = run({"render", "tree.nii.gz", "--level", "5", "-o", "wrong.png"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.err.find("--level"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace tesela::cli::testing
