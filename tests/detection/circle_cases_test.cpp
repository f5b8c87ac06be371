// What circles do with scenes and inputs out of the ordinary.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "devices.h"
#include "sanitized.h"
#include "tesela/circles.h"
#include "tesela/evaluate_circles.h"
#include "tesela/synthetic_circles.h"

namespace tesela {
namespace {

class CircleCases : public testing::OnDevice {
  protected:
    std::string refusal(const AnyImage& image, const CircleOptions& options) {
        try {
            circles(image, options, queue);
        } catch (const InvalidArgument& error) {
            return error.what();
        }
        return "accepted";
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(CircleCases);

// Bright where (x, y) lies within the radii that `inside` tells, of its distance to a place.
template <class IsBright>
Image<std::uint8_t> drawn(const Shape& shape, const IsBright& is_bright) {
    Image<std::uint8_t> image(shape);
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x)
            image(x, y) = is_bright(static_cast<double>(x), static_cast<double>(y)) ? 200 : 50;
    return image;
}

Image<std::uint8_t> disk(double x, double y, double radius, const Shape& shape = {100, 80}) {
    return drawn(shape, [=](double u, double v) { return std::hypot(u - x, v - y) <= radius; });
}

TEST_P(CircleCases, RingsRoundOneCenter) {
    const Image<std::uint8_t> image = drawn({128, 128}, [](double x, double y) {
        const double away = std::hypot(x - 64, y - 64);
        return away < 20 || (away > 30 && away < 40);
    });
    CircleOptions options{.min_radius = 15, .max_radius = 45, .concentric = true};
    std::vector<double> radii;
    for (const Circle& circle : circles(image, options, queue).circles) {
        EXPECT_NEAR(circle.x, 64, 0.5);
        EXPECT_NEAR(circle.y, 64, 0.5);
        radii.push_back(circle.radius);
    }
    std::sort(radii.begin(), radii.end());
    ASSERT_EQ(radii.size(), 3u);
    EXPECT_NEAR(radii[0], 20, 0.5);
    EXPECT_NEAR(radii[1], 30, 0.5);
    EXPECT_NEAR(radii[2], 40, 0.5);
    options.concentric = false;
    EXPECT_EQ(circles(image, options, queue).circles.size(), 1u);
}

TEST_P(CircleCases, Polarity) {
    const Image<std::uint8_t> bright = disk(50, 40, 18);
    Image<std::uint8_t> dark(bright.shape());
    for (std::size_t i = 0; i < dark.pixels().size(); ++i)
        dark.pixels()[i] = static_cast<std::uint8_t>(250 - bright.pixels()[i]);
    const auto found = [&](const Image<std::uint8_t>& image, CirclePolarity polarity) {
        return circles(image, {.min_radius = 12, .max_radius = 24, .polarity = polarity}, queue)
            .circles;
    };
    ASSERT_EQ(found(bright, CirclePolarity::any).size(), 1u);
    EXPECT_EQ(found(bright, CirclePolarity::any)[0].polarity, CirclePolarity::bright);
    EXPECT_EQ(found(bright, CirclePolarity::bright).size(), 1u);
    EXPECT_TRUE(found(bright, CirclePolarity::dark).empty());
    ASSERT_EQ(found(dark, CirclePolarity::dark).size(), 1u);
    EXPECT_EQ(found(dark, CirclePolarity::any)[0].polarity, CirclePolarity::dark);
    EXPECT_TRUE(found(dark, CirclePolarity::bright).empty());
}

// A scene in millimeters, on square pixels and on pixels twice as high.
TEST_P(CircleCases, UnequalSpacingFindsTheSameCircles) {
    const auto scene = [](double spacing_y) {
        return drawn({160, static_cast<std::int64_t>(120 / spacing_y)}, [=](double x, double v) {
            const double y = v * spacing_y;
            return std::hypot(x - 45, y - 50) < 22 || std::hypot(x - 110, y - 64) < 30;
        });
    };
    const CircleOptions options{.min_radius = Length::parse("15mm"),
                                .max_radius = Length::parse("36mm")};
    std::vector<std::vector<Circle>> lists;
    for (const double spacing_y : {1.0, 2.0}) {
        Image<std::uint8_t> image = scene(spacing_y);
        image.geometry.spacing = {1, spacing_y, 1};
        image.geometry.unit = Unit::millimeter;
        const CircleResult found = circles(image, options, queue);
        ASSERT_EQ(found.circles.size(), 2u) << spacing_y;
        lists.push_back(found.circles);
        std::sort(lists.back().begin(), lists.back().end(),
                  [](const Circle& a, const Circle& b) { return a.x < b.x; });
    }
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(lists[0][i].x, lists[1][i].x, 0.4);
        EXPECT_NEAR(lists[0][i].y, 2 * lists[1][i].y, 0.4);
        EXPECT_NEAR(lists[0][i].radius, lists[1][i].radius, 0.4);
    }
}

TEST_P(CircleCases, CentersOutsideTheImage) {
    const Image<std::uint8_t> image = disk(-6, 40, 24);
    CircleOptions options{.min_radius = 18, .max_radius = 30};
    EXPECT_TRUE(circles(image, options, queue).circles.empty());
    options.outside = true;
    const std::vector<Circle> found = circles(image, options, queue).circles;
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].x, -6, 1);
    EXPECT_NEAR(found[0].y, 40, 1);
    EXPECT_NEAR(found[0].radius, 24, 1);
}

