#include "tesela/progress.h"

#include <gtest/gtest.h>

#include <any>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

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
    progress.offer([]() -> int { throw std::logic_error("nobody asked"); });
}

TEST(ProgressOf, PartsAreOfTheWhole) {
    CancelToken token;
    double seen = 0;
    const Progress whole([&](double fraction, std::string_view) { seen = fraction; }, &token);
    const Progress part = whole.part(0.5, 1).part(0, 0.5);
    part.report(0.5, "half of the third quarter");
    EXPECT_EQ(seen, 0.625);
    token.cancel();
    EXPECT_THROW(part.throw_if_cancelled(), Cancelled);
}

// Once for each time that somebody asks, also of a part of the work.
TEST(ProgressOf, PartialResultsAreMadeForWhoAsks) {
    int made = 0;
    std::vector<int> seen;
    PartialResults observer([&](std::any partial) { seen.push_back(std::any_cast<int>(partial)); });
    const Progress progress({}, nullptr, &observer);
    const auto make = [&] { return ++made; };
    progress.offer(make);
    EXPECT_EQ(made, 0);
    std::thread([&] { observer.ask(); }).join();
    progress.part(0, 1).offer(make);
    progress.offer(make);
    EXPECT_EQ(seen, std::vector<int>{1});
    observer.ask();
    progress.offer(make);
    EXPECT_EQ(seen, (std::vector<int>{1, 2}));
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
