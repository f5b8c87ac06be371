// Zernike moments of the objects of label maps, and the circles around them.
#include <cmath>
#include <limits>
#include <random>

#include "devices.h"
#include "reference/zernike_reference.h"
#include "tesela/zernike.h"
#include "transforms/enclosing_circle.h"

namespace tesela {
namespace {

using reference::Wide;

// The smallest circle through two or three of the points that has all of them inside.
double radius_by_trial(const std::vector<PixelPlace>& points) {
    double best = std::numeric_limits<double>::infinity();
    const auto try_circle = [&](double x, double y) {
        double farthest = 0;
        for (const PixelPlace& p : points)
            farthest = std::max(farthest, std::hypot(p[0] - x, p[1] - y));
        best = std::min(best, farthest);
    };
    for (const PixelPlace& a : points)
        for (const PixelPlace& b : points) {
            try_circle((a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0);
            for (const PixelPlace& c : points) {
                const double d =
                    2.0 * (a[0] * (b[1] - c[1]) + b[0] * (c[1] - a[1]) + c[0] * (a[1] - b[1]));
                if (d == 0) continue;
                const auto square = [](const PixelPlace& p) {
                    return static_cast<double>(p[0] * p[0] + p[1] * p[1]);
                };
                try_circle((square(a) * (b[1] - c[1]) + square(b) * (c[1] - a[1]) +
                            square(c) * (a[1] - b[1])) /
                               d,
                           (square(a) * (c[0] - b[0]) + square(b) * (a[0] - c[0]) +
                            square(c) * (b[0] - a[0])) /
                               d);
            }
        }
    return best;
}

TEST(EnclosingCircle, IsTheSmallest) {
    std::mt19937 generator(2);
    for (int round = 0; round < 300; ++round) {
        const int side = 1 + static_cast<int>(generator() % 12);
        std::vector<PixelPlace> points;
        for (std::int32_t y = 0; y < side; ++y)
            for (std::int32_t x = 0; x < side; ++x)
                if (generator() % 6 == 0) points.push_back({x, y});
        if (points.empty()) points.push_back({1, 2});
        const EnclosingCircle circle = enclosing_circle(points);
        EXPECT_NEAR(circle.radius, radius_by_trial(points), 1e-9) << round;
        for (const PixelPlace& p : points)
            EXPECT_LE(std::hypot(p[0] - circle.x, p[1] - circle.y), circle.radius + 1e-12);
    }
}

TEST(EnclosingCircle, LinesAndPoints) {
    EXPECT_EQ(enclosing_circle(std::vector<PixelPlace>{{7, 3}}).radius, 0);
    const EnclosingCircle line =
        enclosing_circle(std::vector<PixelPlace>{{0, 0}, {1, 1}, {2, 2}, {4, 4}});
    EXPECT_DOUBLE_EQ(line.x, 2);
    EXPECT_DOUBLE_EQ(line.radius, std::sqrt(8.0));
    const EnclosingCircle far =
        enclosing_circle(std::vector<PixelPlace>{{0, 0}, {32766, 0}, {1, 32766}, {32766, 32766}});
    EXPECT_NEAR(far.radius, 32766 / std::sqrt(2.0), 1);
}

// Discs, bars and specks, with gaps in the numbers.
LabelImage objects(std::int64_t width, std::int64_t height) {
    LabelImage labels({width, height});
    std::mt19937 generator(4);
    std::uint32_t label = 0;
    for (std::int64_t y = 10; y + 10 < height; y += 20)
        for (std::int64_t x = 10; x + 10 < width; x += 20) {
            label += 1 + static_cast<std::uint32_t>(generator() % 3);
            const auto kind = generator() % 3;
            const double radius = 1 + static_cast<double>(generator() % 8);
            for (int dy = -9; dy <= 9; ++dy)
                for (int dx = -9; dx <= 9; ++dx)
                    if (kind == 0   ? std::hypot(dx, dy) <= radius
                        : kind == 1 ? std::abs(dx) <= radius && std::abs(dy - dx / 2) <= 1
                                    : dx * dy == 12 || (dx == 0 && dy == 0))
                        labels(x + dx, y + dy) = label;
        }
    return labels;
}

class ZernikeObjectsOn : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
    double rounding = GetParam().properties().has_f64 ? 1e-12 : 1e-5;
};
TESELA_ON_EVERY_DEVICE(ZernikeObjectsOn);

// Of masks and of values, each object against CellProfiler's formula.
TEST_P(ZernikeObjectsOn, CellProfilerFormula) {
    const LabelImage labels = objects(131, 97);
    Image<std::uint16_t> values(labels.shape());
    std::mt19937 generator(7);
    for (std::uint16_t& value : values.pixels())
        value = static_cast<std::uint16_t>(generator() % 1000);
    const ZernikeOptions options{.order = 9, .normalization = ZernikeNormalization::area};
    const AnyImage any = values;
    for (const auto& given : {std::optional<AnyImageView>(), std::optional<AnyImageView>(any)}) {
        const ZernikeObjects found = zernike_objects(labels, given, options, queue);
        ASSERT_EQ(found.labels.size(), 6u * 4);
        for (std::size_t i = 0; i < found.labels.size(); ++i) {
            const ZernikeMoments& moments = found.moments[i];
            std::vector<PixelPlace> places;
            std::vector<reference::DiskPixel> pixels;
            for (std::int32_t y = 0; y < 97; ++y)
                for (std::int32_t x = 0; x < 131; ++x)
                    if (labels(x, y) == found.labels[i]) places.push_back({x, y});
            const EnclosingCircle circle = enclosing_circle(places);
            const double radius = places.size() == 1 ? 0.5 : circle.radius;
            for (const PixelPlace& p : places)
                pixels.push_back({(p[0] - Wide{circle.x}) / radius,
                                  (Wide{circle.y} - p[1]) / radius,
                                  given ? Wide(values(p[0], p[1])) : 1});
            EXPECT_EQ(moments.pixels, static_cast<std::int64_t>(places.size()));
            EXPECT_DOUBLE_EQ(moments.x, circle.x);
            EXPECT_DOUBLE_EQ(moments.radius, radius);
            const auto expected = reference::cell_profiler_magnitudes(9, radius, pixels);
            ASSERT_EQ(expected.size(), 30u);
            for (std::size_t k = 0; k < expected.size(); ++k)
                EXPECT_NEAR(std::abs(moments.values[k]), expected[k],
                            rounding * std::max(1.0, expected[0]) * 10)
                    << found.labels[i];
        }
    }
}

// A large object goes through in parts, beside a small one; high orders have other parts.
TEST_P(ZernikeObjectsOn, LargeBesideSmall) {
    LabelImage labels({300, 300});
    for (int y = 0; y < 300; ++y)
        for (int x = 0; x < 300; ++x) labels(x, y) = std::hypot(x - 149.5, y - 149.5) < 148 ? 2 : 0;
    labels(0, 0) = 1;
    labels(299, 299) = 5;
    const ZernikeObjects found = zernike_objects(labels, {}, {.order = 40}, queue);
    ASSERT_EQ(found.labels, (std::vector<std::uint32_t>{1, 2, 5}));
    for (const ZernikeMoments& moments : found.moments) EXPECT_NEAR(moments(0, 0).real(), 1, 1e-5);
    EXPECT_NEAR(found.moments[1].x, 149.5, 1e-9);
    EXPECT_LT(std::abs(found.moments[1](2, 2)), 1e-5);
    EXPECT_LT(std::abs(found.moments[1](4, 0)), 0.1);
    EXPECT_EQ(found.moments[0].radius, 0.5);
}

TEST_P(ZernikeObjectsOn, MemoryIsWithinThePlan) {
    const LabelImage labels = objects(500, 500);
    const ZernikeOptions options{.order = 9};
    zernike_objects(labels, {}, options, queue);
    EXPECT_LE(queue.counters().peak_bytes_in_use,
              zernike_objects_device_bytes(labels.shape(), options));
    const auto before = queue.counters();
    zernike_objects(labels, {}, options, queue);
    EXPECT_EQ((queue.counters() - before).allocations, 0);
}

TEST_P(ZernikeObjectsOn, BadInputIsNamed) {
    const auto expect = [&](const char* part, const LabelImage& labels,
                            const std::optional<AnyImageView>& values,
                            const ZernikeOptions& options) {
        try {
            zernike_objects(labels, values, options, queue);
            FAIL() << part;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    LabelImage labels({8, 8});
    expect("no object", labels, {}, {});
    labels(2, 3) = 7;
    const AnyImage other = Image<float>({8, 9}), zeros = Image<float>({8, 8});
    expect("8 x 9", labels, other, {});
    expect("object 7", labels, zeros, {.normalization = ZernikeNormalization::mass});
    labels(1, 1) = 1 << 25;
    expect("33554432", labels, {}, {});
    expect("order", labels, {}, {.order = -2});
}

}  // namespace
}  // namespace tesela
