// `tesela render` and `tesela decompress` of volumes that are not read as a whole.
#include <fstream>

#include "program.h"

namespace tesela::cli::testing {
namespace {

class RenderInBricks : public ProgramTest {
  protected:
    nlohmann::json done(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--json", "--force"});
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << arguments.front() << ": " << outcome.err;
        return outcome.code == 0 ? outcome.json() : nlohmann::json{};
    }
    // Vessels in all formats; at most 2^20 voxels, of which the percentiles are exact.
    void make_volumes() {
        done({"synthesize", "volume", "--scene", "vessels", "--size", "120,100,80", "--noise", "2%",
              "-o", "v.nii"});
        io::write_image(io::read_image(file("v.nii")).image, file("v.zarr"));
        ASSERT_EQ(run({"compress", "v.nii", "-o", "v.tvol"}).code, 0);
    }
    Image<std::uint8_t> picture(const std::string& name) const {
        return std::get<Image<std::uint8_t>>(io::read_image(file(name)).image);
    }
    int level(const nlohmann::json& report) const { return report.at("statistics").at("level"); }
    double milliseconds(const nlohmann::json& report, const std::string& stage) const {
        for (const auto& one : report.at("stages"))
            if (one.at("name") == stage) return one.at("milliseconds");
        ADD_FAILURE() << "no stage " << stage << " in " << report.at("stages");
        return -1;
    }
};

TEST_F(RenderInBricks, PicturesAreThoseOfTheWhole) {
    make_volumes();
    for (const std::string mode : {"composite", "mip", "average"}) {
        const std::vector<std::string> how{"--mode", mode,      "--size", "200x150", "--azimuth",
                                           "30",     "--level", "0",      "-o"};
        const auto made = [&](const std::string& input, const std::string& output,
                              const std::vector<std::string>& more = {}) {
            std::vector<std::string> words{"render", input, "--device", "cpu"};
            words.insert(words.end(), how.begin(), how.end());
            words.push_back(output);
            words.insert(words.end(), more.begin(), more.end());
            return done(words);
        };
        made("v.nii", "whole.png");
        for (const std::string input : {"v.tvol", "v.zarr"}) {
            const nlohmann::json report = made(input, "bricks.png");
            EXPECT_TRUE(picture("bricks.png").pixels() == picture("whole.png").pixels()) << input;
            EXPECT_EQ(report.at("bricks").at("tiles"), 1);
            EXPECT_GT(milliseconds(report, "decode bricks"), 0);
            EXPECT_GE(milliseconds(report, "copy bricks"), 0);
        }
    }
}

// Beside what the plan needs there is room for three bricks of eight in a row. A quarter of it is
// for chunks, and a MiB for bricks on their way.
TEST_F(RenderInBricks, TilesOfLittleMemoryAreThoseOfTheWhole) {
    done({"synthesize", "volume", "--scene", "vessels", "--size", "500,45,45", "--noise", "2%",
          "-o", "long.nii"});
    ASSERT_EQ(run({"compress", "long.nii", "-o", "long.tvol"}).code, 0);
    constexpr std::int64_t page = 68 * 68 * 68;
    for (const std::string mode : {"composite", "mip", "average"}) {
        const auto made = [&](const std::string& input, const std::vector<std::string>& more) {
            std::vector<std::string> words{"render",  input, "--device",  "cpu",
                                           "--mode",  mode,  "--size",    "200x150",
                                           "--level", "0",   "--azimuth", "30"};
            words.insert(words.end(), more.begin(), more.end());
            return done(words);
        };
        made("long.nii", {"-o", "whole.png"});
        const std::int64_t needed =
            made("long.tvol", {"-o", "less.png", "--dry-run"}).at("host_bytes").at("needed");
        const std::int64_t limit = needed + ((1 << 20) + 7 * page / 2) * 4 / 3;
        const nlohmann::json report =
            made("long.tvol", {"-o", "less.png", "--max-memory", std::to_string(limit)});
        EXPECT_GT(report.at("bricks").at("tiles"), 1) << mode;
        EXPECT_TRUE(picture("less.png").pixels() == picture("whole.png").pixels()) << mode;
    }
}

TEST_F(RenderInBricks, LevelsFollowThePixels) {
    make_volumes();
    const auto shown = [&](const std::string& input, std::vector<std::string> how) {
        how.insert(how.begin(), {"render", input, "--device", "cpu", "-o", "p.png"});
        return level(done(how));
    };
    EXPECT_EQ(shown("v.tvol", {"--size", "160x160"}), 0);
    EXPECT_GE(shown("v.tvol", {"--size", "40x40"}), 1);
    EXPECT_EQ(shown("v.zarr", {"--level", "3"}), 3);
    EXPECT_EQ(shown("v.tvol", {"--size", "40x40", "--focus", "0,0,0,20,20,20"}), 0);
    // A spacing of one's own takes the whole.
    EXPECT_EQ(shown("v.tvol", {"--size", "40x40", "--spacing", "2mm"}), 0);
}

TEST_F(RenderInBricks, DamagedBricksAreNamedAndThePictureIsMade) {
    make_volumes();
    {
        std::fstream out(file("v.tvol"), std::ios::in | std::ios::out | std::ios::binary);
        out.seekp(static_cast<std::streamoff>(fs::file_size(file("v.tvol")) * 9 / 10));
        out << "damaged";
    }
    const Outcome outcome = run({"render", "v.tvol", "--mode", "mip", "--level", "0", "--size",
                                 "50x50", "-o", "p.png", "--device", "cpu"});
    EXPECT_EQ(outcome.code, 3);
    for (const char* word : {"v.tvol", "brick", "is damaged"})
        EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
    EXPECT_EQ(picture("p.png").shape(), (Shape{50, 50, 1, 1, 3}));
}

TEST_F(RenderInBricks, WhatDoesNotFitIsRefused) {
    make_volumes();
    expect_failure(5, {"--max-memory"},
                   {"render", "v.tvol", "-o", "p.png", "--device", "cpu", "--max-memory", "1M"});
    expect_failure(3, {"neither a .tvol nor an OME-Zarr"}, {"decompress", "v.nii", "-o", "x.nii"});
}

TEST_F(RenderInBricks, PartsOfOmeZarrAreThoseOfTheTvol) {
    make_volumes();
    for (const std::string level : {"0", "2"})
        for (const std::string input : {"v.tvol", "v.zarr"})
            done({"decompress", input, "-o", input + level + ".nii", "--level", level, "--box",
                  "3,2,1,29,20,17"});
    EXPECT_EQ(read_text("v.tvol0.nii"), read_text("v.zarr0.nii"));
    const auto values = [&](const std::string& name) { return picture(name).pixels(); };
    const auto a = values("v.tvol2.nii"), b = values("v.zarr2.nii");
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2);
}

}  // namespace
}  // namespace tesela::cli::testing
