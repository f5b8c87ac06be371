// Edges on every device (spec 001, row H5).
#include "tesela/edges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>

#include "devices.h"
#include "kernels/thresholds/edges.kernel.h"
#include "reference/edges_reference.h"
#include "segmentation/thresholds/gray_levels.h"
#include "segmentation/thresholds/thin_edges.h"
#include "tesela/synthetic_circles.h"

namespace tesela {
namespace {

class Edges : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Edges);

template <class T>
Image<T> random_image(const Shape& shape, double most, unsigned seed) {
    std::mt19937 generator(seed);
    Image<T> image(shape);
    for (T& pixel : image.pixels())
        pixel = static_cast<T>(std::floor(static_cast<double>(generator() % 65536) / 65535 * most));
    return image;
}

template <class T>
reference::Slice slice_of(const Image<T>& image, std::int64_t z = 0, int channel = 0) {
    const Shape& shape = image.shape();
    reference::Slice slice{static_cast<int>(shape.x), static_cast<int>(shape.y), {}};
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x)
            slice.values.push_back(static_cast<double>(image(x, y, z, 0, channel)));
    return slice;
}

struct Masks {
    EdgeOperator which;
    const reference::Mask *x, *y;
    double weight;
};
const std::vector<Masks> operators{
    {EdgeOperator::sobel, &reference::sobel_x, &reference::sobel_y, 4},
    {EdgeOperator::prewitt, &reference::prewitt_x, &reference::prewitt_y, 3},
    {EdgeOperator::roberts, &reference::roberts_x, &reference::roberts_y, 1}};

// Found magnitudes are the exact ones to the nearest.
template <class T>
void expect_magnitudes(Queue& queue, const Shape& shape, double most, unsigned seed) {
    const Image<T> image = random_image<T>(shape, most, seed);
    for (const Masks& masks : operators)
        for (const EdgeMagnitude magnitude : {EdgeMagnitude::sqrt, EdgeMagnitude::abs}) {
            const AnyImage found = edges(image, masks.which, {magnitude}, queue).edges;
            const Image<T>& typed = std::get<Image<T>>(found);
            for (std::int64_t z = 0; z < shape.z; ++z) {
                const auto expected =
                    reference::magnitudes(slice_of(image, z), *masks.x, *masks.y, masks.weight,
                                          magnitude == EdgeMagnitude::abs);
                for (std::size_t i = 0; i < expected.size(); ++i)
                    ASSERT_LE(
                        std::abs(static_cast<double>(typed.pixels()[z * expected.size() + i]) -
                                 expected[i]),
                        0.5 + 1e-6)
                        << "seed " << seed << ", point " << i;
            }
        }
}

TEST_P(Edges, MagnitudesAreExactToTheNearest) {
    unsigned seed = 0;
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 9}, Shape{9, 1}, Shape{37, 23}, Shape{65, 33}, Shape{9, 8, 3}}) {
        expect_magnitudes<std::uint8_t>(queue, shape, 255, ++seed);
        expect_magnitudes<std::uint16_t>(queue, shape, 65535, ++seed);
    }
}

TEST_P(Edges, OtherPixelTypes) {
    const Shape shape{20, 15};
    const Image<std::uint8_t> bytes = random_image<std::uint8_t>(shape, 255, 3);
    Image<std::int8_t> small(shape);
    Image<std::int16_t> words(shape);
    Image<float> floats(shape);
    for (std::size_t i = 0; i < bytes.pixels().size(); ++i) {
        small.pixels()[i] = static_cast<std::int8_t>(bytes.pixels()[i] - 128);
        words.pixels()[i] = static_cast<std::int16_t>(128 * bytes.pixels()[i] - 32768);
        floats.pixels()[i] = 0.01f * static_cast<float>(bytes.pixels()[i]);
    }
    const auto expected =
        reference::magnitudes(slice_of(bytes), reference::sobel_x, reference::sobel_y, 4, false);
    const auto of = [&](const AnyImage& image) {
        return edges(image, EdgeOperator::sobel, {}, queue).edges;
    };
    const auto from_small = std::get<Image<std::uint16_t>>(of(words));
    const auto from_floats = std::get<Image<float>>(of(floats));
    const auto from_bytes = std::get<Image<std::uint8_t>>(of(small));
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(from_small.pixels()[i], 128 * expected[i], 0.5 + 1e-6);
        EXPECT_NEAR(from_floats.pixels()[i], 0.01 * expected[i], 0.0001);
        EXPECT_NEAR(from_bytes.pixels()[i], expected[i], 0.5 + 1e-6);
    }
}

