// Wavelet transforms, on every device.
#include "tesela/wavelet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "devices.h"
#include "pywt_vectors.h"
#include "reference/wavelet_reference.h"
#include "wavelet_samples.h"

namespace tesela {
namespace {

constexpr std::array all_wavelets{Wavelet::bior4_4, Wavelet::bior2_2,     Wavelet::db2,
                                  Wavelet::haar,    Wavelet::bior2_2_int, Wavelet::haar_int};
constexpr std::array all_borders{WaveletBorder::reflect, WaveletBorder::periodic,
                                 WaveletBorder::zero};
// Those of two channels stand for several images.
const std::array shapes{Shape{1},         Shape{2},
                        Shape{3},         Shape{5},
                        Shape{8},         Shape{9},
                        Shape{1, 17},     Shape{2, 3},
                        Shape{1, 1, 12},  Shape{37, 23},
                        Shape{64, 1, 33}, Shape{13, 6, 9, 1, 2},
                        Shape{65, 33, 7}, Shape{1, 30, 21, 2},
                        Shape{257, 67}};

std::string name_of(const Shape& shape, const WaveletOptions& options) {
    return std::to_string(shape.x) + "x" + std::to_string(shape.y) + "x" + std::to_string(shape.z) +
           ", " + std::string(enum_name(options.wavelet)) + ", " +
           std::string(enum_name(options.border)) + ", levels " + std::to_string(options.levels);
}

class Wavelets : public testing::OnDevice {
  protected:
    template <class T>
    std::vector<T> random_samples(const Shape& shape) {
        return testing::random_samples<T>(shape, generator_);
    }
    template <class T>
    std::vector<T> forward(const std::vector<T>& samples, const Shape& shape,
                           const WaveletOptions& options) {
        const auto lent = queue.lend(std::span<const T>(samples), "samples");
        auto coefficients = queue.allocate<T>(shape.elements(), "coefficients");
        wavelet_forward(queue, shape, options, lent, coefficients);
        return queue.download(coefficients);
    }
    template <class T>
    std::vector<T> inverse(const std::vector<T>& given, const Shape& shape,
                           const WaveletOptions& options) {
        auto coefficients = queue.upload(std::span<const T>(given), "coefficients");
        auto samples = queue.allocate<T>(shape.elements(), "samples");
        wavelet_inverse(queue, shape, options, coefficients, samples);
        return queue.download(samples);
    }
    // Every wavelet of T, border, shape, and 1 and the most levels.
    template <class T, class Check>
    void for_each_case(Check check) {
        testing::Cases cases(GetParam());
        for (const Wavelet wavelet : all_wavelets)
            for (const WaveletBorder border : all_borders)
                for (const Shape& shape : shapes)
                    for (const int levels : {1, most_wavelet_levels(shape)}) {
                        const WaveletOptions options{
                            wavelet, std::min(levels, most_wavelet_levels(shape)), border};
                        if (is_integer(wavelet) != std::is_same_v<T, std::int32_t>) continue;
                        if (!cases.take()) continue;
                        check(wavelet_shape(shape, options), options);
                    }
    }
    // Differences from the plain reference, and from the samples after the inverse.
    template <class T>
    void expect_reference_and_inverse(double tolerance) {
        for_each_case<T>([&](const Shape& shape, const WaveletOptions& options) {
            const std::vector<T> samples = random_samples<T>(shape);
            const std::vector<double> expected =
                testing::plain_forward({samples.begin(), samples.end()}, shape, options);
            double largest = 1;
            for (const double value : expected) largest = std::max(largest, std::abs(value));
            const std::vector<T> found = forward(samples, shape, options);
            const std::vector<T> again = inverse(found, shape, options);
            for (std::size_t i = 0; i < samples.size(); ++i) {
                ASSERT_NEAR(found[i], expected[i], tolerance * largest)
                    << name_of(shape, options) << ", coefficient " << i;
                ASSERT_NEAR(again[i], samples[i], tolerance * 255)
                    << name_of(shape, options) << ", sample " << i;
            }
        });
    }
    void expect_pywavelets(const std::vector<testing::PywtVector>& vectors, const Shape& shape,
                           int levels) {
        for (const testing::PywtVector& vector : vectors) {
            const WaveletOptions options{vector.wavelet, levels, WaveletBorder::periodic};
            expect_near(forward(signal(shape.elements()), shape, options), vector.coefficients,
                        name_of(shape, options));
        }
    }
    // Within 1e-5 of the largest.
    static void expect_near(const std::vector<float>& found, const std::vector<double>& expected,
                            const std::string& what) {
        ASSERT_EQ(found.size(), expected.size()) << what;
        double largest = 0;
        for (const double value : expected) largest = std::max(largest, std::abs(value));
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_NEAR(found[i], expected[i], 1e-5 * largest) << what << ", coefficient " << i;
    }
    // That of pywt_vectors.py.
    static std::vector<float> signal(std::int64_t count) {
        std::vector<float> values;
        for (std::int64_t i = 0; i < count; ++i)
            values.push_back(static_cast<float>((i * i * 7 + i * 13) % 101));
        return values;
    }

