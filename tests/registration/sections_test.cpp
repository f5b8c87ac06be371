// Sections of one tissue: what their pictures show lies where the transforms and landmarks say.
#include "tesela/synthetic_sections.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tesela/error.h"

namespace tesela {
namespace {

constexpr double side = 400;

SyntheticSectionsOptions series(std::uint64_t seed) {
    return {.width = 400, .height = 400, .deformation = 0.02, .seed = seed};
}

double share_of(const Image<std::uint8_t>& mask) {
    return std::accumulate(mask.pixels().begin(), mask.pixels().end(), 0.0) /
           static_cast<double>(mask.shape().points());
}

// How bright the middles of vessels are beside the rest of the tissue: they are open.
double brightness_of_vessels(const StackedSection& section) {
    double vessels = 0, others = 0, vessel_count = 0, other_count = 0;
    constexpr int cut_across = 40;  // the first landmarks
    for (const Landmark& landmark : section.landmarks.list) {
        const double value = section.picture(std::lround(landmark.point[0]),
                                             std::lround(landmark.point[1]), 0, 0, 1);
        const bool is_vessel = std::stoi(landmark.name) <= cut_across;
        (is_vessel ? vessels : others) += value;
        (is_vessel ? vessel_count : other_count) += 1;
    }
    return vessels / vessel_count - others / other_count;
}

TEST(SyntheticSections, LandmarksLieOnVessels) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        SyntheticSectionsOptions options = series(seed);
        options.landmarks = 400;
        for (const int index : {0, 1}) {
            const StackedSection section = synthetic_stack_section(options, index);
            EXPECT_GT(section.landmarks.list.size(), 200u);
            EXPECT_GT(brightness_of_vessels(section), 15) << seed << " " << index;
        }
    }
}

// A weak stain takes a quarter of the light's density, a sparse one marks a few nuclei.
TEST(SyntheticSections, WeakAndSparseStains) {
    const auto densities = [](SectionStains stains) {
        SyntheticSectionsOptions options = series(7);
        options.stains = stains;
        const StackedSection section = synthetic_stack_section(options, 0);
        std::pair<double, double> sum{0, 0};  // of all, and of dark pixels
        for (const std::uint8_t value : section.picture.pixels()) {
            const double density = -std::log10(std::max<double>(value, 1) / 243);
            sum.first += density;
            sum.second += density > 0.2 ? density : 0;
        }
        return sum;
    };
    const auto he = densities(SectionStains::he), pale = densities(SectionStains::pale),
               nuclear = densities(SectionStains::nuclear);
    EXPECT_NEAR(pale.first / he.first, 0.25, 0.03);
    EXPECT_LT(nuclear.first / he.first, 0.4);
    EXPECT_GT(nuclear.second / nuclear.first, 2 * pale.second / pale.first);
}

TEST(SyntheticSections, TheFirstOneLiesStraight) {
    const StackedSection first = synthetic_stack_section(series(5), 0);
    EXPECT_EQ(first.transform({12, 34, 0}), (SpacePoint{12, 34, 0}));
    EXPECT_EQ(first.moved({12, 34, 0}), (SpacePoint{12, 34, 0}));
}

TEST(SyntheticSections, TheTransformIsTheWayOfWholeTissue) {
    const StackedSection second = synthetic_stack_section(series(6), 1);
    double farthest = 0;
    for (double y = 0; y < side; y += 20)
        for (double x = 0; x < side; x += 20) {
            const SpacePoint a = second.transform({x, y, 0}), b = second.moved({x, y, 0});
            farthest = std::max(farthest, std::hypot(a[0] - b[0], a[1] - b[1]));
        }
    EXPECT_LT(farthest, 1e-9);
}