TEST_P(CircleCases, SlicesStandByThemselves) {
    Image<std::uint8_t> volume({80, 70, 3});
    const Image<std::uint8_t> slice = disk(41, 33, 15, {80, 70});
    std::copy(slice.pixels().begin(), slice.pixels().end(),
              volume.pixels().begin() + 2 * slice.shape().points());
    const std::vector<Circle> found =
        circles(volume, {.min_radius = 10, .max_radius = 20}, queue).circles;
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].slice, 2);
    EXPECT_NEAR(found[0].x, 41, 0.2);
}

TEST_P(CircleCases, NothingWhereThereIsNothing) {
    const CircleOptions options{.min_radius = 1, .max_radius = 4};
    for (const CircleEdges edges : {CircleEdges::canny, CircleEdges::given})
        for (const Shape& shape : {Shape{64, 48}, Shape{5, 5}, Shape{1, 30}, Shape{30, 1}}) {
            CircleOptions wanted = options;
            wanted.edges = edges;
            EXPECT_TRUE(circles(Image<std::uint8_t>(shape), wanted, queue).circles.empty())
                << shape.x << " x " << shape.y;
        }
    const CircleOptions one{.min_radius = 1, .max_radius = 1};
    EXPECT_TRUE(circles(Image<std::uint8_t>(Shape{1, 1}), one, queue).circles.empty());
}

// Where all is edge, chance explains every circle.
TEST_P(CircleCases, AllPixelsEdges) {
    Image<std::uint8_t> image(Shape{64, 48});
    for (auto& pixel : image.pixels()) pixel = 255;
    EXPECT_TRUE(
        circles(image, {.min_radius = 4, .max_radius = 9, .edges = CircleEdges::given}, queue)
            .circles.empty());
}

TEST_P(CircleCases, ColorsAreLumaAndAlphaIsIgnored) {
    const Image<std::uint8_t> gray = disk(50, 40, 18);
    Image<std::uint8_t> color({100, 80, 1, 1, 4});
    color.has_alpha = true;
    for (std::size_t i = 0; i < gray.pixels().size(); ++i) {
        for (std::size_t c = 0; c < 3; ++c) color.pixels()[4 * i + c] = gray.pixels()[i];
        color.pixels()[4 * i + 3] = static_cast<std::uint8_t>(i % 256);
    }
    const CircleOptions options{.min_radius = 12, .max_radius = 24};
    const CircleResult of_gray = circles(gray, options, queue);
    const CircleResult of_color = circles(color, options, queue);
    ASSERT_EQ(of_gray.circles.size(), 1u);
    ASSERT_EQ(of_color.circles.size(), 1u);
    EXPECT_NEAR(of_gray.circles[0].x, of_color.circles[0].x, 0.01);
    ASSERT_FALSE(of_color.warnings.empty());
    EXPECT_NE(of_color.warnings[0].find("alpha"), std::string::npos);
}