    Queue queue{GetParam()};

  private:
    std::mt19937 generator_{11};
};
TESELA_ON_EVERY_DEVICE(Wavelets);

TEST_P(Wavelets, FloatsEqualPlainLiftingAndComeBack) { expect_reference_and_inverse<float>(1e-5); }
TEST_P(Wavelets, DoublesEqualPlainLiftingAndComeBack) {
    if (!GetParam().properties().has_f64) {
        const std::vector<double> samples(8);
        EXPECT_THROW(forward(samples, {8}, {}), DeviceUnavailable);
        return;
    }
    expect_reference_and_inverse<double>(1e-13);
}
TEST_P(Wavelets, IntegersEqualPlainLiftingAndComeBackToTheBit) {
    expect_reference_and_inverse<std::int32_t>(0);
}

TEST_P(Wavelets, LargerImagesComeBack) {
    const Shape shape{513, 511};
    const std::vector<float> samples = random_samples<float>(shape);
    const std::vector<std::int32_t> integers(samples.begin(), samples.end());
    for (const WaveletBorder border : {WaveletBorder::reflect, WaveletBorder::zero}) {
        const WaveletOptions real{Wavelet::bior4_4, 9, border};
        const std::vector<float> again = inverse(forward(samples, shape, real), shape, real);
        for (std::size_t i = 0; i < samples.size(); ++i)
            ASSERT_NEAR(again[i], samples[i], 255e-5) << "sample " << i;
        const WaveletOptions whole{Wavelet::bior2_2_int, 9, border};
        EXPECT_EQ(inverse(forward(integers, shape, whole), shape, whole), integers);
    }
}

// F14 and F15: eight levels of long lines, whose 32 steps round in single precision (the reference
// does in double); db2 is orthonormal and keeps the energy.
TEST_P(Wavelets, EightLevelsOfLongLines) {
    testing::Cases cases(GetParam());
    for (const Wavelet wavelet : {Wavelet::bior4_4, Wavelet::db2})
        for (int power = 10; power <= 20; power += 2) {
            if (!cases.take()) continue;
            const Shape shape{std::int64_t{1} << power};
            const WaveletOptions options{wavelet, 8, WaveletBorder::periodic};
            const std::vector<float> samples = random_samples<float>(shape);
            const std::vector<double> expected =
                testing::plain_forward({samples.begin(), samples.end()}, shape, options);
            const std::vector<float> found = forward(samples, shape, options);
            const std::vector<float> again = inverse(found, shape, options);
            double largest = 0, energy = 0, kept = 0;
            for (const double value : expected) largest = std::max(largest, std::abs(value));
            for (std::size_t i = 0; i < samples.size(); ++i) {
                energy += double(samples[i]) * samples[i];
                kept += double(found[i]) * found[i];
                ASSERT_NEAR(found[i], expected[i], 2e-6 * largest) << name_of(shape, options);
                ASSERT_NEAR(again[i], samples[i], 255e-5) << name_of(shape, options);
            }
            if (wavelet == Wavelet::db2) {
                EXPECT_NEAR(kept, energy, 1e-5 * energy);
            }
        }
}

TEST_P(Wavelets, PeriodicEqualsPyWavelets) {
    expect_pywavelets(testing::pywt_line, {16}, 2);
    expect_pywavelets(testing::pywt_line, {1, 16}, 2);
    expect_pywavelets(testing::pywt_line, {1, 1, 16}, 2);
    expect_pywavelets(testing::pywt_plane, {12, 8}, 2);
    expect_pywavelets(testing::pywt_volume, {10, 4, 6}, 1);
}

TEST_P(Wavelets, ReflectIsASliceOfPyWavelets) {
    for (const testing::PywtReflected& vector : testing::pywt_reflected) {
        const Shape shape{vector.length};
        const WaveletOptions options{vector.wavelet, 1, WaveletBorder::reflect};
        std::vector<double> expected = vector.low;
        expected.insert(expected.end(), vector.high.begin(), vector.high.end());
        expect_near(forward(signal(vector.length), shape, options), expected,
                    name_of(shape, options));
    }
}

TEST_P(Wavelets, SecondCallAllocatesNothingAndTransfersNothing) {
    const Shape shape{40, 30, 20};
    const WaveletOptions options{Wavelet::bior4_4, 3};
    auto samples = queue.upload(std::span<const float>(random_samples<float>(shape)), "samples");
    auto coefficients = queue.allocate<float>(shape.elements(), "coefficients");
    const auto both = [&] {
        wavelet_forward(queue, shape, options, samples, coefficients);
        wavelet_inverse(queue, shape, options, coefficients, samples);
    };
    both();
    const QueueWork before = queue.counters();
    both();
    const QueueWork work = queue.counters() - before;
    EXPECT_EQ(work.allocations, 0);
    EXPECT_EQ(work.downloads + work.uploads + work.small_transfers, 0);
}

TEST_P(Wavelets, RefusesWhatDoesNotFit) {
    const std::vector<float> samples(9);
    const std::vector<std::int32_t> integers(9);
    EXPECT_THROW(forward(samples, {9}, {Wavelet::bior4_4, 5}), InvalidArgument);
    EXPECT_THROW(forward(samples, {9}, {Wavelet::bior4_4, -1}), InvalidArgument);
    EXPECT_THROW(forward(samples, {9}, {Wavelet::haar_int, 1}), InvalidArgument);
    EXPECT_THROW(forward(integers, {9}, {Wavelet::haar, 1}), InvalidArgument);
    EXPECT_THROW(forward(samples, {9}, {Wavelet::haar, 1, WaveletBorder::periodic}),
                 InvalidArgument);
    auto few = queue.allocate<float>(8, "coefficients");
    const auto lent = queue.lend(std::span<const float>(samples), "samples");
    EXPECT_THROW(wavelet_forward(queue, {9}, {}, lent, few), InvalidArgument);
}

template <class T>
Image<T> random_image(const Shape& shape) {
    std::mt19937 generator(3);
    std::uniform_int_distribution<int> any(0, 127);
    Image<T> image(shape);
    for (T& pixel : image.pixels()) pixel = static_cast<T>(any(generator));
    return image;
}

TEST_P(Wavelets, ImagesOfAllTypesComeBack) {
    const Shape shape{11, 7, 5, 2, 3};
    const auto expect_back = [&](const auto& image, const WaveletOptions& options) {
        using Pixel = typename std::decay_t<decltype(image)>::value_type;
        const WaveletCoefficients coefficients = wavelet_forward(image, options, queue);
        EXPECT_EQ(shape_of(coefficients.values), wavelet_shape(shape, options));
        const auto again = std::get<Image<Pixel>>(wavelet_inverse(coefficients, queue));
        for (std::size_t i = 0; i < again.pixels().size(); ++i)
            ASSERT_NEAR(again.pixels()[i], image.pixels()[i], std::is_integral_v<Pixel> ? 0 : 1e-3);
    };
    for (const WaveletBorder border : all_borders) {
        const WaveletOptions real{Wavelet::bior4_4, 2, border};
        expect_back(random_image<std::uint8_t>(shape), real);
        expect_back(random_image<std::int16_t>(shape), real);
        expect_back(random_image<float>(shape), real);
        const WaveletOptions whole{Wavelet::bior2_2_int, 3, border};
        expect_back(random_image<std::int8_t>(shape), whole);
        expect_back(random_image<std::uint16_t>(shape), whole);
        if (!GetParam().properties().has_f64) continue;
        expect_back(random_image<std::uint32_t>(shape), real);
        expect_back(random_image<double>(shape), real);
    }
}

TEST_P(Wavelets, RefusesImagesThatItCannotTransform) {
    Image<float> image({4, 3});
    EXPECT_THROW(wavelet_forward(image, {Wavelet::haar_int, 1}, queue), UnsupportedFormat);
    EXPECT_THROW(wavelet_forward(image, {Wavelet::haar, 3}, queue), InvalidArgument);
    image(2, 1) = std::numeric_limits<float>::quiet_NaN();
    try {
        wavelet_forward(image, {}, queue);
        FAIL() << "NaN was taken";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("x 2, y 1 is not a finite number"),
                  std::string::npos)
            << error.what();
    }
    image(2, 1) = 3e38f;
    EXPECT_THROW(wavelet_forward(image, {}, queue), InvalidArgument);
    image(2, 1) = 9e29f;
    const WaveletCoefficients large = wavelet_forward(image, {.levels = 2}, queue);
    const AnyImage back = wavelet_inverse(large, queue);
    EXPECT_NEAR(std::get<Image<float>>(back)(2, 1) / 9e29f, 1, 1e-5);
    WaveletCoefficients coefficients = wavelet_forward(Image<float>({4, 3}), {}, queue);
    coefficients.shape.x = 5;
    EXPECT_THROW(wavelet_inverse(coefficients, queue), InvalidArgument);
    coefficients.shape.x = 4;
    coefficients.pixel_type = PixelType::f64;
    EXPECT_THROW(wavelet_inverse(coefficients, queue), InvalidArgument);
}

TEST(WaveletNames, OfOtherProgramsAreTaken) {
    EXPECT_EQ(parse_wavelet("cdf9/7"), Wavelet::bior4_4);
    EXPECT_EQ(parse_wavelet("cdf5/3"), Wavelet::bior2_2);
    EXPECT_EQ(parse_wavelet("d4"), Wavelet::db2);
    EXPECT_EQ(parse_wavelet("haar-int"), Wavelet::haar_int);
    EXPECT_THROW(parse_wavelet("sym4"), InvalidArgument);
}

TEST(WaveletLevels, HalveTheShortestAxisToOne) {
    EXPECT_EQ(most_wavelet_levels({1}), 0);
    EXPECT_EQ(most_wavelet_levels({2}), 1);
    EXPECT_EQ(most_wavelet_levels({3}), 2);
    EXPECT_EQ(most_wavelet_levels({512, 512}), 9);
    EXPECT_EQ(most_wavelet_levels({65, 33, 7}), 3);
    EXPECT_EQ(most_wavelet_levels({65, 1, 33}), 6);
}

}  // namespace
}  // namespace tesela
