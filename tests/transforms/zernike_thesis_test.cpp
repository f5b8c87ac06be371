// Rows F44 to F49 of spec 003: Zernike moments as the thesis computes them.
#include "tesela/zernike_thesis.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "devices.h"
#include "reference/zernike_reference.h"

namespace tesela {
namespace {

using reference::Wide;
using reference::WideComplex;
using Launch = ThesisZernikeLaunch;
using Method = ThesisZernikeMethod;

Image<float> noise(std::int64_t side) {
    std::mt19937 generator(11);
    std::uniform_real_distribution<float> any(0, 255);
    Image<float> image({side, side});
    for (float& value : image.pixels()) value = any(generator);
    return image;
}

// Exact moments of all orders of a picture, and the pixels of its disk.
class Exact {
  public:
    explicit Exact(const Image<float>& image) : orders_(zernike_orders(34)) {
        const Wide center = (static_cast<Wide>(image.shape().x) - 1) / 2;
        const auto pixels = reference::disk_pixels(
            image.shape(), center, center, static_cast<Wide>(image.shape().x) / 2,
            [&](std::int64_t x, std::int64_t y) { return Wide{image(x, y)}; });
        count_ = static_cast<std::int64_t>(pixels.size());
        sums_ = reference::zernike_sums(34, pixels);
    }
    std::int64_t pixels() const { return count_; }
    // The largest difference of one order's moments, in units of Z_00.
    double error(const ThesisZernikeResult& found) const {
        EXPECT_EQ(static_cast<int>(found.values.size()), found.order / 2 + 1);
        Wide most = 0;
        auto value = found.values.begin();
        for (std::size_t i = 0; i < orders_.size(); ++i) {
            if (orders_[i].p != found.order) continue;
            const WideComplex exact = sums_[i] * Wide(found.order + 1);
            most = std::max(most, std::abs(WideComplex(*value++) * Wide(count_) - exact));
        }
        return static_cast<double>(most / std::abs(sums_.front()));
    }

