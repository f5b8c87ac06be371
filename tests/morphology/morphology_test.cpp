// Morphology on every device, against point by point.
#include "tesela/morphology.h"

#include <random>

#include "device_images.h"
#include "morphology/structuring_element.h"
#include "reference/morphology_reference.h"
#include "refusal.h"
#include "segmentation/pictures.h"

namespace tesela {
namespace {

using Operator = MorphologyOperator;

class Morphology : public testing::OnDeviceImages {};
TESELA_ON_EVERY_DEVICE(Morphology);

constexpr std::array operators{Operator::erode,     Operator::dilate,   Operator::open,
                               Operator::close,     Operator::gradient, Operator::top_hat,
                               Operator::bottom_hat};

std::array<double, 3> spacing_of(const Geometry& geometry, const Length& radius) {
    return radius.physical() ? geometry.spacing : std::array<double, 3>{1, 1, 1};
}

template <class T>
Image<T> expected(const Image<T>& image, Operator operation, const MorphologyOptions& options) {
    using namespace reference;
    const auto offsets =
        structuring_element(static_cast<Element>(options.shape), options.radius.value,
                            spacing_of(image.geometry, options.radius), image.shape());
    const auto open = [&] { return dilated(eroded(image, offsets), offsets); };
    const auto close = [&] { return eroded(dilated(image, offsets), offsets); };
    switch (operation) {
        case Operator::erode:
            return eroded(image, offsets);
        case Operator::dilate:
            return dilated(image, offsets);
        case Operator::open:
            return open();
        case Operator::close:
            return close();
        case Operator::gradient:
            return difference(dilated(image, offsets), eroded(image, offsets));
        case Operator::top_hat:
            return difference(image, open());
        case Operator::bottom_hat:
            return difference(close(), image);
    }
    return {};
}

LabelImage expected_labels(const LabelImage& image, Operator operation,
                           const MorphologyOptions& options) {
    using namespace reference;
    const auto offsets =
        structuring_element(static_cast<Element>(options.shape), options.radius.value,
                            spacing_of(image.geometry, options.radius), image.shape());
    const auto without = [&](const LabelImage& a, const LabelImage& b) {
        return mapped(a, [&](auto x, auto y, auto z) { return b(x, y, z) == 0 ? a(x, y, z) : 0u; });
    };
    const LabelImage small = eroded_labels(image, offsets);
    const LabelImage large = dilated_labels(image, offsets);
    const LabelImage opened = dilated_labels(small, offsets);
    const LabelImage closed = eroded_labels(large, offsets, true);
    switch (operation) {
        case Operator::erode:
            return small;
        case Operator::dilate:
            return large;
        case Operator::open:
            return opened;
        case Operator::close:
            return closed;
        case Operator::gradient:
            return without(large, small);
        case Operator::top_hat:
            return without(image, opened);
        case Operator::bottom_hat:
            return without(closed, image);
    }
    return {};
}

// Some points, in blobs.
template <class T>
Image<T> mask(const Shape& shape, T value, unsigned seed) {
    const Image<float> values = testing::patches(shape, 0.9, seed);
    Image<T> image(shape);
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = values.pixels()[i] > 0.6f ? value : T{};
    return image;
}
LabelImage labels(const Shape& shape, unsigned seed) {
    std::mt19937 generator(seed);
    LabelImage image(shape);
    const auto side = static_cast<std::int64_t>(3 + seed % 4);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const std::int64_t patch = x / side + 5 * (y / side) + 3 * (z / side);
                image(x, y, z) = generator() % 17 == 0 ? 0u : static_cast<std::uint32_t>(patch % 4);
            }
    return image;
}
template <class T>
Image<T> spaced(Image<T> image, const std::array<double, 3>& spacing) {
    image.geometry.unit = Unit::millimeter;
    image.geometry.spacing = spacing;
    return image;
}

struct Case {
    Shape shape;
    Length radius;
};
const std::vector<Case>& cases_of_all_sizes() {
    static const std::vector<Case> cases{{{1, 1}, 1},
                                         {{40, 1}, 3},
                                         {{1, 40}, 2},
                                         {{37, 23}, 1},
                                         {{37, 23}, 2.5},
                                         {{129, 20}, 4},
                                         {{200, 9}, 70},
                                         {{64, 64}, 7},
                                         {{16, 13, 9}, 2},
                                         {{33, 5, 7}, 3.3},
                                         {{130, 4, 3}, 9},
                                         {{5, 6, 7}, 9},
                                         {{19, 11, 8}, Length(2, Length::In::millimeter)}};
    return cases;
}
constexpr std::array shapes{MorphologyShape::ball, MorphologyShape::box, MorphologyShape::cross};

// Every operator, shape and size.
template <class Check>
void for_each_case(const Device& device, const Check& check) {
    testing::Cases cases(device);
    unsigned seed = 1;
    for (const Case& one : cases_of_all_sizes())
        for (const MorphologyShape shape : shapes)
            for (const Operator operation : operators) {
                if (!cases.take()) continue;
                SCOPED_TRACE(std::string(enum_name(shape)) + " " + one.radius.to_string() + " of " +
                             std::to_string(one.shape.x) + "x" + std::to_string(one.shape.y) + "x" +
                             std::to_string(one.shape.z) + ", operator " +
                             std::to_string(static_cast<int>(operation)));
                check(one, operation, MorphologyOptions{.radius = one.radius, .shape = shape},
                      ++seed);
                if (::testing::Test::HasFailure()) return;
            }
}
constexpr std::array<double, 3> spacing{0.7, 1.3, 2};

TEST_P(Morphology, OfMasks) {
    for_each_case(GetParam(), [&](const Case& one, Operator operation,
                                  const MorphologyOptions& options, unsigned seed) {
        const auto image = spaced(mask<std::uint8_t>(one.shape, 200, seed), spacing);
        const auto found = morphology(image, operation, options, queue);
        EXPECT_EQ(std::get<Image<std::uint8_t>>(found.image).pixels(),
                  expected(image, operation, options).pixels());
        expect_same(std::get<Image<std::uint8_t>>(found.image),
                    morphology(lent(image), operation, options, queue).image);
    });
}

TEST_P(Morphology, OfGrayImages) {
    const auto check = [&]<class T>(T, double full, const Case& one, Operator operation,
                                    const MorphologyOptions& options, unsigned seed) {
        const auto image =
            spaced(testing::quantized<T>(testing::patches(one.shape, 1, seed), full), spacing);
        const auto found = morphology(image, operation, options, queue);
        EXPECT_EQ(std::get<Image<T>>(found.image).pixels(),
                  expected(image, operation, options).pixels());
        expect_same(std::get<Image<T>>(found.image),
                    morphology(lent(image), operation, options, queue).image);
    };
    for_each_case(GetParam(), [&](const Case& one, Operator operation,
                                  const MorphologyOptions& options, unsigned seed) {
        if (one.shape.points() == 1) return;
        switch (seed % 4) {
            case 0:
                return check(std::uint8_t{}, 255, one, operation, options, seed);
            case 1:
                return check(std::uint16_t{}, 65535, one, operation, options, seed);
            case 2:
                return check(std::int16_t{}, -30000, one, operation, options, seed);
            default:
                return check(float{}, 1e6, one, operation, options, seed);
        }
    });
}

TEST_P(Morphology, OfLabelMaps) {
    for_each_case(GetParam(), [&](const Case& one, Operator operation,
                                  const MorphologyOptions& options, unsigned seed) {
        const LabelImage image = spaced(labels(one.shape, seed), spacing);
        const auto found = morphology(image, operation, options, queue);
        EXPECT_EQ(std::get<LabelImage>(found.image).pixels(),
                  expected_labels(image, operation, options).pixels());
        expect_same(std::get<LabelImage>(found.image),
                    morphology(lent(image), operation, options, queue).image);
    });
}

// Labels of other types stay of their type.
TEST_P(Morphology, LabelsOfAnyType) {
    const LabelImage image = labels({31, 17}, 2);
    const MorphologyOptions options{.radius = 2, .labels = true};
    const LabelImage wide = expected_labels(image, Operator::close, options);
    const auto check = [&]<class T>(T) {
        Image<T> narrow(image.shape()), wanted(image.shape());
        std::copy(image.pixels().begin(), image.pixels().end(), narrow.pixels().begin());
        std::copy(wide.pixels().begin(), wide.pixels().end(), wanted.pixels().begin());
        const auto found = morphology(narrow, Operator::close, options, queue);
        EXPECT_EQ(std::get<Image<T>>(found.image).pixels(), wanted.pixels());
        if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t>)
            expect_same(wanted, morphology(lent(narrow), Operator::close, options, queue).image);
    };
    check(std::uint8_t{});
    check(std::uint16_t{});
    check(std::int16_t{});
    check(std::int32_t{});
    check(float{});
}

