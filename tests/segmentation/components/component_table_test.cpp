// Components as a public operation, and their statistics, on every device.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

#include "devices.h"
#include "random_image.h"
#include "reference/component_statistics_reference.h"
#include "reference/components_reference.h"
#include "segmentation/components/component_statistics.h"
#include "segmentation/components/components.h"
#include "tesela/align.h"
#include "tesela/components.h"

namespace tesela {
namespace {

using Labels = std::vector<std::uint32_t>;
using testing::random_image;

std::array<int, 4> size_of(const Shape& shape) {
    return {static_cast<int>(shape.x), static_cast<int>(shape.y), static_cast<int>(shape.z),
            static_cast<int>(shape.t)};
}

std::string text_of(const Shape& shape) {
    return std::to_string(shape.x) + "x" + std::to_string(shape.y) + "x" + std::to_string(shape.z) +
           "x" + std::to_string(shape.t);
}

// Flood fill over pixels for which `is_foreground` holds, numbered in raster order; others are 0.
template <class T, class Foreground>
Labels flooded(const Image<T>& image, int axes, const Foreground& is_foreground, bool by_value) {
    const auto& pixels = image.pixels();
    Labels labels =
        reference::components(size_of(image.shape()), axes, [&](std::size_t a, std::size_t b) {
            const bool a_in = is_foreground(pixels[a]), b_in = is_foreground(pixels[b]);
            return a_in == b_in && (!by_value || !a_in || pixels[a] == pixels[b]);
        });
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto next = static_cast<std::uint32_t>(numbers.size()) + 1;
        labels[i] =
            is_foreground(pixels[i]) ? numbers.try_emplace(labels[i], next).first->second : 0;
    }
    return labels;
}

void expect_table(const std::vector<Component>& table, const Labels& labels, const Shape& shape) {
    const auto expected = reference::component_statistics(labels, size_of(shape));
    ASSERT_EQ(table.size(), expected.size()) << text_of(shape);
    for (std::size_t c = 0; c < table.size(); ++c) {
        ASSERT_EQ(table[c].area, expected[c].area) << text_of(shape) << ", component " << c + 1;
        for (std::size_t axis = 0; axis < 4; ++axis) {
            ASSERT_EQ(table[c].first[axis], expected[c].first[axis]) << text_of(shape);
            ASSERT_EQ(table[c].last[axis], expected[c].last[axis]) << text_of(shape);
            ASSERT_EQ(table[c].centroid[axis], static_cast<double>(expected[c].sum[axis]) /
                                                   static_cast<double>(expected[c].area))
                << text_of(shape);
        }
    }
}

// Around the size of a tile, and more than one slab.
const std::vector<Shape> shapes{{1, 1},     {1, 40},      {40, 1},      {31, 33},     {32, 32},
                                {33, 65},   {37, 23},     {513, 511},   {12, 11, 10}, {33, 9, 5},
                                {5, 70, 3}, {70, 60, 33}, {5, 4, 3, 6}, {34, 9, 5, 3}};

class ComponentTable : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(ComponentTable);

// ---- Statistics --------------------------------------------------------------------------------

void expect_records(const std::vector<std::uint32_t>& words, const Labels& labels,
                    const Shape& shape) {
    const ComponentRecords records(shape, words);
    const auto expected = reference::component_statistics(labels, size_of(shape));
    ASSERT_EQ(expected.size(), records.count());
    for (std::size_t c = 0; c < expected.size(); ++c) {
        ASSERT_EQ(records.area(c), expected[c].area) << text_of(shape) << ", component " << c + 1;
        for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dimensions()); ++a) {
            const ComponentAxis axis = records.axis(c, a);
            ASSERT_EQ(axis.first, expected[c].first[a])
                << text_of(shape) << ", component " << c + 1 << ", axis " << a;
            ASSERT_EQ(axis.last, expected[c].last[a]) << text_of(shape);
            ASSERT_EQ(axis.sum, expected[c].sum[a])
                << text_of(shape) << ", component " << c + 1 << ", axis " << a;
        }
    }
}

class ComponentStatistics : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    void expect_equal(const Shape& shape, const Labels& labels, std::uint32_t count) {
        const auto uploaded = queue.upload(std::span<const std::uint32_t>(labels), "labels");
        expect_records(queue.download(component_statistics(queue, shape, uploaded, count)), labels,
                       shape);
    }
};
TESELA_ON_EVERY_DEVICE(ComponentStatistics);

