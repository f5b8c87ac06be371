#include "core/made_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace tesela::detail {
namespace {

const auto just_wait = [](const auto& wait) { wait(); };

TEST(MadeAhead, InOrderAndOneAhead) {
    std::atomic<std::int64_t> made{0};
    std::vector<std::int64_t> used;
    made_ahead<std::int64_t>(
        100,
        [&](std::int64_t i) {
            ++made;
            return 3 * i;
        },
        [&](std::int64_t value) {
            used.push_back(value);
            EXPECT_LE(made, std::ssize(used) + 1);
        },
        just_wait);
    ASSERT_EQ(used.size(), 100u);
    for (std::size_t i = 0; i < used.size(); ++i) EXPECT_EQ(used[i], 3 * std::int64_t(i));
    made_ahead<std::int64_t>(
        0, [&](std::int64_t i) { return i; }, [&](std::int64_t) { FAIL(); }, just_wait);
}

// The next value is made while one is used: each waits here for the other.
TEST(MadeAhead, MakesWhileAnotherIsUsed) {
    std::atomic<std::int64_t> made{0};
    made_ahead<std::int64_t>(
        5, [&](std::int64_t i) { return made = i + 1; },
        [&](std::int64_t value) {
            while (value < 5 && made == value) std::this_thread::yield();
        },
        just_wait);
    EXPECT_EQ(made, 5);
}

TEST(MadeAhead, TheFirstErrorEndsTheWork) {
    std::vector<int> used;
    const auto use = [&](int value) {
        if (value == 4) throw InvalidArgument("four is used");
        used.push_back(value);
    };
    const auto error_of = [&](int bad) -> std::string {
        used.clear();
        try {
            made_ahead<int>(
                10,
                [&](std::int64_t i) {
                    if (i == bad) throw InvalidArgument(std::to_string(bad) + " is made");
                    return static_cast<int>(i);
                },
                use, just_wait);
        } catch (const InvalidArgument& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(error_of(2), "2 is made");
    EXPECT_EQ(used, (std::vector<int>{0, 1}));
    EXPECT_EQ(error_of(5), "four is used");
    EXPECT_EQ(error_of(9), "four is used");
    EXPECT_EQ(used, (std::vector<int>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace tesela::detail