TEST_P(CircleCases, BadOptionsAreNamed) {
    const Image<std::uint8_t> image(Shape{64, 48});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto expect = [&](const char* part, const CircleOptions& options) {
        const std::string said = refusal(image, options);
        EXPECT_NE(said.find(part), std::string::npos) << said;
    };
    expect("--min-radius is 9", {.min_radius = 9, .max_radius = 4});
    expect("min-radius", {.min_radius = 0, .max_radius = 4});
    expect("min-radius", {.min_radius = -3, .max_radius = 4});
    expect("min-radius", {.min_radius = nan, .max_radius = 4});
    expect("max-radius", {.min_radius = 4, .max_radius = nan});
    expect("--max-radius is missing", {.min_radius = 4});
    expect("--min-radius is missing", {.max_radius = 4});
    expect("larger than the image", {.min_radius = 4, .max_radius = 100});
    expect("radius-step", {.min_radius = 4, .max_radius = 9, .radius_step = 0});
    expect("more than 4096", {.min_radius = 4, .max_radius = 9, .radius_step = 0.001});
    expect("no spacing", {.min_radius = Length::parse("1mm"), .max_radius = Length::parse("4mm")});
    expect("min-score", {.min_radius = 4, .max_radius = 9, .min_score = 2});
    expect("--low", {.min_radius = 4, .max_radius = 9, .low = 0.5, .high = 0.1});
    expect("have no direction", {.min_radius = 4,
                                 .max_radius = 9,
                                 .method = CircleMethod::gradient,
                                 .edges = CircleEdges::given});
    EXPECT_THROW(circles(image, {.min_radius = 4, .max_radius = 9, .method = CircleMethod::pyramid},
                         queue, true),
                 InvalidArgument);
}

TEST_P(CircleCases, NaNIsRefusedAndOnlyNoGivenEdge) {
    Image<float> image(Shape{64, 48});
    image(3, 3) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refusal(image, {.min_radius = 4, .max_radius = 9}), "accepted");
    const CircleOptions given{.min_radius = 4, .max_radius = 9, .edges = CircleEdges::given};
    EXPECT_EQ(circles(image, given, queue).edge_points, 0);
}

TEST_P(CircleCases, MemoryIsWhatIsTold) {
    const Image<std::uint8_t> image = disk(150, 140, 40, {320, 300});
    for (const CircleMethod method :
         {CircleMethod::rings, CircleMethod::gradient, CircleMethod::pyramid})
        for (const bool wants_votes : {false, true}) {
            if (wants_votes && method == CircleMethod::pyramid) continue;
            const CircleOptions options{.min_radius = 30, .max_radius = 50, .method = method};
            Queue fresh(GetParam());
            EXPECT_EQ(circles(image, options, fresh, wants_votes).circles.size(), 1u);
            EXPECT_LE(fresh.counters().peak_bytes_in_use,
                      circles_device_bytes(image, options, wants_votes));
        }
}

TEST_P(CircleCases, OtherMethodsFindConcentricAndCutCirclesInSlices) {
    Image<std::uint8_t> slices({160, 130, 2});
    const auto draw = [&](std::int64_t z, double x, double y, double radius, std::uint8_t value) {
        for (std::int64_t v = 0; v < 130; ++v)
            for (std::int64_t u = 0; u < 160; ++u)
                if (std::hypot(static_cast<double>(u) - x, static_cast<double>(v) - y) <= radius)
                    slices(u, v, z) = value;
    };
    std::fill(slices.pixels().begin(), slices.pixels().end(), std::uint8_t{40});
    draw(0, 80, 66, 52, 120);  // a disk in another one, not quite concentric
    draw(0, 84, 66, 33, 230);
    draw(1, 1, 1, 40, 200);  // a quarter of one
    for (const CircleMethod method :
         {CircleMethod::rings, CircleMethod::gradient, CircleMethod::pyramid}) {
        const CircleResult found = circles(
            slices, {.min_radius = 30, .max_radius = 60, .method = method, .concentric = true},
            queue);
        const auto has = [&](std::int64_t slice, double x, double radius) {
            return std::any_of(found.circles.begin(), found.circles.end(), [&](const Circle& c) {
                return c.slice == slice && std::abs(c.x - x) < 1 && std::abs(c.radius - radius) < 1;
            });
        };
        EXPECT_TRUE(has(0, 80, 52)) << static_cast<int>(method);
        EXPECT_TRUE(has(0, 84, 33)) << static_cast<int>(method);
        EXPECT_TRUE(has(1, 1.8, 39)) << static_cast<int>(method);  // as far as a quarter tells
        EXPECT_EQ(found.circles.size(), 3u) << static_cast<int>(method);
    }
}