// Pixels of somebody else, with strides.
TEST_P(ComponentStatistics, TakesViews) {
    const Image<std::uint8_t> image = random_image<std::uint8_t>({40, 30}, 40, 3, 7);
    const Shape part{17, 11};
    using View = ImageView<const std::uint8_t>;
    const View view(&image.pixels()[5 * 40 + 8], part, View::Strides{1, 40, 0, 0, 0});
    Image<std::uint8_t> copy(part);
    for (std::int64_t y = 0; y < part.y; ++y)
        for (std::int64_t x = 0; x < part.x; ++x) copy(x, y) = image(x + 8, y + 5);
    Queue own{GetParam()};
    const ComponentResult found = components(view, {}, own), expected = components(copy, {}, own);
    EXPECT_EQ(found.labels.pixels(), expected.labels.pixels());
    EXPECT_EQ(found.table.size(), expected.table.size());
}

TEST_P(ComponentStatistics, EqualTheReferenceOnRandomImages) {
    testing::Cases cases(GetParam());
    unsigned seed = 0;
    for (const Shape& shape : shapes)
        for (const unsigned percent : {0u, 30u, 50u, 100u}) {
            if (!cases.take()) continue;
            const Image<std::uint8_t> image = random_image<std::uint8_t>(shape, percent, 2, ++seed);
            for (const bool background : {false, true}) {
                const Labels labels = flooded(
                    image, 1, [&](auto v) { return !background || v != 0; }, true);
                expect_equal(shape, labels, *std::max_element(labels.begin(), labels.end()));
            }
        }
}

TEST_P(ComponentStatistics, EveryPointIsAComponent) {
    for (const Shape& shape : {Shape{300, 170}, Shape{40, 30, 20}}) {
        Labels labels(static_cast<std::size_t>(shape.points()));
        for (std::size_t i = 0; i < labels.size(); ++i)
            labels[i] = static_cast<std::uint32_t>(i) + 1;
        expect_equal(shape, labels, static_cast<std::uint32_t>(labels.size()));
    }
}

// Sums of coordinates beyond 32 bits, and components that meet in every part of the image.
TEST_P(ComponentStatistics, LargeComponents) {
    for (const Shape& shape : {Shape{4000, 1100}, Shape{3, 1500000}, Shape{300, 200, 40}}) {
        Labels labels(static_cast<std::size_t>(shape.points()));
        for (std::size_t i = 0; i < labels.size(); ++i)
            labels[i] = 1 + static_cast<std::uint32_t>(i % static_cast<std::size_t>(shape.x)) % 3;
        expect_equal(shape, labels, static_cast<std::uint32_t>(std::min<std::int64_t>(shape.x, 3)));
    }
}

TEST_P(ComponentStatistics, AllocatesNothingTwice) {
    const Shape shape{600, 500};
    const Labels labels(static_cast<std::size_t>(shape.points()), 1u);
    const auto uploaded = queue.upload(std::span<const std::uint32_t>(labels), "labels");
    const std::int64_t in_use = queue.counters().bytes_in_use;
    component_statistics(queue, shape, uploaded, 1);
    const QueueCounters before = queue.counters();
    EXPECT_LE(before.peak_bytes_in_use - in_use,
              component_statistics_bytes(shape, 1) * 17 / 16 + 4096);
    component_statistics(queue, shape, uploaded, 1);
    const QueueCounters after = queue.counters();
    EXPECT_EQ(after.allocations, before.allocations);
    EXPECT_LE(after.launches - before.launches, 3);
}

// ---- Labels and statistics together ------------------------------------------------------------

class MeasureComponents : public ::testing::TestWithParam<std::tuple<Device, ComponentParts>> {
  protected:
    Queue queue{std::get<0>(GetParam())};
    ComponentParts parts = std::get<1>(GetParam());