TEST_P(Edges, TheStrongestChannelCounts) {
    Image<std::uint8_t> image({4, 4, 1, 1, 4});
    image.has_alpha = true;
    for (std::int64_t y = 0; y < 4; ++y)
        for (std::int64_t x = 0; x < 4; ++x) {
            image(x, y, 0, 0, 0) = x < 2 ? 0 : 40;
            image(x, y, 0, 0, 1) = y < 2 ? 0 : 100;
            image(x, y, 0, 0, 3) = static_cast<std::uint8_t>(60 * x);  // alpha
        }
    const auto found =
        std::get<Image<std::uint8_t>>(edges(image, EdgeOperator::prewitt, {}, queue).edges);
    EXPECT_EQ(found.shape().channels, 1);
    EXPECT_EQ(found(1, 0), 28);  // 40/sqrt(2)
    EXPECT_EQ(found(0, 1), 71);  // 100/sqrt(2)
    EXPECT_EQ(found(1, 1), 71);
    EXPECT_EQ(found(0, 0), 0);
}

// ---- Canny -------------------------------------------------------------------------------------

TEST_P(Edges, CannyEqualsTheReference) {
    unsigned seed = 50;
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 9}, Shape{37, 23}, Shape{33, 20}, Shape{257, 30}, Shape{120, 90}})
        for (const auto& [low, high] : {std::pair{0.0, 0.0}, {1.0, 2.5}, {1.7, 1.7}, {0.5, 3.5}}) {
            const Image<std::uint8_t> image = random_image<std::uint8_t>(shape, 255, ++seed);
            const EdgeResult found = canny(image, {.sigma = 0, .low = low, .high = high}, queue);
            const auto expected = reference::canny(slice_of(image), low * 255, high * 255);
            const auto& pixels = std::get<Image<std::uint8_t>>(found.edges).pixels();
            std::int64_t count = 0;
            for (std::size_t i = 0; i < expected.size(); ++i) {
                ASSERT_EQ(pixels[i], expected[i] ? 255 : 0)
                    << shape.x << "x" << shape.y << ", seed " << seed << ", point " << i;
                count += expected[i];
            }
            EXPECT_EQ(found.edge_points, count);
        }
}