TEST_P(CircleCases, ListsOfCandidatesGrow) {
    // A CPU seen through OpenCL takes long; there it is the call alone that is tried.
    const bool is_slow =
        GetParam().back_end() == BackEnd::opencl && !GetParam().properties().is_gpu;
    Image<std::uint8_t> noise(is_slow ? Shape{200, 150} : Shape{1400, 1300});
    std::mt19937 generator(5);
    for (auto& pixel : noise.pixels()) pixel = static_cast<std::uint8_t>(generator());
    const CircleOptions options{.min_radius = 3,
                                .max_radius = 6,
                                .method = CircleMethod::gradient,
                                .sigma = 0.7,
                                .min_score = 0.01};
    Queue fresh(GetParam());
    const CircleResult found = circles(noise, options, fresh);
    if (!is_slow) {
        EXPECT_GT(found.candidates, 1 << 14);
    }
    EXPECT_LE(fresh.counters().peak_bytes_in_use, circles_device_bytes(noise, options, false));
}

// Ellipses of pixels, centers beyond the border and polarity, as with rings.
TEST_P(CircleCases, OtherMethodsTakeWhatRingsTake) {
    Image<std::uint8_t> flat =
        drawn({120, 60}, [](double x, double y) { return std::hypot((x - 60) / 2, y - 30) <= 20; });
    flat.geometry.spacing = {1, 2, 1};
    flat.geometry.unit = Unit::millimeter;
    const Image<std::uint8_t> cut = disk(-3, 40, 24);
    for (const CircleMethod method : {CircleMethod::gradient, CircleMethod::pyramid}) {
        const CircleResult wide = circles(flat,
                                          {.min_radius = Length::parse("30mm"),
                                           .max_radius = Length::parse("50mm"),
                                           .method = method},
                                          queue);
        ASSERT_EQ(wide.circles.size(), 1u);
        EXPECT_NEAR(wide.circles[0].x, 60, 0.3);
        EXPECT_NEAR(wide.circles[0].y, 30, 0.3);
        EXPECT_NEAR(wide.circles[0].radius, 40, 0.5);
        const CircleResult outside = circles(
            cut, {.min_radius = 20, .max_radius = 28, .method = method, .outside = true}, queue);
        ASSERT_EQ(outside.circles.size(), 1u);
        EXPECT_NEAR(outside.circles[0].x, -3, 0.3);
        for (const CirclePolarity polarity : {CirclePolarity::bright, CirclePolarity::dark}) {
            const CircleResult found = circles(
                disk(50, 40, 25),
                {.min_radius = 20, .max_radius = 30, .method = method, .polarity = polarity},
                queue);
            EXPECT_EQ(found.circles.size(), polarity == CirclePolarity::bright ? 1u : 0u);
        }
    }
}

TEST(CircleLabels, TheBestIsOnTop) {
    const std::vector<Circle> list{{.x = 10, .y = 10, .radius = 4},
                                   {.x = 14, .y = 10, .radius = 4}};
    const LabelImage labels = circle_labels(list, {1, 1}, {30, 20});
    EXPECT_EQ(labels(10, 10), 1u);
    EXPECT_EQ(labels(12, 10), 1u);
    EXPECT_EQ(labels(17, 10), 2u);
    EXPECT_EQ(labels(25, 10), 0u);
}

TEST(CircleOutlines, GoThroughTheCircle) {
    const std::vector<Circle> list{{.x = 10, .y = 20, .radius = 4, .votes = 7, .score = 0.5},
                                   {.x = 0, .y = 0, .radius = 60}};
    const Annotations outlines = circle_outlines(list, {1, 2});
    ASSERT_EQ(outlines.list.size(), 2u);
    const auto& small = std::get<Polygons>(outlines.list[0].shape).front().outer;
    const auto& large = std::get<Polygons>(outlines.list[1].shape).front().outer;
    EXPECT_EQ(small.size(), 24u);
    EXPECT_EQ(large.size(), 360u);
    for (const PlanePoint& point : small)
        EXPECT_NEAR(std::hypot(point.x - 10.5, 2 * (point.y - 20.5)), 4, 1e-12);
    EXPECT_EQ(outlines.list[0].type, "detection");
    EXPECT_EQ(outlines.list[0].measurements[3].second, 7);
}

