// Ctrl-C in the middle of the verbs that take long: each ends in a moment and leaves nothing.
#include <random>

#include "program.h"
#include "sanitized.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class Cancel : public ProgramTest {
  protected:
    static constexpr double most_seconds = 0.3 * tesela::testing::patience;

    void write_noise(const std::string& name, const Shape& shape) const {
        Image<std::uint8_t> noise(shape);
        std::mt19937 random(7);
        for (std::uint8_t& value : noise.pixels()) value = static_cast<std::uint8_t>(random());
        write(name, noise);
    }
    void done(const Names& arguments) const {
        const Outcome outcome = run(arguments);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    // Results may be folders that are filled: `kept` is then their name.
    void expect_ends_at_once(const Names& arguments, const std::string& kept = "") const {
        const Names before = names();
        const Outcome outcome = run(arguments, {.interrupt_after = 0.8});
        SCOPED_TRACE(arguments[0] + " " + arguments[1] + ": " + outcome.err);
        EXPECT_EQ(outcome.code, 130);
        EXPECT_EQ(outcome.errors().size(), 1u);
        EXPECT_LT(outcome.after_interrupt, most_seconds);
        if (!kept.empty()) fs::remove_all(file(kept));
        EXPECT_EQ(names(), before);
    }
};

TEST_F(Cancel, CompressedVolumes) {
    write_noise("n.nii", {512, 512, 300});
    expect_ends_at_once({"compress", "n.nii", "-o", "n.tvol", "--progress", "none"});
    expect_ends_at_once({"compress", "n.nii", "-o", "n.tvol", "--ratio", "9", "--threads", "1"});
}

TEST_F(Cancel, Slides) {
    done({"synthesize", "slide", "--width", "24000", "--height", "24000", "-o", "s.ome.tif"});
    expect_ends_at_once({"slide", "convert", "s.ome.tif", "-o", "t.ome.tif", "--compression",
                         "deflate", "--threads", "1"});
    expect_ends_at_once({"slide", "tiles", "s.ome.tif", "-o", "tiles"}, "tiles");
    expect_ends_at_once(
        {"slide", "region", "s.ome.tif", "--width", "24000", "--height", "24000", "-o", "r.tif"});
    expect_ends_at_once({"edges", "sobel", "s.ome.tif", "-o", "e.ome.tif", "--device", "cpu"});
}

TEST_F(Cancel, Tissue) {
    done({"synthesize", "slide", "--width", "2048", "--height", "1536", "-o", "one.ome.tif",
          "--annotations", "one.geojson"});
    done({"tissue", "train", "one.ome.tif", "--annotations", "one.geojson", "-o", "m.model",
          "--tile", "64um", "--classifier", "lda"});
    done({"tissue", "features", "one.ome.tif", "--annotations", "one.geojson", "-o", "f.csv",
          "--tile", "32um"});
    done({"synthesize", "slide", "--width", "24000", "--height", "24000", "-o", "s.ome.tif",
          "--annotations", "s.geojson"});
    expect_ends_at_once({"tissue", "classify", "s.ome.tif", "--model", "m.model", "-o", "map.png",
                         "--overlay", "o.png", "--device", "cpu"});
    expect_ends_at_once({"tissue", "train", "s.ome.tif", "--annotations", "s.geojson", "-o",
                         "n.model", "--device", "cpu"});
    expect_ends_at_once(
        {"tissue", "evaluate", "f.csv", "--protocol", "leave-one-out", "--table", "t.csv"});
}

TEST_F(Cancel, RegistrationAndFlow) {
    write("a.png", gray_picture(2600, 2400));
    write("b.png", gray_picture(2600, 2400));
    expect_ends_at_once({"register", "a.png", "b.png", "-o", "w.png", "--device", "cpu"});
    expect_ends_at_once({"flow", "tv-l1", "a.png", "b.png", "-o", "f.flo", "--device", "cpu"});
}

TEST_F(Cancel, LevelSetsAndMeanShift) {
    write("gray.png", gray_picture(1800, 1400));
    write("color.png", color_picture(1800, 1400));
    expect_ends_at_once({"level-set", "aos", "gray.png", "--seeds", "ball:900,700,600", "--lower",
                         "100", "-o", "l.tif", "--device", "cpu"});
    expect_ends_at_once(
        {"mean-shift", "color.png", "--spatial", "12", "-o", "f.tif", "--device", "cpu"});
}

TEST_F(Cancel, Pictures) {
    write("v.nii", volume(96, 96, 96));
    expect_ends_at_once(
        {"render", "v.nii", "--turntable", "720", "-o", "v.y4m", "--device", "cpu"});
    expect_ends_at_once({"synthesize", "sections", "--count", "900", "-o", "series"}, "series");
}

}  // namespace
}  // namespace tesela::cli::testing
