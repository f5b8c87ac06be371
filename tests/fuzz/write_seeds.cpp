// tesela_fuzz_seeds FOLDER: writes one small valid file for each format and variant, from which the
// fuzzer makes damaged ones.
#include <cstdio>

#include "io/support.h"

int main(int count, char** arguments) {
    namespace testing = tesela::io::testing;
    if (count != 2) {
        std::fprintf(stderr, "usage: tesela_fuzz_seeds FOLDER\n");
        return 2;
    }
    const std::filesystem::path folder = arguments[1];
    const std::filesystem::path scratch = folder / "scratch";
    std::filesystem::create_directories(scratch);
    auto files = testing::sample_files(scratch);
    for (const auto& file : testing::sample_flow_files(scratch)) files.push_back(file);
    for (const auto& file : testing::sample_y4m_files()) files.push_back(file);
    for (const auto& file : testing::sample_slide_files(scratch)) files.push_back(file);
    for (const auto& file : testing::sample_geojson_files()) files.push_back(file);
    std::filesystem::remove_all(scratch);
    for (const auto& [name, bytes] : files) testing::write_bytes(folder / name, bytes);
    std::printf("%zu seeds\n", files.size());
    return files.empty() ? 1 : 0;
}