    void expect_equal(const Image<std::uint8_t>& image, int axes) {
        const Shape& shape = image.shape();
        const Labels expected = flooded(
            image, axes, [](auto) { return true; }, true);
        const auto values = queue.lend(std::span<const std::uint8_t>(image.pixels()), "values");
        auto labels = queue.allocate<std::uint32_t>(shape.points(), "labels");
        const auto found = measure_components(queue, shape, values, axes, labels, parts);
        ASSERT_EQ(queue.download(labels), expected) << text_of(shape);
        ASSERT_EQ(found.count, *std::max_element(expected.begin(), expected.end()));
        std::vector<std::uint32_t> records(found.count *
                                           static_cast<std::size_t>(component_record_words(shape)));
        queue.read(found.statistics, std::span<std::uint32_t>(records));
        expect_records(records, expected, shape);
    }
    // Each point has a value of its coordinates.
    template <class Value>
    void expect_equal(const Shape& shape, const Value& value, int axes) {
        Image<std::uint8_t> image(shape);
        for (std::int64_t i = 0; i < shape.points(); ++i)
            image.pixels()[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(
                value(i % shape.x, i / shape.x % shape.y, i / shape.x / shape.y));
        expect_equal(image, axes);
    }
};

std::string name_of(const ::testing::TestParamInfo<MeasureComponents::ParamType>& info) {
    std::string name = std::get<0>(info.param).id();
    std::replace(name.begin(), name.end(), ':', '_');
    return name + (std::get<1>(info.param) == ComponentParts::tiles ? "_tiles" : "_slabs");
}
INSTANTIATE_TEST_SUITE_P(Devices, MeasureComponents,
                         ::testing::Combine(::testing::ValuesIn(testing::test_devices()),
                                            ::testing::Values(ComponentParts::tiles,
                                                              ComponentParts::slabs)),
                         name_of);

TEST_P(MeasureComponents, EqualTheReferenceOnRandomImages) {
    testing::Cases cases(std::get<0>(GetParam()));
    unsigned seed = 50;
    std::vector<Shape> some = shapes;
    // Axes of one point between others, more than a tile along each axis of four, and rows that are
    // numbered by strips, one of which fills a group or not, and that are too long for strips.
    some.insert(some.end(), {{1, 70, 40},
                             {1, 1, 90},
                             {40, 1, 70},
                             {9, 1, 1, 70},
                             {34, 9, 10, 3},
                             {4096, 9},
                             {2100, 10},
                             {4130, 9}});
    for (const Shape& shape : some)
        for (const unsigned percent : {0u, 30u, 50u})
            for (const int axes : {1, shape.dimensions()}) {
                if (!cases.take()) continue;
                expect_equal(random_image<std::uint8_t>(shape, percent, 2, ++seed), axes);
            }
}

// As many as points, in more batches than one: neighbors differ.
TEST_P(MeasureComponents, EveryPointIsAComponent) {
    const auto value = [](auto x, auto y, auto z) { return (x * 37 + y * 101 + z * 59) % 251; };
    for (const Shape& shape : {Shape{300, 170}, Shape{40, 30, 20}}) expect_equal(shape, value, 1);
}

// Sums of coordinates beyond 32 bits, and components in many tiles.
TEST_P(MeasureComponents, LargeComponents) {
    expect_equal(
        Shape{6000, 250}, [](auto, auto, auto) { return 1; }, 1);
    expect_equal(
        Shape{3, 150000}, [](auto x, auto, auto) { return x; }, 1);
    expect_equal(
        Shape{150, 100, 40}, [](auto x, auto y, auto) { return (x + y) / 50 % 2; }, 3);
}

// Lines along each axis: most tiles have parts of others' components.
TEST_P(MeasureComponents, Lines) {
    const Shape shape{70, 40, 41};
    expect_equal(
        shape, [](auto, auto y, auto z) { return y % 2 + z % 2 * 2; }, 1);
    expect_equal(
        shape, [](auto x, auto, auto z) { return x % 2 + z % 2 * 2; }, 1);
    expect_equal(
        shape, [](auto x, auto y, auto) { return x % 2 + y % 2 * 2; }, 1);
}

// Few components, of which tiles share more parts than there is memory for.
TEST_P(MeasureComponents, MoreIsSharedThanThereIsMemoryFor) {
    expect_equal(
        Shape{320, 320}, [](auto x, auto y, auto) { return (x + y) % 4; }, 2);
    expect_equal(
        Shape{6, 5, 4, 20}, [](auto x, auto y, auto z) { return x % 2 + y % 2 * 2 + z % 2 * 4; },
        1);
}

TEST_P(MeasureComponents, AllocatesNothingTwice) {
    for (const Shape& shape : {Shape{600, 500}, Shape{70, 60, 50}}) {
        Queue fresh(std::get<0>(GetParam()));
        const Image<std::uint8_t> image = random_image<std::uint8_t>(shape, 40, 2, 9);
        const auto values = fresh.lend(std::span<const std::uint8_t>(image.pixels()), "values");
        auto labels = fresh.allocate<std::uint32_t>(shape.points(), "labels");
        const std::int64_t in_use = fresh.counters().bytes_in_use;
        const auto count = measure_components(fresh, shape, values, 1, labels, parts).count;
        const QueueCounters before = fresh.counters();
        EXPECT_LE(before.peak_bytes_in_use - in_use,
                  measure_components_bytes(shape, count) * 17 / 16 + 4096);
        measure_components(fresh, shape, values, 1, labels, parts);
        const QueueCounters after = fresh.counters();
        EXPECT_EQ(after.allocations, before.allocations);
        EXPECT_LE(after.launches - before.launches, 9);
    }
}

// ---- The public operation ----------------------------------------------------------------------

template <class T>
void expect_components(Queue& queue, const Shape& shape, unsigned seed) {
    const Image<T> image = random_image<T>(shape, 50, 2, seed);
    const Connectivity all = resolve(Connectivity::automatic, shape);
    const int axes = axes_of_neighbors(all, shape);
    for (const bool binary : {true, false})
        for (const bool background : {false, true}) {
            if (binary && background) continue;
            ComponentOptions options;
            options.values = binary ? ComponentValues::binary : ComponentValues::equal;
            if (background) options.background = 1;
            const ComponentResult found = components(image, options, queue);
            const Labels expected = flooded(
                image, axes, [&](T v) { return binary ? v != T{0} : !background || v != T{1}; },
                !binary);
            ASSERT_TRUE(found.labels.pixels() == expected)
                << text_of(shape) << ", " << pixel_type_name(pixel_type_of<T>()) << ", "
                << (binary ? "binary" : "equal");
            EXPECT_EQ(found.count, *std::max_element(expected.begin(), expected.end()));
            EXPECT_EQ(found.connectivity, all);
            expect_table(found.table, expected, shape);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                if (expected[i] == 0) continue;
                ASSERT_EQ(found.table[expected[i] - 1].value,
                          binary ? 1.0 : static_cast<double>(image.pixels()[i]));
            }
        }
}

