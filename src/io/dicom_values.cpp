// Pixels without compression, from the layouts that DICOM allows to the plainest one.
#include "io/dicom_values.h"

#include <algorithm>

namespace tesela::io {
namespace {

using Bytes = std::vector<std::uint8_t>;

void swap_bytes(Bytes& bytes, std::int64_t unit) {
    if (bytes.size() % static_cast<std::size_t>(unit) > 0) bytes.push_back(0);
    for (auto at = bytes.begin(); bytes.end() - at >= unit; at += unit) std::reverse(at, at + unit);
}

// The first pixel is the lowest bit of a byte (PS3.5, annex D).
Bytes unpacked_bits(const Bytes& bytes, std::size_t skipped, std::size_t pixels) {
    Bytes values(pixels);
    for (std::size_t i = 0; i < pixels; ++i)
        values[i] = bytes[(skipped + i) / 8] >> (skipped + i) % 8 & 1;
    return values;
}

// Two pixels lie as Y Y Cb Cr (PS3.3, C.7.6.3.1.2).
Bytes with_own_colors(const Bytes& bytes, std::size_t pixels) {
    Bytes values;
    values.reserve(3 * pixels);
    for (std::size_t at = 0; at < 2 * pixels; at += 4)
        for (const std::size_t own : {at, at + 1})
            values.insert(values.end(), {bytes[own], bytes[at + 2], bytes[at + 3]});
    return values;
}

}  // namespace

void take_bits(Bytes& pixels, const DicomHeader& header, int first_bit) {
    const std::size_t width = static_cast<std::size_t>(header.bits_allocated) / 8;
    const std::uint64_t sign = std::uint64_t{1} << (header.bits_stored - 1), mask = 2 * sign - 1;
    for (std::size_t at = 0; at + width <= pixels.size(); at += width) {
        std::uint64_t value = 0;
        for (std::size_t i = width; i-- > 0;) value = value << 8 | pixels[at + i];
        value = value >> first_bit & mask;
        if (header.is_signed && (value & sign)) value |= ~mask;
        for (std::size_t i = 0; i < width; ++i, value >>= 8)
            pixels[at + i] = static_cast<std::uint8_t>(value);
    }
}

void saturate(Bytes& pixels, bool is_signed, const DicomHeader& header) {
    const int unused = 64 - header.bits_allocated;
    const std::size_t width = static_cast<std::size_t>(header.bits_allocated) / 8;
    const std::int64_t values = std::int64_t{1} << header.bits_stored;
    const std::int64_t lowest = is_signed ? -values / 2 : 0, highest = lowest + values - 1;
    for (std::size_t at = 0; at + width <= pixels.size(); at += width) {
        std::uint64_t bits = 0;
        for (std::size_t i = width; i-- > 0;) bits = bits << 8 | pixels[at + i];
        const std::int64_t value = is_signed ? static_cast<std::int64_t>(bits << unused) >> unused
                                             : static_cast<std::int64_t>(bits);
        const std::int64_t kept = std::clamp(value, lowest, highest);
        for (std::size_t i = 0; i < width; ++i)
            pixels[at + i] = static_cast<std::uint8_t>(kept >> (8 * i));
    }
}

Bytes plain_values(Bytes pixels, const DicomHeader& header) {
    const DicomHeader::Layout& layout = header.layout;
    const auto count = static_cast<std::size_t>(header.rows * header.columns);
    if (layout.swapped_bytes > 1) swap_bytes(pixels, layout.swapped_bytes);
    if (layout.packed_bits)
        pixels = unpacked_bits(pixels, static_cast<std::size_t>(layout.skipped_bits), count);
    if (layout.shared_colors) pixels = with_own_colors(pixels, count);
    if (layout.first_bit > 0) take_bits(pixels, header, layout.first_bit);
    return pixels;
}

}  // namespace tesela::io
