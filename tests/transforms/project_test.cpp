// Projections on every device.
#include "tesela/project.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "device_images.h"
#include "refusal.h"

namespace tesela {
namespace {

using By = ProjectedValue;
using Axis = ProjectedAxis;

// The values along an axis for each element of the result, in its order.
template <class T>
std::vector<std::vector<T>> lines_of(const Image<T>& image, Axis axis) {
    const Shape& s = image.shape();
    std::vector<std::vector<T>> lines;
    Shape outer = s;
    std::int64_t& length = axis == Axis::x   ? outer.x
                           : axis == Axis::y ? outer.y
                           : axis == Axis::z ? outer.z
                                             : outer.t;
    const std::int64_t count = std::exchange(length, 1);
    for (std::int64_t t = 0; t < outer.t; ++t)
        for (std::int64_t z = 0; z < outer.z; ++z)
            for (std::int64_t y = 0; y < outer.y; ++y)
                for (std::int64_t x = 0; x < outer.x; ++x)
                    for (int c = 0; c < s.channels; ++c) {
                        auto& line = lines.emplace_back();
                        for (std::int64_t k = 0; k < count; ++k)
                            line.push_back(image(axis == Axis::x ? k : x, axis == Axis::y ? k : y,
                                                 axis == Axis::z ? k : z, axis == Axis::t ? k : t,
                                                 c));
                    }
    return lines;
}

long double mean_of(const auto& line) {
    long double sum = 0;
    for (const auto value : line) sum += value;
    return sum / static_cast<long double>(line.size());
}
long double deviation_of(const auto& line) {
    const long double mean = mean_of(line);
    long double squares = 0;
    for (const auto value : line) squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<long double>(line.size()));
}

class Project : public testing::OnDeviceImages {
  protected:
    template <class T>
    static Image<T> noise(const Shape& shape, unsigned seed) {
        std::mt19937 generator(seed);
        Image<T> image(shape);
        for (T& value : image.pixels())
            value = std::is_floating_point_v<T>
                        ? static_cast<T>(static_cast<double>(generator() % 20001) / 8 - 300)
                        : static_cast<T>(generator());
        image.has_alpha = shape.channels == 4;
        return image;
    }

    template <class T>
    AnyImage expect_same_on_device(const Image<T>& image, const ProjectOptions& options) {
        AnyImage found = project(image, options, queue);
        std::visit(
            [&]<class U>(const DeviceImage<U>& there) {
                expect_same(std::get<Image<U>>(found), there);
            },
            project(lent(image), options, queue));
        return found;
    }

    // Values do not depend on how the lines lie in memory, to the bit.
    template <class T>
    void expect_same_of_slices(const std::vector<std::vector<T>>& lines, By by,
                               const AnyImage& found) {
        const auto count = static_cast<std::int64_t>(lines.size());
        Image<T> slices({count, 1, static_cast<std::int64_t>(lines[0].size())});
        for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t k = 0; k < slices.shape().z; ++k)
                slices(i, 0, k) = lines[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
        const AnyImage same = project(slices, {.by = by}, queue);
        std::visit(
            [&]<class U>(const Image<U>& typed) {
                EXPECT_EQ(typed.pixels(), std::get<Image<U>>(found).pixels()) << enum_name(by);
            },
            same);
    }

