// Measures of objects on every device: beside their definitions and scikit-image.
#include "tesela/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "device_images.h"
#include "label_maps.h"
#include "reference/measure_reference.h"
#include "refusal.h"
#include "scikit_image_vectors.h"

namespace tesela {
namespace {

using testing::ellipsoids;
using testing::noise;
using testing::refusal;

class Measure : public testing::OnDeviceImages {
  protected:
    Measurements measured(const LabelImage& map, const std::vector<AnyImageView>& images = {},
                          const MeasureOptions& options = {}) {
        return measure(map, images, options, queue);
    }
};
TESELA_ON_EVERY_DEVICE(Measure);

double value_of(const MeasureColumn& column, std::size_t row) {
    return std::visit([](auto number) { return static_cast<double>(number); }, column.value(row));
}

const MeasureColumn& column_of(const std::vector<MeasureColumn>& columns, const std::string& name) {
    const auto found =
        std::find_if(columns.begin(), columns.end(),
                     [&](const MeasureColumn& column) { return column.name == name; });
    if (found == columns.end()) throw std::runtime_error("no column " + name);
    return *found;
}

// Labels over all 32 bits, one point each, in some order of the rows.
LabelImage sparse_labels() {
    LabelImage map({5, 2});
    map.pixels() = {70000, 0, 3, 3, 1, 400000, 1, 0, 31, 32};
    return map;
}

std::vector<LabelImage> maps() {
    std::vector<LabelImage> maps{sparse_labels(),
                                 ellipsoids({1, 1}, 1, 3, 1),
                                 ellipsoids({1, 37}, 3, 9, 2),
                                 ellipsoids({37, 1}, 3, 9, 2),
                                 ellipsoids({37, 23}, 6, 12, 3),
                                 ellipsoids({130, 61}, 25, 40, 4),
                                 ellipsoids({19, 17, 11}, 7, 10, 6),
                                 ellipsoids({70, 9, 40}, 12, 20, 7)};
    maps.push_back(noise<std::uint32_t>({67, 45}, 9));
    maps.push_back(noise<std::uint32_t>({21, 18, 13}, 4));
    return maps;
}

void expect_sizes(const MeasuredObject& object, const reference::Object& expected,
                  const Shape& shape) {
    ASSERT_EQ(object.points, std::ssize(expected.points));
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    const std::size_t axes = shape.z > 1 ? 3 : 2;
    constexpr std::array<std::array<std::size_t, 2>, 6> pairs{
        {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
    bool touches = false;
    for (std::size_t a = 0; a < axes; ++a) {
        int first = 1 << 30, last = -1;
        for (const reference::Place& p : expected.points) {
            first = std::min(first, p[a]);
            last = std::max(last, p[a]);
        }
        EXPECT_EQ(object.first[a], first);
        EXPECT_EQ(object.last[a], last);
        touches |= first == 0 || last == lengths[a] - 1;
        EXPECT_NEAR(object.centroid[a], reference::mean_of(expected, a), 1e-11);
    }
    EXPECT_EQ(object.touches_border, touches);
    for (std::size_t k = 0; k < pairs.size(); ++k)
        EXPECT_NEAR(object.covariance[k],
                    reference::covariance_of(expected, pairs[k][0], pairs[k][1]), 1e-9);
}

TEST_P(Measure, SizesAndPlacesAreThoseOfThePoints) {
    for (const LabelImage& map : maps()) {
        const auto expected = reference::objects_of(map);
        const Measurements found = measured(map);
        ASSERT_EQ(found.objects.size(), expected.size());
        std::size_t row = 0;
        for (const auto& [label, object] : expected) {
            SCOPED_TRACE(label);
            EXPECT_EQ(found.objects[row].label, label);
            expect_sizes(found.objects[row++], object, map.shape());
        }
    }
}

TEST_P(Measure, BoundariesAreThoseOfTheirDefinitions) {
    constexpr double half = std::numbers::sqrt2 / 2, quarter = std::numbers::pi / 4;
    for (const LabelImage& map : maps()) {
        const bool is_volume = map.shape().z > 1;
        const Measurements found = measured(map);
        std::size_t row = 0;
        for (const auto& [label, points] : reference::objects_of(map)) {
            SCOPED_TRACE(label);
            const auto& object = points;
            const MeasuredObject& own = found.objects[row++];
            ASSERT_EQ(own.euler_number, reference::euler_number(object, is_volume ? 3 : 2));
            if (is_volume) continue;
            ASSERT_NEAR(own.perimeter, reference::perimeter(object), 1e-9);
            const auto ends = [&](int x, int y) {
                return reference::ends_along(object, {x, y, 0});
            };
            const double expected =
                quarter * (ends(1, 0) + ends(0, 1) + half * (ends(1, 1) + ends(-1, 1)));
            ASSERT_NEAR(own.in_pixels.perimeter_crofton, expected, 1e-9);
        }
    }
}

// Of spheres and discs, whose size is known. Spacing changes nothing but the pixels.
TEST_P(Measure, SurfacesAndPerimetersOfRoundObjectsAreRight) {
    for (const std::array<double, 3>& spacing :
         {std::array{1.0, 1.0, 1.0}, {0.5, 0.5, 1.0}, {1.0, 0.7, 1.3}}) {
        constexpr double radius = 17.3, tolerance = 0.015;
        LabelImage ball({84, 80, 48}), disc({84, 80});
        ball.geometry.spacing = disc.geometry.spacing = spacing;
        ball.geometry.unit = disc.geometry.unit = Unit::millimeter;
        for (LabelImage* map : {&ball, &disc}) {
            const Shape& shape = map->shape();
            const bool is_volume = shape.z > 1;
            for (int z = 0; z < shape.z; ++z)
                for (int y = 0; y < shape.y; ++y)
                    for (int x = 0; x < shape.x; ++x) {
                        const double dx = (x - 41.3) * spacing[0], dy = (y - 39.1) * spacing[1];
                        const double dz = is_volume ? (z - 23.6) * spacing[2] : 0;
                        if (std::hypot(dx, dy, dz) <= radius) (*map)(x, y, z) = 7;
                    }
        }
        EXPECT_NEAR(
            measured(ball).objects[0].in_space.surface / (4 * std::numbers::pi * radius * radius),
            1, tolerance);
        const MeasuredObject round = measured(disc).objects[0];
        EXPECT_NEAR(round.in_space.perimeter_crofton / (2 * std::numbers::pi * radius), 1,
                    tolerance);
        // The pixels of a hull reach about a pixel beyond the object; half a pixel is 1.5 %.
        EXPECT_NEAR(round.in_space.feret_diameter_max / (2 * radius), 1, 0.05);
        EXPECT_NEAR(round.in_space.feret_diameter_min / (2 * radius), 1, 0.02);
    }
}

TEST_P(Measure, HullsAreThoseOfDiamonds) {
    for (LabelImage map : maps()) {
        if (map.shape().z > 1) continue;
        map.geometry.spacing = {0.4, 1.1, 1};
        map.geometry.unit = Unit::micrometer;
        const Measurements found = measured(map);
        std::size_t row = 0;
        for (const auto& [label, points] : reference::objects_of(map)) {
            SCOPED_TRACE(label);
            const auto& object = points;
            const MeasuredObject& own = found.objects[row++];
            const auto filled = reference::convex_points(object);
            ASSERT_EQ(own.convex_points, std::ssize(filled));
            const auto longest = [&](double x, double y) {
                return reference::feret_of(filled, x, y).longest;
            };
            const auto narrowest = [&](double x, double y) {
                return reference::feret_of(object.points, x, y).narrowest;
            };
            ASSERT_NEAR(own.in_pixels.feret_diameter_max, longest(1, 1), 1e-9);
            ASSERT_NEAR(own.in_pixels.feret_diameter_min, narrowest(1, 1), 1e-6);
            ASSERT_NEAR(own.in_space.feret_diameter_max, longest(0.4, 1.1), 1e-6);
            ASSERT_NEAR(own.in_space.feret_diameter_min, narrowest(0.4, 1.1), 1e-6);
        }
    }
}

template <class T>
void expect_intensities(const Measurements& found, std::size_t channel, const LabelImage& map,
                        const Image<T>& image, double precision) {
    std::map<std::uint32_t, std::vector<double>> values;
    for (std::size_t i = 0; i < map.pixels().size(); ++i)
        if (map.pixels()[i] != 0)
            values[map.pixels()[i]].push_back(static_cast<double>(
                image.pixels()[i * static_cast<std::size_t>(image.shape().channels) + channel]));
    std::size_t row = 0;
    for (auto& [label, list] : values) {
        SCOPED_TRACE(label);
        const MeasuredIntensity& own = found.intensities[channel][row++];
        std::sort(list.begin(), list.end());
        const auto count = static_cast<double>(list.size());
        double sum = 0, squares = 0;
        for (const double value : list) sum += value;
        for (const double value : list) squares += (value - sum / count) * (value - sum / count);
        ASSERT_NEAR(own.sum, sum, count * precision);
        ASSERT_NEAR(own.mean, sum / count, precision);
        ASSERT_NEAR(own.deviation, std::sqrt(squares / count), precision);
        ASSERT_EQ(own.lowest, list.front());
        ASSERT_EQ(own.highest, list.back());
        for (std::size_t p = 0; p < measured_percentiles.size(); ++p) {
            const double at = (count - 1) * measured_percentiles[p] / 100;
            const auto rank = static_cast<std::size_t>(at);
            const double next = list[std::min(rank + 1, list.size() - 1)];
            ASSERT_NEAR(own.percentiles[p],
                        list[rank] + (at - static_cast<double>(rank)) * (next - list[rank]),
                        precision);
        }
    }
}

TEST_P(Measure, IntensitiesAreThoseOfThePixels) {
    for (const LabelImage& map : maps()) {
        Shape shape = map.shape();
        shape.channels = 2;
        const auto check = [&](auto image, double precision) {
            const Measurements found = measured(map, {image});
            ASSERT_EQ(found.intensities.size(), 2u);
            for (std::size_t channel = 0; channel < 2; ++channel)
                expect_intensities(found, channel, map, image, precision);
        };
        check(noise<std::uint8_t>(shape, 256), 1e-9);
        check(noise<std::int8_t>(shape, 256), 1e-9);
        check(noise<std::uint16_t>(shape, 65536), 1e-8);
        check(noise<std::int16_t>(shape, 65536), 1e-8);
        auto wide = noise<std::uint32_t>(shape, 65536);
        for (std::uint32_t& value : wide.pixels()) value *= 65535;
        check(wide, 1e-3);
        auto wide_signed = noise<std::int32_t>(shape, 65536);
        for (std::int32_t& value : wide_signed.pixels()) value = (value - 30000) * 60000;
        check(wide_signed, 1e-3);
        auto real = noise<float>(shape, 65536);
        for (float& value : real.pixels()) value = (value - 20000) * 1.37e-3f;
        check(real, 1e-6);
    }
}

// Sums of squares of the largest values are beyond 64 bits.
TEST_P(Measure, LargeSumsDoNotOverflow) {
    LabelImage map({2048, 2048});
    std::fill(map.pixels().begin(), map.pixels().end(), 9u);
    Image<std::uint32_t> image({2048, 2048});
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = i % 2 == 0 ? 4294967295u : 4294967293u;
    const Measurements found = measured(map, {image});
    EXPECT_EQ(found.objects[0].points, 2048 * 2048);
    EXPECT_EQ(found.objects[0].centroid[0], 1023.5);
    EXPECT_DOUBLE_EQ(found.objects[0].covariance[0], (2048.0 * 2048 - 1) / 12);
    EXPECT_NEAR(found.objects[0].covariance[3], 0, 1e-9);
    EXPECT_EQ(found.intensities[0][0].mean, 4294967294.0);
    EXPECT_DOUBLE_EQ(found.intensities[0][0].deviation, 1);
    EXPECT_EQ(found.intensities[0][0].percentiles[2], 4294967294.0);
}

void expect_columns(const Measurements& found, const std::vector<testing::Column>& expected) {
    const auto columns = measure_columns(found);
    for (const testing::Column& column : expected) {
        SCOPED_TRACE(column.name);
        const MeasureColumn& own = column_of(columns, column.name);
        for (std::size_t row = 0; row < column.values.size(); ++row)
            EXPECT_NEAR(value_of(own, row), column.values[row],
                        1e-9 * std::max(1.0, std::abs(column.values[row])))
                << "row " << row;
    }
}

TEST_P(Measure, ColumnsAreThoseOfScikitImage) {
    const auto plane = noise<std::uint16_t>({90, 70}, 4000);
    expect_columns(measured(ellipsoids({90, 70}, 14, 30, 3), {plane}),
                   testing::scikit_image_picture);
    const auto space = noise<std::uint16_t>({30, 26, 20}, 4000);
    expect_columns(measured(ellipsoids({30, 26, 20}, 9, 16, 5), {space}),
                   testing::scikit_image_volume);
}

TEST_P(Measure, PhysicalColumnsFollowTheSpacing) {
    LabelImage map({4, 3, 2});
    map.pixels() = {0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0};
    map.geometry.spacing = {2, 3, 5};
    map.geometry.origin = {100, 0, 0};
    map.geometry.unit = Unit::millimeter;
    const Measurements found = measured(map);
    const auto columns = measure_columns(found);
    EXPECT_EQ(value_of(column_of(columns, "volume_mm3"), 0), 8 * 30);
    EXPECT_DOUBLE_EQ(value_of(column_of(columns, "volume_ml"), 0), 0.24);
    EXPECT_EQ(value_of(column_of(columns, "centroid_x_mm"), 0), 103);
    EXPECT_EQ(value_of(column_of(columns, "centroid_y_mm"), 0), 1.5);
    EXPECT_EQ(value_of(column_of(columns, "centroid-0"), 0), 0.5);
    EXPECT_EQ(value_of(column_of(columns, "bbox-5"), 0), 3);
    EXPECT_GT(value_of(column_of(columns, "surface_mm2"), 0), 0);
}

TEST_P(Measure, WhatIsNotAskedForIsNoColumn) {
    const Measurements found =
        measured(ellipsoids({37, 23}, 6, 12, 3), {}, {.boundaries = false, .hulls = false});
    for (const MeasureColumn& column : measure_columns(found)) {
        EXPECT_NE(column.property, "perimeter");
        EXPECT_NE(column.property, "area_convex");
    }
}

TEST_P(Measure, OtherLabelTypesAndStridesGiveTheSame) {
    const LabelImage map = ellipsoids({37, 23}, 6, 12, 3);
    Image<std::uint8_t> narrow(map.shape());
    std::copy(map.pixels().begin(), map.pixels().end(), narrow.pixels().begin());
    std::vector<std::int16_t> wide(2 * map.pixels().size());
    for (std::size_t i = 0; i < map.pixels().size(); ++i)
        wide[2 * i] = static_cast<std::int16_t>(map.pixels()[i]);
    const ImageView<const std::int16_t> strided(
        wide.data(), map.shape(), ImageView<const std::int16_t>::Strides{2, 74, 0, 0, 0});
    const Measurements expected = measured(map);
    for (const AnyImageView& view : {AnyImageView(narrow), AnyImageView(strided)}) {
        const Measurements found = measure(view, {}, {}, queue);
        ASSERT_EQ(found.objects.size(), expected.objects.size());
        for (std::size_t n = 0; n < found.objects.size(); ++n) {
            EXPECT_EQ(found.objects[n].points, expected.objects[n].points);
            EXPECT_EQ(found.objects[n].in_pixels.feret_diameter_min,
                      expected.objects[n].in_pixels.feret_diameter_min);
        }
    }
}

TEST_P(Measure, AMapWithoutObjectsHasNoRows) {
    const Measurements found = measured(LabelImage({7, 5}), {Image<float>({7, 5})});
    EXPECT_TRUE(found.objects.empty());
    ASSERT_EQ(found.intensities.size(), 1u);
    EXPECT_TRUE(found.intensities[0].empty());
}

TEST_P(Measure, BadInputIsRefused) {
    const LabelImage map = ellipsoids({37, 23}, 6, 12, 3);
    EXPECT_THROW(measure(Image<float>({4, 4}), {}, {}, queue), UnsupportedFormat);
    EXPECT_THROW(measure(Image<std::uint8_t>({4, 4, 1, 1, 3}), {}, {}, queue), UnsupportedFormat);
    EXPECT_THROW(measure(LabelImage({4, 4, 1, 2}), {}, {}, queue), UnsupportedFormat);
    Image<std::int16_t> negative({4, 4});
    negative(2, 1) = -3;
    EXPECT_EQ(refusal([&] { measure(negative, {}, {}, queue); }),
              "the label at x 2, y 1 is negative: -3");
    EXPECT_EQ(refusal([&] {
                  measured(map, {Image<float>({36, 23})});
              }),
              "the image is 36 x 23, and the label map is 37 x 23: resample one onto the other");
    EXPECT_NE(refusal([&] {
                  measured(LabelImage({(1 << 21) + 1, 1}));
              }).find("2097152"),
              std::string::npos);
}

// Only what lies in an object is looked at.
TEST_P(Measure, ValuesThatAreNotFiniteAreRefusedInObjects) {
    LabelImage map({6, 4});
    map(2, 2) = map(3, 2) = 17;
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
          std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
        Image<float> image({6, 4});
        image(0, 0) = bad;
        EXPECT_EQ(measured(map, {image}).intensities[0][0].mean, 0);
        image(3, 2) = bad;
        EXPECT_EQ(refusal([&] { measured(map, {image}); }),
                  "a pixel of object 17 is not a finite number; replace it first");
    }
}

TEST_P(Measure, ASecondCallAllocatesNothing) {
    const LabelImage map = ellipsoids({130, 61}, 25, 40, 4);
    const auto image = noise<float>({130, 61}, 256);
    measured(map, {image});
    const QueueWork before = queue.counters();
    measured(map, {image});
    EXPECT_EQ((queue.counters() - before).allocations, 0);
}

TEST_P(Measure, TheDeviceLevelMovesRecordsAlone) {
    const LabelImage map = ellipsoids({130, 61}, 25, 40, 4);
    const auto image = noise<std::uint16_t>({130, 61}, 4000);
    const DeviceImage<const std::uint32_t> on_device = lent(map);
    const AnyDeviceView values = lent(image);
    const std::array<const AnyDeviceView*, 1> images{&values};
    Measurements found;
    const std::int64_t moved = moved_by([&] { found = measure(on_device, images, {}, queue); });
    EXPECT_LT(moved, 2 * 130 * 61);
    const Measurements expected = measured(map, {image});
    ASSERT_EQ(found.objects.size(), expected.objects.size());
    for (std::size_t n = 0; n < found.objects.size(); ++n)
        EXPECT_EQ(found.intensities[0][n].percentiles, expected.intensities[0][n].percentiles);
}

TEST(Parents, AreTheLabelsOfMostPixels) {
    LabelImage map({6, 2}), parents({6, 2});
    map.pixels() = {5, 5, 5, 0, 9, 9,  //
                    5, 0, 0, 0, 9, 0};
    parents.pixels() = {2, 1, 1, 1, 0, 3,  //
                        2, 3, 3, 3, 0, 3};
    EXPECT_EQ(parents_of(map, parents), (std::vector<std::uint32_t>{1, 0}));
    EXPECT_EQ(refusal([&] {
                  parents_of(map, LabelImage({6, 3}));
              }),
              "the parents are 6 x 3, and the label map is 6 x 2");
}

}  // namespace
}  // namespace tesela