// A mask is one of any type, and keeps its value; other types than those of devices are rounded.
TEST_P(Morphology, ImagesOfAnyType) {
    const auto check = [&]<class T>(T value) {
        const Image<T> image = mask<T>({31, 17}, value, 3);
        const auto found = morphology(image, Operator::dilate, {.radius = 2}, queue);
        EXPECT_EQ(std::get<Image<T>>(found.image).pixels(),
                  expected(image, Operator::dilate, {.radius = 2}).pixels());
        const Image<T> gray = testing::quantized<T>(testing::patches({31, 17}, 1, 3), 90);
        const auto filtered = morphology(gray, Operator::erode, {.radius = 2}, queue);
        EXPECT_EQ(std::get<Image<T>>(filtered.image).pixels(),
                  expected(gray, Operator::erode, {.radius = 2}).pixels());
    };
    check(std::int8_t{-3});
    check(std::uint16_t{700});
    check(std::int16_t{-700});
    check(std::int32_t{1 << 30});
    check(0.5f);
    check(1e300);
}

TEST_P(Morphology, DifferencesOfInt16EndAtTheHighestValue) {
    Image<std::int16_t> image({3, 1});
    image.pixels() = {-30000, 5, 30000};
    const auto found = morphology(image, Operator::gradient, {.radius = 1}, queue);
    EXPECT_EQ(std::get<Image<std::int16_t>>(found.image).pixels(),
              (std::vector<std::int16_t>{30005, 32767, 29995}));
}

