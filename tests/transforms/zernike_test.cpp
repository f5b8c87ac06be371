// Zernike moments of images, on every device.
#include "tesela/zernike.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "devices.h"
#include "reference/zernike_reference.h"

namespace tesela {
namespace {

using reference::DiskPixel;
using reference::Wide;
using reference::WideComplex;

Image<float> noise(std::int64_t width, std::int64_t height) {
    std::mt19937 generator(5);
    std::uniform_real_distribution<float> any(0, 255);
    Image<float> image({width, height});
    for (float& value : image.pixels()) value = any(generator);
    return image;
}

// A few Gaussian blobs in the unit disk, turned by an angle.
Image<float> blobs(std::int64_t size, double angle) {
    Image<float> image({size, size});
    for (std::int64_t row = 0; row < size; ++row)
        for (std::int64_t column = 0; column < size; ++column) {
            const double n = static_cast<double>(size);
            const double x0 = (2 * static_cast<double>(column) + 1 - n) / n;
            const double y0 = (n - 1 - 2 * static_cast<double>(row)) / n;
            const double x = std::cos(angle) * x0 + std::sin(angle) * y0;
            const double y = std::cos(angle) * y0 - std::sin(angle) * x0;
            const auto blob = [&](double cx, double cy, double width) {
                return std::exp(-((x - cx) * (x - cx) + (y - cy) * (y - cy)) / (width * width));
            };
            image(column, row) =
                static_cast<float>(blob(0.3, 0.2, 0.3) + 0.7 * blob(-0.25, -0.1, 0.2));
        }
    return image;
}

class Zernike : public testing::OnDevice {
  protected:
    ZernikeMoments moments(const AnyImage& image, const ZernikeOptions& options) {
        return zernike(image, options, queue).moments;
    }
    // The largest difference from the definition, in units of Z_00.
    double error(const Image<float>& image, const ZernikeOptions& options) {
        const ZernikeMoments found = moments(image, options);
        const auto pixels = reference::disk_pixels(
            image.shape(), found.x, found.y, found.radius,
            [&](std::int64_t x, std::int64_t y) { return Wide{image(x, y)}; });
        EXPECT_EQ(found.pixels, static_cast<std::int64_t>(pixels.size()));
        const std::vector<WideComplex> sums = reference::zernike_sums(options.order, pixels);
        const std::vector<ZernikeOrder> orders = zernike_orders(options.order);
        Wide most = 0;
        for (std::size_t i = 0; i < orders.size(); ++i) {
            const WideComplex exact =
                sums[i] * Wide(orders[i].p + 1) / static_cast<Wide>(pixels.size());
            most = std::max(most, std::abs(WideComplex(found.values[i]) - exact));
        }
        return static_cast<double>(most / std::abs(sums[0]) * static_cast<Wide>(pixels.size()));
    }
    bool has_double() const { return GetParam().properties().has_f64; }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Zernike);

TEST_P(Zernike, EveryMomentToOrder34) {
    for (const std::int64_t size : {16, 63, 64, 2048})
        EXPECT_LE(error(noise(size, size), {.order = 34}),
                  has_double() ? 1e-11 : zernike_single_error(34))
            << size;
}

TEST_P(Zernike, HighOrders) {
    const double at_100 = error(noise(512, 512), {.order = 100});
    EXPECT_LE(at_100, has_double() ? 1e-9 : zernike_single_error(100));
    const double at_500 = error(noise(128, 128), {.order = 500});
    std::printf("largest error in units of Z_00: order 100 %.2g, order 500 %.2g\n", at_100, at_500);
    EXPECT_LE(at_500, has_double() ? 1e-9 : zernike_single_error(500));
}

TEST_P(Zernike, SinglePrecisionKeepsItsBound) {
    for (const int order : {8, 12, 34, 100}) {
        const ZernikeOptions options{.order = order, .precision = Precision::single_};
        EXPECT_LE(error(noise(128, 128), options), zernike_single_error(order)) << order;
    }
    EXPECT_LE(zernike_single_error(12), 1e-3);
}

// Sizes whose pixels mirrors do not take to pixels, other centers and circles, parts of a disk.
TEST_P(Zernike, AnyShapeCenterAndCircle) {
    const double most = has_double() ? 1e-11 : zernike_single_error(12);
    EXPECT_LE(error(noise(37, 23), {}), most);
    EXPECT_LE(error(noise(38, 23), {}), most);
    EXPECT_LE(error(noise(1, 1), {}), most);
    EXPECT_LE(error(noise(1, 9), {.circle = "enclosing"}), most);
    EXPECT_LE(error(noise(513, 11), {.circle = "enclosing"}), most);
    EXPECT_LE(error(noise(9, 9), {.circle = "1e9"}), most);
    EXPECT_LE(error(noise(40, 40), {.center = "12.25,17.5"}), most);
    EXPECT_LE(error(noise(40, 40), {.center = "12,17", .circle = "30.5"}), most);
    EXPECT_LE(error(noise(40, 40), {.center = "-3,45", .circle = "20"}), most);
    EXPECT_LE(error(noise(33, 33), {.center = "mass"}), most);
}

// Folding changes nothing but rounding: a center a trifle beside that of the image is not folded.
TEST_P(Zernike, FoldedAsUnfolded) {
    const double most = has_double() ? 1e-10 : 2 * zernike_single_error(34);
    for (const std::int64_t size : {64, 65}) {
        const Image<float> image = noise(size, size);
        const std::string middle = size == 64 ? "31.50000000000001" : "32.00000000000001";
        const ZernikeMoments folded = moments(image, {.order = 34, .circle = "30.7"});
        const ZernikeMoments plain =
            moments(image, {.order = 34, .center = middle + "," + middle, .circle = "30.7"});
        ASSERT_EQ(folded.pixels, plain.pixels);
        for (std::size_t i = 0; i < folded.values.size(); ++i)
            EXPECT_LE(std::abs(folded.values[i] - plain.values[i]), most * std::abs(plain(0, 0)));
    }
}

// A picture of V_pq has the moment 1 at (p, q), and others that vanish as it gets finer.
TEST_P(Zernike, SampledPolynomialHasOneMoment) {
    for (const auto& [p, q] : {ZernikeOrder{4, 2}, ZernikeOrder{7, 3}, ZernikeOrder{6, 0}}) {
        double last_leakage = 1;
        for (const std::int64_t size : {32, 128, 512}) {
            Image<float> parts[2] = {Image<float>({size, size}), Image<float>({size, size})};
            for (std::int64_t row = 0; row < size; ++row)
                for (std::int64_t column = 0; column < size; ++column) {
                    const double n = static_cast<double>(size);
                    const double x = (2 * static_cast<double>(column) + 1 - n) / n;
                    const double y = (n - 1 - 2 * static_cast<double>(row)) / n;
                    const double r = reference::radial_polynomial(p, q, std::hypot(x, y));
                    parts[0](column, row) = static_cast<float>(r * std::cos(q * std::atan2(y, x)));
                    parts[1](column, row) = static_cast<float>(r * std::sin(q * std::atan2(y, x)));
                }
            const ZernikeMoments real = moments(parts[0], {}), imaginary = moments(parts[1], {});
            double leakage = 0;
            for (const ZernikeOrder& of : zernike_orders(12)) {
                const std::complex<double> value =
                    real(of.p, of.q) + std::complex<double>(0, 1) * imaginary(of.p, of.q);
                const bool own = of.p == p && of.q == q;
                if (own)
                    EXPECT_LE(std::abs(value - 1.0), 4.0 / static_cast<double>(size));
                else
                    leakage = std::max(leakage, std::abs(value));
            }
            EXPECT_LT(leakage, last_leakage / 2) << p << ", " << q << ", " << size;
            last_leakage = leakage;
        }
    }
}

TEST_P(Zernike, MagnitudesDoNotTurn) {
    const Image<float> image = noise(50, 50);
    Image<float> turned({50, 50});
    for (int y = 0; y < 50; ++y)
        for (int x = 0; x < 50; ++x) turned(y, 49 - x) = image(x, y);
    const ZernikeMoments before = moments(image, {}), after = moments(turned, {});
    const ZernikeMoments smooth = moments(blobs(128, 0), {}), other = moments(blobs(128, 0.7), {});
    for (const auto& [p, q] : zernike_orders(12)) {
        EXPECT_NEAR(std::abs(before(p, q)), std::abs(after(p, q)), 1e-6 * std::abs(before(0, 0)));
        // By 90 degrees from x to y: Z' = Z e^(-jq pi/2).
        const std::complex<double> expected =
            before(p, q) * std::polar(1.0, -q * std::numbers::pi / 2);
        EXPECT_LE(std::abs(after(p, q) - expected), 1e-6 * std::abs(before(0, 0)));
        EXPECT_NEAR(std::abs(smooth(p, q)), std::abs(other(p, q)), 0.005 * std::abs(smooth(0, 0)));
    }
}

TEST_P(Zernike, MahotasFormula) {
    const Image<float> image = noise(41, 41);
    const ZernikeMoments found = moments(image, {.order = 8,
                                                 .center = "mass",
                                                 .circle = "15",
                                                 .normalization = ZernikeNormalization::mass});
    double sum = 0, sum_x = 0, sum_y = 0;
    for (int y = 0; y < 41; ++y)
        for (int x = 0; x < 41; ++x) {
            sum += image(x, y);
            sum_x += x * double{image(x, y)};
            sum_y += y * double{image(x, y)};
        }
    const double most = has_double() ? 1e-12 : 1e-4;
    EXPECT_NEAR(found.x, sum_x / sum, 100 * most);
    EXPECT_NEAR(found.y, sum_y / sum, 100 * most);
    const auto pixels =
        reference::disk_pixels(image.shape(), sum_x / sum, sum_y / sum, 15,
                               [&](std::int64_t x, std::int64_t y) { return Wide{image(x, y)}; });
    const std::vector<double> expected = reference::mahotas_magnitudes(8, pixels);
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(std::abs(found.values[i]), expected[i], most);
}

TEST_P(Zernike, ReconstructionNearsTheImage) {
    const Image<float> image = blobs(96, 0);
    const auto distance = [&](const ZernikeOptions& options) {
        const Image<float> made =
            zernike_reconstruct(moments(image, options), image.shape(), queue);
        double sum = 0;
        for (int y = 0; y < 96; ++y)
            for (int x = 0; x < 96; ++x)
                if (std::hypot(x - 47.5, y - 47.5) < 48)
                    sum += std::pow(made(x, y) - image(x, y), 2);
        return sum;
    };
    double last = std::numeric_limits<double>::infinity();
    for (const int order : {0, 2, 4, 8, 12, 16}) {
        const double now = distance({.order = order});
        EXPECT_LT(now, last) << order;
        last = now;
    }
    EXPECT_LT(last, 0.01 * distance({.order = 0}));
    const double by_mass = distance({.order = 16, .normalization = ZernikeNormalization::mass});
    const double by_area = distance({.order = 16, .normalization = ZernikeNormalization::area});
    EXPECT_NEAR(by_mass, last, 1e-4 * last);
    EXPECT_NEAR(by_area, last, 1e-4 * last);
    EXPECT_EQ(zernike_reconstruct(moments(image, {}), image.shape(), queue)(0, 0), 0);
}

TEST_P(Zernike, ColorsAreLumaWithoutAlpha) {
    Image<std::uint8_t> colors({20, 20, 1, 1, 4});
    Image<float> luma({20, 20});
    std::mt19937 generator(1);
    for (int y = 0; y < 20; ++y)
        for (int x = 0; x < 20; ++x) {
            for (int c = 0; c < 4; ++c)
                colors(x, y, 0, 0, c) = static_cast<std::uint8_t>(generator() % 256);
            luma(x, y) =
                static_cast<float>(0.299 * colors(x, y, 0, 0, 0) + 0.587 * colors(x, y, 0, 0, 1) +
                                   0.114 * colors(x, y, 0, 0, 2));
        }
    colors.has_alpha = true;
    const ZernikeResult found = zernike(colors, {}, queue);
    EXPECT_EQ(found.moments.values, moments(luma, {}).values);
    ASSERT_FALSE(found.warnings.empty());
    EXPECT_EQ(found.warnings.back(), "alpha is ignored");
}

TEST_P(Zernike, SecondCallAllocatesNothing) {
    const Image<float> image = noise(200, 200);
    moments(image, {.order = 34});
    const auto before = queue.counters();
    moments(image, {.order = 34});
    EXPECT_EQ((queue.counters() - before).allocations, 0);
    EXPECT_LE((queue.counters() - before).launches, 3);
}

TEST_P(Zernike, LargeImagesGoInParts) {
    const Image<float> image = noise(1501, 1400);
    EXPECT_LE(error(image, {.order = 3, .circle = "enclosing"}),
              has_double() ? 1e-11 : zernike_single_error(3));
    EXPECT_LE(queue.counters().peak_bytes_in_use,
              zernike_device_bytes(image.shape(), {.order = 3}));
}

TEST_P(Zernike, BadInputIsNamed) {
    const auto sentence = [&](const AnyImage& image, const ZernikeOptions& options) {
        try {
            zernike(image, options, queue);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const auto expect = [&](const char* part, const AnyImage& image,
                            const ZernikeOptions& options) {
        const std::string text = sentence(image, options);
        EXPECT_NE(text.find(part), std::string::npos) << part << ": " << text;
    };
    const Image<float> image = noise(20, 20);
    expect("order", image, {.order = -1});
    expect("order", image, {.order = 501});
    expect("--center: 'here'", image, {.center = "here"});
    expect("--center: '1,nan'", image, {.center = "1,nan"});
    expect("--circle: '-3'", image, {.circle = "-3"});
    expect("--circle: '0'", image, {.circle = "0"});
    expect("--circle: 'nan'", image, {.circle = "nan"});
    expect("outside of the image", image, {.center = "30,5"});
    expect("no pixel of the image", image, {.center = "100,100", .circle = "10"});
    expect("sum up to 0", Image<float>({9, 9}), {.normalization = ZernikeNormalization::mass});
    expect("--center mass", Image<float>({9, 9}), {.center = "mass"});
    Image<float> hole = noise(9, 9);
    hole(4, 2) = std::numeric_limits<float>::quiet_NaN();
    expect("x 4, y 2", hole, {});
    expect("channels", Image<float>({9, 9, 1, 1, 2}), {});
    expect("slices", Image<float>({9, 9, 3}), {});
    for (const std::complex<double>& value : moments(Image<float>({9, 9}), {}).values)
        EXPECT_EQ(value, 0.0);
}

}  // namespace
}  // namespace tesela
