#include "tesela/color.h"

namespace tesela {

Rgb label_color(std::uint32_t label) {
    if (label == 0) return {0, 0, 0};
    // Steps of the golden ratio around the color circle keep successive hues apart; a hash varies
    // saturation and brightness.
    const std::uint32_t hue = label * 0x9e3779b9u;
    std::uint32_t hash = (label ^ label >> 16) * 0x85ebca6bu;
    hash ^= hash >> 13;
    const std::uint32_t high = 200 + hash % 56;                    // the strongest channel
    const std::uint32_t low = high * (10 + hash / 56 % 40) / 100;  // the weakest
    const std::uint64_t position = std::uint64_t{hue} * 6;         // six sectors of 2^32
    const auto sector = static_cast<std::uint32_t>(position >> 32);
    const auto part = static_cast<std::uint32_t>(position) >> 24;  // within the sector, of 255
    const std::uint32_t rising = low + (high - low) * part / 255;
    const std::uint32_t falling = high - (high - low) * part / 255;
    const std::uint32_t table[6][3] = {{high, rising, low}, {falling, high, low},
                                       {low, high, rising}, {low, falling, high},
                                       {rising, low, high}, {high, low, falling}};
    const auto& c = table[sector];
    return {static_cast<std::uint8_t>(c[0]), static_cast<std::uint8_t>(c[1]),
            static_cast<std::uint8_t>(c[2])};
}

}  // namespace tesela
