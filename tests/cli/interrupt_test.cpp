// Ctrl-C and other signals at any moment: exit code 130 and nothing left behind.
#include <fcntl.h>
#include <sys/stat.h>

#include <ctime>
#include <fstream>
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

// What was written on the way stays, and no result is left.
TEST_F(Interrupt, SnapshotsOfLevelSetsStay) {
    write("gray.png", gray_picture(900, 700));
    const Outcome outcome =
        run({"level-set", "aos", "gray.png", "--seeds", "ball:450,350,300", "--lower", "100", "-o",
             "l.tif", "--snapshots", "states", "--every", "10", "--device", "cpu", "--progress",
             "none"},
            {.interrupt_when = [&] { return fs::exists(file("states") / "overlay000010.png"); }});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_FALSE(fs::exists(file("l.tif")));
    EXPECT_TRUE(fs::exists(file("states") / "labels000010.png"));
}

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};

// Whether another process has the file open.
bool is_open_elsewhere(const fs::path& path) {
    std::error_code ignored;
    for (const auto& process : fs::directory_iterator("/proc", ignored)) {
        const fs::path files = process.path() / "fd";
        for (fs::directory_iterator i(files, ignored), end; !ignored && i != end;
             i.increment(ignored)) {
            std::error_code gone;
            if (fs::read_symlink(i->path(), gone) == path) return true;
        }
    }
    return false;
}

// A volume of 700 MB takes no room on the disk, but its time to read.
TEST_F(Interrupt, EverySignalEndsReadingAtOnce) {
    write("large.nii", Image<std::uint8_t>({10, 10, 2}));
    {
        std::fstream header(file("large.nii"), std::ios::in | std::ios::out | std::ios::binary);
        const std::int16_t lengths[] = {1000, 1000, 700};
        header.seekp(42);
        header.write(reinterpret_cast<const char*>(lengths), sizeof(lengths));
    }
    fs::resize_file(file("large.nii"), 352 + std::uintmax_t{700} * 1000 * 1000);
    for (const int signal : signals)
        for (const Names& arguments :
             {Names{"info", "large.nii"}, Names{"threshold", "otsu", "large.nii", "-o", "o.nii",
                                                "--device", "cpu", "--progress", "none"}}) {
            const Outcome outcome = run(
                arguments, {.interrupt_when = [&] { return is_open_elsewhere(file("large.nii")); },
                            .signal = signal});
            SCOPED_TRACE(arguments.front() + ", signal " + std::to_string(signal) + ": " +
                         outcome.err);
            EXPECT_EQ(outcome.code, 130);
            EXPECT_EQ(outcome.out, "");
            EXPECT_EQ(outcome.errors().size(), 1u);
            EXPECT_LT(outcome.after_interrupt, 1);
            EXPECT_EQ(names(), (Names{"large.nii", "picture.png"}));
        }
}

// Pipes that nobody writes to.
TEST_F(Interrupt, SilentPipesDoNotHoldTheProgram) {
    ASSERT_EQ(mkfifo(file("job.toml").c_str(), 0600), 0);
    ASSERT_EQ(mkfifo(file("film.mkv").c_str(), 0600), 0);
    const Names before = names();
    for (const Names& arguments :
         {Names{"threshold", "otsu", "picture.png", "-o", "o.png", "--config", "job.toml"},
          Names{"flow", "film.mkv", "-o", "fields", "--device", "cpu"}}) {
        const Outcome outcome = run(arguments, {.interrupt_after = 1, .signal = SIGTERM});
        SCOPED_TRACE(arguments.front() + ": " + outcome.err);
        EXPECT_EQ(outcome.code, 130);
        EXPECT_LT(outcome.after_interrupt, 1);
        EXPECT_EQ(outcome.errors().size(), 1u);
        EXPECT_EQ(names(), before);
    }
}

class Writing : public ProgramTest {
  protected:
    Writing() {
        Image<std::uint8_t> noise({400, 400, 100});
        std::mt19937 random(5);
        for (std::uint8_t& value : noise.pixels()) value = static_cast<std::uint8_t>(random());
        write("noise.nii", noise);
    }

    // Waits until the output in its hidden folder has this size.
    std::function<bool()> half_written(std::uintmax_t bytes, std::string name = "o.nii.gz") const {
        return [this, bytes, name] {
            std::error_code error;
            for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
                 entry.increment(error)) {
                std::error_code gone;
                if (entry->path().filename() == name && entry->path().parent_path() != folder &&
                    fs::file_size(entry->path(), gone) >= bytes && !gone)
                    return true;
            }
            return false;
        };
    }

    const Names job{"threshold", "otsu",     "noise.nii", "--device",   "cpu",
                    "-o",        "o.nii.gz", "--force",   "--progress", "none"};
};

TEST_F(Writing, EverySignalRemovesWhatIsHalfWritten) {
    for (const int signal : signals) {
        const Outcome outcome =
            run(job, {.interrupt_when = half_written(100000), .signal = signal});
        EXPECT_EQ(outcome.code, 130) << signal << ": " << outcome.err;
        EXPECT_EQ(names(), Names{"noise.nii"}) << signal;
    }
    Names other = job;
    std::replace(other.begin(), other.end(), std::string("o.nii.gz"), std::string("o.mha"));
    other.insert(other.end(), {"--compression", "small"});
    const Outcome outcome = run(other, {.interrupt_when = half_written(10000, "o.mha")});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_EQ(names(), Names{"noise.nii"});
}

// Nobody can clean up then; but what has the output's name is whole.
TEST_F(Writing, AKilledProgramLeavesNoHalfFileUnderTheName) {
    ASSERT_EQ(run(job).code, 0);
    const std::string whole = read_text("o.nii.gz");
    for (int part = 1; part < 10; ++part) {
        fs::remove(file("o.nii.gz"));
        const Outcome outcome =
            run(job, {.interrupt_when = half_written(whole.size() * part / 10), .signal = SIGKILL});
        EXPECT_EQ(outcome.code, 128 + SIGKILL);
        EXPECT_TRUE(!fs::exists(file("o.nii.gz")) || read_text("o.nii.gz") == whole) << part;
    }
    EXPECT_GT(names().size(), 1u) << "no hidden folder was left: the moments are wrong";
    // A day later the next run tidies up.
    const std::time_t yesterday = std::time(nullptr) - 25 * 3600;
    const timespec times[2] = {{yesterday, 0}, {yesterday, 0}};
    for (const std::string& name : names()) utimensat(AT_FDCWD, file(name).c_str(), times, 0);
    ASSERT_EQ(run(job).code, 0);
    EXPECT_EQ(names(), (Names{"noise.nii", "o.nii.gz"}));
}

TEST_F(Interrupt, TheSecondSignalEndsAtOnce) {
    const Outcome outcome = run(job, {.interrupt_after = 0.5, .interrupts = 3});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_EQ(names(), inputs);
}

}  // namespace
}  // namespace tesela::cli::testing
