// Ctrl-C at any moment: exit code 130 and nothing left behind.
#include <iostream>
#include <random>

#include "program.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class Interrupt : public ProgramTest {
  protected:
    Interrupt() { write("picture.png", color_picture(900, 700)); }

    const Names job{"mean-shift", "picture.png", "--device", "cpu",        "--spatial", "12",
                    "--range",    "20",          "-o",       "f.tif",      "--labels",  "l.tif",
                    "--overlay",  "o.png",       "--force",  "--progress", "none"};
    const Names inputs{"picture.png"};
    const Names all{"f.tif", "l.labels.json", "l.tif", "o.png", "picture.png"};
};

TEST_F(Interrupt, TenRandomMoments) {
    const Outcome whole = run(job);
    ASSERT_EQ(whole.code, 0) << whole.err;
    ASSERT_EQ(names(), all);
    for (const std::string& name : all)
        if (name != "picture.png") fs::remove(file(name));

    constexpr unsigned seed = 20260;
    std::mt19937 random(seed);
    int cancelled = 0;
    std::cout << "the job takes " << whole.seconds << " s; seed " << seed << "\n";
    for (int i = 0; i < 10; ++i) {
        const double moment = whole.seconds * static_cast<double>(random() % 1000) / 1000;
        const Outcome outcome = run(job, {.interrupt_after = moment});
        SCOPED_TRACE("after " + std::to_string(moment) + " s: " + outcome.err);
        if (outcome.code == 0) {  // this run was faster than the first
            EXPECT_EQ(names(), all);
            for (const std::string& name : all)
                if (name != "picture.png") fs::remove(file(name));
            continue;
        }
        ++cancelled;
        EXPECT_EQ(outcome.code, 130);
        EXPECT_EQ(names(), inputs);
        // A signal that comes before main() is the system's to handle: no sentence then.
        if (!outcome.killed) {
            EXPECT_EQ(outcome.errors().size(), 1u);
        }
        EXPECT_LT(outcome.seconds - moment, 5);
    }
    EXPECT_GE(cancelled, 6);
}

// Also where a table of millions of rows is made, of which nobody looks whether to stop.
TEST_F(Interrupt, NothingKeepsTheUserWaiting) {
    Image<std::uint8_t> noise({3000, 3000});
    std::mt19937 random(4);
    for (std::uint8_t& value : noise.pixels()) value = static_cast<std::uint8_t>(random());
    write("noise.png", noise);
    const Names before = names();
    for (const Names& work :
         {Names{"components", "noise.png", "--values", "equal", "--table", "t.csv"},
          Names{"split-merge", "noise.png", "-o", "l.tif"}})
        for (const double moment : {0.5, 1.0}) {
            Names arguments = work;
            arguments.insert(arguments.end(), {"--device", "cpu", "--progress", "none"});
            const Outcome outcome = run(arguments, {.interrupt_after = moment});
            SCOPED_TRACE(work.front() + " after " + std::to_string(moment) + " s: " + outcome.err);
            EXPECT_EQ(outcome.code, 130);
            EXPECT_EQ(outcome.errors().size(), 1u);
            EXPECT_EQ(names(), before);
            EXPECT_LT(outcome.seconds - moment, 1);
        }
}

TEST_F(Interrupt, TheSecondSignalEndsAtOnce) {
    const Outcome outcome = run(job, {.interrupt_after = 0.5, .interrupts = 3});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_EQ(names(), inputs);
}

}  // namespace
}  // namespace tesela::cli::testing
