// Regions of a photograph on every device, against the reference.
#include <cstdlib>

#include "compute/devices.h"
#include "io/support.h"
#include "segmentation/growth/region_mean_checks.h"

namespace tesela::io::testing {
namespace {

// From the astronaut of scikit-image, as every build that runs tests has it: the face, and what is
// behind.
Image<std::uint8_t> part_of_photograph() {
    const char* folder = std::getenv("TESELA_IMAGES");
    const fs::path path = fs::path(folder ? folder : "") / "astronaut.png";
    if (!fs::exists(path)) return {};
    const auto whole = std::get<Image<std::uint8_t>>(read_image(path).image);
    Image<std::uint8_t> part({160, 120, 1, 1, 3});
    for (std::int64_t y = 0; y < 120; ++y)
        for (std::int64_t x = 0; x < 160; ++x)
            for (int c = 0; c < 3; ++c) part(x, y, 0, 0, c) = whole(150 + x, 60 + y, 0, 0, c);
    return part;
}

class RegionMeanPhoto : public tesela::testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(RegionMeanPhoto);

TEST_P(RegionMeanPhoto, EqualsReference) {
    const Image<std::uint8_t> picture = part_of_photograph();
    ASSERT_EQ(picture.shape().x, 160)
        << "TESELA_IMAGES does not name the folder that holds astronaut.png; run ./dev test";
    for (const MeanGrowOptions& options :
         {MeanGrowOptions{}, MeanGrowOptions{.smoothing = 1},
          MeanGrowOptions{.growth_threshold = 8,
          .merge_threshold = 25,
          .connectivity = Connectivity::four,
          .border_of = BorderLength::perimeter},
          MeanGrowOptions{.color_space = GrowthColorSpace::ycbcr},
          MeanGrowOptions{.color_space = GrowthColorSpace::gray}}) {
        const RegionGrowResult found =
            tesela::testing::expect_mean_reference(picture, options, queue);
        EXPECT_GT(found.grown_regions, found.count);
        EXPECT_GT(found.count, 4u);
    }
}

}  // namespace
}  // namespace tesela::io::testing
