// Geometry survives from the input to each output.
#include <cmath>

#include "program.h"

namespace tesela::cli::testing {
namespace {

Geometry oblique() {
    const double c = std::cos(0.35), s = std::sin(0.35);
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {0.8, 0.9, 2.5};
    geometry.origin = {-31.5, 12.25, 100};
    geometry.direction = {c, -s, 0, s, c, 0, 0, 0, 1};
    return geometry;
}

void expect_same(const Geometry& got, const Geometry& wanted) {
    EXPECT_EQ(got.unit, wanted.unit);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(got.spacing[i], wanted.spacing[i], 1e-5);
        EXPECT_NEAR(got.origin[i], wanted.origin[i], 1e-4);
    }
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(got.direction[i], wanted.direction[i], 1e-5);
}

class GeometryOfOutputs : public ProgramTest {};

TEST_F(GeometryOfOutputs, ObliqueAndAnisotropic) {
    write("in.nii.gz", volume(14, 12, 6, oblique()));
    const Outcome outcome =
        run({"mean-shift", "in.nii.gz", "-o", "f.nii.gz", "--labels", "l.nii.gz", "--spatial",
             "3mm", "--range", "20", "--device", "cpu", "--overlay", "o.png"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Geometry input = geometry_of(io::read_image(file("in.nii.gz")).image);
    expect_same(input, oblique());
    expect_same(geometry_of(io::read_image(file("f.nii.gz")).image), input);
    expect_same(io::read_labels(file("l.nii.gz")).geometry, input);

    const Outcome others = run({"mean-shift", "in.nii.gz", "-o", "f.nrrd", "--labels", "m.mha",
                                "--range", "20", "--device", "cpu"});
    ASSERT_EQ(others.code, 0) << others.err;
    expect_same(geometry_of(io::read_image(file("f.nrrd")).image), input);
    expect_same(io::read_labels(file("m.mha")).geometry, input);
}

TEST_F(GeometryOfOutputs, FilesInTwoParts) {
    write("in.nii.gz", volume(14, 12, 6, oblique()));
    const Outcome outcome = run({"mean-shift", "in.nii.gz", "-o", "f.mhd", "--labels", "l.nhdr",
                                 "--range", "20", "--device", "cpu"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    expect_same(geometry_of(io::read_image(file("f.mhd")).image), oblique());
    expect_same(io::read_labels(file("l.nhdr")).geometry, oblique());
}

TEST_F(GeometryOfOutputs, TimeAxis) {
    Image<std::int16_t> image({9, 8, 5, 4}, oblique());
    image.geometry.time_step = 2.5;
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<std::int16_t>(i % 9 < 4 ? 100 : 400 + i / 1440 * 10);
    write("in.nii.gz", image);
    const Outcome outcome =
        run({"mean-shift", "in.nii.gz", "-o", "f.nii.gz", "--labels", "l.nii.gz", "--overlay",
             "o.png", "--spatial", "3mm", "--range", "30", "--device", "cpu", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["parameters"]["temporal"], 2);  // frames, where none were asked for
    EXPECT_EQ(outcome.json()["parameters"]["connectivity"], "80");
    const AnyImage filtered = io::read_image(file("f.nii.gz")).image;
    const LabelImage labels = io::read_labels(file("l.nii.gz"));
    for (const Shape& shape : {shape_of(filtered), labels.shape()})
        EXPECT_EQ(shape, (Shape{9, 8, 5, 4}));
    for (const Geometry& geometry : {geometry_of(filtered), labels.geometry}) {
        expect_same(geometry, oblique());
        EXPECT_NEAR(geometry.time_step, 2.5, 1e-6);
    }
    for (const std::string name : {"f.nrrd", "f.mha"}) {
        const Outcome again = run({"mean-shift", "in.nii.gz", "-o", name, "--temporal", "1",
                                   "--range", "30", "--fast", "--device", "cpu"});
        ASSERT_EQ(again.code, 0) << again.err;
        EXPECT_EQ(shape_of(io::read_image(file(name)).image), (Shape{9, 8, 5, 4}));
    }
}

TEST_F(GeometryOfOutputs, SpacingGiven) {
    write("in.nii.gz", volume(14, 12, 6, oblique()));
    const Outcome outcome =
        run({"mean-shift", "in.nii.gz", "-o", "f.nii.gz", "--spacing", "1,2,3", "--device", "cpu"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Geometry got = geometry_of(io::read_image(file("f.nii.gz")).image);
    EXPECT_NEAR(got.spacing[0], 1, 1e-6);
    EXPECT_NEAR(got.spacing[1], 2, 1e-6);
    EXPECT_NEAR(got.spacing[2], 3, 1e-6);
}

}  // namespace
}  // namespace tesela::cli::testing
