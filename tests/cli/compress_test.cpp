// tesela compress, decompress, info --verify, and --raw.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>

#include "program.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class Compress : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        Geometry geometry;
        geometry.unit = Unit::millimeter;
        geometry.spacing = {0.5, 0.75, 2};
        geometry.origin = {10, -20, 30};
        write("head.nii.gz", volume(70, 40, 20, geometry));
    }
    Image<std::int16_t> read(const std::string& name) const {
        return std::get<Image<std::int16_t>>(io::read_image(file(name)).image);
    }
    // A file of noise that is compressed for some time.
    void write_noise(const std::string& name, std::size_t bytes) const {
        std::mt19937 random(3);
        std::string noise(bytes, 0);
        for (char& c : noise) c = static_cast<char>(random());
        write_text(name, noise);
    }
};

TEST_F(Compress, RoundTrip) {
    const Outcome outcome = run({"compress", "head.nii.gz", "-o", "head.tvol", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_GT(outcome.json()["ratio"], 1);
    EXPECT_EQ(outcome.json()["max_error"], 0);
    ASSERT_EQ(run({"decompress", "head.tvol", "-o", "back.nii.gz"}).code, 0);
    const auto given = read("head.nii.gz"), back = read("back.nii.gz");
    EXPECT_EQ(back.pixels(), given.pixels());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(back.geometry.spacing[axis], given.geometry.spacing[axis], 1e-6);
        EXPECT_NEAR(back.geometry.origin[axis], given.geometry.origin[axis], 1e-6);
    }
}

TEST_F(Compress, PartsAndLevels) {
    ASSERT_EQ(run({"compress", "head.nii.gz", "-o", "head.tvol"}).code, 0);
    ASSERT_EQ(run({"decompress", "head.tvol", "-o", "part.nii", "--level", "1", "--box",
                   "30,2,1,35,10,9"})
                  .code,
              0);
    const auto part = read("part.nii"), whole = read("head.nii.gz");
    EXPECT_EQ(part.shape(), (Shape{5, 8, 8}));
    EXPECT_NEAR(part.geometry.spacing[0], 1, 1e-6);
    EXPECT_NEAR(part.geometry.origin[0], 10 + 0.5 * 60.5, 1e-6);
    double sum = 0;
    for (std::int64_t i = 0; i < 8; ++i) sum += whole(60 + i % 2, 4 + i / 2 % 2, 2 + i / 4);
    EXPECT_NEAR(part(0, 0, 0), sum / 8, 1);
    expect_failure(
        2, {"box", "35"},
        {"decompress", "head.tvol", "-o", "b.nii", "--level", "1", "--box", "30,2,1,36,10,9"});
    expect_failure(2, {"--box", "six numbers"},
                   {"decompress", "head.tvol", "-o", "b.nii", "--box", "1,2,3"});
}

TEST_F(Compress, OtherVerbsTakeTheFile) {
    ASSERT_EQ(run({"compress", "head.nii.gz", "-o", "head.tvol"}).code, 0);
    for (const std::string name : {"head.nii.gz", "head.tvol"})
        ASSERT_EQ(
            run({"threshold", "otsu", name, "-o", name + ".mask.nii", "--device", "cpu"}).code, 0);
    EXPECT_EQ(read_text("head.nii.gz.mask.nii"), read_text("head.tvol.mask.nii"));
}

TEST_F(Compress, ErrorAndRatioAreKept) {
    ASSERT_EQ(run({"compress", "head.nii.gz", "-o", "e.tvol", "--max-error", "5"}).code, 0);
    ASSERT_EQ(run({"decompress", "e.tvol", "-o", "e.nii"}).code, 0);
    const auto given = read("head.nii.gz"), back = read("e.nii");
    for (std::size_t i = 0; i < given.pixels().size(); ++i)
        ASSERT_LE(std::abs(given.pixels()[i] - back.pixels()[i]), 5);
    const Outcome outcome =
        run({"compress", "head.nii.gz", "-o", "r.tvol", "--ratio", "20", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_GE(outcome.json()["ratio"], 20);
    EXPECT_GE(70 * 40 * 20 * 2, 20 * static_cast<int>(fs::file_size(file("r.tvol"))));
    expect_failure(2, {"--lossless"},
                   {"compress", "head.nii.gz", "-o", "x.tvol", "--lossless", "--ratio", "3"});
}

// The smallest PSNR that is enough: the one that is told, and not that of the next error.
TEST_F(Compress, PsnrIsReached) {
    const auto given = read("head.nii.gz");
    const auto [low, high] = std::minmax_element(given.pixels().begin(), given.pixels().end());
    const double span = *high - *low;
    const auto psnr_of = [&](const std::vector<std::string>& options) {
        std::vector<std::string> words{"compress", "head.nii.gz", "-o", "p.tvol", "--force"};
        words.insert(words.end(), options.begin(), options.end());
        EXPECT_EQ(run(words).code, 0);
        const auto back = read("p.tvol");
        double sum = 0;
        for (std::size_t i = 0; i < given.pixels().size(); ++i)
            sum += std::pow(given.pixels()[i] - back.pixels()[i], 2);
        return 10 * std::log10(span * span * static_cast<double>(given.pixels().size()) / sum);
    };
    for (const std::string decibels : {"30", "45.5"}) {
        const Json report = run({"compress", "head.nii.gz", "-o", "t.tvol", "--force", "--psnr",
                                 decibels, "--json"})
                                .json();
        const double told = report["psnr"], error = report["max_error"];
        EXPECT_GE(told, std::stod(decibels));
        EXPECT_NEAR(psnr_of({"--psnr", decibels}), told, 1e-9);
        EXPECT_NEAR(psnr_of({"--max-error", std::to_string(error)}), told, 1e-9);
        EXPECT_LT(psnr_of({"--max-error", std::to_string(error + 1)}), std::stod(decibels));
    }
    const Json report =
        run({"compress", "head.nii.gz", "-o", "l.tvol", "--psnr", "500", "--json"}).json();
    EXPECT_TRUE(report["psnr"].is_null());  // lossless
    EXPECT_EQ(read("l.tvol").pixels(), given.pixels());
    for (const std::string other : {"--max-error", "--ratio"})
        expect_failure(2, {"--psnr", other},
                       {"compress", "head.nii.gz", "-o", "x.tvol", "--psnr", "40", other, "3"});
    expect_failure(2, {"--lossless", "--psnr"},
                   {"compress", "head.nii.gz", "-o", "x.tvol", "--psnr", "40", "--lossless"});
}

// Of two values a large error changes none.
TEST_F(Compress, PsnrOfWhatIsKeptIsNoNumber) {
    Image<std::uint8_t> two({40, 30, 8});
    for (std::size_t i = 0; i < two.pixels().size(); ++i) two.pixels()[i] = i % 3 == 0 ? 0 : 255;
    write("two.nii", two);
    const Outcome outcome = run({"compress", "two.nii", "-o", "two.tvol", "--psnr", "40"});
    EXPECT_NE((outcome.out + outcome.err).find("lossless"), std::string::npos);
    EXPECT_EQ((outcome.out + outcome.err).find("inf"), std::string::npos);
    const Json report =
        run({"compress", "two.nii", "-o", "two.tvol", "--force", "--psnr", "40", "--json"}).json();
    EXPECT_TRUE(report["psnr"].is_null());
    EXPECT_EQ(report["max_error"], 0);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(io::read_image(file("two.tvol")).image).pixels(),
              two.pixels());
}

TEST_F(Compress, PsnrOfFloatingPoint) {
    Image<float> waves({70, 40, 20});
    for (std::size_t i = 0; i < waves.pixels().size(); ++i)
        waves.pixels()[i] = std::sin(0.01F * static_cast<float>(i));
    write("waves.nii", waves);
    const Json report =
        run({"compress", "waves.nii", "-o", "waves.tvol", "--psnr", "50", "--json"}).json();
    const auto back = std::get<Image<float>>(io::read_image(file("waves.tvol")).image);
    double sum = 0;
    for (std::size_t i = 0; i < waves.pixels().size(); ++i)
        sum += std::pow(waves.pixels()[i] - back.pixels()[i], 2);
    const double psnr = 10 * std::log10(4 * static_cast<double>(waves.pixels().size()) / sum);
    EXPECT_NEAR(psnr, report["psnr"], 1e-3);
    EXPECT_GE(psnr, 50);
    EXPECT_LT(psnr, 51);
    waves.pixels()[5] = std::numeric_limits<float>::infinity();
    write("endless.nii", waves);
    expect_failure(2, {"no finite numbers"},
                   {"compress", "endless.nii", "-o", "x.tvol", "--psnr", "50"});
}

TEST_F(Compress, RawVolumes) {
    const auto given = read("head.nii.gz");
    std::string bytes(7, 'h');
    bytes.append(reinterpret_cast<const char*>(given.data()), given.pixels().size() * 2);
    write_text("head.raw", bytes);
    ASSERT_EQ(run({"compress", "head.raw", "--raw", "70x40x20:i16le:7", "--spacing", "1,2,3", "-o",
                   "raw.tvol"})
                  .code,
              0);
    const auto back = read("raw.tvol");
    EXPECT_EQ(back.pixels(), given.pixels());
    EXPECT_EQ(back.geometry.spacing, (std::array<double, 3>{1, 2, 3}));
    EXPECT_EQ(run({"info", "head.raw", "--raw", "70x40x20:i16:7"}).code, 0);
    EXPECT_EQ(run({"threshold", "otsu", "head.raw", "--raw", "70x40x20:i16:7", "-o", "m.nii",
                   "--device", "cpu"})
                  .code,
              0);
    expect_failure(3, {"head.raw", "--raw"},
                   {"compress", "head.raw", "--raw", "70x40x21:i16", "-o", "x.tvol"});
    expect_failure(2, {"--raw"}, {"compress", "head.raw", "--raw", "70x40", "-o", "x.tvol"});
    expect_failure(2, {"--raw"}, {"info", "head.raw", "--raw", "70x40x20:u9"});
}

TEST_F(Compress, DamageIsNamedByVerify) {
    ASSERT_EQ(run({"compress", "head.nii.gz", "-o", "head.tvol"}).code, 0);
    const Outcome sound = run({"info", "head.tvol", "--verify", "--json"});
    ASSERT_EQ(sound.code, 0) << sound.err;
    const Json facts = sound.json()["files"][0];
    EXPECT_EQ(facts["sound"], true);
    EXPECT_EQ(facts["bricks"], 2);
    const auto given = read("head.nii.gz");
    EXPECT_EQ(facts["values"]["highest"],
              *std::max_element(given.pixels().begin(), given.pixels().end()));
    std::string bytes = read_text("head.tvol");
    bytes.back() = static_cast<char>(bytes.back() ^ 4);
    write_text("bad.tvol", bytes);
    EXPECT_EQ(run({"info", "bad.tvol"}).code, 0);
    expect_failure(3, {"bad.tvol", "brick 1, 0, 0", "level 0", "checksum"},
                   {"info", "bad.tvol", "--verify"});
    expect_failure(3, {"bad.tvol", "brick 1, 0, 0"}, {"decompress", "bad.tvol", "-o", "x.nii"});
    bytes.resize(bytes.size() / 2);
    write_text("short.tvol", bytes);
    expect_failure(3, {"short.tvol", "truncated"}, {"decompress", "short.tvol", "-o", "x.nii"});
    bytes = read_text("head.tvol");
    bytes[8] = 9;
    write_text("newer.tvol", bytes);
    expect_failure(3, {"newer.tvol", "version 9", "newer Tesela"}, {"info", "newer.tvol"});
}

TEST_F(Compress, InterruptLeavesNoFile) {
    write_noise("noise.raw", 48 << 20);
    const Names before = names();
    const Outcome outcome = run(
        {"compress", "noise.raw", "--raw", "512x512x192:u8", "-o", "n.tvol", "--progress", "none"},
        {.interrupt_after = 0.5});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_EQ(names(), before);
}

TEST_F(Compress, AFullDiskLeavesNoFile) {
    write_noise("noise.raw", 1 << 20);
    expect_failure(1, {"n.tvol"},
                   {"compress", "noise.raw", "--raw", "128x128x64:u8", "-o", "n.tvol"},
                   {.largest_file = 200000});
}

// The input is read in parts: ten times as much takes no more.
TEST_F(Compress, MemoryDoesNotGrowWithTheFile) {
    constexpr std::int64_t depth = 1200;
    write_text("large.raw", "");
    fs::resize_file(file("large.raw"), 1024 * 1024 * depth);
    const Outcome outcome =
        run({"compress", "large.raw", "--raw", "1024x1024x1200:u8", "-o", "large.tvol"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_LT(outcome.peak_bytes, 400 << 20);
}

}  // namespace
}  // namespace tesela::cli::testing
