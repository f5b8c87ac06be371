#include "io/video/container_size.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace tesela::io {
namespace {

constexpr std::size_t longest_head = 16;

struct Part {
    std::array<std::uint8_t, longest_head> head{};
    std::size_t got = 0;

    Part(const InputFile& file, std::int64_t at) { got = file.read_some(at, head); }

    std::uint64_t big_endian(std::size_t at, std::size_t bytes) const {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | head[at + i];
        return value;
    }
    bool has(std::size_t at, std::string_view mark) const {
        return got >= at + mark.size() &&
               std::equal(mark.begin(), mark.end(), head.begin() + at,
                          [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
    }
};

// A lying size may be anything.
std::int64_t sum(std::int64_t at, std::uint64_t bytes) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return bytes > static_cast<std::uint64_t>(most - at) ? most
                                                         : at + static_cast<std::int64_t>(bytes);
}

// Boxes of MP4 and QuickTime: size and four letters. What is no box, behind the last one, is passed
// over.
std::int64_t end_of_boxes(const InputFile& file) {
    constexpr std::size_t short_head = 8;
    std::int64_t at = 0;
    while (at < file.size()) {
        const Part box(file, at);
        const bool is_named = std::all_of(box.head.begin() + 4, box.head.begin() + short_head,
                                          [](std::uint8_t c) { return c >= ' ' && c <= '~'; });
        if (box.got < short_head || !is_named) return file.size();
        std::uint64_t size = box.big_endian(0, 4);
        const bool is_long = size == 1;
        if (is_long) size = box.big_endian(short_head, 8);
        if (size < (is_long ? longest_head : short_head)) return file.size();
        at = sum(at, size);
    }
    return at;
}

// EBML: the number of leading zeros of a number's first byte says how many bytes follow it.
std::int64_t end_of_segments(const InputFile& file) {
    constexpr std::uint64_t header = 0x1a45dfa3, segment = 0x18538067;
    constexpr std::size_t id_bytes = 4;
    std::int64_t at = 0;
    while (at < file.size()) {
        const Part element(file, at);
        const std::uint64_t id = element.big_endian(0, id_bytes);
        const auto size_bytes = static_cast<std::size_t>(std::countl_zero(element.head[4])) + 1;
        if ((id != header && id != segment) || size_bytes > 8) return file.size();
        const std::uint64_t unknown = (std::uint64_t{1} << 7 * size_bytes) - 1;
        const std::uint64_t size = element.big_endian(id_bytes, size_bytes) & unknown;
        if (size == unknown) return file.size();
        at = sum(at + static_cast<std::int64_t>(id_bytes + size_bytes), size);
    }
    return at;
}

// RIFF: long files are several, one behind the other. Some writers count the eight bytes of the
// head in a size, so that a file may seem to lack them.
std::int64_t end_of_riffs(const InputFile& file) {
    constexpr std::int64_t head_bytes = 8;
    std::int64_t at = 0, end = 0;
    for (Part riff(file, at); riff.has(0, "RIFF"); riff = Part(file, at)) {
        std::int64_t size = 0;
        for (std::size_t i = 8; i-- > 4;) size = size << 8 | riff.head[i];
        end = at + head_bytes + size;
        at = end + size % 2;
    }
    return end - file.size() > head_bytes ? end : file.size();
}

}  // namespace

std::int64_t claimed_bytes(const InputFile& file, std::string_view container) {
    if (container.starts_with("mov")) return end_of_boxes(file);
    if (container.starts_with("matroska")) return end_of_segments(file);
    if (container == "avi") return end_of_riffs(file);
    return file.size();
}

}  // namespace tesela::io
