#include "io/tiff_samples.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tesela::io {
namespace {

// The sample of that index in a row, the highest bit first.
int packed_sample(const std::uint8_t* row, std::int64_t index, int bits) {
    const std::int64_t first = index * bits, last = first + bits - 1;
    std::uint32_t word = 0;
    for (std::int64_t byte = first / 8; byte <= last / 8; ++byte) word = word << 8 | row[byte];
    return static_cast<int>(word >> (7 - last % 8) & ((1u << bits) - 1));
}

template <class T>
T inverse(T value, [[maybe_unused]] int bits) {
    if constexpr (std::is_floating_point_v<T>) {
        return -value;
    } else if constexpr (std::is_signed_v<T>) {
        return static_cast<T>(-1 - value);
    } else {
        if (bits < 8) {  // stretched to 8, with what is below 1 cut off
            const int most = (1 << bits) - 1;
            const int sample = (static_cast<int>(value) * most + 254) / 255;
            return static_cast<T>((most - sample) * 255 / most);
        }
        const bool narrow = bits > 8 && bits < std::numeric_limits<T>::digits;
        const T most = narrow ? static_cast<T>((1u << bits) - 1) : std::numeric_limits<T>::max();
        return static_cast<T>(most - value);
    }
}

}  // namespace

bool is_packed(const TiffPage& page) { return page.bits < 16 && page.bits != 8; }

void unpack_row(const TiffPage& page, const std::uint8_t* row, std::int64_t count, bool stretch,
                std::int64_t step, std::uint8_t* target) {
    const int most = (1 << page.bits) - 1;
    for (std::int64_t i = 0; i < count; ++i) {
        const int sample = packed_sample(row, i, page.bits);
        if (page.bits > 8) {
            const auto wide = static_cast<std::uint16_t>(sample);
            std::memcpy(target + 2 * i * step, &wide, 2);
        } else {
            target[i * step] = static_cast<std::uint8_t>(stretch ? sample * 255 / most : sample);
        }
    }
}

void invert(AnyImage& image, int bits) {
    std::visit(
        [&](auto& i) {
            const auto channels = static_cast<std::size_t>(i.shape().channels);
            auto& values = i.pixels();
            for (std::size_t at = 0; at < values.size(); ++at)
                if (!i.has_alpha || at % channels + 1 < channels)
                    values[at] = inverse(values[at], bits);
        },
        image);
}

Palette palette_of(const TiffHandle& tiff, int bits) {
    std::uint16_t* map[3] = {};
    if (!TIFFGetField(tiff.get(), TIFFTAG_COLORMAP, &map[0], &map[1], &map[2])) return {};
    const int entries = 1 << bits;
    // Some writers store 8-bit colors in the 16-bit table.
    bool is_8_bit = true;
    for (const std::uint16_t* channel : map)
        is_8_bit =
            is_8_bit && std::all_of(channel, channel + entries, [](auto v) { return v < 256; });
    Palette palette;
    for (std::size_t c = 0; c < 3; ++c)
        for (int i = 0; i < entries; ++i)
            palette[c].push_back(static_cast<std::uint8_t>(is_8_bit ? map[c][i] : map[c][i] >> 8));
    return palette;
}

void look_up(const TiffPage& page, const Image<std::uint8_t>& indices, const Palette& palette,
             Image<std::uint8_t>& colors) {
    const int most = (1 << page.bits) - 1;
    std::uint8_t* out = colors.data();
    const std::uint8_t* const end = indices.data() + indices.shape().elements();
    for (const std::uint8_t* in = indices.data(); in < end; in += page.samples) {
        for (const std::vector<std::uint8_t>& channel : palette) *out++ = channel[*in];
        for (int extra = 1; extra < page.samples; ++extra)
            *out++ = static_cast<std::uint8_t>(in[extra] * 255 / most);
    }
}

}  // namespace tesela::io