  private:
    std::vector<ZernikeOrder> orders_;
    std::int64_t count_ = 0;
    std::vector<WideComplex> sums_;
};

class ThesisZernikeMoments : public testing::OnDevice {
  protected:
    ThesisZernikeResult moments(const Image<float>& image, const ThesisZernikeOptions& options) {
        return zernike_thesis(image, options, queue);
    }
    bool has_double() const { return GetParam().properties().has_f64; }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(ThesisZernikeMoments);

TEST_P(ThesisZernikeMoments, InDoublePrecisionAreThoseOfTheReference) {  // F44, F47
    if (!has_double()) return;
    testing::Cases cases(GetParam());
    for (const std::int64_t side : {63, 64}) {
        const Image<float> image = noise(side);
        const Exact exact(image);
        for (int p = 0; p <= 34; ++p) {
            if (p < 34 && !cases.take()) continue;
            const ThesisZernikeResult recursive = moments(
                image, {.order = p, .method = Method::recursive, .precision = Precision::double_});
            EXPECT_EQ(recursive.pixels, exact.pixels());
            EXPECT_LE(exact.error(recursive), 1e-10) << p << ", " << side;
            const ThesisZernikeResult direct =
                moments(image, {.order = p, .precision = Precision::double_});
            EXPECT_LE(exact.error(direct), p <= 20 ? 1e-9 : 1e-4) << p << ", " << side;
        }
    }
}

// Of one bright pixel a moment is its radial value, turned.
TEST_P(ThesisZernikeMoments, RadialValuesAreThoseOfTheReference) {  // F47
    if (!has_double()) return;
    testing::Cases cases(GetParam());
    constexpr std::int64_t side = 64;
    for (const auto& [x, y] : {std::pair<std::int64_t, std::int64_t>{32, 31},
                               {33, 35},
                               {24, 20},
                               {50, 36},
                               {8, 25},
                               {41, 61},
                               {63, 31}}) {
        if (!cases.take()) continue;
        Image<float> image({side, side});
        image(x, y) = 1;
        const Wide u = (static_cast<Wide>(x) - 31.5L) / 32, v = (31.5L - static_cast<Wide>(y)) / 32;
        const std::vector<ZernikeOrder> orders = zernike_orders(34);
        const std::vector<Wide> radial = reference::radial_polynomials(34, std::hypot(u, v));
        for (std::size_t i = 0; i < orders.size();) {
            const int p = orders[i].p;
            const auto scale = [&](const ThesisZernikeResult& found) {
                return Wide(found.pixels) / Wide(p + 1);
            };
            const auto recursive = moments(
                image, {.order = p, .method = Method::recursive, .precision = Precision::double_});
            const auto direct = moments(image, {.order = p, .precision = Precision::double_});
            ASSERT_EQ(static_cast<int>(recursive.values.size()), p / 2 + 1);
            for (std::size_t k = 0; k < recursive.values.size(); ++k, ++i) {
                const WideComplex exact =
                    std::polar(Wide(1), -orders[i].q * std::atan2(v, u)) * radial[i];
                EXPECT_LE(std::abs(WideComplex(recursive.values[k]) * scale(recursive) - exact),
                          1e-10L)
                    << p << ", " << orders[i].q << ", " << x << ", " << y;
                EXPECT_LE(std::abs(WideComplex(direct.values[k]) * scale(direct) - exact),
                          p <= 20 ? 1e-9L : 1e-4L)
                    << p << ", " << orders[i].q << ", " << x << ", " << y;
            }
        }
    }
}

TEST_P(ThesisZernikeMoments, InSinglePrecisionLoseDigitsAsTheOrderGrows) {  // F44, F48
    const Image<float> image = noise(64);
    const Exact exact(image);
    for (int p = 0; p <= 12; ++p)
        for (const Method method : {Method::direct, Method::recursive})
            EXPECT_LE(exact.error(moments(image, {.order = p, .method = method})), 1e-3) << p;
    const auto at_28 = [&](Method method) {
        return exact.error(moments(image, {.order = 28, .method = method}));
    };
    EXPECT_GT(at_28(Method::direct), 0.1);
    EXPECT_LE(at_28(Method::recursive), 1e-3);
}

TEST_P(ThesisZernikeMoments, OneAngleServesEightPixels) {  // F46
    for (const std::int64_t side : {63, 64}) {
        const Image<float> image = noise(side);
        for (const Precision precision : {Precision::single_, Precision::double_}) {
            if (precision == Precision::double_ && !has_double()) continue;
            const ThesisZernikeResult shared = moments(image, {.order = 9, .precision = precision});
            const ThesisZernikeResult own =
                moments(image, {.order = 9, .precision = precision, .every_angle = true});
            EXPECT_EQ(own.values, shared.values) << side;
            EXPECT_EQ(own.angles, side * side);
            EXPECT_EQ(shared.angles, 32 * 33 / 2) << side;
            EXPECT_EQ(own.pixels, shared.pixels);
        }
    }
}

TEST_P(ThesisZernikeMoments, LaunchesAndGroupsGiveTheSameBits) {  // F49, F51
    const Image<float> image = noise(64);
    for (const int order : {0, 1, 11}) {
        const auto expected = moments(image, {.order = order}).values;
        for (const Launch launch : {Launch::sequence, Launch::queues})
            EXPECT_EQ(moments(image, {.order = order, .launch = launch}).values, expected)
                << order << ", " << enum_name(launch);
        for (const int group_size : {32, 64, 256})
            EXPECT_EQ(moments(image, {.order = order, .group_size = group_size}).values, expected)
                << order << ", " << group_size;
        const auto recursive = moments(image, {.order = order, .method = Method::recursive});
        EXPECT_EQ(moments(image,
                          {.order = order, .method = Method::recursive, .launch = Launch::sequence})
                      .values,
                  recursive.values)
            << order;
    }
}

TEST_P(ThesisZernikeMoments, ASecondComputationIsTheSame) {
    for (const Launch launch : {Launch::each, Launch::sequence, Launch::queues}) {
        ThesisZernike work(noise(64), {.order = 7, .launch = launch}, queue);
        const auto first = work.compute();
        EXPECT_EQ(work.compute(), first) << enum_name(launch);
    }
}

TEST_P(ThesisZernikeMoments, AreOfTheSquareInTheMiddle) {
    const Image<float> square = noise(64);
    Image<float> wide({73, 64});
    for (std::int64_t y = 0; y < 64; ++y)
        for (std::int64_t x = 0; x < 64; ++x) wide(x + 4, y) = square(x, y);
    EXPECT_EQ(moments(wide, {.order = 5}).values, moments(square, {.order = 5}).values);
    // Of one pixel, in the center of its disk.
    Image<float> one({1, 1});
    one(0, 0) = 3;
    for (const Method method : {Method::direct, Method::recursive}) {
        EXPECT_EQ(moments(one, {.order = 0, .method = method}).values.front(), 3.0);
        EXPECT_EQ(moments(one, {.order = 2, .method = method}).values.front(), -9.0);
    }
}

TEST_P(ThesisZernikeMoments, BadInputIsNamed) {
    const Image<float> image = noise(8);
    EXPECT_THROW(moments(image, {.order = 35}), InvalidArgument);
    EXPECT_THROW(moments(image, {.group_size = 48}), InvalidArgument);
    EXPECT_THROW(moments(image, {.method = Method::recursive, .launch = Launch::queues}),
                 InvalidArgument);
    EXPECT_THROW(moments(Image<float>({8, 8, 2}), {}), UnsupportedFormat);
}

TEST_P(ThesisZernikeMoments, MemoryIsWhatIsTold) {
    const Image<float> image = noise(64);
    const auto expect_told = [&](const ThesisZernikeOptions& options, std::int64_t of_others) {
        if (options.precision == Precision::double_ && !has_double()) return;
        Queue fresh(GetParam());
        zernike_thesis(image, options, fresh);
        EXPECT_LE(fresh.counters().peak_bytes_in_use + of_others,
                  zernike_thesis_bytes(image.shape(), options))
            << enum_name(options.method) << ", " << enum_name(options.launch) << ", "
            << enum_name(options.precision);
    };
    for (const Precision precision : {Precision::single_, Precision::double_}) {
        for (const Method method : {Method::direct, Method::recursive})
            for (const Launch launch : {Launch::each, Launch::sequence})
                expect_told(
                    {.order = 20, .method = method, .launch = launch, .precision = precision}, 0);
        // Ten more queues have two planes each.
        const std::int64_t number = precision == Precision::double_ ? 8 : 4;
        expect_told({.order = 20, .launch = Launch::queues, .precision = precision},
                    10 * 2 * 64 * 64 * number);
    }
}

}  // namespace
}  // namespace tesela