TEST_P(ComponentTable, EveryPixelType) {
    unsigned seed = 100;
    for (const Shape& shape : {Shape{1, 1}, Shape{37, 23}, Shape{33, 65}, Shape{257, 9},
                               Shape{9, 8, 7}, Shape{33, 4, 3}, Shape{4, 5, 3, 3}}) {
        expect_components<std::uint8_t>(queue, shape, ++seed);
        expect_components<std::int8_t>(queue, shape, ++seed);
        expect_components<std::uint16_t>(queue, shape, ++seed);
        expect_components<std::int16_t>(queue, shape, ++seed);
        expect_components<std::uint32_t>(queue, shape, ++seed);
        expect_components<std::int32_t>(queue, shape, ++seed);
        expect_components<float>(queue, shape, ++seed);
        expect_components<double>(queue, shape, ++seed);
    }
}

TEST_P(ComponentTable, ValuesKeepTheirSign) {
    Image<std::int16_t> small({3, 1});
    small.pixels() = {-7, -7, 300};
    ComponentResult found = components(small, {.values = ComponentValues::equal}, queue);
    ASSERT_EQ(found.table.size(), 2u);
    EXPECT_EQ(found.table[0].value, -7);
    EXPECT_EQ(found.table[1].value, 300);
    Image<std::uint32_t> large({3, 1});
    large.pixels() = {4294967295u, 2147483648u, 2147483648u};
    found =
        components(large, {.values = ComponentValues::equal, .background = 4294967295.0}, queue);
    EXPECT_EQ(found.labels.pixels(), (Labels{0, 1, 1}));
    EXPECT_EQ(found.table[0].value, 2147483648.0);
    Image<float> zeros({3, 1});
    zeros.pixels() = {0.0f, -0.0f, 0.5f};
    found = components(zeros, {.values = ComponentValues::equal}, queue);
    EXPECT_EQ(found.labels.pixels(), (Labels{1, 1, 2}));
    found = components(zeros, {}, queue);
    EXPECT_EQ(found.labels.pixels(), (Labels{0, 0, 1}));
}