    template <class T>
    void expect_projections(const Shape& shape, unsigned seed) {
        const Image<T> image = noise<T>(shape, seed);
        const std::array lengths{shape.x, shape.y, shape.z, shape.t};
        for (const Axis axis : {Axis::x, Axis::y, Axis::z, Axis::t}) {
            if (lengths[static_cast<std::size_t>(axis)] == 1) continue;
            SCOPED_TRACE(std::string(pixel_type_name(pixel_type_of<T>())) + " along " +
                         std::string(enum_name(axis)));
            const auto lines = lines_of(image, axis);
            const auto found = [&](By by) {
                return expect_same_on_device(image, {.by = by, .axis = axis});
            };
            const AnyImage highest = found(By::maximum), lowest = found(By::minimum);
            const AnyImage mean = found(By::mean), sum = found(By::sum),
                           deviation = found(By::deviation);
            EXPECT_EQ(has_alpha(mean), image.has_alpha);
            if (axis == Axis::x && lines.size() > 16)
                for (const By by : {By::maximum, By::minimum, By::mean, By::sum, By::deviation})
                    expect_same_of_slices(lines, by, found(by));
            const auto near = [](const AnyImage& of, std::size_t i, long double expected) {
                const double value = static_cast<double>(std::get<Image<float>>(of).pixels()[i]);
                const double bound = std::abs(static_cast<double>(expected)) * 1.2e-7;
                ASSERT_NEAR(value, static_cast<double>(expected), bound) << "at " << i;
            };
            ASSERT_EQ(std::get<Image<T>>(highest).pixels().size(), lines.size());
            for (std::size_t i = 0; i < lines.size(); ++i) {
                const auto [low, high] = std::minmax_element(lines[i].begin(), lines[i].end());
                ASSERT_EQ(std::get<Image<T>>(highest).pixels()[i], *high) << "at " << i;
                ASSERT_EQ(std::get<Image<T>>(lowest).pixels()[i], *low) << "at " << i;
                near(mean, i, mean_of(lines[i]));
                near(sum, i, mean_of(lines[i]) * static_cast<long double>(lines[i].size()));
                const auto value =
                    static_cast<double>(std::get<Image<float>>(deviation).pixels()[i]);
                const auto expected = static_cast<double>(deviation_of(lines[i]));
                ASSERT_NEAR(value, expected, expected * 6e-7) << "at " << i;
            }
        }
    }
};
TESELA_ON_EVERY_DEVICE(Project);

TEST_P(Project, AllValuesOfAllTypesAlongAllAxes) {
    testing::Cases cases{GetParam()};
    unsigned seed = 0;
    for (const Shape& shape :
         {Shape{5, 1}, Shape{1, 9}, Shape{37, 23}, Shape{13, 11, 7}, Shape{150, 4, 3},
          Shape{70, 41, 1, 2, 3}, Shape{6, 5, 4, 3, 2}, Shape{9, 8, 1, 2, 4}, Shape{3, 2, 700}}) {
        if (!cases.take()) continue;
        expect_projections<std::uint8_t>(shape, ++seed);
        expect_projections<std::int8_t>(shape, ++seed);
        expect_projections<std::uint16_t>(shape, ++seed);
        expect_projections<std::int16_t>(shape, ++seed);
        expect_projections<std::uint32_t>(shape, ++seed);
        expect_projections<std::int32_t>(shape, ++seed);
        expect_projections<float>(shape, ++seed);
    }
}

// numpy 2.4: a.max(0), a.mean(0), a.std(0) of a = [[1, 2], [4, 2], [10, 2]].
TEST_P(Project, ValuesByHand) {
    Image<std::uint8_t> image({2, 1, 3});
    image.pixels() = {1, 2, 4, 2, 10, 2};
    const auto of = [&](By by) {
        return std::get<Image<float>>(project(image, {.by = by}, queue)).pixels();
    };
    EXPECT_EQ(std::get<Image<std::uint8_t>>(project(image, {}, queue)).pixels(),
              (std::vector<std::uint8_t>{10, 2}));
    EXPECT_EQ(of(By::mean), (std::vector<float>{5, 2}));
    EXPECT_EQ(of(By::sum), (std::vector<float>{15, 6}));
    EXPECT_NEAR(of(By::deviation)[0], 3.7416573867739413, 4e-7);
    EXPECT_EQ(of(By::deviation)[1], 0);
}

// Where single precision has no digits left beside the mean, or sums lose small values.
TEST_P(Project, LargeValuesKeepSmallDifferences) {
    Image<std::uint32_t> whole({1, 1, 1001});
    Image<float> floats(whole.shape());
    for (std::size_t i = 0; i < 1001; ++i) {
        whole.pixels()[i] = 4000000000U + i % 2;
        floats.pixels()[i] = 1e7F + static_cast<float>(i % 2);
    }
    const double expected = std::sqrt(500.0 / 1001 * 501 / 1001);
    const auto deviation = [&](const AnyImageView& of) {
        return std::get<Image<float>>(project(of, {.by = By::deviation}, queue)).pixels()[0];
    };
    EXPECT_NEAR(deviation(whole), expected, 1e-6);
    EXPECT_NEAR(deviation(floats), expected, 1e-6);
    Image<float> constant({1, 1, 999});
    std::fill(constant.pixels().begin(), constant.pixels().end(), 0.1F);
    EXPECT_EQ(std::get<Image<float>>(project(constant, {.by = By::mean}, queue)).pixels()[0], 0.1F);
    EXPECT_LT(deviation(constant), 1e-9);
    Image<float> small({1, 1, 4});
    small.pixels() = {1e8F, 1, 1, -1e8F};
    EXPECT_EQ(std::get<Image<float>>(project(small, {.by = By::sum}, queue)).pixels()[0], 2);
}

TEST_P(Project, ValuesThatAreNotFinite) {
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                infinite = std::numeric_limits<float>::infinity();
    Image<float> image({4, 1, 3});
    image.pixels() = {nan, 1, infinite, infinite, 2, nan, 3, -infinite, 3, 2, 4, 5};
    const auto of = [&](By by) {
        return std::get<Image<float>>(project(image, {.by = by}, queue)).pixels();
    };
    for (const By by : {By::maximum, By::minimum, By::mean, By::sum, By::deviation}) {
        EXPECT_TRUE(std::isnan(of(by)[0])) << enum_name(by);
        EXPECT_TRUE(std::isnan(of(by)[1])) << enum_name(by);
    }
    EXPECT_EQ(of(By::maximum)[2], infinite);
    EXPECT_EQ(of(By::minimum)[3], -infinite);
    EXPECT_EQ(of(By::mean)[2], infinite);
    EXPECT_EQ(of(By::sum)[2], infinite);
    EXPECT_TRUE(std::isnan(of(By::mean)[3]));
    EXPECT_TRUE(std::isnan(of(By::deviation)[2]));
}

TEST_P(Project, TheOtherAxesKeepTheirPlaces) {
    Image<std::int16_t> image({4, 6, 8});
    image.geometry = {.spacing = {0.5, 0.75, 2},
                      .origin = {10, -20, 30},
                      .direction = {0, 0, 1, 1, 0, 0, 0, -1, 0},
                      .unit = Unit::millimeter};
    const auto along = [&](Axis axis) {
        return projection_of(image.shape(), image.geometry, PixelType::i16, {.axis = axis});
    };
    const Projection z = along(Axis::z);
    EXPECT_EQ(z.shape, (Shape{4, 6}));
    EXPECT_EQ(z.count, 8);
    EXPECT_EQ(z.pixels, PixelType::i16);
    EXPECT_EQ(z.geometry.spacing, (std::array{0.5, 0.75, 16.0}));
    EXPECT_EQ(z.geometry.origin, (std::array{17.0, -20.0, 30.0}));  // 7 half steps along z
    EXPECT_EQ(z.geometry.direction, image.geometry.direction);
    const Projection y = along(Axis::y);
    EXPECT_EQ(y.shape, (Shape{4, 8}));
    EXPECT_EQ(y.geometry.spacing, (std::array{0.5, 2.0, 4.5}));
    EXPECT_EQ(y.geometry.origin, (std::array{10.0, -20.0, 28.125}));
    EXPECT_EQ(y.geometry.direction, (std::array<double, 9>{0, 1, 0, 1, 0, 0, 0, 0, -1}));
    const Projection x = along(Axis::x);
    EXPECT_EQ(x.shape, (Shape{6, 8}));
    EXPECT_EQ(x.geometry.spacing, (std::array{0.75, 2.0, 2.0}));
    EXPECT_EQ(x.geometry.origin, (std::array{10.0, -19.25, 30.0}));
    EXPECT_EQ(x.geometry.direction, (std::array<double, 9>{0, 1, 0, 0, 0, 1, -1, 0, 0}));
    EXPECT_EQ(geometry_of(project(image, {.axis = Axis::x}, queue)), x.geometry);
    EXPECT_EQ(projection_of({4, 6, 1, 5}, {}, PixelType::u8, {}).axis, Axis::t);
    EXPECT_EQ(projection_of({4, 6, 3, 5}, {}, PixelType::u8, {}).shape, (Shape{4, 6, 1, 5}));
}

TEST_P(Project, DoublesAreComputedInSinglePrecision) {
    Image<double> image({2, 1, 2});
    image.pixels() = {0.25, -1e30, 3, 7};
    EXPECT_EQ(std::get<Image<double>>(project(image, {}, queue)).pixels(),
              (std::vector<double>{3, 7}));
    EXPECT_EQ(std::get<Image<float>>(project(image, {.by = By::mean}, queue)).pixels()[0], 1.625F);
    image(1, 0, 1) = 1e300;
    EXPECT_NE(testing::refusal([&] { project(image, {}, queue); }), "");
}

TEST_P(Project, RefusesAxesWithNothingToProject) {
    const Image<std::uint8_t> image({5, 4});
    const auto refusal = [&](const ProjectOptions& options) {
        return testing::refusal([&] { project(image, options, queue); });
    };
    EXPECT_NE(refusal({}).find("--axis x or y"), std::string::npos) << refusal({});
    EXPECT_NE(refusal({.axis = Axis::z}).find("--axis is z"), std::string::npos);
    EXPECT_NE(refusal({.axis = Axis::t}).find("--axis is t"), std::string::npos);
    EXPECT_EQ(refusal({.axis = Axis::x}), "");
}

TEST_P(Project, SecondCallsAllocateNothing) {
    const Image<std::uint16_t> image({40, 30, 4});
    const auto run = [&] {
        project(image, {}, queue);
        project(image, {.by = By::deviation, .axis = Axis::x}, queue);
    };
    run();
    const std::int64_t before = queue.counters().allocations;
    run();
    EXPECT_EQ(queue.counters().allocations, before);
}

}  // namespace
}  // namespace tesela
