// Temporary folders: gone at every ending, and those that a killed program left a day later.
#include "core/temporary_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

#include "tesela/error.h"

namespace tesela::detail {
namespace {

namespace fs = std::filesystem;

class TemporaryFolders : public ::testing::Test {
  protected:
    TemporaryFolders() {
        std::string name = (fs::temp_directory_path() / "tesela-core-test-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
        parent = name;
    }
    ~TemporaryFolders() override { fs::remove_all(parent); }

    // A folder of `rights` with a file in it, both last changed `hours` ago.
    fs::path make(const std::string& name, double hours, mode_t rights = 0700) const {
        const fs::path folder = parent / name;
        mkdir(folder.c_str(), 0700);
        std::ofstream(folder / "left.tif") << "half an im";
        chmod(folder.c_str(), rights);
        set_age(folder / "left.tif", hours);
        set_age(folder, hours);
        return folder;
    }
    static void set_age(const fs::path& path, double hours) {
        const std::time_t time = std::time(nullptr) - static_cast<std::time_t>(3600 * hours);
        const timespec times[2] = {{time, 0}, {time, 0}};
        ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
    }
    std::set<std::string> names() const {
        std::set<std::string> found;
        for (const auto& entry : fs::directory_iterator(parent))
            found.insert(entry.path().filename().string());
        return found;
    }

    fs::path parent;
};

TEST_F(TemporaryFolders, LiveAsLongAsTheirObject) {
    {
        const TemporaryFolder folder(parent, parent / "a.tif");
        std::ofstream(folder.path() / "a.tif") << "text";
        EXPECT_EQ(names(), std::set<std::string>{folder.path().filename().string()});
        EXPECT_TRUE(folder.path().filename().string().starts_with(".tesela-"));
    }
    EXPECT_TRUE(names().empty());
}

TEST_F(TemporaryFolders, AnErrorNamesTheTarget) {
    try {
        const TemporaryFolder folder(parent / "none", "shown.tif");
        FAIL() << "made in a folder that is not there";
    } catch (const UnwritableOutput& error) {
        EXPECT_STREQ(error.what(), "cannot write 'shown.tif': No such file or directory");
    }
}

TEST_F(TemporaryFolders, AllGoAtTheEndOfTheProgram) {
    const auto end = [&] {
        const TemporaryFolder output(parent, parent), other(parent, parent);
        std::ofstream(output.path() / "a.tif") << "text";
        setenv("TMPDIR", parent.c_str(), 1);
        const TemporaryFolder input("in.nii");
        remove_temporary_folders();
        _exit(7);
    };
    EXPECT_EXIT(end(), ::testing::ExitedWithCode(7), "");
    EXPECT_TRUE(names().empty());
}

TEST_F(TemporaryFolders, WhatAKilledProgramLeftGoesAfterADay) {
    make(".tesela-aB3xYz", 25);
    make(".tesela-aB3xY1", 23);
    const TemporaryFolder folder(parent, parent);
    EXPECT_EQ(names(), (std::set<std::string>{".tesela-aB3xY1", folder.path().filename()}));
}

TEST_F(TemporaryFolders, WhatIsNotSurelyOursStays) {
    make("tesela-result", 99);
    make(".tesela-abc12", 99);
    make(".tesela-abc1234", 99);
    make(".tesela-abc-12", 99);
    make(".tesela-shared", 99, 0755);
    std::ofstream(parent / ".tesela-afile1") << "text";
    set_age(parent / ".tesela-afile1", 99);
    // The user's own folder, reached by a link whose name is like ours.
    fs::create_symlink(make("pictures", 99), parent / ".tesela-linked");
    set_age(parent / ".tesela-linked", 99);
    const std::set<std::string> before = names();
    { const TemporaryFolder folder(parent, parent); }
    EXPECT_EQ(names(), before);
    EXPECT_TRUE(fs::exists(parent / "pictures" / "left.tif"));
}

// The job may have been suspended for days.
TEST_F(TemporaryFolders, WhatAProgramStillHoldsStays) {
    const fs::path held = make(".tesela-held01", 99);
    const int lock = open(held.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
    make(".tesela-recent", 99);
    std::ofstream(parent / ".tesela-recent" / "new.tif") << "text";
    set_age(parent / ".tesela-recent", 99);
    { const TemporaryFolder folder(parent, parent); }
    EXPECT_EQ(names(), (std::set<std::string>{".tesela-held01", ".tesela-recent"}));
    close(lock);
}

TEST_F(TemporaryFolders, LinksInThemAreNotFollowed) {
    const fs::path left = make(".tesela-left01", 99), mine = make("mine", 99);
    fs::create_symlink(mine / "left.tif", left / "volume.nii");
    fs::create_directory_symlink(mine, left / "folder");
    set_age(left / "volume.nii", 99);
    set_age(left / "folder", 99);
    set_age(left, 99);
    std::ofstream(mine / "left.tif") << "changed just now";
    { const TemporaryFolder folder(parent, parent); }
    EXPECT_EQ(names(), std::set<std::string>{"mine"});
    EXPECT_TRUE(fs::exists(mine / "left.tif"));
}

}  // namespace
}  // namespace tesela::detail
