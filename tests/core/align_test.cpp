#include "tesela/align.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace tesela {
namespace {

// Turned about the z axis.
Geometry oblique() {
    const double c = std::cos(0.35), s = std::sin(0.35);
    Geometry g;
    g.unit = Unit::millimeter;
    g.spacing = {0.8, 0.9, 2.5};
    g.origin = {-31.5, 12.25, 100};
    g.direction = {c, -s, 0, s, c, 0, 0, 0, 1};
    return g;
}

// Values tell their place.
Image<std::uint16_t> numbered(const Shape& shape, const Geometry& geometry) {
    Image<std::uint16_t> image(shape, geometry);
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<std::uint16_t>(i);
    return image;
}

// The same points with axis a of the result along axis `axis[a]` of the image.
Image<std::uint16_t> stored_otherwise(const Image<std::uint16_t>& image, const AxisOrder& order) {
    const Geometry& g = image.geometry;
    const std::array<std::int64_t, 3> lengths{image.shape().x, image.shape().y, image.shape().z};
    std::array<std::int64_t, 3> sizes{};
    Geometry other = g;
    for (std::size_t a = 0; a < 3; ++a) {
        const auto b = static_cast<std::size_t>(order.axis[a]);
        sizes[a] = lengths[b];
        other.spacing[a] = g.spacing[b];
        for (std::size_t row = 0; row < 3; ++row) {
            const double along = g.direction[3 * row + b];
            other.direction[3 * row + a] = order.backwards[a] ? -along : along;
            if (order.backwards[a])
                other.origin[row] += along * g.spacing[b] * static_cast<double>(lengths[b] - 1);
        }
    }
    const Shape shape{sizes[0], sizes[1], sizes[2], image.shape().t, image.shape().channels};
    Image<std::uint16_t> result(shape, other);
    for (std::int64_t t = 0; t < shape.t; ++t)
        for (std::int64_t z = 0; z < shape.z; ++z)
            for (std::int64_t y = 0; y < shape.y; ++y)
                for (std::int64_t x = 0; x < shape.x; ++x)
                    for (int c = 0; c < shape.channels; ++c) {
                        const std::array<std::int64_t, 3> at{x, y, z};
                        std::array<std::int64_t, 3> from{};
                        for (std::size_t a = 0; a < 3; ++a)
                            from[static_cast<std::size_t>(order.axis[a])] =
                                order.backwards[a] ? sizes[a] - 1 - at[a] : at[a];
                        result(x, y, z, t, c) = image(from[0], from[1], from[2], t, c);
                    }
    return result;
}

void expect_refused(const ImageGrid& grid, const ImageGrid& image,
                    const std::vector<std::string>& words) {
    try {
        axis_order(grid, image);
        ADD_FAILURE() << "taken: " << image.to_string();
    } catch (const InvalidArgument& error) {
        for (const std::string& word : words)
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
                << word << " is not in: " << error.what();
    }
}

// All 48 ways to store three axes, of a grid that is oblique and has different lengths.
TEST(Align, OrdersOfAxesAreUndone) {
    const auto image = numbered({5, 4, 3, 2, 2}, oblique());
    for (const std::array<int, 3>& axes :
         {std::array{0, 1, 2}, std::array{0, 2, 1}, std::array{1, 0, 2}, std::array{1, 2, 0},
          std::array{2, 0, 1}, std::array{2, 1, 0}})
        for (unsigned turned = 0; turned < 8; ++turned) {
            const AxisOrder order{axes, {(turned & 1) != 0, (turned & 2) != 0, (turned & 4) != 0}};
            const auto other = stored_otherwise(image, order);
            const auto aligned = align_to(grid_of(image), other);
            EXPECT_EQ(aligned.shape(), image.shape());
            EXPECT_EQ(aligned.pixels(), image.pixels());
            EXPECT_EQ(aligned.geometry, image.geometry);
        }
}

TEST(Align, AnyPixelType) {
    const auto image = numbered({5, 4, 3}, oblique());
    const auto other = stored_otherwise(image, {{0, 1, 2}, {true, false, false}});
    ASSERT_NE(other.pixels(), image.pixels());
    const AnyImage aligned = align_to(grid_of(image), AnyImage(other));
    EXPECT_EQ(std::get<Image<std::uint16_t>>(aligned).pixels(), image.pixels());
}

TEST(Align, OtherGridsAreRefused) {
    const ImageGrid grid{{64, 64, 20}, oblique()};
    ImageGrid other = grid;
    other.geometry.origin[0] += 50;
    expect_refused(grid, other,
                   {"64 x 64 x 20 voxels of 0.8 x 0.9 x 2.5 mm", "origin (-31.5, 12.25, 100) mm",
                    "origin (18.5, 12.25, 100) mm", "LPS", "58.7 voxels", "--ignore-geometry"});
    other = grid;
    other.geometry.spacing[2] = 2.4;
    expect_refused(grid, other, {"0.8 x 0.9 x 2.4 mm", "0.76 voxels"});
    other = grid;
    other.geometry.direction = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    expect_refused(grid, other, {"voxels apart"});
    other = grid;
    for (const std::size_t entry : {0u, 3u}) other.geometry.direction[entry] *= -1;
    expect_refused(grid, other, {"RPS", "LPS", "63 voxels"});  // turned around without its origin
    other = grid;  // x and z are swapped, and the sizes are not
    other.geometry.direction = {0, 0, 1, 0, 1, 0, 1, 0, 0};
    expect_refused(grid, other, {"LPS", "SPL", "voxels apart", "--ignore-geometry"});
    other = grid;
    other.shape.z = 19;
    expect_refused(grid, other, {"64 x 64 x 19", "64 x 64 x 20", "sizes differ"});
    other = grid;
    other.shape.t = 2;
    expect_refused(grid, other, {"64 x 64 x 20 x 2", "sizes differ"});
}

// The places of corners count, in parts of a voxel.
TEST(Align, SmallDifferencesAreTaken) {
    const ImageGrid grid{{101, 101, 20}, oblique()};
    const auto shifted = [&](std::size_t axis, double voxels) {
        ImageGrid other = grid;
        for (std::size_t row = 0; row < 3; ++row)
            other.geometry.origin[row] +=
                voxels * grid.geometry.spacing[axis] * grid.geometry.direction[3 * row + axis];
        return other;
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(axis_order(grid, shifted(axis, 0.009)), AxisOrder{});
        expect_refused(grid, shifted(axis, 0.011), {"0.011 voxels"});
    }
    ImageGrid single = grid;  // as NIfTI stores it
    for (double& v : single.geometry.spacing) v = static_cast<float>(v);
    for (double& v : single.geometry.origin) v = static_cast<float>(v);
    for (double& v : single.geometry.direction) v = static_cast<float>(v);
    EXPECT_EQ(axis_order(grid, single), AxisOrder{});
    ImageGrid wider = grid;  // a small error of the spacing adds up along 100 steps
    wider.geometry.spacing[0] *= 1.00009;
    EXPECT_EQ(axis_order(grid, wider), AxisOrder{});
    wider.geometry.spacing[0] = 0.8 * 1.00011;
    expect_refused(grid, wider, {"0.011 voxels"});
}

TEST(Align, MicrometersAreMillimeters) {
    const ImageGrid grid{{8, 7, 6}, oblique()};
    ImageGrid other = grid;
    other.geometry.unit = Unit::micrometer;
    expect_refused(grid, other, {"um"});
    for (double& v : other.geometry.spacing) v *= 1000;
    for (double& v : other.geometry.origin) v *= 1000;
    EXPECT_EQ(axis_order(grid, other), AxisOrder{});
}

// Of a slice only the plane counts, and where its points lie.
TEST(Align, SliceHasNoThickness) {
    const ImageGrid grid{{8, 7}, oblique()};
    ImageGrid other = grid;
    other.geometry.spacing[2] = 9;
    for (double& v : other.geometry.direction) v += 0.0;
    other.geometry.direction[8] = -1;
    EXPECT_EQ(axis_order(grid, other), AxisOrder{});
    other.geometry.origin[2] += 1;
    expect_refused(grid, other, {"8 x 7 pixels"});
}

TEST(Align, WithoutGeometryTheSizeCounts) {
    const ImageGrid placed{{8, 7}, oblique()}, picture{{8, 7}, {}};
    EXPECT_EQ(axis_order(placed, picture), AxisOrder{});
    EXPECT_EQ(axis_order(picture, placed), AxisOrder{});
    EXPECT_EQ(axis_order(picture, picture), AxisOrder{});
    expect_refused(picture, {{7, 8}, {}}, {"7 x 8 pixels", "8 x 7 pixels", "sizes differ"});
    Image<float> image({8, 7});
    EXPECT_EQ(align_to(placed, image).geometry, placed.geometry);
}

}  // namespace
}  // namespace tesela
