// tesela thesis level-set.
#include "program.h"
#include "tesela/io.h"
#include "tesela/synthetic_volume.h"

namespace tesela::cli::testing {
namespace {

class LevelSetThesisVerb : public ProgramTest {
  protected:
    void write_volume() const {
        write("sphere.nii.gz",
              synthetic_volume({.scene = VolumeScene::sphere, .shape = {30, 28, 26}}).image);
    }
    std::vector<std::string> call(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"thesis", "level-set", "sphere.nii.gz", "--device", "cpu"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
};

TEST_F(LevelSetThesisVerb, FromAVolumeToListsOfRegions) {
    write_volume();
    const Outcome outcome =
        run(call({"--seeds", "ball:15,14,13,3", "--lower", "120", "-o", "labels.nii.gz",
                  "--updates", "updates.csv", "--surface", "surface.nii.gz", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json figures = outcome.json()["statistics"];
    EXPECT_EQ(figures["stable"], 1);
    EXPECT_GT(figures["labeled_points"], 1000);
    const std::string updates = read_text("updates.csv");
    EXPECT_TRUE(updates.starts_with("round,stage,regions,voxels\n1,cycle 1,")) << updates;
    EXPECT_NE(updates.find("last cycle 2"), std::string::npos);
    EXPECT_EQ(pixel_type_of(io::read_image(file("surface.nii.gz")).image), PixelType::f32);
}

TEST_F(LevelSetThesisVerb, ASurface) {
    write_volume();
    const Outcome outcome = run(call({"--seeds", "ball:15,14,13,3", "--method", "aos",
                                      "--iterations", "12", "-o", "labels.nii.gz", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["statistics"]["rounds"], 12);
    EXPECT_EQ(outcome.json()["statistics"]["updates"], 12);
}

TEST_F(LevelSetThesisVerb, WrongUse) {
    write_volume();
    expect_failure(2, {"--seeds"}, call({"-o", "l.nii.gz"}));
    expect_failure(2, {"balls"}, call({"--seeds", "5,5,5", "--method", "aos", "-o", "l.nii.gz"}));
    expect_failure(2, {"--data-steps", "9"},
                   call({"--seeds", "5,5,5", "--data-steps", "9", "-o", "l.nii.gz"}));
}

}  // namespace
}  // namespace tesela::cli::testing
