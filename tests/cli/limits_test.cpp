// Limits that the system sets the program. Sanitizers reserve terabytes: their presets leave these
// out.
#include "program.h"

namespace tesela::cli::testing {
namespace {

// 64 threads have stacks of 512 MiB.
TEST_F(ProgramTest, FewerThreadsWhereTheSystemRefusesThem) {
    write("picture.png", gray_picture(900, 700));
    const auto arguments = [](const char* output) {
        return std::vector<std::string>{"threshold", "otsu", "picture.png", "-o", output,
                                        "--device",  "cpu",  "--threads",   "64"};
    };
    RunOptions options{.environment = {{"OCL_ICD_VENDORS", "/nonexistent"}}};
    const Outcome free = run(arguments("free.png"), options);
    ASSERT_EQ(free.code, 0) << free.err;
    EXPECT_EQ(free.err.find("warning"), std::string::npos) << free.err;

    options.address_space = 450 << 20;
    const Outcome limited = run(arguments("limited.png"), options);
    ASSERT_EQ(limited.code, 0) << limited.err;
    const std::size_t warning = limited.err.find("warning: the system allows only ");
    ASSERT_NE(warning, std::string::npos) << limited.err;
    EXPECT_NE(limited.err.find("of 64 threads", warning), std::string::npos) << limited.err;
    EXPECT_EQ(limited.err.find("warning", warning + 1), std::string::npos) << limited.err;
    EXPECT_EQ(read_text("limited.png"), read_text("free.png"));
}

// Whatever is refused at whatever moment, there is a sentence and a code, never an abort.
TEST_F(ProgramTest, NoLimitOfAddressesEndsASequenceByASignal) {
    fs::create_directory(file("frames"));
    for (const char* name : {"frames/a.png", "frames/b.png", "frames/c.png", "frames/d.png"})
        write(name, gray_picture(400, 300));
    int done = 0;
    for (const int mebibytes : {300, 400, 450, 470, 490, 510, 550, 650}) {
        const Outcome outcome = run({"flow", "lucas-kanade", "frames", "-o", "out", "--force",
                                     "--device", "cpu", "--threads", "16"},
                                    {.address_space = std::int64_t{mebibytes} << 20});
        EXPECT_FALSE(outcome.killed) << mebibytes << " MiB: " << outcome.err;
        if (outcome.code != 0) {
            EXPECT_EQ(outcome.errors().size(), 1u) << mebibytes << " MiB: " << outcome.err;
        }
        done += outcome.code == 0;
    }
    EXPECT_GE(done, 1);
}

}  // namespace
}  // namespace tesela::cli::testing
