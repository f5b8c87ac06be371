#include "io/embedded_tiff.h"

namespace tesela::io {

EmbeddedTiff::EmbeddedTiff(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < 8 || bytes[0] != bytes[1] || (bytes[0] != 'I' && bytes[0] != 'M')) return;
    bytes_ = bytes;
    little_ = bytes[0] == 'I';
}

std::uint32_t EmbeddedTiff::u16(std::size_t at) const {
    const std::uint32_t first = bytes_[at], second = bytes_[at + 1];
    return little_ ? first | second << 8 : first << 8 | second;
}

std::uint32_t EmbeddedTiff::u32(std::size_t at) const {
    const std::uint32_t first = u16(at), second = u16(at + 2);
    return little_ ? first | second << 16 : first << 16 | second;
}

std::optional<std::size_t> EmbeddedTiff::find(std::uint16_t tag) const {
    if (bytes_.empty()) return std::nullopt;
    const std::size_t directory = u32(4);
    if (directory > size() || size() - directory < 2) return std::nullopt;
    const std::size_t entries = u16(directory);
    for (std::size_t i = 0; i < entries; ++i) {
        const std::size_t entry = directory + 2 + 12 * i;
        if (entry + 12 > size()) break;
        if (u16(entry) == tag) return entry + 8;
    }
    return std::nullopt;
}

}  // namespace tesela::io
