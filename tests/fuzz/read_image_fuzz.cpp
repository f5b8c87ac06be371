// Feeds arbitrary bytes to the readers of image files. Only an error of Tesela may come out.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tesela/io.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::filesystem::path path =
        std::filesystem::path("/dev/shm") / ("tesela-fuzz-" + std::to_string(getpid()));
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) std::abort();
    std::fwrite(data, 1, size, file);
    std::fclose(file);
    try {
        tesela::io::read_image(path, {.max_bytes = 1 << 24});
    } catch (const tesela::Error&) {
    }
    std::filesystem::remove(path);
    return 0;
}