// Thresholds are shares of the values that occur, as cameras of 12 bits fill no 16: what is stored
// in wider types has the edges of the bytes that it comes from, but for rounding.
TEST_P(Edges, CannyFollowsTheValuesOfWiderTypes) {
    const Shape shape{120, 90};
    Image<std::uint8_t> bytes = random_image<std::uint8_t>(shape, 255, 70);
    for (std::int64_t x = 0; x < shape.x; ++x) bytes(x, 0) = x % 2 ? 255 : 0;  // all of the range
    Image<std::uint16_t> camera(shape), narrow(shape);
    Image<std::int16_t> scan(shape);
    Image<std::int8_t> small(shape);
    Image<float> floats(shape);
    Image<std::uint32_t> large(shape);
    for (std::size_t i = 0; i < bytes.pixels().size(); ++i) {
        const int value = bytes.pixels()[i];
        camera.pixels()[i] = static_cast<std::uint16_t>(16 * value);
        narrow.pixels()[i] = static_cast<std::uint16_t>(1000 + value);
        scan.pixels()[i] = static_cast<std::int16_t>(8 * value - 1000);
        small.pixels()[i] = static_cast<std::int8_t>(value - 128);
        floats.pixels()[i] = 0.001f * static_cast<float>(value);
        large.pixels()[i] = static_cast<std::uint32_t>(100 * value);
    }
    using Range = std::array<double, 2>;
    for (const CannyOptions& options :
         {CannyOptions{.sigma = 0, .low = 1, .high = 2.5}, CannyOptions{.low = 0.4, .high = 0.8}}) {
        const auto found_in = [&](const AnyImage& image) { return canny(image, options, queue); };
        const EdgeResult expected = found_in(bytes);
        const auto& edges = std::get<Image<std::uint8_t>>(expected.edges).pixels();
        EXPECT_GT(expected.edge_points, 200);
        EXPECT_EQ(expected.range, (Range{0, 255}));
        const auto expect_same = [&](const AnyImage& image, const Range& range) {
            const EdgeResult found = found_in(image);
            const auto& pixels = std::get<Image<std::uint8_t>>(found.edges).pixels();
            std::int64_t differing = 0;
            for (std::size_t i = 0; i < edges.size(); ++i) differing += pixels[i] != edges[i];
            EXPECT_LE(differing, expected.edge_points / 20);
            EXPECT_NEAR(found.range[0], range[0], 1e-3 * (range[1] - range[0]));
            EXPECT_NEAR(found.range[1], range[1], 1e-3 * (range[1] - range[0]));
        };
        // Without the one pixel that is broken, as well as with it.
        for (int broken = 0; broken < 2; ++broken) {
            SCOPED_TRACE(broken);
            expect_same(camera, {0, 4080});
            expect_same(narrow, {1000, 1255});
            expect_same(scan, {-1000, 1040});
            expect_same(small, {-128, 127});
            expect_same(floats, {0, 0.255});
            expect_same(large, {0, 25500});
            camera(60, 50) = narrow(60, 50) = 65535;
            scan(60, 50) = 32767;
            floats(60, 50) = 1e30f;
            large(60, 50) = 4000000000u;
        }
        camera(60, 50) = static_cast<std::uint16_t>(16 * bytes(60, 50));
        narrow(60, 50) = static_cast<std::uint16_t>(1000 + bytes(60, 50));
        scan(60, 50) = static_cast<std::int16_t>(8 * bytes(60, 50) - 1000);
        floats(60, 50) = 0.001f * static_cast<float>(bytes(60, 50));
        large(60, 50) = static_cast<std::uint32_t>(100 * bytes(60, 50));
    }
    EXPECT_EQ(canny(Image<std::uint16_t>({9, 9}), {}, queue).edge_points, 0);
    EXPECT_EQ(canny(Image<float>({9, 9}), {}, queue).edge_points, 0);
    // Of nearly all pixels one value: the range is that of the others.
    Image<float> lonely({100, 100});
    for (float& value : lonely.pixels()) value = 7;
    for (const std::int64_t x : {50, 51}) lonely(x, 50) = 9;
    const EdgeResult found = canny(lonely, {.sigma = 0}, queue);
    EXPECT_GT(found.edge_points, 0);
    EXPECT_NEAR(found.range[0], 7, 1e-3);
    EXPECT_NEAR(found.range[1], 9, 1e-3);
}

// Radii up to that of the unrolled kernel and above, in images wider and narrower than the window.
// Each weight is exact to 2^-16, each pass rounds to a level.
TEST_P(Edges, SmoothedLevelsAreThoseOfAGaussian) {
    unsigned seed = 80;
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 30}, Shape{11, 9}, Shape{75, 17, 2}})
        for (const double sigma : {0.3, 1.0, 2.6, 2.7, 4.0}) {
            const Image<std::uint8_t> image = random_image<std::uint8_t>(shape, 255, ++seed);
            const auto found = queue.download(
                smooth_levels(queue, shape, gray_levels(queue, image, LevelsOf::channels), sigma));
            const double tolerance = 4 * std::ceil(3 * sigma) + 1;
            for (std::int64_t z = 0; z < shape.z; ++z) {
                const auto expected = reference::smoothed(slice_of(image, z), sigma).values;
                for (std::size_t i = 0; i < expected.size(); ++i)
                    ASSERT_NEAR(found[z * expected.size() + i], 257 * expected[i], tolerance)
                        << shape.x << "x" << shape.y << ", sigma " << sigma << ", point " << i;
            }
        }
}

