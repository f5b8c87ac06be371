// What the tests of videos share.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "io/support.h"
#include "tesela/video_io.h"

namespace tesela::io::testing {

// Smooth colors, because neighbors share chroma; another picture for each index.
inline Image<std::uint8_t> colors(std::int64_t width, std::int64_t height, int index,
                                  int channels = 3) {
    Image<std::uint8_t> image({width, height, 1, 1, channels});
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            for (int c = 0; c < channels; ++c)
                image(x, y, 0, 0, c) = static_cast<std::uint8_t>(
                    std::min<std::int64_t>(20 + 10 * index + x + y * (c + 1) / 2, 255));
    return image;
}

inline int most_difference(const AnyImage& a, const AnyImage& b) {
    const auto& first = std::get<Image<std::uint8_t>>(a).pixels();
    const auto& second = std::get<Image<std::uint8_t>>(b).pixels();
    EXPECT_EQ(first.size(), second.size());
    int most = 0;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
        most = std::max(most, std::abs(first[i] - second[i]));
    return most;
}

class VideoTest : public FileTest {
  protected:
    void write(const std::string& name, const Bytes& bytes) { write_bytes(file(name), bytes); }
    void create(const std::string& name, std::int64_t width, std::int64_t height, int frames,
                int channels = 3, FrameRate rate = {30000, 1001}) {
        const auto writer = create_video(file(name), {.rate = rate});
        for (int i = 0; i < frames; ++i) writer->write(colors(width, height, i, channels));
        writer->finish();
    }
    // The frames before the end or the error, whose text is kept.
    std::vector<AnyImage> read_all(const std::string& name, std::string* error = nullptr,
                                   std::vector<std::string>* warnings = nullptr) {
        std::vector<AnyImage> frames;
        try {
            const auto reader = open_frames(file(name), {.max_bytes = 1 << 26});
            while (auto frame = reader->next()) frames.push_back(std::move(*frame));
            if (warnings) *warnings = reader->warnings();
        } catch (const Error& failure) {
            EXPECT_NE(error, nullptr) << failure.what();
            if (error) *error = failure.what();
        }
        return frames;
    }
};

}  // namespace tesela::io::testing