// All pairs in order, as the definition has it.
std::vector<double> differences_of_all_pairs(const std::vector<Circle>& found,
                                             const std::vector<Circle>& truth, double tolerance) {
    std::vector<std::array<double, 3>> pairs;
    for (std::size_t f = 0; f < found.size(); ++f)
        for (std::size_t t = 0; t < truth.size(); ++t) {
            const double apart = std::hypot(found[f].x - truth[t].x, found[f].y - truth[t].y);
            if (apart <= tolerance && found[f].slice == truth[t].slice)
                pairs.push_back({std::hypot(apart, found[f].radius - truth[t].radius),
                                 static_cast<double>(t), static_cast<double>(f)});
        }
    std::sort(pairs.begin(), pairs.end());
    std::set<double> found_taken, truth_taken;
    std::vector<double> centers;
    for (const auto& [difference, t, f] : pairs) {
        if (found_taken.contains(f) || truth_taken.contains(t)) continue;
        found_taken.insert(f);
        truth_taken.insert(t);
        const Circle &a = found[static_cast<std::size_t>(f)],
                     &b = truth[static_cast<std::size_t>(t)];
        centers.push_back(std::hypot(a.x - b.x, a.y - b.y));
    }
    return centers;
}

TEST(EvaluateCircles, MatchesTheNearestPairsFirst) {
    std::mt19937 random(11);
    for (const double tolerance : {0.0, 1.0, 3.0, 1e6})
        for (const unsigned side : {3u, 10u, 1000u}) {
            const auto some = [&] {
                std::vector<Circle> list(150);
                for (Circle& circle : list)
                    circle = {.x = static_cast<double>(random() % side),
                              .y = static_cast<double>(random() % side),
                              .slice = static_cast<std::int64_t>(random() % 2),
                              .radius = static_cast<double>(random() % 4)};
                return list;
            };
            const std::vector<Circle> found = some(), truth = some();
            const auto expected = differences_of_all_pairs(found, truth, tolerance);
            const CircleAgreement agreement = evaluate_circles(found, truth, tolerance);
            EXPECT_EQ(agreement.matched, std::ssize(expected)) << tolerance << " " << side;
            if (expected.empty()) continue;
            EXPECT_NEAR(agreement.center_mean,
                        std::accumulate(expected.begin(), expected.end(), 0.0) /
                            static_cast<double>(expected.size()),
                        1e-9)
                << tolerance << " " << side;
        }
}

// Equal circles, equal distances, and all within the tolerance: each a list whose pairs are many.
TEST(EvaluateCircles, ManyThatCouldMatchTakeLittleTime) {
    const auto seconds = [](const std::vector<Circle>& found, const std::vector<Circle>& truth) {
        const auto started = std::chrono::steady_clock::now();
        EXPECT_EQ(evaluate_circles(found, truth, 1e6).matched, std::ssize(truth));
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    };
    constexpr double most = 2 * testing::patience;
    const std::vector<Circle> equal(30000, Circle{.x = 1, .y = 1, .radius = 1}),
        beside(30000, Circle{.x = 2, .y = 1, .radius = 1});
    EXPECT_LT(seconds(equal, equal), most);
    EXPECT_LT(seconds(equal, beside), most);
    std::vector<Circle> random(8000), line(8000);
    std::mt19937 generator(3);
    for (std::size_t i = 0; i < random.size(); ++i) {
        random[i] = {.x = static_cast<double>(generator() % 10000),
                     .y = static_cast<double>(generator() % 10000),
                     .radius = static_cast<double>(generator() % 100)};
        line[i] = {.x = 20000 + 2.0 * static_cast<double>(i), .y = 1, .radius = 1};
    }
    EXPECT_LT(seconds(random, random), most);
    EXPECT_LT(seconds(random, line), most);
    EXPECT_LT(seconds(line, random), most);
}

TEST(EvaluateCircles, MatchesOneToOne) {
    const std::vector<Circle> truth{{.x = 10, .y = 10, .radius = 5},
                                    {.x = 50, .y = 10, .radius = 5}};
    const std::vector<Circle> found{{.x = 10.5, .y = 10, .radius = 6},
                                    {.x = 10, .y = 11, .radius = 5},
                                    {.x = 90, .y = 10, .radius = 5}};
    const CircleAgreement agreement = evaluate_circles(found, truth, 2);
    EXPECT_EQ(agreement.matched, 1);
    EXPECT_DOUBLE_EQ(agreement.recall, 0.5);
    EXPECT_DOUBLE_EQ(agreement.precision, 1.0 / 3);
    EXPECT_DOUBLE_EQ(agreement.f, 0.4);
    EXPECT_DOUBLE_EQ(agreement.center_mean, 1);
    EXPECT_DOUBLE_EQ(agreement.radius_mean, 0);
    EXPECT_THROW(evaluate_circles(found, truth, -1), InvalidArgument);
    EXPECT_TRUE(std::isnan(evaluate_circles({}, truth, 1).precision));
}

}  // namespace
}  // namespace tesela
