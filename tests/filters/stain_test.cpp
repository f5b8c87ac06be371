// Color deconvolution on every device, and the estimate of stains.
#include "tesela/stain.h"

#include <cmath>
#include <random>

#include "devices.h"
#include "reference/stain_reference.h"

namespace tesela {
namespace {

constexpr double angle_unit = 180 / 3.14159265358979323846;

double angle_between(const StainVector& a, const StainVector& b) {
    double product = 0;
    for (std::size_t c = 0; c < 3; ++c) product += a[c] * b[c];
    return angle_unit * std::acos(std::min(product, 1.0));
}

template <class T>
Image<T> noise(const Shape& shape) {
    Image<T> image(shape);
    std::mt19937 random(11);
    for (T& value : image.pixels()) value = static_cast<T>(random());
    image.has_alpha = shape.channels == 4;
    return image;
}

// A section: pixels of each stain alone, of both, and background, with amounts known.
Image<std::uint8_t> section(const StainMatrix& matrix, std::int64_t side) {
    Image<std::uint8_t> image({side, side, 1, 1, 3});
    std::mt19937 random(3);
    std::uniform_real_distribution<double> amount(0.3, 0.9);
    for (std::int64_t i = 0; i < side * side; ++i) {
        const double first = i % 4 == 1 || i % 4 == 3 ? amount(random) : 0.0;
        const double second = i % 4 == 2 || i % 4 == 3 ? amount(random) : 0.0;
        reference::Color densities{};
        for (std::size_t c = 0; c < 3; ++c)
            densities[c] = first * matrix.stains[0][c] + second * matrix.stains[1][c];
        const auto values = reference::values_of_densities(densities, 1, 255);
        for (std::size_t c = 0; c < 3; ++c)
            image.pixels()[static_cast<std::size_t>(3 * i) + c] =
                static_cast<std::uint8_t>(std::lround(values[c]));
    }
    return image;
}

class Stain : public testing::OnDevice {
  protected:
    template <class T>
    void expect_amounts_of_the_reference(const Shape& shape, const StainMatrix& matrix) {
        constexpr double full = sizeof(T) == 1 ? 255 : 65535;
        const Image<T> image = noise<T>(shape);
        const Image<float> found = separate_stains(image, matrix, queue);
        ASSERT_EQ(found.shape(), (Shape{shape.x, shape.y, shape.z, shape.t, 3}));
        for (std::int64_t i = 0; i < shape.points(); ++i) {
            const T* pixel = image.data() + i * shape.channels;
            const auto densities = reference::stain_densities(
                {double(pixel[0]), double(pixel[1]), double(pixel[2])}, matrix.white[0], full);
            const auto amounts =
                reference::stain_amounts(densities, matrix.stains[0], matrix.stains[1]);
            for (std::size_t c = 0; c < 3; ++c)
                ASSERT_NEAR(found.data()[static_cast<std::size_t>(3 * i) + c], amounts[c], 2e-5);
        }
    }