// Two neighbors in an L and one alone, by hand.
TEST_P(ComponentTable, SmallComponentsAreDropped) {
    Image<std::uint8_t> image({4, 3});
    image.pixels() = {9, 0, 0, 1,  //
                      0, 0, 1, 1,  //
                      5, 0, 0, 0};
    ComponentResult found = components(image, {}, queue);
    EXPECT_EQ(found.labels.pixels(), (Labels{1, 0, 0, 2, 0, 0, 2, 2, 3, 0, 0, 0}));
    EXPECT_EQ(found.dropped_count, 0u);
    found = components(image, {.min_size = 2}, queue);
    EXPECT_EQ(found.labels.pixels(), (Labels{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0}));
    EXPECT_EQ(found.dropped_count, 2u);
    ASSERT_EQ(found.table.size(), 1u);
    EXPECT_EQ(found.table[0].area, 3);
    EXPECT_EQ(found.table[0].first, (std::array<std::int32_t, 4>{2, 0, 0, 0}));
    EXPECT_EQ(found.table[0].last, (std::array<std::int32_t, 4>{3, 1, 0, 0}));
    EXPECT_DOUBLE_EQ(found.table[0].centroid[0], 8.0 / 3);
    EXPECT_DOUBLE_EQ(found.table[0].centroid[1], 2.0 / 3);
    found = components(image, {.min_size = 4}, queue);
    EXPECT_EQ(found.count, 0u);
    EXPECT_EQ(found.dropped_count, 3u);
    EXPECT_TRUE(found.table.empty());
    EXPECT_EQ(found.labels.pixels(), Labels(12, 0u));
}

TEST_P(ComponentTable, LabelsAlone) {
    const Image<std::uint8_t> image = random_image<std::uint8_t>({200, 150}, 40, 3, 5);
    for (const std::int64_t min_size : {0, 20}) {
        const ComponentOptions options{.connectivity = Connectivity::four, .min_size = min_size};
        const ComponentResult both = components(image, options, queue);
        const ComponentResult alone =
            components(image, options, queue, ComponentOutput::labels_only);
        EXPECT_EQ(alone.labels.pixels(), both.labels.pixels());
        EXPECT_EQ(alone.count, both.table.size());
        EXPECT_TRUE(alone.table.empty());
        for (const Component& component : both.table) EXPECT_GE(component.area, min_size);
    }
}

// Noise, of which there are many components, and a few large ones.
TEST_P(ComponentTable, PlanCoversTheUseAndLittleMore) {
    // The most by which plans exceed the use: the runs of noise that begin components are more than
    // these, the more so in four dimensions, and on the CPU little else is used.
    const auto check = [&](const AnyImage& image, const ComponentOptions& options) {
        const double most = shape_of(image).dimensions() < 4 ? 1.8 : 2.2;
        // The image itself, and the labels of the result.
        const bool lends = GetParam().back_end() == BackEnd::cpu;
        const auto lent =
            lends ? shape_of(image).points() * (pixel_type_bytes(pixel_type_of(image)) + 4) : 0;
        for (const ComponentOutput output :
             {ComponentOutput::labels_only, ComponentOutput::labels_and_table}) {
            Queue fresh(GetParam());
            components(image, options, fresh, output);
            const auto peak = static_cast<double>(fresh.counters().peak_bytes_in_use + lent);
            const auto planned =
                static_cast<double>(components_bytes(image, options, GetParam(), output).device);
            EXPECT_LE(peak, 1.07 * planned + 20000) << peak / planned;
            EXPECT_GE(peak, planned / most) << peak / planned;
        }
    };
    const auto equal = ComponentValues::equal;
    for (const Shape& shape : {Shape{512, 400}, Shape{70, 60, 50}, Shape{20, 30, 20, 10}}) {
        Image<float> few(shape);
        for (std::int64_t i = 0; i < shape.points(); ++i)
            few.pixels()[static_cast<std::size_t>(i)] = static_cast<float>(4 * i / shape.points());
        const auto lowest = static_cast<Connectivity>(2 * shape.dimensions());
        for (const Connectivity connectivity : {Connectivity::automatic, lowest}) {
            check(few, {.connectivity = connectivity});
            check(few, {.values = equal, .connectivity = connectivity});
            for (const unsigned levels : {1u, 50u}) {
                const Image<std::uint8_t> noise = random_image<std::uint8_t>(shape, 50, levels, 6);
                check(noise, {.connectivity = connectivity});
                check(noise, {.connectivity = connectivity, .min_size = 4});
                check(noise, {.values = equal, .connectivity = connectivity});
                check(noise, {.values = equal, .background = 1.0, .connectivity = connectivity});
            }
            check(random_image<std::uint16_t>(shape, 90, 30, 6),
                  {.values = equal, .connectivity = connectivity, .min_size = 3});
        }
    }
}

