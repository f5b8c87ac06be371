// Values that single precision cannot compute with are refused by their pixel.
#include "core/single_precision.h"

#include <gtest/gtest.h>

#include "tesela/error.h"

namespace tesela {
namespace {

std::string refusal(const AnyImage& image, double most, NotFinite not_finite) {
    try {
        require_values(image, most, not_finite);
        return "";
    } catch (const InvalidArgument& error) {
        return error.what();
    }
}

TEST(SinglePrecision, ThePixelIsNamed) {
    Image<double> image({3, 2, 2, 1, 2});
    EXPECT_EQ(refusal(image, 10, NotFinite::refused), "");
    image(2, 1, 1, 0, 1) = -1e300;
    EXPECT_EQ(refusal(image, largest_squared, NotFinite::refused),
              "the pixel at x 2, y 1, z 1 is -1e+300, too much for single precision, which takes "
              "values up to 1e+14 here; divide the image by a constant first");
    image(2, 1, 1, 0, 1) = std::nan("");
    EXPECT_EQ(refusal(image, largest_squared, NotFinite::refused),
              "the pixel at x 2, y 1, z 1 is not a finite number; replace NaN and infinite values "
              "first");
    EXPECT_EQ(refusal(image, largest_squared, NotFinite::kept), "");
    image(0, 0) = 1e15;
    EXPECT_NE(refusal(image, largest_squared, NotFinite::kept).find("x 0, y 0, z 0 is 1e+15"),
              std::string::npos);
}

TEST(SinglePrecision, IntegersAlwaysFit) {
    Image<std::uint32_t> image({2, 2});
    image(1, 1) = 4294967295u;
    EXPECT_EQ(refusal(image, 1, NotFinite::refused), "");
}

TEST(SinglePrecision, SpacingHasAnInverse) {
    Geometry geometry;
    EXPECT_EQ(spacing_in_range(geometry), (std::array<double, 3>{1, 1, 1}));
    geometry.unit = Unit::millimeter;
    geometry.spacing = {0.5, 0.25, 3};
    EXPECT_EQ(spacing_in_range(geometry), geometry.spacing);
    for (const double wrong : {1e-30, 1e30}) {
        geometry.spacing[1] = wrong;
        EXPECT_THROW(spacing_in_range(geometry), InvalidArgument);
    }
}

}  // namespace
}  // namespace tesela
