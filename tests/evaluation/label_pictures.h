// Small label images for the tests of the measures.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tesela/image.h"

namespace tesela::testing {

// One digit a pixel, one string a row: {"0011", "0022"}.
inline LabelImage label_picture(const std::vector<std::string>& rows) {
    LabelImage image({.x = static_cast<std::int64_t>(rows.front().size()),
                      .y = static_cast<std::int64_t>(rows.size())});
    auto pixel = image.pixels().begin();
    for (const std::string& row : rows)
        for (const char digit : row) *pixel++ = static_cast<std::uint32_t>(digit - '0');
    return image;
}

// Labels from `label(x, y)`.
template <class F>
LabelImage label_picture(std::int64_t width, std::int64_t height, F label) {
    LabelImage image({.x = width, .y = height});
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            image(x, y) = static_cast<std::uint32_t>(label(x, y));
    return image;
}

// The nearest of `count` random seeds: regions with straight borders, as of a photograph.
inline LabelImage random_regions(std::int64_t width, std::int64_t height, int count,
                                 std::uint32_t seed) {
    std::mt19937 random(seed);
    struct Seed {
        std::int64_t x, y;
    };
    std::vector<Seed> seeds;
    for (int i = 0; i < count; ++i) {
        const std::int64_t x = random() % width, y = random() % height;
        seeds.push_back({x, y});
    }
    return label_picture(width, height, [&](std::int64_t x, std::int64_t y) {
        const auto squared = [&](const Seed& s) {
            return (s.x - x) * (s.x - x) + (s.y - y) * (s.y - y);
        };
        const auto nearest =
            std::min_element(seeds.begin(), seeds.end(),
                             [&](const Seed& a, const Seed& b) { return squared(a) < squared(b); });
        return nearest - seeds.begin() + 1;
    });
}

}  // namespace tesela::testing
