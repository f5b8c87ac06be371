// Damaged copies of archives whose members have checksums.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <variant>

#include "io/support.h"

namespace tesela::io::testing {

// Whatever byte of the archive is changed: a clean refusal, or the same pixels.
inline void expect_mutants_refused_or_equal(const fs::path& archive,
                                            const Image<std::int16_t>& image) {
    const QuietScope quiet;
    std::mt19937 random(7);
    const std::string name = "mutant-" + archive.filename().string();
    const fs::path path = archive.parent_path() / name;
    const Bytes bytes = read_bytes(archive);
    for (int round = 0; round < 2000; ++round) {
        Bytes mutant = bytes;
        mutant[random() % mutant.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
        write_bytes(path, mutant);
        try {
            const ReadResult result = read_image(path, {.max_bytes = 1 << 26});
            ASSERT_EQ(std::get<Image<std::int16_t>>(result.image).pixels(), image.pixels());
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
        }
    }
}

}  // namespace tesela::io::testing
