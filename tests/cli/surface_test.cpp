// `tesela surface`: files, reports, labels with names, wrong usage.
#include "program.h"

namespace tesela::cli::testing {
namespace {

class SurfaceVerb : public ProgramTest {
  protected:
    SurfaceVerb() {
        LabelImage map({6, 5, 4});
        map.geometry.unit = Unit::millimeter;
        map.geometry.spacing = {1, 1, 2};
        for (std::int64_t z = 0; z < 4; ++z)
            for (std::int64_t y = 1; y < 4; ++y) {
                for (std::int64_t x = 0; x < 3; ++x) map(x, y, z) = 1;
                for (std::int64_t x = 3; x < 5; ++x) map(x, y, z) = 4;
            }
        io::write_labels(map, file("organs.nii.gz"), {true},
                         {{1, {.name = "liver", .color = Rgb{1, 2, 3}}},
                          {4, {.name = "kidney", .color = Rgb{4, 5, 6}}}});
    }
};

TEST_F(SurfaceVerb, WritesASurfaceForEachLabelWithItsName) {
    const Outcome outcome = run({"surface", "organs.nii.gz", "-o", "organs.ply", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = outcome.json();
    EXPECT_EQ(json["statistics"]["surface_count"], 2);
    EXPECT_EQ(json["statistics"]["unit"], "mm");
    EXPECT_EQ(json["surfaces"][1]["label"], 4);
    EXPECT_EQ(json["surfaces"][1]["name"], "kidney");
    EXPECT_NEAR(json["surfaces"][0]["volume"].get<double>(), 72, 0.01);
    EXPECT_NEAR(json["surfaces"][1]["volume"].get<double>(), 48, 0.01);
    EXPECT_NE(read_text("organs.ply").find("\ncomment label 4 = kidney\n"), std::string::npos);
    const Outcome obj = run({"surface", "organs.nii.gz", "-o", "organs.obj"});
    ASSERT_EQ(obj.code, 0) << obj.err;
    EXPECT_NE(read_text("organs.obj").find("\ng liver\n"), std::string::npos);
}

TEST_F(SurfaceVerb, KeepsTheFacesOfVoxelsAndTakesOneLabel) {
    const Outcome outcome = run({"surface", "organs.nii.gz", "--label", "4", "--smooth", "0", "-o",
                                 "kidney.stl", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    // Of 2 x 3 x 4 voxels.
    EXPECT_EQ(outcome.json()["statistics"]["triangles"], 2 * 2 * (2 * 3 + 3 * 4 + 4 * 2));
    EXPECT_EQ(outcome.json()["warnings"], Json::array());
    EXPECT_EQ(fs::file_size(file("kidney.stl")), 84 + 50 * 104);
}

TEST_F(SurfaceVerb, SaysWhatStlAndMapsWithoutSpacingLack) {
    const Outcome several = run({"surface", "organs.nii.gz", "-o", "organs.stl"});
    EXPECT_EQ(several.code, 0);
    EXPECT_NE(several.err.find("'organs.stl' holds 2 surfaces without their labels"),
              std::string::npos)
        << several.err;
    Image<std::uint8_t> mask({3, 3, 3});
    mask(1, 1, 1) = 255;
    write("mask.npy", mask);
    const Outcome plain = run({"surface", "mask.npy", "-o", "mask.ply"});
    EXPECT_EQ(plain.code, 0);
    EXPECT_NE(plain.err.find("coordinates are in voxels"), std::string::npos) << plain.err;
}

TEST_F(SurfaceVerb, WrongUsage) {
    write("flat.png", Image<std::uint8_t>({4, 4}));
    write("empty.nii", Image<std::uint8_t>({4, 4, 4}));
    write("scan.nii", volume(4, 4, 4));
    expect_failure(2, {"picture", "measure --outlines"}, {"surface", "flat.png", "-o", "s.ply"});
    expect_failure(2, {"no objects"}, {"surface", "empty.nii", "-o", "s.ply"});
    expect_failure(2, {"label 2 is not"},
                   {"surface", "organs.nii.gz", "--label", "2", "-o", "s.ply"});
    expect_failure(2, {"--label"}, {"surface", "organs.nii.gz", "--label", "x", "-o", "s.ply"});
    expect_failure(2, {"smooth"}, {"surface", "organs.nii.gz", "--smooth", "-1", "-o", "s.ply"});
    expect_failure(2, {".ply, .stl or .obj"}, {"surface", "organs.nii.gz", "-o", "s.vtk"});
    expect_failure(5, {"memory"},
                   {"surface", "organs.nii.gz", "-o", "s.ply", "--max-memory", "10K"});
    expect_failure(1, {"s.ply"}, {"surface", "organs.nii.gz", "-o", "s.ply"},
                   {.largest_file = 1000});
}

}  // namespace
}  // namespace tesela::cli::testing