// The kernel for points inside gives the bits of the one for any points.
TEST_P(Edges, ThinEdgesOfBothKernels) {
    for (const Shape& shape : {Shape{3, 5}, Shape{70, 41, 2}}) {
        const Image<std::uint8_t> image = random_image<std::uint8_t>(shape, 7, 31);
        const GrayLevels levels = gray_levels(queue, image, LevelsOf::channels);
        const Gradient gradient =
            level_gradient(queue, shape, levels.planes, 1, EdgeOperator::sobel);
        auto of_any = queue.allocate<std::uint8_t>(shape.points(), "thin edges");
        const auto nx = static_cast<std::int32_t>(shape.x), ny = static_cast<std::int32_t>(shape.y);
        queue.launch(kernels::edges_thin, Range{nx, ny, shape.z}, gradient.x, gradient.y, of_any,
                     std::int64_t{25}, std::int64_t{144}, 0, nx, ny);
        const std::vector<std::uint8_t> expected = queue.download(of_any);
        EXPECT_GT(std::count(expected.begin(), expected.end(), 2), 0);
        EXPECT_EQ(queue.download(thin_edges(queue, shape, gradient, {5, 12})), expected);
    }
}

// Bands give the bits of smoothing, gradient and thin edges one after the other: in strips narrower
// and wider than an image, with radii of both lengths that are unrolled.
TEST_P(Edges, BandsGiveTheBitsOfTheirSteps) {
    unsigned seed = 90;
    for (const Shape& shape : {Shape{2, 1}, Shape{37, 23}, Shape{257, 131}, Shape{515, 20, 2}})
        for (const double sigma : {0.0, 1.0, 2.6}) {
            const Image<std::uint8_t> image = random_image<std::uint8_t>(shape, 255, ++seed);
            const GrayLevels levels = gray_levels(queue, image, LevelsOf::channels);
            const SmoothingWeights weights = smoothing_weights(levels, sigma);
            const ThinThresholds thresholds{sigma > 0 ? 1000.0 : 0.0, sigma > 0 ? 4000.0 : 30000.0};
            const Gradient gradient = level_gradient(
                queue, shape, smooth_levels(queue, shape, levels, sigma), 1, EdgeOperator::sobel);
            const Buffer<const std::uint8_t> kinds(thin_edges(queue, shape, gradient, thresholds));
            const EdgeBits expected = edge_bits(queue, shape, kinds);
            const auto strong = queue.download(expected.strong);
            EXPECT_TRUE(shape.x == 2 || strong != std::vector<std::uint32_t>(strong.size()));
            const auto expect_same = [&](const EdgeBits& found) {
                EXPECT_EQ(queue.download(found.edges), queue.download(expected.edges));
                EXPECT_EQ(queue.download(found.strong), strong);
            };
            const auto bytes = queue.lend(std::span<const std::uint8_t>(image.pixels()), "image");
            expect_same(thin_edges_in_bands(queue, shape, bytes, weights, thresholds));
            expect_same(thin_edges_in_bands(queue, shape, levels.planes, weights, thresholds));
        }
}

// A step is one edge, one pixel wide, with or without smoothing; where it grows faint, it hangs on
// where it is strong.
TEST_P(Edges, CannyOnSteps) {
    Image<std::uint8_t> image({60, 40});
    for (std::int64_t y = 0; y < 40; ++y)
        for (std::int64_t x = 30; x < 60; ++x) image(x, y) = static_cast<std::uint8_t>(60 - y);
    for (const double sigma : {0.0, 1.0, 2.0}) {
        const EdgeResult found = canny(image, {.sigma = sigma, .low = 0.1, .high = 0.3}, queue);
        const auto& edges = std::get<Image<std::uint8_t>>(found.edges);
        for (std::int64_t y = 2; y < 38; ++y) {
            std::int64_t count = 0;
            for (std::int64_t x = 0; x < 60; ++x) count += edges(x, y) != 0;
            EXPECT_EQ(count, 1) << "sigma " << sigma << ", row " << y;
            EXPECT_TRUE(edges(29, y) || edges(30, y)) << "sigma " << sigma << ", row " << y;
        }
    }
    Image<std::uint8_t> faint({60, 40});
    for (std::int64_t y = 0; y < 40; ++y)
        for (std::int64_t x = 30; x < 60; ++x) faint(x, y) = 12;
    EXPECT_EQ(canny(faint, {.low = 0.1, .high = 0.5}, queue).edge_points, 0);
}

