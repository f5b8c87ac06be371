// The words of vectors.h on every device, against the same thing computed on the host.
#include "kernels/vectors_test.kernel.h"

#include <algorithm>

#include "cpu_levels.h"
#include "values_on_device.h"

namespace tesela {
namespace {

class Vectors : public testing::ValuesOnDevice {};
TESELA_ON_EVERY_DEVICE(Vectors);
INSTANTIATE_TEST_SUITE_P(CpuLevels, Vectors, ::testing::ValuesIn(testing::cpu_at_each_level()),
                         testing::level_test_name);

TEST_P(Vectors, AddWhatIsNear) {
    constexpr int rows = 9, pitch = 112, spare = 16, center = -5;
    constexpr float limit = 1 << 20;
    auto in = random_values<std::int32_t>(rows * pitch + spare, 18);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] /= i % 2 ? 1024 : 2;  // near, and far beyond
    for (const int begin : {0, 1, 4, 7, 30})
        for (const int length : {0, 1, 3, 4, 16, 17, 64}) {
            auto counts = queue.allocate<std::int32_t>(rows, "counts");
            auto places = queue.allocate<std::int32_t>(rows, "places");
            auto distances = queue.allocate<std::int32_t>(rows, "distances");
            queue.launch(kernels::test_vectors, Range{rows}, upload(in), counts, places, distances,
                         pitch, begin, length, center, limit);
            std::vector<std::int32_t> count(rows), place(rows), distance(rows);
            for (int row = 0; row < rows; ++row)
                for (int x = begin; x < begin + length; ++x) {
                    const std::int64_t d = std::int64_t{in[row * pitch + x]} - center;
                    if (std::abs(d) >= 1 << 20) continue;
                    ++count[row];
                    place[row] += x;
                    distance[row] += static_cast<std::int32_t>(d);
                }
            EXPECT_EQ(queue.download(counts), count) << begin << ' ' << length;
            EXPECT_EQ(queue.download(places), place) << begin << ' ' << length;
            EXPECT_EQ(queue.download(distances), distance) << begin << ' ' << length;
        }
}

TEST_P(Vectors, OneLane) {
    constexpr int rows = 6;
    const auto in = random_values<std::int32_t>(rows * 32, 31);
    auto lower = queue.allocate<std::int32_t>(rows * 32, "lower");
    auto halves = queue.allocate<float>(rows * 32, "halves");
    auto lanes = queue.allocate<std::int32_t>(1, "lanes");
    queue.launch(kernels::test_lanes, Range{1}, lanes);
    const auto width = static_cast<std::size_t>(queue.download(lanes)[0]);
    queue.launch(kernels::test_one_lane, Range{rows}, upload(in), 1000, lower, halves);
    std::vector<std::int32_t> expected(in);
    std::vector<float> half(in.size());
    for (std::int32_t& value : expected) value = std::min(value, 1000);
    for (std::size_t i = 0; i < half.size(); ++i)
        half[i] = 0.5F * static_cast<float>(expected[i / width * width + width - 1]);
    EXPECT_EQ(queue.download(lower), expected);
    EXPECT_EQ(queue.download(halves), half);
}

TEST_P(Vectors, MoveAlongRows) {
    constexpr int rows = 6;
    auto in = random_values<std::uint32_t>(rows * 32, 23);
    for (std::size_t i = 32; i < 64; ++i) in[i] = 7;  // nothing is lower here
    auto masks = random_values<std::uint32_t>(rows, 24);
    masks[2] = 0;
    masks[3] = 0x80000000u;
    for (const int distance : {0, 1, 2, 3, 7}) {
        auto out = queue.allocate<std::uint32_t>(rows * 32, "out");
        auto any = queue.allocate<std::uint32_t>(rows, "any");
        auto lanes = queue.allocate<std::int32_t>(1, "lanes");
        queue.launch(kernels::test_lanes, Range{1}, lanes);
        const int width = queue.download(lanes)[0], reach = distance % width;
        queue.launch(kernels::test_rows, Range{rows}, upload(in), upload(masks), distance, out,
                     any);
        std::vector<std::uint32_t> expected(in), changed(rows, 0);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const std::size_t row = i / 32, x = i % 32;
            if ((masks[row] >> x & 1) == 0) continue;
            expected[i] =
                std::min(in[i], in[row * 32 + (x + static_cast<std::size_t>(reach)) % 32]);
            if (expected[i] != in[i]) changed[row] = 1;
        }
        EXPECT_EQ(queue.download(out), expected) << distance;
        EXPECT_EQ(queue.download(any), changed) << distance;
    }
}

TEST_P(Vectors, OfOtherWidths) {
    constexpr int rows = 6;
    const auto in_16 = random_values<std::uint16_t>(rows * 32, 25);
    const auto in_64 = random_values<std::uint64_t>(rows * 32, 26);
    auto out_16 = queue.allocate<std::uint16_t>(rows * 32, "out");
    auto out_64 = queue.allocate<std::uint64_t>(rows * 32, "out");
    queue.launch(kernels::test_wide_rows, Range{rows}, upload(in_16), upload(in_64), out_16,
                 out_64);
    auto expected_16 = in_16;
    auto expected_64 = in_64;
    for (auto& value : expected_16) value = std::max<std::uint16_t>(value, 0x8000u);
    for (auto& value : expected_64) value = std::max(value, std::uint64_t{1} << 63);
    EXPECT_EQ(queue.download(out_16), expected_16);
    EXPECT_EQ(queue.download(out_64), expected_64);
}

}  // namespace
}  // namespace tesela
