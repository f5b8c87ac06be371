// Local binary patterns on every device (spec 003, rows F17 and F18).
#include "tesela/lbp.h"

#include <algorithm>
#include <numeric>

#include "devices.h"
#include "scikit_image_vectors.h"
#include "texture_pictures.h"

namespace tesela {
namespace {

using testing::noise;
using testing::picture;
using testing::plane_of;

class Lbp : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Lbp);

// Where codes differ from scikit-image's, a sample is exactly as bright as the center, which its
// rounding tells by chance. Gives the number of these pixels.
int differences(Queue& queue, int points, int radius, std::uint32_t levels, const char* expected) {
    const Image<std::uint8_t> image = picture(31, 22, levels);
    const LbpResult found =
        lbp(image, {}, {.points = points, .radius = static_cast<double>(radius)}, queue);
    EXPECT_EQ(found.codes.shape(), (Shape{31 - 2 * radius, 22 - 2 * radius}));
    int count = 0;
    for (int y = 0; y < found.codes.shape().y; ++y)
        for (int x = 0; x < found.codes.shape().x; ++x) {
            const auto exact =
                reference::circle_code(plane_of(image), x + radius, y + radius, points, radius);
            EXPECT_EQ(found.codes(x, y), exact.code);
            if (found.codes(x, y) == expected[y * found.codes.shape().x + x] - 'a') continue;
            EXPECT_GT(exact.ties, 0) << "at " << x << ", " << y;
            ++count;
        }
    return count;
}

TEST_P(Lbp, CodesAreThoseOfScikitImageButForTies) {
    EXPECT_EQ(differences(queue, 8, 1, 256, testing::patterns_8_of_256), 0);
    EXPECT_EQ(differences(queue, 16, 2, 256, testing::patterns_16_of_256), 0);
    EXPECT_EQ(differences(queue, 24, 3, 256, testing::patterns_24_of_256), 0);
    EXPECT_LE(differences(queue, 8, 1, 6, testing::patterns_8_of_6), 60);
}

TEST_P(Lbp, EqualToTheReference) {
    unsigned seed = 3;
    for (const Shape& shape : {Shape{3, 3}, Shape{3, 40}, Shape{40, 3}, Shape{37, 23}}) {
        const auto image = noise(shape, 5, ++seed);
        const auto plane = plane_of(image);
        const LbpResult square = lbp(image, {}, {.shape = LbpShape::square}, queue);
        const LbpResult circle = lbp(image, {}, {}, queue);
        std::vector<std::int64_t> codes(256), classes(10);
        for (int y = 0; y < shape.y - 2; ++y)
            for (int x = 0; x < shape.x - 2; ++x) {
                const int code = reference::square_code(plane, x + 1, y + 1);
                const int circular = reference::circle_code(plane, x + 1, y + 1, 8, 1).code;
                ASSERT_EQ(square.codes(x, y), code);
                ASSERT_EQ(circle.codes(x, y), circular);
                ++codes[code];
                ++classes[circular];
            }
        EXPECT_EQ(square.histogram, codes);
        EXPECT_EQ(circle.histogram, classes);
    }
    const auto image = noise({50, 41}, 256, 77);
    const LbpResult wide = lbp(image, {}, {.points = 16, .radius = 3.5}, queue);
    EXPECT_EQ(wide.codes.shape(), (Shape{42, 33}));
    for (int y = 0; y < 33; ++y)
        for (int x = 0; x < 42; ++x)
            ASSERT_EQ(wide.codes(x, y),
                      reference::circle_code(plane_of(image), x + 4, y + 4, 16, 3.5).code);
}

TEST_P(Lbp, HistogramsKeepUnderQuarterTurns) {
    const auto image = noise({33, 33}, 9, 5);
    Image<std::uint8_t> turned({33, 33});
    for (std::int64_t y = 0; y < 33; ++y)
        for (std::int64_t x = 0; x < 33; ++x) turned(32 - y, x) = image(x, y);
    for (const LbpOptions& options : {LbpOptions{}, LbpOptions{.points = 16, .radius = 2},
                                      LbpOptions{.points = 24, .radius = 3}})
        EXPECT_EQ(lbp(image, {}, options, queue).histogram,
                  lbp(turned, {}, options, queue).histogram);
    const auto classes = [&](const Image<std::uint8_t>& of) {
        const auto codes = lbp(of, {}, {.shape = LbpShape::square}, queue).histogram;
        std::vector<std::int64_t> counts(10);
        for (int code = 0; code < 256; ++code) counts[uniform_class(code)] += codes[code];
        return counts;
    };
    EXPECT_EQ(classes(image), classes(turned));
}

TEST_P(Lbp, OnlyPixelsInsideTheMaskCount) {
    const auto image = noise({140, 61}, 256, 8);
    const AnyImage mask = noise({140, 61}, 2, 9);
    const auto& inside = std::get<Image<std::uint8_t>>(mask);
    for (const LbpOptions& options : {LbpOptions{}, LbpOptions{.points = 16, .radius = 2}}) {
        const LbpResult found = lbp(image, mask, options, queue);
        const int margin = lbp_margin(options);
        std::vector<std::int64_t> expected(found.histogram.size());
        for (int y = 0; y < found.codes.shape().y; ++y)
            for (int x = 0; x < found.codes.shape().x; ++x)
                if (inside(x + margin, y + margin)) ++expected[found.codes(x, y)];
        EXPECT_EQ(found.histogram, expected);
    }
}

TEST(LbpClasses, AreUniform) {
    EXPECT_EQ(uniform_class(0), 0);
    EXPECT_EQ(uniform_class(255), 8);
    EXPECT_EQ(uniform_class(0b10000001), 2);  // together over the end of the ring
    EXPECT_EQ(uniform_class(0b00111000), 3);
    EXPECT_EQ(uniform_class(0b01010000), 9);
    int uniform = 0;
    for (int code = 0; code < 256; ++code) uniform += uniform_class(code) < 9;
    EXPECT_EQ(uniform, 58);  // Ojala 2002: P (P - 1) + 2
}

TEST_P(Lbp, ColorsAreSeenByTheirLightness) {
    const auto gray = noise({64, 48}, 256, 6);
    Image<std::uint8_t> colors({64, 48, 1, 1, 3});
    for (std::size_t i = 0; i < gray.pixels().size(); ++i)
        for (std::size_t c = 0; c < 3; ++c) colors.pixels()[3 * i + c] = gray.pixels()[i];
    // Neighbors in brightness may have one L*: nearly all codes are the same.
    const auto of_gray = lbp(gray, {}, {.shape = LbpShape::square}, queue).codes.pixels();
    const auto of_colors = lbp(colors, {}, {.shape = LbpShape::square}, queue).codes.pixels();
    std::size_t same = 0;
    for (std::size_t i = 0; i < of_gray.size(); ++i) same += of_gray[i] == of_colors[i];
    EXPECT_GT(same, of_gray.size() * 95 / 100);
}

TEST_P(Lbp, MemoryIsAsPlanned) {
    const auto image = noise({300, 200, 1, 1, 3}, 256, 9);
    lbp(image, {}, {}, queue);
    EXPECT_LE(queue.counters().peak_bytes_in_use, lbp_device_bytes(image) * 17 / 16);
    const std::int64_t allocations = queue.counters().allocations;
    lbp(image, {}, {}, queue);
    EXPECT_EQ(queue.counters().allocations, allocations);
}

TEST_P(Lbp, BadInputIsRefused) {
    const Image<std::uint8_t> image({9, 9});
    EXPECT_THROW(lbp(image, {}, {.points = 12}, queue), InvalidArgument);
    EXPECT_THROW(lbp(image, {}, {.points = 32}, queue), InvalidArgument);
    EXPECT_THROW(lbp(image, {}, {.radius = 0.5}, queue), InvalidArgument);
    EXPECT_THROW(lbp(image, {}, {.radius = 5}, queue), InvalidArgument);
    EXPECT_NO_THROW(lbp(image, {}, {.radius = 4}, queue));
    const AnyImage small = Image<std::uint8_t>({4, 4});
    EXPECT_THROW(lbp(image, small, {}, queue), InvalidArgument);
}

}  // namespace
}  // namespace tesela
