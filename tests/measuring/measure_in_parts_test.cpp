// Measures in parts, on every device: beside those of the whole map, to the bit.
#include <algorithm>
#include <cmath>
#include <limits>

#include "boxes.h"
#include "device_images.h"
#include "label_maps.h"
#include "measuring/hull_rows.h"
#include "measuring/key_ranks.h"
#include "measuring/wide_sums.h"
#include "refusal.h"
#include "tesela/measure.h"

namespace tesela {
namespace {

using testing::Boxes;
using testing::ellipsoids;
using testing::noise;
using testing::refusal;

const std::vector<PartSize> sizes{{16, 11, 5}, {32, 16, 16}, {9, 40, 7}};

class MeasureInParts : public testing::OnDeviceImages {
  protected:
    Queue other{GetParam()};
    std::vector<Queue*> queues{&queue, &other};

    Measurements in_parts(const AnyImage& map, const std::vector<AnyImage>& images,
                          const PartSize& size, const MeasureOptions& options = {},
                          std::int64_t max_bytes = 0, const Progress& progress = {}) {
        const Boxes boxes(map);
        std::vector<Boxes> of_images;
        of_images.reserve(images.size());
        for (const AnyImage& image : images) of_images.emplace_back(image);
        std::vector<const VolumeInput*> inputs;
        for (const Boxes& image : of_images) inputs.push_back(&image);
        return measure_in_parts(boxes, geometry_of(map), inputs, size, options, queues, max_bytes,
                                progress);
    }
    void expect_same(const AnyImage& map, const std::vector<AnyImage>& images = {},
                     const MeasureOptions& options = {}) {
        const std::vector<AnyImageView> views(images.begin(), images.end());
        const Measurements whole = measure(map, views, options, queue);
        for (const PartSize& size : sizes) {
            SCOPED_TRACE(size[0]);
            const Measurements parts = in_parts(map, images, size, options);
            ASSERT_EQ(parts.objects.size(), whole.objects.size());
            EXPECT_EQ(parts.warnings, whole.warnings);
            const auto columns = measure_columns(parts), expected = measure_columns(whole);
            ASSERT_EQ(columns.size(), expected.size());
            for (std::size_t c = 0; c < columns.size(); ++c) {
                ASSERT_EQ(columns[c].name, expected[c].name);
                for (std::size_t n = 0; n < whole.objects.size(); ++n)
                    ASSERT_EQ(columns[c].value(n), expected[c].value(n))
                        << columns[c].name << " of object " << whole.objects[n].label;
            }
        }
    }
};
TESELA_ON_EVERY_DEVICE(MeasureInParts);

template <class Map>
Map spaced(Map map, const std::array<double, 3>& spacing) {
    map.geometry.spacing = spacing;
    map.geometry.unit = Unit::millimeter;
    map.geometry.origin = {3, -7, 11};
    return map;
}

template <class T>
Image<T> as(const LabelImage& map) {
    Image<T> image(map.shape(), map.geometry);
    std::transform(map.pixels().begin(), map.pixels().end(), image.pixels().begin(),
                   [](std::uint32_t label) { return static_cast<T>(label); });
    return image;
}

TEST_P(MeasureInParts, OfPicturesAreThoseOfTheWhole) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 37}, Shape{37, 1}, Shape{37, 23}, Shape{90, 61}}) {
        expect_same(ellipsoids(shape, 12, 20, 3));
        expect_same(spaced(ellipsoids(shape, 5, 45, 4), {0.5, 0.7, 1}));
        expect_same(noise<std::uint32_t>(shape, 5));
    }
    expect_same(LabelImage({30, 20}));
}

TEST_P(MeasureInParts, OfVolumesAreThoseOfTheWhole) {
    for (const Shape& shape : {Shape{19, 17, 11}, Shape{33, 9, 20}, Shape{1, 8, 9}}) {
        expect_same(ellipsoids(shape, 7, 10, 6));
        expect_same(spaced(ellipsoids(shape, 5, 12, 7), {0.5, 0.7, 1.3}));
        expect_same(noise<std::uint32_t>(shape, 4));
    }
}

TEST_P(MeasureInParts, TakesLabelsOfEveryTypeAndHeight) {
    LabelImage map = ellipsoids({60, 40}, 6, 15, 8);
    expect_same(as<std::uint8_t>(map));
    expect_same(as<std::int8_t>(map));
    expect_same(as<std::int16_t>(map));
    expect_same(as<std::int32_t>(map));
    for (std::uint32_t& label : map.pixels())
        if (label > 0) label = 4294967295u - label;
    const Measurements parts = in_parts(map, {}, {16, 16, 1});
    ASSERT_FALSE(parts.objects.empty());
    EXPECT_GT(parts.objects.front().label, 4294967000u);
}

TEST_P(MeasureInParts, ValuesOfEveryTypeAreThoseOfTheWhole) {
    for (const Shape& shape : {Shape{61, 43}, Shape{19, 17, 11}}) {
        const LabelImage map = ellipsoids(shape, 9, 14, 9);
        Image<float> reals = noise<float>(shape, 1000);
        for (float& value : reals.pixels()) value = (value - 300) * 0.37f;
        Image<double> doubles(shape);
        for (std::size_t i = 0; i < doubles.pixels().size(); ++i)
            doubles.pixels()[i] = std::sin(static_cast<double>(i)) * 1e3;
        Image<std::int32_t> wide = noise<std::int32_t>(shape, 60000);
        for (std::int32_t& value : wide.pixels()) value = (value - 30000) * 70000;
        expect_same(map, {noise<std::uint8_t>(shape, 200), noise<std::int16_t>(shape, 30000), wide,
                          reals, doubles});
        expect_same(map, {noise<std::uint16_t>({shape.x, shape.y, shape.z, 1, 3}, 900)});
        expect_same(noise<std::uint32_t>(shape, 3), {reals, noise<std::uint32_t>(shape, 7)});
    }
}

