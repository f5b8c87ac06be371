// Where the package keeps what the extension starts and loads: in its own folder.
#include <dlfcn.h>

#include <filesystem>
#include <string>

namespace tesela::io {

// As programs that are built with an installed Tesela define it (cmake/TeselaConfig.cmake.in).
const char* installed_decode_helper();

const char* installed_decode_helper() {
    static const std::string helper = [] {
        Dl_info facts{};
        dladdr(reinterpret_cast<const void*>(&installed_decode_helper), &facts);
        return (std::filesystem::absolute(facts.dli_fname).parent_path() / "tesela-decode")
            .string();
    }();
    return helper.c_str();
}

}  // namespace tesela::io
