// The brick decoder with chunks that have no checksum to protect it.
#include "volumes/brick_coder.h"

#include <gtest/gtest.h>

#include <random>

#include "kernels/volumes/bricks.kernel.h"

namespace tesela::detail {
namespace {

TEST(BrickCoder, MutatedChunksStayWithinTheBrick) {
    const BrickSize size{19, 16, 9};
    std::mt19937 random(3);
    std::vector<std::uint16_t> fine(static_cast<std::size_t>(voxels_of(size)));
    for (auto& voxel : fine) voxel = static_cast<std::uint16_t>(random() % 900);
    const auto coarse = halve<std::uint16_t>(fine, size, 0);
    const auto chunk = encode_details<std::uint16_t>(fine, coarse, size);
    std::vector<std::uint16_t> decoded(fine.size());
    ASSERT_TRUE(decode_details<std::uint16_t>(chunk, coarse, size, 0, decoded));
    EXPECT_EQ(decoded, fine);
    constexpr std::uint16_t guard = 0xabcd;
    for (int i = 0; i < 3000; ++i) {
        auto bad = chunk;
        for (std::uint32_t n = 1 + random() % 4; n > 0; --n)
            bad[random() % (i % 2 ? bad.size() : std::min<std::size_t>(bad.size(), 120))] =
                static_cast<std::uint8_t>(random());
        if (i % 5 == 0) bad.resize(random() % bad.size());
        std::vector<std::uint16_t> guarded(fine.size() + 64, guard);
        const bool taken = decode_details<std::uint16_t>(
            bad, coarse, size, 0, std::span(guarded).subspan(32, fine.size()));
        static_cast<void>(taken);
        for (std::size_t k = 0; k < 32; ++k) {
            ASSERT_EQ(guarded[k], guard);
            ASSERT_EQ(guarded[guarded.size() - 1 - k], guard);
        }
    }
}

TEST(BrickCoder, StatesAreDividedByAProduct) {
    std::mt19937 random(4);
    for (std::uint32_t frequency = 1; frequency <= kernels::brick_probability_one; ++frequency) {
        const std::uint64_t end = std::min(std::uint64_t{frequency} << 20, std::uint64_t{1} << 32);
        const std::uint64_t reciprocal = kernels::brick_reciprocal_of(frequency);
        const auto check = [&](std::uint64_t at) {
            const auto state = static_cast<std::uint32_t>(at);
            ASSERT_EQ(kernels::brick_encoded(state, 5, frequency, reciprocal),
                      (state / frequency << 12) + state % frequency + 5)
                << state << " by " << frequency;
        };
        for (int i = 0; i < 100; ++i) {
            const std::uint64_t at = random() % end, multiple = at / frequency * frequency;
            for (const std::uint64_t state : {at, multiple, multiple + frequency - 1})
                if (state < end) check(state);
        }
        check(0);
        check(end - 1);
    }
}

}  // namespace
}  // namespace tesela::detail
