#include "core/temporary_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "tesela/error.h"

namespace tesela::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = ".tesela-";
constexpr std::time_t longest_pause = 24 * 60 * 60;  // in seconds

// Never destroyed: an interrupt may come while the program's static objects go.
struct Registry {
    std::mutex mutex;  // guards the others
    std::set<fs::path> folders, swept_parents;
};
Registry& registry() {
    static Registry& made = *new Registry;
    return made;
}

// A name that mkdtemp makes of the prefix.
bool is_ours(const std::string& name) {
    return name.size() == prefix.size() + 6 && name.starts_with(prefix) &&
           std::all_of(name.end() - 6, name.end(),
                       [](unsigned char c) { return c < 128 && std::isalnum(c); });
}

// An open folder, locked for this process alone; -1 where it cannot be had. It is no link.
int open_locked(const fs::path& folder) {
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
    close(descriptor);
    return -1;
}

// Of the folder and all that is in it.
std::time_t last_change(const fs::path& folder) {
    std::time_t newest = 0;
    const auto look = [&](const fs::path& path) {
        struct stat facts {};
        if (lstat(path.c_str(), &facts) == 0) newest = std::max(newest, facts.st_mtime);
    };
    look(folder);
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        look(entry->path());
    return newest;
}

bool is_left_behind(const fs::path& folder) {
    struct stat facts {};
    return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
           facts.st_uid == geteuid() && (facts.st_mode & 07777) == S_IRWXU &&
           std::time(nullptr) - last_change(folder) > longest_pause;
}

void remove_left_behind_in(const fs::path& parent) {
    std::error_code error;
    for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
         entry.increment(error)) {
        const fs::path& folder = entry->path();
        if (!is_ours(folder.filename().string()) || !is_left_behind(folder)) continue;
        const int lock = open_locked(folder);
        if (lock < 0) continue;
        std::error_code ignored;
        fs::remove_all(folder, ignored);
        close(lock);
    }
}

}  // namespace

TemporaryFolder::TemporaryFolder(const fs::path& parent, const fs::path& target) {
    if (const int error = make_in(parent))
        throw UnwritableOutput("cannot write '" + target.string() +
                               "': " + std::generic_category().message(error));
}

TemporaryFolder::TemporaryFolder(const fs::path& input) {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    if (!error) error.assign(make_in(parent), std::generic_category());
    if (error)
        throw UnreadableInput("cannot read '" + input.string() +
                              "': no temporary folder can be made in '" + parent.string() + "' (" +
                              error.message() + "); check TMPDIR");
}

int TemporaryFolder::make_in(const fs::path& parent) {
    const std::lock_guard lock(registry().mutex);
    if (registry().swept_parents.insert(parent).second) remove_left_behind_in(parent);
    std::string name = (parent / (std::string(prefix) + "XXXXXX")).string();
    if (!mkdtemp(name.data())) return errno;
    path_ = name;
    registry().folders.insert(path_);
    lock_ = open_locked(path_);
    return 0;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (lock_ >= 0) close(lock_);
    const std::lock_guard lock(registry().mutex);
    registry().folders.erase(path_);
}

bool is_temporary_folder(const fs::path& folder) { return is_ours(folder.filename().string()); }

void remove_temporary_folders() {
    registry().mutex.lock();  // for good
    // Other threads may still be writing: a folder is removed again until it is gone.
    for (const fs::path& folder : registry().folders) {
        std::error_code error;
        for (int tries = 0; tries < 20; ++tries) {
            fs::remove_all(folder, error);
            if (!error && !fs::exists(folder, error)) break;
        }
    }
}

}  // namespace tesela::detail
