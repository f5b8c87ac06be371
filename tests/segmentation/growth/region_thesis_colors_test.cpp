// Colors of the thesis's region growing, all of them (spec 001, rows B1, B2 and A3).
#include <numeric>

#include "devices.h"
#include "reference/region_grow_thesis_reference.h"
#include "segmentation/growth/thesis/stages.h"

namespace tesela::region_thesis {
namespace {

class RegionThesisColors : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(RegionThesisColors);

constexpr std::int64_t side = 4096;

std::vector<std::uint8_t> all_colors() {
    std::vector<std::uint8_t> rgb;
    rgb.reserve(3 * side * side);
    for (int r = 0; r < 256; ++r)
        for (int g = 0; g < 256; ++g)
            for (int b = 0; b < 256; ++b)
                for (const int value : {r, g, b}) rgb.push_back(static_cast<std::uint8_t>(value));
    return rgb;
}

TEST_P(RegionThesisColors, EveryColorEqualsTheReferenceAndComesBack) {
    const std::vector<std::uint8_t> rgb = all_colors();
    const Layout layout = make_layout({side, side, 1, 1, 3}, {});
    ASSERT_EQ(layout.pitch, side);
    const auto input = queue.lend(std::span<const std::uint8_t>(rgb), "colors");
    auto planes = queue.allocate<std::uint8_t>(3 * layout.places(), "planes");
    auto back = queue.allocate<std::uint8_t>(static_cast<std::int64_t>(rgb.size()), "back");
    for (const auto range : {ThesisGrowRange::full, ThesisGrowRange::studio}) {
        const bool studio = range == ThesisGrowRange::studio;
        to_planes(queue, layout, range, input, planes);
        to_picture(queue, layout, range, planes, back);
        const std::vector<std::uint8_t> ycc = queue.download(planes);
        const std::vector<std::uint8_t> again = queue.download(back);
        std::int64_t wrong = 0, wrong_back = 0, smallest = 1 << 30;
        int worst = 0;
        for (std::int64_t i = 0; i < side * side; ++i) {
            const std::int64_t at = (side - 1 - i / side) * side + i % side;
            const std::uint8_t* color = &rgb[static_cast<std::size_t>(3 * i)];
            const std::uint8_t* color_again = &again[static_cast<std::size_t>(3 * i)];
            const reference::Ycc found{ycc[static_cast<std::size_t>(at)],
                                       ycc[static_cast<std::size_t>(side * side + at)],
                                       ycc[static_cast<std::size_t>(2 * side * side + at)]};
            wrong += found != reference::to_ycc(color[0], color[1], color[2], studio);
            const auto expected = reference::to_rgb(found, studio);
            std::int64_t norm = 0;
            for (std::size_t c = 0; c < 3; ++c) {
                wrong_back += expected[c] != color_again[c];
                worst = std::max(worst, std::abs(color[c] - color_again[c]));
                norm += found[c] * found[c];
            }
            smallest = std::min(smallest, norm);
        }
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(wrong_back, 0);
        EXPECT_EQ(worst, studio ? 2 : 1);
        // So no relative distance reaches 4: 255 sqrt(3) / 111.
        EXPECT_GE(smallest, 111 * 111);
    }
}

// Grays have no color, in either range.
TEST_P(RegionThesisColors, GraysStayGray) {
    std::vector<std::uint8_t> rgb;
    for (int value = 0; value < 256; ++value)
        rgb.insert(rgb.end(), 3, static_cast<std::uint8_t>(value));
    const Layout layout = make_layout({16, 16, 1, 1, 3}, {.block = 8});
    const auto input = queue.lend(std::span<const std::uint8_t>(rgb), "grays");
    auto planes = queue.allocate<std::uint8_t>(3 * layout.places(), "planes");
    for (const auto range : {ThesisGrowRange::full, ThesisGrowRange::studio}) {
        to_planes(queue, layout, range, input, planes);
        const std::vector<std::uint8_t> ycc = queue.download(planes);
        for (std::size_t i = static_cast<std::size_t>(layout.places()); i < ycc.size(); ++i)
            ASSERT_EQ(ycc[i], 128) << i;
    }
}

// Three planes, rows padded with black to a multiple of 64 places, the lowest row first.
TEST_P(RegionThesisColors, PlanesArePaddedAndBottomUp) {
    const Shape shape{477, 30, 1, 1, 3};
    const Layout layout = make_layout(shape, {});
    EXPECT_EQ(layout.pitch, 512);
    std::vector<std::uint8_t> rgb(static_cast<std::size_t>(shape.elements()), 255);
    for (std::size_t i = 0; i < 3 * 477; ++i) rgb[i] = 100;  // the top row
    const auto input = queue.lend(std::span<const std::uint8_t>(rgb), "picture");
    auto planes = queue.allocate<std::uint8_t>(3 * layout.places(), "planes");
    to_planes(queue, layout, ThesisGrowRange::full, input, planes);
    const std::vector<std::uint8_t> ycc = queue.download(planes);
    for (std::size_t row = 0; row < 30; ++row) {
        EXPECT_EQ(ycc[row * 512 + 476], row == 29 ? 100 : 255);
        EXPECT_EQ(ycc[row * 512 + 477], 0);
        EXPECT_EQ(ycc[(30 + row) * 512 + 477], 128);
        EXPECT_EQ(ycc[(60 + row) * 512 + 511], 128);
    }
}

}  // namespace
}  // namespace tesela::region_thesis
