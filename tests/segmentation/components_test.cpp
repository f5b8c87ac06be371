// Components on every device against flood fill (F30 to F32).
#include "segmentation/components.h"

#include <random>

#include "devices.h"
#include "reference/labels_reference.h"
#include "tesela/connectivity.h"

namespace tesela {
namespace {

class Components : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    struct Labeled {
        std::vector<std::uint32_t> labels;
        std::uint32_t count;
    };
    // `planes`: one plane of features a channel.
    Labeled label(const Shape& shape, int channels, const std::vector<std::int32_t>& planes,
                  std::int64_t limit2, Connectivity connectivity) {
        const auto features = queue.upload(std::span<const std::int32_t>(planes), "features");
        constexpr std::int64_t guard = 64;  // written by nobody
        auto labels =
            queue.allocate_filled<std::uint32_t>(shape.points() + guard, 0xabcdu, "labels");
        const std::uint32_t count =
            label_components(queue, shape, channels, features, limit2,
                             axes_of_neighbors(connectivity, shape), labels);
        auto result = queue.download(labels);
        for (auto i = static_cast<std::size_t>(shape.points()); i < result.size(); ++i)
            EXPECT_EQ(result[i], 0xabcdu);
        result.resize(static_cast<std::size_t>(shape.points()));
        return {result, count};
    }
};
TESELA_ON_EVERY_DEVICE(Components);

std::vector<std::int32_t> random_planes(const Shape& shape, int channels, int levels,
                                        unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<std::int32_t> planes(static_cast<std::size_t>(shape.points() * channels));
    for (auto& value : planes)
        value = static_cast<std::int32_t>(generator() % static_cast<unsigned>(levels)) - levels / 2;
    return planes;
}

reference::Samples samples(const Shape& shape, int channels,
                           const std::vector<std::int32_t>& planes) {
    reference::Samples result;
    result.size = {static_cast<int>(shape.x), static_cast<int>(shape.y), static_cast<int>(shape.z)};
    result.channels = channels;
    result.features.resize(planes.size());
    const auto points = static_cast<std::size_t>(shape.points());
    for (std::size_t i = 0; i < points; ++i)
        for (int c = 0; c < channels; ++c)
            result.features[i * channels + c] = planes[c * points + i];
    return result;
}

TEST_P(Components, EqualFloodFillOnRandomImages) {
    unsigned seed = 1;
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 9}, Shape{37, 23}, Shape{100, 100},
                               Shape{513, 65}, Shape{12, 11, 10}, Shape{3, 2, 40}})
        for (const int channels : {1, 3})
            for (const int levels : {2, 3, 6})
                for (const std::int64_t limit2 : {0, 1, 2, 5})
                    for (const auto& [connectivity, name] : enum_names(Connectivity{})) {
                        const bool volume = shape.z > 1;
                        const bool of_pictures = connectivity == Connectivity::four ||
                                                 connectivity == Connectivity::eight;
                        if (connectivity == Connectivity::automatic || volume == of_pictures)
                            continue;
                        const auto planes = random_planes(shape, channels, levels, ++seed);
                        const Labeled found = label(shape, channels, planes, limit2, connectivity);
                        const auto expected = reference::flood_fill(
                            samples(shape, channels, planes),
                            std::sqrt(static_cast<double>(limit2)), static_cast<int>(connectivity));
                        ASSERT_EQ(found.labels, expected)
                            << shape.x << "x" << shape.y << "x" << shape.z << " " << name
                            << " seed " << seed;
                        ASSERT_EQ(found.count, *std::max_element(expected.begin(), expected.end()));
                    }
}

TEST_P(Components, ConstantImageIsOneRegion) {
    const Shape shape{513, 511};
    const std::vector<std::int32_t> planes(static_cast<std::size_t>(shape.points()), 42);
    EXPECT_EQ(label(shape, 1, planes, 0, Connectivity::four).count, 1u);
}

// The longest path through an image: a corridor that runs to and fro (F32).
TEST_P(Components, SerpentineEnds) {
    const Shape shape{301, 301};
    std::vector<std::int32_t> planes(static_cast<std::size_t>(shape.points()), 0);
    for (int y = 1; y < 301; y += 2)
        for (int x = 0; x < 301; ++x)
            if (x != (y / 2 % 2 ? 0 : 300)) planes[std::size_t(y) * 301 + x] = 9;
    const Labeled found = label(shape, 1, planes, 0, Connectivity::four);
    EXPECT_EQ(found.labels, reference::flood_fill(samples(shape, 1, planes), 0, 4));
    EXPECT_EQ(found.count, 151u);
}

// A larger tolerance only joins regions (F31).
TEST_P(Components, CountFallsWithTheTolerance) {
    const Shape shape{120, 90};
    const auto planes = random_planes(shape, 3, 40, 77);
    std::uint32_t last = 0xffffffffu;
    for (const std::int64_t limit2 : {0, 4, 25, 100, 225, 400, 4800}) {
        const std::uint32_t count = label(shape, 3, planes, limit2, Connectivity::eight).count;
        EXPECT_LE(count, last);
        last = count;
    }
    EXPECT_EQ(last, 1u);
}

}  // namespace
}  // namespace tesela
