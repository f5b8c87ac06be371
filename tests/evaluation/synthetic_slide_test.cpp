// Synthetic sections: tissues, stains and outlines are what the options say.
#include "tesela/synthetic_slide.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace tesela {
namespace {

std::map<std::string, double> areas(const std::vector<Annotation>& annotations) {
    std::map<std::string, double> sums;
    for (const Annotation& annotation : annotations)
        for (const Polygon& polygon : std::get<Polygons>(annotation.shape))
            sums[annotation.classes.front()] += area(polygon);
    return sums;
}

// Labels painted from annotations, in tissues' numbers; 9 where none or several are.
Image<std::uint8_t> painted(const std::vector<Annotation>& annotations, std::int64_t width,
                            std::int64_t height) {
    Image<std::uint8_t> image({width, height});
    for (std::uint8_t& label : image.pixels()) label = 8;
    for (const Annotation& annotation : annotations) {
        const std::string& name = annotation.classes.front();
        const auto label = static_cast<std::uint8_t>(name == "Fibers" ? 1 : name == "Mesh" ? 2 : 0);
        for_each_covered(std::get<Polygons>(annotation.shape).front(), {0, 0, width, height},
                         [&](std::int64_t y, std::int64_t first, std::int64_t end) {
                             for (std::int64_t x = first; x < end; ++x)
                                 image(x, y) = image(x, y) == 8 ? label : std::uint8_t{9};
                         });
    }
    return image;
}

TEST(SyntheticSection, HasThreeTissuesThatCoverIt) {
    const SyntheticSection section = synthetic_section(512);
    EXPECT_EQ(painted(section.tissues, 512, 512).pixels(), section.labels.pixels());
    std::map<int, int> counts;
    for (const std::uint8_t label : section.labels.pixels()) ++counts[label];
    ASSERT_EQ(counts.size(), 3u);
    auto sums = areas(section.tissues);
    EXPECT_NEAR(counts[1], sums["Fibers"], 0.005 * sums["Fibers"]);
    EXPECT_NEAR(counts[2], sums["Mesh"], 0.005 * sums["Mesh"]);
    EXPECT_NEAR(sums["Fibers"] + sums["Mesh"] + sums["Empty"], 512 * 512, 1e-6);
}

TEST(SyntheticSection, TheSameSeedGivesTheSamePixels) {
    const auto pixels = [](std::uint64_t seed) {
        return synthetic_section(128, {.seed = seed}).picture.pixels();
    };
    EXPECT_EQ(pixels(1), pixels(1));
    EXPECT_NE(pixels(1), pixels(2));
}

// The stains that the section is made with are found in it again.
TEST(SyntheticSection, IsStained) {
    for (const StainSet stains : {StainSet::he, StainSet::hdab}) {
        const SyntheticSection section = synthetic_section(1024, {.stains = stains});
        const StainMatrix found = estimate_stains(section.picture, {.white = 243.0 / 255});
        for (std::size_t stain = 0; stain < 2; ++stain) {
            double product = 0;
            for (std::size_t c = 0; c < 3; ++c)
                product += found.stains[stain][c] * stain_matrix(stains).stains[stain][c];
            EXPECT_GT(product, std::cos(0.06)) << "stain " << stain;  // 3.4 degrees
        }
    }
}

TEST(SyntheticSection, CopiesAreCutAtTheBorder) {
    const SyntheticSection section = synthetic_section(256);
    for (const auto& [width, height] : {std::pair{256, 256}, {700, 400}, {300, 100}, {90, 64}}) {
        const std::vector<Annotation> all = repeated_annotations(section, width, height);
        const Image<std::uint8_t> labels = painted(all, width, height);
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x)
                ASSERT_EQ(labels(x, y), section.labels(x % 256, y % 256)) << x << ", " << y;
        double sum = 0;
        for (const auto& [name, part] : areas(all)) sum += part;
        EXPECT_NEAR(sum, width * height, 1e-6);
    }
}

TEST(SyntheticSection, RefusesWhatCannotBe) {
    EXPECT_THROW(synthetic_section(63), InvalidArgument);
    EXPECT_THROW(synthetic_section(128, {.mpp = 0}), InvalidArgument);
}

}  // namespace
}  // namespace tesela
