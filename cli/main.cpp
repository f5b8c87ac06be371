// The program that users start. The list of verbs and the version are printed at once; everything
// else is in a library, which is loaded then: with the libraries of all file formats that takes
// longer than to print the list.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "entry.h"
#include "tesela_help.h"
#include "tesela_version.h"

namespace {

bool is_one_of(const char* word, std::initializer_list<const char*> words) {
    for (const char* candidate : words)
        if (std::strcmp(word, candidate) == 0) return true;
    return false;
}

int print(const char* text) {
    if (std::fputs(text, stdout) >= 0 && std::fflush(stdout) == 0) return 0;
    std::fputs("tesela: error: cannot write to standard output\n", stderr);
    return 1;
}

#ifdef TESELA_PROGRAM_IS_LINKED
int run_program(int count, char** arguments) { return tesela_program(count, arguments); }
#else
int run_program(int count, char** arguments) {
    const auto library = std::filesystem::read_symlink("/proc/self/exe").parent_path() /
                         TESELA_PROGRAM_FROM_EXECUTABLE;
    void* const program = dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL);
    void* const entry = program ? dlsym(program, "tesela_program") : nullptr;
    if (!entry) {
        std::fprintf(stderr, "tesela: error: the installation is not complete: %s\n", dlerror());
        return 1;
    }
    return reinterpret_cast<decltype(&tesela_program)>(entry)(count, arguments);
}
#endif

}  // namespace

int main(int count, char** arguments) {
    if (count > 1 && is_one_of(arguments[1], {"--help", "-h"})) return print(help_text);
    if (count == 2 && is_one_of(arguments[1], {"help"})) return print(help_text);
    if (count > 1 && is_one_of(arguments[1], {"--version"}))
        return print("tesela " TESELA_VERSION "\n");
    return run_program(count, arguments);
}
