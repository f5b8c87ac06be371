// When a job without a terminal says how far it is.
#include <gtest/gtest.h>

#include "progress.h"

namespace tesela::cli {
namespace {

std::string lines_of(ProgressStyle style, std::chrono::seconds age) {
    const CancelToken token;
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
    // In the first 2 s; of two runs in a row one is that quick.
    const std::string brief = lines_of(ProgressStyle::automatic, std::chrono::seconds(0));
    EXPECT_TRUE(brief.empty() ||
                lines_of(ProgressStyle::automatic, std::chrono::seconds(0)).empty());
}

}  // namespace
}  // namespace tesela::cli
