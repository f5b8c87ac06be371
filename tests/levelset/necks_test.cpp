// Parts that hang by necks, on every device: the points of the reference, and known bars.
#include "levelset/necks.h"

#include <algorithm>
#include <random>

#include "devices.h"
#include "kernels/levelset/necks.kernel.h"
#include "reference/necks_reference.h"

namespace tesela {
namespace {

class NecksOfObjects : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    std::vector<CutPart> cut(const Shape& shape, const std::array<double, 3>& spacing,
                             double radius, const std::vector<std::uint32_t>& seeds, int count,
                             std::vector<std::uint8_t>& objects, CutNecks what = CutNecks::cut) {
        auto device = queue.upload(std::span<const std::uint8_t>(objects), "objects");
        const auto parts = cut_necks(queue, shape, spacing,
                                     std::vector<double>(static_cast<std::size_t>(count), radius),
                                     seeds, count, device, what);
        objects = queue.download(device);
        return parts;
    }
};
TESELA_ON_EVERY_DEVICE(NecksOfObjects);

// Balls and bars of several objects, with single points off.
std::vector<std::uint8_t> scene(const Shape& shape, int count, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<std::uint8_t> objects(static_cast<std::size_t>(shape.points()), 0);
    const auto any = [&](std::int64_t n) {
        return static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(n));
    };
    for (int k = 0; k < 5 * count; ++k) {
        const auto object = static_cast<std::uint8_t>(1 + k % count);
        const std::array<std::int64_t, 3> middle{any(shape.x), any(shape.y), any(shape.z)};
        const std::array<std::int64_t, 3> reach =
            k % 5 < 3 ? std::array<std::int64_t, 3>{2 + any(3), 2 + any(3), 2 + any(3)}
                      : std::array<std::int64_t, 3>{any(12), any(2), any(2)};
        for (std::int64_t z = 0; z < shape.z; ++z)
            for (std::int64_t y = 0; y < shape.y; ++y)
                for (std::int64_t x = 0; x < shape.x; ++x)
                    if (std::abs(x - middle[0]) <= reach[0] &&
                        std::abs(y - middle[1]) <= reach[1] &&
                        std::abs(z - middle[2]) <= reach[2] && generator() % 200 != 0)
                        objects[static_cast<std::size_t>((z * shape.y + y) * shape.x + x)] = object;
    }
    return objects;
}

TEST_P(NecksOfObjects, AreThoseOfTheReference) {
    testing::Cases cases(GetParam());
    unsigned number = 0;
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 30}, Shape{37, 23}, Shape{150, 9},
                               Shape{22, 15, 9}, Shape{5, 14, 30}})
        for (const int count : {1, 3})
            for (const double radius : {1.0, 1.5, 2.0, 2.7})
                for (const std::array<double, 3>& spacing :
                     {std::array<double, 3>{1, 1, 1}, std::array<double, 3>{1, 1.5, 0.5}}) {
                    ++number;
                    if (!cases.take()) continue;
                    const std::vector<std::uint8_t> before = scene(shape, count, number);
                    std::vector<std::uint32_t> seeds;
                    std::vector<bool> is_seed(before.size(), false);
                    std::mt19937 generator(number);
                    for (unsigned k = 0; k < number % 4; ++k) {  // of some none
                        seeds.push_back(static_cast<std::uint32_t>(generator() % before.size()));
                        is_seed[seeds.back()] = true;
                    }
                    const reference::Necks necks{
                        {int(shape.x), int(shape.y), int(shape.z)}, spacing, radius};
                    std::vector<std::uint8_t> expected = before;
                    std::vector<CutPart> parts;
                    for (int object = 1; object <= count; ++object) {
                        std::vector<std::uint8_t> inside;
                        for (const std::uint8_t value : before) inside.push_back(value == object);
                        CutPart part{object, 0, std::count(inside.begin(), inside.end(), 1), {}};
                        for (const std::size_t i : necks(inside, is_seed)) {
                            expected[i] = 0;
                            ++part.points;
                            const auto point = static_cast<std::int64_t>(i);
                            part.middle[0] += static_cast<double>(point % shape.x);
                            part.middle[1] += static_cast<double>(point / shape.x % shape.y);
                            part.middle[2] += static_cast<double>(point / shape.x / shape.y);
                        }
                        for (double& middle : part.middle)
                            middle /= static_cast<double>(part.points);
                        if (part.points > 0) parts.push_back(part);
                    }
                    std::vector<std::uint8_t> told = before, found = before;
                    cut(shape, spacing, radius, seeds, count, told, CutNecks::report);
                    EXPECT_TRUE(told == before);
                    const auto gone = cut(shape, spacing, radius, seeds, count, found);
                    EXPECT_TRUE(found == expected)
                        << shape.x << "x" << shape.y << "x" << shape.z << ", case " << number;
                    ASSERT_EQ(gone.size(), parts.size());
                    for (std::size_t k = 0; k < parts.size(); ++k) {
                        EXPECT_EQ(gone[k].object, parts[k].object);
                        EXPECT_EQ(gone[k].points, parts[k].points);
                        EXPECT_EQ(gone[k].before, parts[k].before);
                        EXPECT_EQ(gone[k].middle, parts[k].middle);
                    }
                }
}