TEST_P(MeasureInParts, MeasuresOnlyWhatIsAskedFor) {
    const LabelImage map = ellipsoids({50, 40}, 9, 14, 9);
    expect_same(map, {noise<float>({50, 40}, 99)}, {.percentiles = false});
    expect_same(map, {}, {.boundaries = false, .hulls = false});
    expect_same(map, {}, {.boundaries = false});
}

TEST_P(MeasureInParts, ParentsAreThoseOfTheWhole) {
    for (const Shape& shape : {Shape{61, 43}, Shape{19, 17, 11}}) {
        const LabelImage map = ellipsoids(shape, 14, 6, 10), larger = ellipsoids(shape, 4, 20, 11);
        for (const PartSize& size : sizes)
            EXPECT_EQ(parents_in_parts(Boxes(map), Boxes(as<std::uint16_t>(larger)), size, 2),
                      parents_of(map, larger));
    }
}

TEST_P(MeasureInParts, RefusesWhatItCannotMeasure) {
    const PartSize size{8, 8, 1};
    LabelImage map({30, 20});
    map(17, 12) = 3;
    const auto says = [&](const AnyImage& of, const std::vector<AnyImage>& images,
                          const std::string& words) {
        const std::string said = refusal([&] { in_parts(of, images, size); });
        EXPECT_NE(said.find(words), std::string::npos) << said;
    };
    says(map, {Image<float>({30, 21})}, "30 x 21");
    Image<std::int16_t> negative({30, 20});
    negative(19, 15) = -4;
    says(negative, {}, "x 19, y 15 is negative: -4");
    Image<float> values({30, 20});
    values(17, 12) = std::numeric_limits<float>::infinity();
    says(map, {values}, "object 3 is not a finite number");
    values(17, 12) = 1;
    values(16, 12) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(in_parts(map, {values}, size).intensities[0][0].mean, 1);
    EXPECT_THROW(in_parts(Image<float>({9, 9}), {}, size), UnsupportedFormat);
    EXPECT_THROW(in_parts(Image<std::uint8_t>({9, 9, 1, 1, 2}), {}, size), UnsupportedFormat);
    EXPECT_THROW(in_parts(Image<std::uint8_t>({9, 9, 1, 2}), {}, size), InvalidArgument);
    EXPECT_THROW(in_parts(noise<std::uint32_t>({60, 50}, 1000), {}, size, {}, 100000), OutOfMemory);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(in_parts(map, {}, size, {}, 0, Progress({}, &token)), Cancelled);
}

// ---- What objects in several parts keep ---------------------------------------------------------

TEST(HullRows, KeepTheCornersOfAHull) {
    measuring::HullRows disc, line;
    for (std::int64_t first = 0; first < 2000; first += 100) {
        std::vector<measuring::RowEnd> rows, straight;
        for (std::int64_t y = first; y < first + 100; ++y) {
            const double half =
                std::sqrt(1000.0 * 1000 - std::pow(static_cast<double>(y) - 1000, 2));
            rows.push_back({y, 1 + static_cast<std::uint32_t>(half)});
            straight.push_back({y, 7});
        }
        disc.add(rows);
        line.add(straight);
    }
    EXPECT_LT(disc.rows().size(), 400u);
    ASSERT_EQ(line.rows().size(), 2u);
    EXPECT_EQ(line.rows()[0].row, 0);
    EXPECT_EQ(line.rows()[1].row, 1999);
    line.add(std::vector<measuring::RowEnd>{{500, 9}, {1999, 8}});
    EXPECT_EQ(line.rows().size(), 3u);
    EXPECT_EQ(line.rows()[2].out, 8u);
}

TEST(KeyRanks, AreThoseOfSortedKeys) {
    for (const int bits : {8, 16, 32})
        for (const std::size_t count :
             {std::size_t{1}, std::size_t{2}, std::size_t{9}, std::size_t{50000}}) {
            std::vector<std::uint32_t> keys;
            std::uint32_t state = 5;
            for (std::size_t k = 0; k < count; ++k) {
                state = 1664525u * state + 1013904223u;
                keys.push_back(bits == 32 ? state & 0xffff0fffu : state >> (32 - bits));
            }
            measuring::KeyRanks ranks(static_cast<std::int64_t>(count), bits);
            do {
                for (std::size_t first = 0; first < count; first += 7000)
                    ranks.add(
                        std::span(keys).subspan(first, std::min<std::size_t>(7000, count - first)));
            } while (ranks.needs_another_round());
            std::sort(keys.begin(), keys.end());
            const auto expected = measuring::percentile_ranks(static_cast<std::int64_t>(count));
            const measuring::RankedKeys found = ranks.keys();
            for (std::size_t p = 0; p < expected.size(); ++p) {
                const auto rank = static_cast<std::size_t>(expected[p]);
                EXPECT_EQ(found[2 * p], keys[rank]);
                EXPECT_EQ(found[2 * p + 1], keys[std::min(rank + 1, count - 1)]);
            }
        }
}

// Of 2^36 values 2^32 - 1 and as many 0, whose products do not fit.
TEST(WideSums, VariancesOfManyLargeValuesAreRounded) {
    const auto half = measuring::WideSum{1} << 36, value = (measuring::WideSum{1} << 32) - 1;
    const double variance =
        measuring::covariance_of(2 * half, half * value, half * value, half * value * value);
    EXPECT_NEAR(std::sqrt(variance), 4294967295.0 / 2, 1e-6);
    EXPECT_EQ(measuring::covariance_of(2, 5, 5, 13), 0.25);
}

}  // namespace
}  // namespace tesela
