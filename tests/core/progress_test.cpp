#include "tesela/progress.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tesela/stage_times.h"

namespace tesela {
namespace {

TEST(ProgressOf, ReportsThenCancels) {
    CancelToken token;
    std::string seen;
    const Progress progress(
        [&](double fraction, std::string_view stage) {
            seen += std::to_string(static_cast<int>(100 * fraction)) + std::string(stage);
        },
        &token);
    progress.report(0.25, "a");
    token.cancel();
    EXPECT_THROW(progress.report(0.5, "b"), Cancelled);
    EXPECT_THROW(progress.throw_if_cancelled(), Cancelled);
    EXPECT_EQ(seen, "25a50b");
}

TEST(ProgressOf, DefaultIsSilent) {
    const Progress progress;
    EXPECT_NO_THROW(progress.report(0.5, "stage"));
}

TEST(StageTimes, EveryStageOnce) {
    StageClock clock;
    clock.start("read");
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    clock.start("work");
    const std::vector<StageTime> times = clock.take();
    ASSERT_EQ(times.size(), 2u);
    EXPECT_EQ(times[0].name, "read");
    EXPECT_GE(times[0].milliseconds, 2.9);
    EXPECT_EQ(times[1].name, "work");
    EXPECT_TRUE(clock.take().empty());
}

}  // namespace
}  // namespace tesela
