// Nuclei of known pictures on every device, and pictures that have none.
#include "tesela/nuclei.h"

#include <array>
#include <cmath>
#include <limits>

#include "device_images.h"
#include "refusal.h"
#include "tesela/evaluate_labels.h"
#include "tesela/synthetic_nuclei.h"

namespace tesela {
namespace {

class Nuclei : public testing::OnDeviceImages {};
TESELA_ON_EVERY_DEVICE(Nuclei);

// F1 at IoU 0.5 with the options left as they are.
double agreement(const SyntheticNucleiOptions& options, Queue& queue) {
    const SyntheticNuclei made = synthetic_nuclei(options);
    const NucleiResult found = find_nuclei(made.image, {}, queue);
    EXPECT_EQ(found.stain, NucleusStain::dapi);
    return match_instances(found.nuclei, made.truth).by_iou.at(0).f1;
}

TEST_P(Nuclei, OfKnownPictures) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        EXPECT_GE(agreement({.seed = seed}, queue), 0.97) << seed;
        EXPECT_GE(agreement({.count = 220, .touching = 0.6, .seed = seed}, queue), 0.97) << seed;
    }
    EXPECT_GE(agreement({.count = 300, .diameter = 12}, queue), 0.95);
    EXPECT_GE(agreement({.count = 40, .diameter = 40}, queue), 0.97);
    EXPECT_GE(agreement({.light = 0.8}, queue), 0.97);
    EXPECT_GE(agreement({.noise = 0.2}, queue), 0.95);
}

// Offset and gain of a camera of 16 bits change nothing.
TEST_P(Nuclei, OfSixteenBits) {
    const SyntheticNuclei made = synthetic_nuclei({});
    Image<std::uint16_t> wide(made.image.shape());
    for (std::size_t i = 0; i < wide.pixels().size(); ++i)
        wide.pixels()[i] = static_cast<std::uint16_t>(1000 + 8 * made.image.pixels()[i]);
    EXPECT_EQ(find_nuclei(wide, {}, queue).nuclei.pixels(),
              find_nuclei(made.image, {}, queue).nuclei.pixels());
}

TEST_P(Nuclei, AreTheSameOnAllDevices) {
    const SyntheticNuclei made = synthetic_nuclei({.width = 200, .height = 150, .count = 20});
    Queue cpu(Device::parse("cpu"));
    EXPECT_EQ(find_nuclei(made.image, {}, queue).nuclei.pixels(),
              find_nuclei(made.image, {}, cpu).nuclei.pixels());
}

// Cells keep the labels of their nuclei, and never merge.
TEST_P(Nuclei, GrowToCells) {
    const SyntheticNuclei made = synthetic_nuclei({.width = 200, .height = 150, .count = 20});
    const NucleiResult found = find_nuclei(made.image, {.expand = Length(4)}, queue);
    std::int64_t grown = 0;
    for (std::size_t i = 0; i < found.cells.pixels().size(); ++i) {
        const std::uint32_t nucleus = found.nuclei.pixels()[i], cell = found.cells.pixels()[i];
        if (nucleus > 0) {
            EXPECT_EQ(cell, nucleus);
        }
        EXPECT_LE(cell, found.count);
        grown += cell > 0 && nucleus == 0;
    }
    EXPECT_GT(grown, 0);
}

// Disks of DAB of known densities on white.
TEST_P(Nuclei, PositiveForDab) {
    const StainMatrix matrix = stain_matrix(StainSet::hdab);
    Image<std::uint8_t> image(Shape{.x = 200, .y = 50, .channels = 3});
    constexpr std::array densities{0.3, 0.5, 0.9};
    for (std::int64_t y = 0; y < 50; ++y)
        for (std::int64_t x = 0; x < 200; ++x) {
            const std::int64_t which = x / 50, dx = x % 50 - 25, dy = y - 25;
            const bool is_inside = dx * dx + dy * dy <= 100;
            for (int c = 0; c < 3; ++c) {
                const auto s = static_cast<std::size_t>(c);
                const double density =
                    !is_inside   ? 0
                    : which == 3 ? 0.5 * matrix.stains[0][s]
                                 : densities[static_cast<std::size_t>(which)] * matrix.stains[1][s];
                image(x, y, 0, 0, c) =
                    static_cast<std::uint8_t>(std::lround(256 * std::pow(10, -density) - 1));
            }
        }
    const NucleiResult found = find_nuclei(image, {.positive = PositiveStain::dab}, queue);
    EXPECT_EQ(found.stain, NucleusStain::hematoxylin);
    ASSERT_EQ(found.count, 4u);
    ASSERT_TRUE(found.positivity);
    EXPECT_EQ(found.positivity->counts, (std::array<std::int64_t, 4>{1, 1, 1, 1}));
    EXPECT_DOUBLE_EQ(found.positivity->share, 0.75);
    EXPECT_DOUBLE_EQ(found.positivity->h_score, 150);
}

TEST_P(Nuclei, WhereThereAreNone) {
    for (const Shape& shape : {Shape{1, 1}, Shape{40, 1}, Shape{1, 30}, Shape{64, 50}}) {
        const NucleiResult found = find_nuclei(Image<std::uint8_t>(shape), {}, queue);
        EXPECT_EQ(found.count, 0u);
        EXPECT_FALSE(found.warnings.empty());
    }
    const SyntheticNuclei noise = synthetic_nuclei({.count = 0});
    EXPECT_EQ(find_nuclei(noise.image, {}, queue).count, 0u);
}

TEST_P(Nuclei, BadInput) {
    Image<float> image(Shape{20, 20});
    EXPECT_NE(testing::refusal([&] {
                  find_nuclei(image, {.diameter = Length(1)}, queue);
              }).find("from 3 to 4000 pixels"),
              std::string::npos);
    EXPECT_NE(testing::refusal([&] {
                  find_nuclei(image, {.diameter = Length(5, Length::In::micrometer)}, queue);
              }).find("no pixel spacing"),
              std::string::npos);
    image(3, 4) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(testing::refusal([&] { find_nuclei(image, {}, queue); }), "");
    EXPECT_THROW(find_nuclei(Image<float>(Shape{8, 8, 3}), {}, queue), UnsupportedFormat);
    EXPECT_THROW(find_nuclei(image, {.positive = PositiveStain::dab}, queue), UnsupportedFormat);
}

}  // namespace
}  // namespace tesela