TEST_P(ComponentTable, PlanOfNotANumber) {
    Image<float> image({5, 4});
    std::fill(image.pixels().begin(), image.pixels().end(),
              std::numeric_limits<float>::quiet_NaN());
    // Each is a component by itself, as where all values differ.
    Image<float> ramp({5, 4});
    std::iota(ramp.pixels().begin(), ramp.pixels().end(), 1.0F);
    const ComponentOptions options{.values = ComponentValues::equal};
    EXPECT_EQ(components_bytes(image, options, GetParam()).device,
              components_bytes(ramp, options, GetParam()).device);
}

TEST_P(ComponentTable, MemoryIsAsPlanned) {
    const Image<std::uint8_t> image = random_image<std::uint8_t>({512, 400}, 50, 2, 6);
    const ComponentOptions options{.values = ComponentValues::equal, .min_size = 3};
    components(image, options, queue);
    EXPECT_LE(queue.counters().peak_bytes_in_use,
              components_bytes(image, options, GetParam()).device * 17 / 16);
    const std::int64_t allocations = queue.counters().allocations;
    components(image, options, queue);
    EXPECT_EQ(queue.counters().allocations, allocations);
}

TEST(PhysicalPoint, FollowsSpacingOriginAndDirection) {
    Geometry geometry;
    EXPECT_THROW(physical_point(geometry, {1, 2, 3}), InvalidArgument);
    geometry.unit = Unit::micrometer;
    geometry.spacing = {500, 2000, 1000};
    geometry.origin = {1000, 0, -3000};
    geometry.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};  // x runs along the second axis of space
    EXPECT_EQ(physical_point(geometry, {2, 3, 4}), (std::array<double, 3>{1 - 6, 1, -3 + 4}));
}

// Every point is a component, so that there are many rows.
TEST_P(ComponentTable, IsCancelledBetweenRows) {
    Image<std::uint16_t> image({200, 250});
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<std::uint16_t>(i);
    CancelToken token;
    int looks = 0;
    const Progress progress(
        [&](double, std::string_view stage) {
            if (stage == "table" && ++looks == 2) token.cancel();
        },
        &token);
    EXPECT_THROW(components(image, {.values = ComponentValues::equal}, queue,
                            ComponentOutput::labels_and_table, progress),
                 Cancelled);
    EXPECT_EQ(looks, 2);
}

// ---- Bad input ---------------------------------------------------------------------------------

template <class E>
void expect_refused(Queue& queue, const AnyImage& image, const ComponentOptions& options,
                    const std::string& words) {
    try {
        components(image, options, queue);
        ADD_FAILURE() << "was taken: " << words;
    } catch (const E& error) {
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

TEST_P(ComponentTable, BadInputIsRefused) {
    const Image<std::uint8_t> image({5, 4});
    const auto equal = ComponentValues::equal;
    expect_refused<InvalidArgument>(queue, image, {.min_size = -1}, "--min-size");
    expect_refused<InvalidArgument>(queue, image, {.connectivity = Connectivity::six},
                                    "--connectivity 6");
    expect_refused<InvalidArgument>(queue, image, {.background = 1.0}, "--background");
    expect_refused<InvalidArgument>(queue, image, {.values = equal, .background = 256.0},
                                    "no value of uint8");
    expect_refused<InvalidArgument>(queue, image, {.values = equal, .background = 0.5},
                                    "no value of uint8");
    expect_refused<UnsupportedFormat>(queue, Image<std::uint8_t>({5, 4, 1, 1, 3}), {}, "3");
    Image<float> holes({5, 4});
    holes(2, 3) = std::numeric_limits<float>::quiet_NaN();
    expect_refused<InvalidArgument>(queue, holes, {}, "x 2, y 3");
    Image<double> fine({5, 4});
    fine(1, 1) = 1.0 / 3;
    expect_refused<InvalidArgument>(queue, fine, {.values = equal}, "float32");
}

}  // namespace
}  // namespace tesela
