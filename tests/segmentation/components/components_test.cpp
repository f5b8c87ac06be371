// Components on every device, joined in tiles and in slabs, against flood fill (F30 to F32).
#include "segmentation/components/components.h"

#include <algorithm>
#include <random>
#include <tuple>

#include "devices.h"
#include "reference/components_reference.h"
#include "reference/labels_reference.h"
#include "tesela/connectivity.h"

namespace tesela {
namespace {

using Labels = std::vector<std::uint32_t>;

class Components : public ::testing::TestWithParam<std::tuple<Device, ComponentParts>> {
  protected:
    Queue queue{std::get<0>(GetParam())};
    ComponentParts parts = std::get<1>(GetParam());

    struct Labeled {
        Labels labels;
        std::uint32_t count;
    };
    // `run` gets the buffer of labels, and gives their number.
    template <class Run>
    Labeled guarded(const Shape& shape, const Run& run) {
        constexpr std::int64_t guard = 64;  // written by nobody
        auto labels =
            queue.allocate_filled<std::uint32_t>(shape.points() + guard, 0xabcdu, "labels");
        const std::uint32_t count = queue.download(run(labels))[0];
        Labels result = queue.download(labels);
        for (auto i = static_cast<std::size_t>(shape.points()); i < result.size(); ++i)
            EXPECT_EQ(result[i], 0xabcdu);
        result.resize(static_cast<std::size_t>(shape.points()));
        return {result, count};
    }
    // `planes`: one plane of features a channel.
    Labeled label(const Shape& shape, int channels, const std::vector<std::int32_t>& planes,
                  std::int64_t limit2, int axes) {
        const auto features = queue.upload(std::span<const std::int32_t>(planes), "features");
        return guarded(shape, [&](auto& labels) {
            return label_components(queue, shape, channels, features, limit2, axes, labels, parts);
        });
    }
    Labeled label(const Shape& shape, const std::vector<std::uint8_t>& values, int axes) {
        const auto lent = queue.lend(std::span<const std::uint8_t>(values), "values");
        return guarded(shape, [&](auto& labels) {
            return label_components(queue, shape, lent, axes, labels, parts);
        });
    }
};

std::string name_of(const ::testing::TestParamInfo<Components::ParamType>& info) {
    std::string name = std::get<0>(info.param).id();
    std::replace(name.begin(), name.end(), ':', '_');
    return name + (std::get<1>(info.param) == ComponentParts::tiles ? "_tiles" : "_slabs");
}
INSTANTIATE_TEST_SUITE_P(Devices, Components,
                         ::testing::Combine(::testing::ValuesIn(testing::test_devices()),
                                            ::testing::Values(ComponentParts::tiles,
                                                              ComponentParts::slabs)),
                         name_of);

std::vector<std::int32_t> random_planes(const Shape& shape, int channels, int levels,
                                        unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<std::int32_t> planes(static_cast<std::size_t>(shape.points() * channels));
    for (auto& value : planes)
        value = static_cast<std::int32_t>(generator() % static_cast<unsigned>(levels)) - levels / 2;
    return planes;
}

std::vector<std::uint8_t> random_bytes(const Shape& shape, int levels, unsigned seed) {
    const auto planes = random_planes(shape, 1, levels, seed);
    std::vector<std::uint8_t> bytes(planes.size());
    std::transform(planes.begin(), planes.end(), bytes.begin(),
                   [](std::int32_t value) { return static_cast<std::uint8_t>(value); });
    return bytes;
}

std::array<int, 4> size_of(const Shape& shape) {
    return {static_cast<int>(shape.x), static_cast<int>(shape.y), static_cast<int>(shape.z),
            static_cast<int>(shape.t)};
}

Labels flooded(const Shape& shape, int channels, const std::vector<std::int32_t>& planes,
               std::int64_t limit2, int axes) {
    const auto points = static_cast<std::size_t>(shape.points());
    return reference::components(size_of(shape), axes, [&](std::size_t a, std::size_t b) {
        std::int64_t sum = 0;
        for (int c = 0; c < channels; ++c) {
            const std::int64_t d = std::int64_t{planes[c * points + a]} - planes[c * points + b];
            sum += d * d;
        }
        return sum <= limit2;
    });
}
Labels flooded(const Shape& shape, const std::vector<std::uint8_t>& values, int axes) {
    return reference::components(
        size_of(shape), axes, [&](std::size_t a, std::size_t b) { return values[a] == values[b]; });
}

std::string text_of(const Shape& shape, int axes, unsigned seed) {
    return std::to_string(shape.x) + "x" + std::to_string(shape.y) + "x" + std::to_string(shape.z) +
           "x" + std::to_string(shape.t) + ", " + std::to_string(axes) + " axes, seed " +
           std::to_string(seed);
}

// Around the length of a tile and of a chunk of a row, more than one slab along each axis, and rows
// that are numbered by strips and that are too long for that.
const std::vector<Shape> shapes{
    {1, 1},       {1, 9},       {9, 1},         {31, 65},      {32, 64},   {33, 63},    {37, 23},
    {257, 3},     {513, 65},    {700, 200},     {12, 11, 10},  {3, 2, 40}, {33, 1, 70}, {1, 40, 9},
    {70, 60, 33}, {5, 4, 3, 6}, {34, 9, 10, 3}, {3, 1, 50, 4}, {2100, 10}, {4130, 9}};

TEST_P(Components, EqualFloodFillOnRandomFeatures) {
    testing::Cases cases(std::get<0>(GetParam()));
    unsigned seed = 1;
    for (const Shape& shape : shapes)
        for (const int channels : {1, 3})
            for (const auto& [levels, limit2] :
                 std::vector<std::pair<int, std::int64_t>>{{2, 0}, {3, 0}, {3, 1}, {6, 2}, {6, 5}})
                for (int axes = 1; axes <= shape.dimensions(); ++axes) {
                    // Flood fill takes long.
                    if (shape.points() > 50000 && (limit2 != 1 || axes == 2)) continue;
                    if (!cases.take()) continue;
                    const auto planes = random_planes(shape, channels, levels, ++seed);
                    const Labeled found = label(shape, channels, planes, limit2, axes);
                    const Labels expected = flooded(shape, channels, planes, limit2, axes);
                    ASSERT_TRUE(found.labels == expected) << text_of(shape, axes, seed);
                    ASSERT_EQ(found.count, *std::max_element(expected.begin(), expected.end()));
                }
}

TEST_P(Components, EqualFloodFillOnRandomBytes) {
    testing::Cases cases(std::get<0>(GetParam()));
    unsigned seed = 1000;
    for (const Shape& shape : shapes)
        for (const int levels : {1, 2, 4})
            for (int axes = 1; axes <= shape.dimensions(); ++axes) {
                if (shape.points() > 50000 && levels != 2) continue;
                if (!cases.take()) continue;
                const auto values = random_bytes(shape, levels, ++seed);
                const Labeled found = label(shape, values, axes);
                const Labels expected = flooded(shape, values, axes);
                ASSERT_TRUE(found.labels == expected) << text_of(shape, axes, seed);
                ASSERT_EQ(found.count, *std::max_element(expected.begin(), expected.end()));
            }
}

// Labels numbered by their first points.
Labels numbered(const Labels& labels) {
    Labels numbers(labels.size() + 1, 0);
    Labels result;
    std::uint32_t last = 0;
    for (const std::uint32_t label : labels) {
        EXPECT_GE(label, 1u);
        EXPECT_LE(label, labels.size());
        std::uint32_t& number = numbers.at(label);
        if (number == 0) number = ++last;
        result.push_back(number);
    }
    return result;
}

TEST_P(Components, AreToldApart) {
    testing::Cases cases(std::get<0>(GetParam()));
    unsigned seed = 2000;
    for (const Shape& shape : shapes)
        for (int axes = 1; axes <= shape.dimensions(); ++axes) {
            if (!cases.take()) continue;
            const auto values = random_bytes(shape, 2, ++seed);
            const auto lent = queue.lend(std::span<const std::uint8_t>(values), "values");
            auto labels = queue.allocate<std::uint32_t>(shape.points(), "labels");
            tell_components_apart(queue, shape, lent, axes, labels, parts);
            ASSERT_TRUE(numbered(queue.download(labels)) == label(shape, values, axes).labels)
                << text_of(shape, axes, seed);
        }
}

// The reference of the specification's own connectivities agrees with that of any axes.
TEST(ComponentsReference, EqualsTheOneOfPictures) {
    const Shape shape{37, 23};
    const auto planes = random_planes(shape, 1, 3, 5);
    reference::Samples samples;
    samples.size = {37, 23, 1};
    samples.channels = 1;
    samples.features.assign(planes.begin(), planes.end());
    EXPECT_EQ(flooded(shape, 1, planes, 1, 1), reference::flood_fill(samples, 1, 4));
    EXPECT_EQ(flooded(shape, 1, planes, 1, 2), reference::flood_fill(samples, 1, 8));
}

TEST_P(Components, FeaturesFarApart) {
    // Differences beyond 16 bits, whose squares need 64.
    const std::vector<std::int32_t> planes{-1000000000, 1000000000, 1000000000 - 70000, 5};
    EXPECT_EQ(label({4, 1}, 1, planes, 70000LL * 70000, 1).labels, (Labels{1, 2, 2, 3}));
    EXPECT_EQ(label({4, 1}, 1, planes, 70000LL * 70000 - 1, 1).labels, (Labels{1, 2, 3, 4}));
    EXPECT_EQ(label({4, 1}, 1, planes, 2000000000LL * 2000000000, 1).count, 1u);
}

TEST_P(Components, ConstantImageIsOneRegion) {
    const Shape shape{513, 511};
    const std::vector<std::int32_t> planes(static_cast<std::size_t>(shape.points()), 42);
    EXPECT_EQ(label(shape, 1, planes, 0, 1).count, 1u);
}

TEST_P(Components, EveryPointIsARegion) {
    const Shape shape{200, 700};
    std::vector<std::int32_t> planes(static_cast<std::size_t>(shape.points()));
    for (std::size_t i = 0; i < planes.size(); ++i) planes[i] = static_cast<std::int32_t>(2 * i);
    const Labeled found = label(shape, 1, planes, 1, 2);
    EXPECT_EQ(found.count, planes.size());
    for (std::size_t i = 0; i < planes.size(); ++i) ASSERT_EQ(found.labels[i], i + 1);
}

// The longest path through an image: a corridor that runs to and fro (F32).
TEST_P(Components, SerpentineEnds) {
    for (const bool upright : {false, true}) {
        const Shape shape{401, 401};
        std::vector<std::uint8_t> values(static_cast<std::size_t>(shape.points()), 0);
        for (int v = 1; v < 401; v += 2)
            for (int u = 0; u < 401; ++u)
                if (u != (v / 2 % 2 ? 0 : 400))
                    values[static_cast<std::size_t>(upright ? u * 401 + v : v * 401 + u)] = 9;
        const Labeled found = label(shape, values, 1);
        EXPECT_TRUE(found.labels == flooded(shape, values, 1));
        EXPECT_EQ(found.count, 201u);
    }
}

// A tile has no more links than where all are diagonal and no run is longer than a point.
TEST_P(Components, DiagonalsOnly) {
    for (const Shape& shape : {Shape{150, 130}, Shape{70, 20, 18}}) {
        std::vector<std::uint8_t> values = random_bytes(shape, 40, 7);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            const std::int64_t parity =
                at % shape.x + at / shape.x % shape.y + at / (shape.x * shape.y);
            if (values[i] != 0) values[i] = static_cast<std::uint8_t>(1 + parity % 2);  // few are 0
        }
        const Labeled found = label(shape, values, shape.dimensions());
        EXPECT_TRUE(found.labels == flooded(shape, values, shape.dimensions()));
    }
}

// A larger tolerance only joins regions (F31).
TEST_P(Components, CountFallsWithTheTolerance) {
    const Shape shape{120, 90};
    const auto planes = random_planes(shape, 3, 40, 77);
    std::uint32_t last = 0xffffffffu;
    for (const std::int64_t limit2 : {0, 4, 25, 100, 225, 400, 4800}) {
        const std::uint32_t count = label(shape, 3, planes, limit2, 2).count;
        EXPECT_LE(count, last);
        last = count;
    }
    EXPECT_EQ(last, 1u);
}

// Few launches, one small read, and nothing allocated on a second call.
TEST_P(Components, LaunchesAndMemoryAreBounded) {
    const Shape shape{512, 512};
    const auto values = random_bytes(shape, 2, 3);
    const auto lent = queue.lend(std::span<const std::uint8_t>(values), "values");
    auto labels = queue.allocate<std::uint32_t>(shape.points(), "labels");
    const std::int64_t in_use = queue.counters().bytes_in_use;
    label_components(queue, shape, lent, 1, labels, parts);
    const QueueCounters before = queue.counters();
    EXPECT_LE(before.peak_bytes_in_use - in_use, label_components_bytes(shape) * 17 / 16 + 4096);
    label_components(queue, shape, lent, 1, labels, parts);
    const QueueCounters after = queue.counters();
    EXPECT_EQ(after.launches - before.launches, parts == ComponentParts::tiles ? 5 : 6);
    EXPECT_EQ(after.allocations, before.allocations);
    EXPECT_EQ(after.downloads, before.downloads);
}

TEST_P(Components, OtherChannelsAreRefused) {
    try {
        label({2, 2}, 2, std::vector<std::int32_t>(8, 0), 0, 1);
        ADD_FAILURE() << "two channels were taken";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("not of 2"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace tesela