bool has_edge_within_a_pixel(const Image<std::uint8_t>& edges, std::int64_t x, std::int64_t y) {
    for (std::int64_t v = y - 1; v <= y + 1; ++v)
        for (std::int64_t u = x - 1; u <= x + 1; ++u)
            if (u >= 0 && v >= 0 && u < edges.shape().x && v < edges.shape().y && edges(u, v))
                return true;
    return false;
}

// Row F01 of spec 003: the blurred contours of c20r50. Both flanks of a line of one pixel that is
// smoothed by sigma lie sigma beside it, so that sigma stays small.
TEST_P(Edges, CannyFindsTheContoursOfCircles) {
    SyntheticCirclesOptions scene = *circles_scene("c20r50");
    const Image<std::uint8_t> contours = synthetic_circles(scene).image;
    scene.blur = 1;
    const EdgeResult result =
        canny(synthetic_circles(scene).image, {.sigma = 0.5, .low = 0.1, .high = 0.2}, queue);
    const auto& found = std::get<Image<std::uint8_t>>(result.edges);
    std::int64_t points = 0, recovered = 0;
    for (std::int64_t y = 0; y < contours.shape().y; ++y)
        for (std::int64_t x = 0; x < contours.shape().x; ++x)
            if (contours(x, y)) {
                ++points;
                recovered += has_edge_within_a_pixel(found, x, y);
            }
    EXPECT_GE(static_cast<double>(recovered), 0.95 * static_cast<double>(points));
    EXPECT_LE(result.edge_points, 3 * points);  // two flanks, and no more
}

TEST_P(Edges, SameBitsAsOnTheProcessor) {
    Queue processor(Device::parse("cpu"));
    const Image<std::uint16_t> image = random_image<std::uint16_t>({257, 130, 1, 1, 3}, 65535, 12);
    const CannyOptions options{.sigma = 1.4, .low = 0.4, .high = 0.8};
    const EdgeResult found = canny(image, options, queue);
    EXPECT_GT(found.edge_points, 100);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(found.edges).pixels(),
              std::get<Image<std::uint8_t>>(canny(image, options, processor).edges).pixels());
}

TEST_P(Edges, MemoryIsAsPlanned) {
    const Image<std::uint8_t> image = random_image<std::uint8_t>({300, 200, 1, 1, 3}, 255, 9);
    canny(image, {}, queue);
    EXPECT_LE(queue.counters().peak_bytes_in_use,
              canny_device_bytes(image, {}, GetParam()) * 17 / 16);
    Queue another(GetParam());
    edges(image, EdgeOperator::sobel, {}, another);
    EXPECT_LE(another.counters().peak_bytes_in_use, edges_device_bytes(image) * 17 / 16);
    EXPECT_LT(edges_device_bytes(image), canny_device_bytes(image, {}, GetParam()));
    const std::int64_t allocations = queue.counters().allocations;
    canny(image, {}, queue);
    EXPECT_EQ(queue.counters().allocations, allocations);
}

TEST_P(Edges, BadInputIsRefused) {
    const Image<std::uint8_t> image({5, 4});
    EXPECT_THROW(canny(image, {.low = 0.3, .high = 0.2}, queue), InvalidArgument);
    EXPECT_THROW(canny(image, {.sigma = -1}, queue), InvalidArgument);
    EXPECT_THROW(canny(image, {.sigma = std::numeric_limits<double>::quiet_NaN()}, queue),
                 InvalidArgument);
    EXPECT_THROW(edges(Image<std::uint8_t>({5, 4, 1, 1, 5}), EdgeOperator::sobel, {}, queue),
                 UnsupportedFormat);
    Image<float> holes({5, 4});
    holes(1, 2) = std::numeric_limits<float>::infinity();
    EXPECT_THROW(edges(holes, EdgeOperator::sobel, {}, queue), InvalidArgument);
}

}  // namespace
}  // namespace tesela
