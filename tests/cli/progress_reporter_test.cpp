// When a job without a terminal says how far it is.
#include <gtest/gtest.h>

#include "messages.h"
#include "progress.h"

namespace tesela::cli {
namespace {

std::string lines_of(ProgressStyle style, std::chrono::seconds age) {
    const CancelToken token;
    set_up_messages(false, false);  // which a verb that ran before may have quieted
    testing::internal::CaptureStderr();
    {
        ProgressReporter reporter(style, false, token, std::chrono::steady_clock::now() - age);
        const Progress half = reporter.part(0, 0.5);
        half.report(0.2, "first");
        half.report(1, "second");
    }
    return testing::internal::GetCapturedStderr();
}

TEST(ProgressReporter, LinesOfItsOwnAccordAreForLongJobs) {
    const std::string both = "tesela: 10 % (first)\ntesela: 50 % (second)\n";
    EXPECT_EQ(lines_of(ProgressStyle::lines, std::chrono::seconds(0)), both);
    EXPECT_EQ(lines_of(ProgressStyle::automatic, std::chrono::seconds(3)), both);
    // Begun in a minute, so that a slow machine is not late.
    EXPECT_EQ(lines_of(ProgressStyle::automatic, std::chrono::seconds(-60)), "");
}

}  // namespace
}  // namespace tesela::cli