// Three squares of 7 x 7 with bars of one point between them.
TEST_P(NecksOfObjects, TheSeedsOrTheFirstOfTheLargestDecide) {
    const Shape shape{33, 9};
    std::vector<std::uint8_t> chain(static_cast<std::size_t>(shape.points()), 0);
    for (std::int64_t x = 1; x < 32; ++x)
        for (std::int64_t y = 1; y < 8; ++y)
            if (y == 4 || (x - 1) % 12 < 7) chain[static_cast<std::size_t>(y * shape.x + x)] = 1;
    const auto left = [&](const std::vector<std::uint32_t>& seeds) {
        std::vector<std::uint8_t> objects = chain;
        const auto parts = cut(shape, {1, 1, 1}, 2, seeds, 1, objects);
        EXPECT_EQ(parts.size(), 1u);
        std::string at;
        for (const std::size_t x : {4u, 16u, 28u}) at += std::to_string(objects[4 * 33 + x]);
        return at;
    };
    EXPECT_EQ(left({}), "100");
    EXPECT_EQ(left({4 * 33 + 28}), "001");
    EXPECT_EQ(left({4 * 33 + 16, 4 * 33 + 28}), "011");
    EXPECT_EQ(left({4 * 33 + 10}), "100");  // on a bar, which is no core
    std::vector<std::uint8_t> thin(static_cast<std::size_t>(shape.points()), 0);
    for (std::size_t x = 3; x < 30; ++x) thin[4 * 33 + x] = 1;
    const std::vector<std::uint8_t> before = thin;
    EXPECT_TRUE(cut(shape, {1, 1, 1}, 2, {}, 1, thin).empty());  // has no core, and stays
    EXPECT_TRUE(thin == before);
}

// Such as the one that is not wanted, which has the highest number.
TEST_P(NecksOfObjects, ObjectsBeyondTheCountAreLeftAlone) {
    const Shape shape{150, 40};
    for (const int count : {0, 1, 3}) {
        const std::vector<std::uint8_t> before = scene(shape, count + 2, 3);
        std::vector<std::uint8_t> counted, objects = before;
        for (const std::uint8_t object : before) counted.push_back(object <= count ? object : 0);
        objects.back() = 255;
        const auto parts = cut(shape, {1, 1, 1}, 1.5, {}, count, objects);
        const auto expected = cut(shape, {1, 1, 1}, 1.5, {}, count, counted);
        ASSERT_EQ(parts.size(), expected.size());
        for (std::size_t k = 0; k < parts.size(); ++k) {
            EXPECT_EQ(parts[k].points, expected[k].points);
            EXPECT_EQ(parts[k].before, expected[k].before);
        }
        EXPECT_EQ(objects.back(), 255);
        for (std::size_t i = 0; i + 1 < objects.size(); ++i)
            ASSERT_EQ(objects[i], before[i] <= count ? counted[i] : before[i]) << "point " << i;
    }
}

// Nothing is written behind what is known of the objects that are counted.
TEST_P(NecksOfObjects, BoxesStayWithinTheCount) {
    const Shape shape{150, 4, 3};
    std::vector<std::uint8_t> objects;
    for (std::int64_t i = 0; i < shape.points(); ++i)
        objects.push_back(static_cast<std::uint8_t>(i / 7 % 256));
    const auto device = queue.upload(std::span<const std::uint8_t>(objects), "objects");
    for (const int count : {0, 1, 100, 255}) {
        auto known = queue.allocate_filled<std::uint32_t>(
            std::int64_t{kernels::neck_words} * kernels::ftc_objects, 0u, "known");
        queue.launch(kernels::neck_boxes, Range{3, shape.y, shape.z}, device, known,
                     kernels::i32{count}, kernels::i32{150}, kernels::i32{4}, kernels::i32{3});
        const std::vector<std::uint32_t> found = queue.download(known);
        for (int object = 0; object < kernels::ftc_objects; ++object) {
            const std::uint32_t* own = found.data() + object * kernels::neck_words;
            const auto points = std::count(objects.begin(), objects.end(), object);
            const bool is_counted = object > 0 && object <= count;
            ASSERT_EQ(own[kernels::neck_count], is_counted ? points : 0) << "object " << object;
            if (!is_counted) {
                EXPECT_TRUE(std::all_of(own, own + kernels::neck_words, [](auto w) { return !w; }));
            }
        }
    }
}

TEST_P(NecksOfObjects, ManyObjectsWaitNoMoreThanOne) {
    const Shape shape{40, 30, 20};
    const auto transfers = [&](int count) {
        const std::vector<double> radii(static_cast<std::size_t>(count), 2.0);
        std::vector<std::uint8_t> objects = scene(shape, count, 5);
        auto device = queue.upload(std::span<const std::uint8_t>(objects), "objects");
        const auto before = queue.counters();
        cut_necks(queue, shape, {1, 1, 1}, radii, {}, count, device, CutNecks::cut);
        const QueueWork work = queue.counters() - before;
        EXPECT_LE(work.launches, 4 + 40 * count);
        return work.downloads + work.small_transfers;
    };
    EXPECT_LE(transfers(1), 2);
    EXPECT_LE(transfers(20), 2);
}

TEST_P(NecksOfObjects, MemoryStaysWithinThePlan) {
    for (const Shape& shape : {Shape{300, 200}, Shape{60, 50, 40}}) {
        std::vector<std::uint8_t> objects(static_cast<std::size_t>(shape.points()), 1);
        objects[7] = 0;
        Queue fresh(GetParam());
        auto device = fresh.upload(std::span<const std::uint8_t>(objects), "objects");
        const std::int64_t held = fresh.counters().bytes_in_use;
        cut_necks(fresh, shape, {1, 1, 1}, std::vector<double>{2}, {}, 1, device, CutNecks::cut);
        EXPECT_LE(fresh.counters().peak_bytes_in_use - held,
                  cut_necks_device_bytes(shape) * 17 / 16 + 65536);
    }
}

}  // namespace
}  // namespace tesela