// The bent, turned picture shows what the first one does at the same point of the tissue.
TEST(SyntheticSections, PicturesShowTheSamePoints) {
    SyntheticSectionsOptions options = series(7);
    options.stains = SectionStains::he;
    const StackedSection first = synthetic_stack_section(options, 0);
    const StackedSection second = synthetic_stack_section(options, 1);
    const auto difference = [&](double offset) {
        double sum = 0, count = 0;
        for (std::int64_t y = 0; y < 400; y += 3)
            for (std::int64_t x = 0; x < 400; x += 3) {
                if (!second.remaining(x, y)) continue;
                const SpacePoint at =
                    second.moved({static_cast<double>(x) + offset, static_cast<double>(y), 0});
                const auto px = std::clamp<std::int64_t>(std::lround(at[0]), 0, 399);
                const auto py = std::clamp<std::int64_t>(std::lround(at[1]), 0, 399);
                sum += std::abs(first.picture(x, y, 0, 0, 1) - second.picture(px, py, 0, 0, 1));
                count += 1;
            }
        return sum / count;
    };
    EXPECT_LT(difference(0), 0.6 * difference(2));
    EXPECT_LT(difference(0), 0.6 * difference(-2));
}

TEST(SyntheticSections, DamageIsKnown) {
    const double whole = share_of(synthetic_stack_section(series(8), 1).remaining);
    SyntheticSectionsOptions options = series(8);
    options.missing = 0.3;
    EXPECT_NEAR(share_of(synthetic_stack_section(options, 1).remaining) / whole, 0.7, 0.03);
    EXPECT_EQ(share_of(synthetic_stack_section(options, 0).remaining),
              share_of(synthetic_stack_section(series(8), 0).remaining));
    options = series(8);
    options.fold = 0.03;
    const StackedSection folded = synthetic_stack_section(options, 1);
    EXPECT_LT(share_of(folded.remaining), whole - 0.003);
    options = series(8);
    options.tear = 0.03;
    const StackedSection torn = synthetic_stack_section(options, 1);
    EXPECT_NEAR(share_of(torn.remaining), whole, 0.003);
    // Tissue beside the tear moves by half its width, 6 pixels, and what is far off stays.
    double farthest = 0;
    for (double y = 0; y < side; y += 4)
        for (double x = 0; x < side; x += 4) {
            const SpacePoint a = torn.transform({x, y, 0}), b = torn.moved({x, y, 0});
            farthest = std::max(farthest, std::hypot(a[0] - b[0], a[1] - b[1]));
        }
    EXPECT_GT(farthest, 5);
    EXPECT_LT(farthest, 8);
}

TEST(SyntheticSections, StainsAndSeeds) {
    const StackedSection he = synthetic_stack_section(series(9), 0);
    EXPECT_EQ(he.picture.pixels(), synthetic_stack_section(series(9), 0).picture.pixels());
    EXPECT_NE(he.picture.pixels(), synthetic_stack_section(series(10), 0).picture.pixels());
    const auto blue_over_red = [](const Image<std::uint8_t>& picture) {
        double red = 0, blue = 0;
        for (std::size_t i = 0; i < picture.pixels().size(); i += 3) {
            red += picture.pixels()[i];
            blue += picture.pixels()[i + 2];
        }
        return blue / red;
    };
    SyntheticSectionsOptions options = series(9);
    options.stains = SectionStains::hdab;
    const StackedSection dab = synthetic_stack_section(options, 0);
    EXPECT_GT(blue_over_red(he.picture), 1.02 * blue_over_red(dab.picture));  // DAB is brown
}

TEST(SyntheticSections, BadOptionsAreRefused) {
    EXPECT_THROW(synthetic_stack_section(series(1), 2), InvalidArgument);
    EXPECT_THROW(synthetic_stack_section(series(1), -1), InvalidArgument);
    SyntheticSectionsOptions options = series(1);
    options.deformation = 0.5;
    EXPECT_THROW(synthetic_stack_section(options, 0), InvalidArgument);
    options = series(1);
    options.width = 10;
    EXPECT_THROW(synthetic_stack_section(options, 0), InvalidArgument);
}

}  // namespace
}  // namespace tesela
