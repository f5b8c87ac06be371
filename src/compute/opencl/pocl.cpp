#include "compute/opencl/pocl.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "core/temporary_folder.h"
#include "tesela/error.h"

namespace tesela::detail::opencl {
namespace {

namespace fs = std::filesystem;

// Empty where the environment names none; PoCL then takes one below /tmp.
fs::path cache_of_pocl() {
    if (const char* chosen = std::getenv("POCL_CACHE_DIR")) return chosen;
    if (const char* base = std::getenv("XDG_CACHE_HOME")) return fs::path(base) / "pocl" / "kcache";
    if (const char* home = std::getenv("HOME"))
        return fs::path(home) / ".cache" / "pocl" / "kcache";
    return {};
}

bool can_be_written(const fs::path& folder) try {
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    const TemporaryFolder probe(folder, folder);
    return true;
} catch (const UnwritableOutput&) {
    return false;
}

bool is_in_path(const char* program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
    return false;
}

}  // namespace

bool is_pocl(const std::string& platform_name) {
    return platform_name == "Portable Computing Language";
}

void prepare_pocl() {
    const fs::path cache = cache_of_pocl();
    if (cache.empty() || can_be_written(cache)) return;
    static std::optional<TemporaryFolder> instead;
    std::error_code error;
    const fs::path temporary = fs::temp_directory_path(error);
    if (error || !can_be_written(temporary)) return;  // its devices will be missed
    instead.emplace(temporary, temporary);
    setenv("POCL_CACHE_DIR", instead->path().c_str(), 1);
}

std::string why_pocl_is_unusable(const std::string& driver_version) {
    if (driver_version.starts_with("5.0"))
        return "PoCL 5.0 compiles some loops with barriers wrongly: kernels give wrong results or "
               "never end; take the cpu device, or another version (3.1 is right)";
    // With LLVM 18 (github.com/pocl/pocl/issues/1608); sort_pairs gives another order.
    if (driver_version.starts_with("6.0"))
        return "PoCL 6.0 compiles some kernels wrongly and ends the process at others; take the "
               "cpu device, or another version (3.1 is right)";
    // PoCL ends the process where its compiler does not find the linker.
    if (!is_in_path("ld"))
        return "PoCL needs the linker 'ld', which is in no folder of PATH; install binutils, or "
               "add its folder to PATH";
    return {};
}

}  // namespace tesela::detail::opencl
