// tesela_fuzz_requests FOLDER: writes requests to the viewer's server, from which the fuzzer makes
// damaged ones.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "http_samples.h"

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: tesela_fuzz_requests FOLDER\n");
        return 2;
    }
    const std::filesystem::path folder = arguments[1];
    std::filesystem::create_directories(folder);
    for (const tesela::fuzz::HttpSample& sample : tesela::fuzz::http_samples())
        std::ofstream(folder / sample.name, std::ios::binary) << sample.text;
    return 0;
}