TEST_P(Morphology, BadInput) {
    const auto refused = [&](const AnyImage& image, const MorphologyOptions& options,
                             const std::string& words) {
        try {
            morphology(image, Operator::dilate, options, queue);
            ADD_FAILURE() << "taken; expected: " << words;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    };
    const Image<std::uint8_t> image({4, 4});
    refused(image, {.radius = 0}, "above 0");
    refused(image, {.radius = -2}, "above 0");
    refused(image, {.radius = std::nan("")}, "radius");
    refused(image, {.radius = 0.9}, "no neighbor");
    const Length two_mm(2, Length::In::millimeter);
    refused(image, {.radius = two_mm}, "no pixel spacing");
    refused(spaced(image, {3, 3, 1}), {.radius = two_mm}, "no neighbor");
    refused(Image<std::uint8_t>({4, 4, 1, 1, 3}), {}, "one channel");
    refused(Image<std::uint8_t>({4, 4, 1, 2}), {}, "frames");
    Image<float> values({4, 4});
    values.pixels() = std::vector<float>(16, 1.0f);
    values.pixels()[5] = std::nanf("");
    refused(values, {}, "NaN");
    refused(values, {.labels = true}, "whole numbers");
    values.pixels()[5] = 2.5f;
    refused(values, {.labels = true}, "whole numbers");
    EXPECT_EQ(morphology(image, Operator::dilate, {.radius = 5}, queue).warnings.size(), 1u);
}

TEST_P(Morphology, ASecondCallAllocatesNothing) {
    const auto image = testing::quantized<std::uint8_t>(testing::patches({60, 40, 3}, 1, 3), 255);
    for (const MorphologyShape shape : shapes) {
        const MorphologyOptions options{.radius = 3, .shape = shape};
        morphology(image, Operator::open, options, queue);
        const auto before = queue.counters().allocations;
        morphology(image, Operator::open, options, queue);
        EXPECT_EQ(queue.counters().allocations, before);
    }
}

TEST(StructuringElement, BallsFollowTheSpacing) {
    const Geometry geometry{.spacing = {0.1, 0.1, 0.3}, .unit = Unit::millimeter};
    const MorphologyOptions options{.radius = Length(0.3, Length::In::millimeter)};
    const StructuringElement element = structuring_element(options, {50, 50, 50}, geometry);
    EXPECT_EQ(element.reach, (std::array<std::int32_t, 3>{3, 3, 1}));
    const std::vector<MorphologyRun> runs{{0, -1, 0}, {-3, 0, 0}, {3, 0, 0}, {-2, 0, 2}, {2, 0, 2},
                                          {-1, 0, 2}, {1, 0, 2},  {0, 0, 3}, {0, 1, 0}};
    EXPECT_EQ(element.runs.size(), runs.size());
    for (const MorphologyRun& run : runs)
        EXPECT_NE(std::find(element.runs.begin(), element.runs.end(), run), element.runs.end());
}

}  // namespace
}  // namespace tesela
