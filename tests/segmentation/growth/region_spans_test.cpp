// Growth of regions in floating-point images, however small or large their values are.
#include <cmath>
#include <string>

#include "devices.h"
#include "segmentation/pictures.h"
#include "tesela/region_grow.h"

namespace tesela {
namespace {

using Labels = std::vector<std::uint32_t>;

class RegionSpans : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    Labels labels_of(const AnyImage& image, const std::string& seeds,
                     const RegionGrowOptions& options) {
        return region_grow(image, *parse_seeds(seeds), options, queue).labels.pixels();
    }
    void expect_refused(const AnyImage& image, const RegionGrowOptions& options,
                        const std::string& words) {
        try {
            labels_of(image, "2,2", options);
            ADD_FAILURE() << "nothing was refused; expected: " << words;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    }
};
TESELA_ON_EVERY_DEVICE(RegionSpans);

// Floats are spread over integers, however small or large they are.
TEST_P(RegionSpans, PowersOfTwoChangeNothing) {
    const auto image_times = [](double factor) {
        Image<float> image = testing::patches({90, 70}, 0.3, 7);
        for (float& value : image.pixels())
            value = static_cast<float>(std::floor(200 * value) * factor);
        return image;
    };
    const CompeteGrowOptions by_mean{.by = GrowthRule::mean};
    for (const RegionGrowOptions& options : std::vector<RegionGrowOptions>{
             MeanGrowOptions{}, by_mean, CompeteGrowOptions{.by = GrowthRule::step}}) {
        const auto* compete = std::get_if<CompeteGrowOptions>(&options);
        if (compete && compete->by == GrowthRule::mean && GetParam().back_end() != BackEnd::cpu)
            continue;
        const Labels expected = labels_of(image_times(1), "grid:15", options);
        for (const int power : {-117, -100, 80, 119})
            EXPECT_EQ(labels_of(image_times(std::ldexp(1.0, power)), "grid:15", options), expected)
                << "method " << options.index() << ", 2^" << power;
    }
}

TEST_P(RegionSpans, SpansBeyondSinglePrecisionAreRefused) {
    Image<float> tiny = testing::patches({20, 10}, 0.3, 7);
    for (float& value : tiny.pixels()) value *= 1e-38F;
    Image<float> huge({20, 10});
    huge(3, 3) = -3e38F;
    huge(4, 4) = 3e38F;
    for (const RegionGrowOptions& options : std::vector<RegionGrowOptions>{
             MeanGrowOptions{}, ConfidenceGrowOptions{}, CompeteGrowOptions{}}) {
        expect_refused(tiny, options, "too little for single precision: multiply");
        expect_refused(huge, options, "too much for single precision: multiply");
        Image<float> flat({20, 10});
        for (float& value : flat.pixels()) value = 1e-38F;
        EXPECT_EQ(labels_of(flat, "2,2", options), Labels(200, 1));
    }
}

}  // namespace
}  // namespace tesela
