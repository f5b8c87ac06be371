#include "io/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <sys/stat.h>

namespace tesela::io {

// Defined by programs that are built with the installed package, whose place it knows.
[[gnu::weak]] const char* installed_modules();

namespace {

// The shared library that holds this code, or the program. The name that the linker has of a
// program is what it was called by, which may be any.
fs::path own_file() {
    Dl_info facts{};
    link_map* map = nullptr;
    const void* const here = reinterpret_cast<const void*>(&own_file);
    if (!dladdr1(here, &facts, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP)) return {};
    const bool is_program = !map->l_name || !*map->l_name;
    std::error_code error;
    if (is_program) return fs::canonical("/proc/self/exe", error);
    // The name may be relative to the folder in which the program began.
    std::string origin(PATH_MAX, '\0');
    if (dlinfo(map, RTLD_DI_ORIGIN, origin.data()) != 0) return {};
    return fs::canonical(fs::path(origin.c_str()) / fs::path(map->l_name).filename(), error);
}

// Where modules lie beside the library, in the build tree as where it is installed.
std::vector<fs::path> module_folders(const fs::path& own) {
    std::vector<fs::path> folders;
    for (const char* place : {TESELA_MODULE_PLACES})
        folders.push_back((own.parent_path() / place).lexically_normal());
    return folders;
}

// Not of somebody else, who was able to put a file where there was none.
bool is_trusted(const fs::path& file, const fs::path& own) {
    struct stat module {
    }, library{};
    return stat(file.c_str(), &module) == 0 && stat(own.c_str(), &library) == 0 &&
           (module.st_uid == 0 || module.st_uid == library.st_uid);
}

}  // namespace

LoadedModule load_module(const fs::path& file, const ModuleKind& kind) {
    void* const opened = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!opened)
        return {nullptr, std::string(kind.decoder) + " could not be loaded (" +
                             printable(dlerror()) + "); install the package " + kind.package};
    using Entry = const ModuleHead*();
    auto* const entry = reinterpret_cast<Entry*>(dlsym(opened, module_entry));
    const ModuleHead* const table = entry ? entry() : nullptr;
    if (table && table->version == kind.version) return {table};
    return {nullptr, "the module " + quoted(file) + " is of another version of Tesela (" +
                         (table ? std::to_string(table->version) : "none") + " instead of " +
                         std::to_string(kind.version) + "); install both from one package"};
}

LoadedModule find_module(const ModuleKind& kind) {
    const std::string name = std::string("tesela-") + kind.name + ".so";
    const fs::path own = own_file();
    const std::vector<fs::path> folders = module_folders(own);
    for (const fs::path& folder : folders)
        if (is_trusted(folder / name, own)) return load_module(folder / name, kind);
    fs::path missing = folders.front() / name;
    // The builder of the program named this folder, whoever owns it.
    if (installed_modules) {
        missing = fs::path(installed_modules()) / name;
        std::error_code error;
        if (fs::exists(missing, error)) return load_module(missing, kind);
    }
    return {nullptr, std::string(kind.decoder) + " could not be loaded: " + quoted(missing) +
                         " is missing or belongs to another user; install Tesela again (its Debian "
                         "package is " +
                         kind.own + "), and the package " + kind.package};
}

}  // namespace tesela::io