    template <class T>
    void expect_colors_of_the_reference(const Shape& shape, const StainMatrix& from,
                                        const StainMatrix& to) {
        constexpr double full = sizeof(T) == 1 ? 255 : 65535;
        const Image<T> image = noise<T>(shape);
        const AnyImage found = normalize_stains(image, from, to, queue);
        const auto& pixels = std::get<Image<T>>(found);
        ASSERT_EQ(pixels.shape(), shape);
        EXPECT_EQ(pixels.has_alpha, shape.channels == 4);
        for (std::int64_t i = 0; i < shape.points(); ++i) {
            const T* before = image.data() + i * shape.channels;
            const T* after = pixels.data() + i * shape.channels;
            const auto amounts = reference::stain_amounts(
                reference::stain_densities(
                    {double(before[0]), double(before[1]), double(before[2])}, from.white[0], full),
                from.stains[0], from.stains[1]);
            reference::Color densities{};
            for (std::size_t c = 0; c < 3; ++c)
                for (std::size_t s = 0; s < 2; ++s)
                    densities[c] +=
                        amounts[s] * to.strength[s] / from.strength[s] * to.stains[s][c];
            const auto expected = reference::values_of_densities(densities, to.white[0], full);
            for (std::size_t c = 0; c < 3; ++c)
                ASSERT_NEAR(after[c], expected[c], 0.6) << "pixel " << i << ", channel " << c;
            if (shape.channels == 4) {
                ASSERT_EQ(after[3], before[3]);
            }
        }
    }

    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Stain);

const StainMatrix he = stain_matrix(StainSet::he), hdab = stain_matrix(StainSet::hdab);

TEST_P(Stain, AmountsAreThoseOfTheReference) {
    StainMatrix dim = hdab;
    dim.white = {0.9, 0.9, 0.9};
    for (const Shape& shape : {Shape{1, 1, 1, 1, 3}, Shape{37, 23, 2, 1, 3}, Shape{64, 5, 1, 1, 4}})
        for (const StainMatrix& matrix : {he, dim}) {
            expect_amounts_of_the_reference<std::uint8_t>(shape, matrix);
            expect_amounts_of_the_reference<std::uint16_t>(shape, matrix);
        }
}

TEST_P(Stain, NormalizedColorsAreThoseOfTheReference) {
    StainMatrix dim = he, strong = hdab;
    dim.white = {0.9, 0.9, 0.9};
    strong.strength = {1.1, 0.5};
    for (const Shape& shape :
         {Shape{1, 1, 1, 1, 3}, Shape{37, 23, 1, 1, 3}, Shape{9, 5, 1, 1, 4}}) {
        expect_colors_of_the_reference<std::uint8_t>(shape, he, strong);
        expect_colors_of_the_reference<std::uint8_t>(shape, strong, dim);
        expect_colors_of_the_reference<std::uint16_t>(shape, dim, hdab);
    }
}

// What both stains explain is the same after it.
TEST_P(Stain, NormalizingToItselfChangesNothing) {
    for (const StainMatrix& matrix : {he, hdab}) {
        const Image<std::uint8_t> image = section(matrix, 40);
        const AnyImage same = normalize_stains(image, matrix, matrix, queue);
        for (std::size_t i = 0; i < image.pixels().size(); ++i)
            ASSERT_NEAR(std::get<Image<std::uint8_t>>(same).pixels()[i], image.pixels()[i], 1);
    }
}

TEST_P(Stain, PicturesShowOneStain) {
    const Image<std::uint8_t> image = section(he, 8);
    for (const int stain : {0, 1}) {
        const AnyImage picture = stain_picture(image, he, stain, queue);
        const auto& pixels = std::get<Image<std::uint8_t>>(picture).pixels();
        for (std::size_t i = 0; i < 64; ++i)
            for (std::size_t c = 0; c < 3; ++c) {
                const std::size_t kind = i % 4;  // background, first, second, both
                if (kind == 3) continue;
                const bool shown = kind == 1 + static_cast<std::size_t>(stain);
                ASSERT_NEAR(pixels[3 * i + c], shown ? image.pixels()[3 * i + c] : 255, 2)
                    << "pixel " << i << ", stain " << stain;
            }
    }
}

TEST_P(Stain, RefusesWhatCannotBe) {
    const Image<std::uint8_t> image = noise<std::uint8_t>({4, 4, 1, 1, 3});
    StainMatrix wrong = he;
    wrong.stains[1] = wrong.stains[0];
    EXPECT_THROW(separate_stains(image, wrong, queue), InvalidArgument);
    wrong.stains = {};
    EXPECT_THROW(separate_stains(image, wrong, queue), InvalidArgument);
    wrong = he;
    wrong.white[2] = 0;
    EXPECT_THROW(separate_stains(image, wrong, queue), InvalidArgument);
    wrong = he;
    wrong.strength[0] = 0;
    EXPECT_THROW(normalize_stains(image, wrong, he, queue), InvalidArgument);
    EXPECT_THROW(stain_picture(image, he, 2, queue), InvalidArgument);
    EXPECT_THROW(separate_stains(noise<std::uint8_t>({4, 4, 1, 1, 1}), he, queue),
                 UnsupportedFormat);
    EXPECT_THROW(separate_stains(Image<float>({4, 4, 1, 1, 3}), he, queue), UnsupportedFormat);
}

TEST_P(Stain, SecondCallAllocatesNothing) {
    const Image<std::uint8_t> image = noise<std::uint8_t>({50, 40, 1, 1, 3});
    normalize_stains(image, he, hdab, queue);
    const QueueCounters before = queue.counters();
    normalize_stains(image, he, hdab, queue);
    EXPECT_EQ((queue.counters() - before).allocations, 0);
}

TEST(StainVectors, OfTheLiteratureHaveLengthOne) {
    for (const StainMatrix& matrix : {he, hdab})
        for (const StainVector& v : matrix.stains)
            EXPECT_NEAR(std::hypot(v[0], v[1], v[2]), 1, 1e-12);
    // Ruifrok and Johnston: 0.65, 0.70, 0.29.
    EXPECT_NEAR(he.stains[0][0] / he.stains[0][1], 0.65 / 0.70, 1e-12);
}

TEST(StainVectors, AreKnownOrEstimatedFromTheImage) {
    const Image<std::uint8_t> image = section(hdab, 200);
    const StainMatrix known = stains_of(image, {{.white = 0.9}, StainChoice::he});
    EXPECT_EQ(known.stains, he.stains);
    EXPECT_EQ(known.white, (std::array<double, 3>{0.9, 0.9, 0.9}));
    EXPECT_EQ(known_stains({{}, StainChoice::hdab})->stains, hdab.stains);
    EXPECT_FALSE(known_stains({{}, StainChoice::macenko}));
    const StainOptions options{{.threshold = 0.2}, StainChoice::macenko};
    EXPECT_EQ(stains_of(image, options).stains, estimate_stains(image, options).stains);
    EXPECT_NE(stains_of(image, options).stains, hdab.stains);
}

TEST(StainEstimate, FindsTheStainsOfASection) {
    for (const StainMatrix& matrix : {he, hdab}) {
        const StainMatrix found = estimate_stains(section(matrix, 200));
        for (std::size_t s = 0; s < 2; ++s) {
            EXPECT_LT(angle_between(found.stains[s], matrix.stains[s]), 2) << "stain " << s;
            EXPECT_NEAR(found.strength[s], 0.9, 0.03);
        }
    }
}

// More pixels than are looked at, and 16 bits.
TEST(StainEstimate, TakesPixelsOnAGrid) {
    const Image<std::uint8_t> bytes = section(he, 1500);
    const StainMatrix found = estimate_stains(bytes);
    EXPECT_LT(angle_between(found.stains[0], he.stains[0]), 2);
    Image<std::uint16_t> words(bytes.shape());
    for (std::size_t i = 0; i < words.pixels().size(); ++i)
        words.pixels()[i] = static_cast<std::uint16_t>(257 * bytes.pixels()[i]);
    EXPECT_LT(angle_between(estimate_stains(words).stains[1], found.stains[1]), 1);
}

TEST(StainEstimate, RefusesWhatShowsNoStains) {
    Image<std::uint8_t> blank({50, 50, 1, 1, 3});
    std::fill(blank.pixels().begin(), blank.pixels().end(), std::uint8_t{250});
    try {
        estimate_stains(blank);
        FAIL() << "a blank image was taken";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("only 0 pixels"), std::string::npos);
    }
    std::fill(blank.pixels().begin(), blank.pixels().end(), std::uint8_t{90});
    EXPECT_THROW(estimate_stains(blank), InvalidArgument);
    EXPECT_THROW(estimate_stains(section(he, 20), {.extreme = 50}), InvalidArgument);
}

}  // namespace
}  // namespace tesela
