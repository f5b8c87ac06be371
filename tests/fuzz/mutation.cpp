#include "mutation.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace tesela::fuzz {
namespace {

class Damage {
  public:
    Damage(Bytes& bytes, std::mt19937& random) : bytes_(bytes), random_(random) {}

    void flip_bits() {
        for (std::size_t i = 1 + below(4); i > 0; --i)
            bytes_[place()] ^= static_cast<std::uint8_t>(1u << below(8));
    }
    void fill_run() {
        const auto [begin, end] = run();
        const std::uint8_t value = below(3) ? 0 : 0xff;
        std::fill(bytes_.begin() + begin, bytes_.begin() + end, value);
    }
    void randomize_run() {
        const auto [begin, end] = run();
        std::generate(bytes_.begin() + begin, bytes_.begin() + end,
                      [&] { return static_cast<std::uint8_t>(random_()); });
    }
    void cut_off() { bytes_.resize(1 + below(bytes_.size())); }
    void leave_out() {
        const auto [begin, end] = run();
        bytes_.erase(bytes_.begin() + begin, bytes_.begin() + end);
    }
    void repeat() {
        const auto [begin, end] = run();
        const Bytes piece(bytes_.begin() + begin, bytes_.begin() + end);
        bytes_.insert(bytes_.begin() + static_cast<std::ptrdiff_t>(place()), piece.begin(),
                      piece.end());
    }
    // A length, offset or count of 1, 2, 4 or 8 bytes in either order.
    void extreme_number() {
        const std::size_t width = std::size_t{1} << below(4);
        const std::uint64_t size = bytes_.size();
        const std::uint64_t values[] = {0,
                                        1,
                                        2,
                                        size - 1,
                                        size,
                                        size + 1,
                                        0x7f,
                                        0x7fff,
                                        0x8000,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        0x7fffffffffffffff,
                                        ~std::uint64_t{0}};
        const std::uint64_t value = values[below(std::size(values))];
        const bool big_endian = below(2) == 0;
        const std::size_t begin = place();
        for (std::size_t i = 0; i < width && begin + i < bytes_.size(); ++i)
            bytes_[begin + i] =
                static_cast<std::uint8_t>(value >> 8 * (big_endian ? width - 1 - i : i));
    }
    // The same where numbers are written as text.
    void extreme_text() {
        static constexpr std::string_view values[] = {
            "0", "-1", "1e999", "nan", "2147483647", "99999999999999999999", "0.5", "", "%s", "x"};
        const auto is_digit = [](std::uint8_t c) { return c >= '0' && c <= '9'; };
        const auto begin = std::find_if(bytes_.begin() + static_cast<std::ptrdiff_t>(place()),
                                        bytes_.end(), is_digit);
        const auto end = std::find_if_not(begin, bytes_.end(), is_digit);
        const std::string_view value = values[below(std::size(values))];
        const auto at = bytes_.erase(begin, end);
        bytes_.insert(at, value.begin(), value.end());
    }

    std::size_t below(std::size_t end) { return random_() % end; }

  private:
    std::size_t place() {
        constexpr std::size_t header = 400;
        return below(below(2) ? std::min(bytes_.size(), header) : bytes_.size());
    }
    std::pair<std::ptrdiff_t, std::ptrdiff_t> run() {
        const std::size_t begin = place(), left = bytes_.size() - begin;
        const std::size_t length = 1 + below(below(4) ? std::min<std::size_t>(left, 64) : left);
        return {static_cast<std::ptrdiff_t>(begin), static_cast<std::ptrdiff_t>(begin + length)};
    }

    Bytes& bytes_;
    std::mt19937& random_;
};

// Chunks are: length, name, data, checksum of name and data.
void repair_png(Bytes& bytes) {
    static constexpr std::array<std::uint8_t, 8> mark{0x89, 'P', 'N', 'G', 13, 10, 26, 10};
    if (bytes.size() < 8 || !std::equal(mark.begin(), mark.end(), bytes.begin())) return;
    for (std::size_t at = 8; at + 12 <= bytes.size();) {
        const std::size_t length = std::size_t{bytes[at]} << 24 | std::size_t{bytes[at + 1]} << 16 |
                                   std::size_t{bytes[at + 2]} << 8 | bytes[at + 3];
        if (length > bytes.size() - at - 12) return;
        const uLong sum = crc32(0, &bytes[at + 4], static_cast<uInt>(length + 4));
        for (std::size_t i = 0; i < 4; ++i)
            bytes[at + 8 + length + i] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
        at += length + 12;
    }
}

// Of a compressed volume: of its header, and of the sections that have one.
void repair_volume(Bytes& bytes) {
    static constexpr std::string_view mark{"\x89TVOL\r\n\x1a"};
    constexpr std::size_t sum_at = 240, table_at = 224, entry_bytes = 32, most_sections = 1000;
    if (bytes.size() < sum_at + 8 ||
        !std::equal(mark.begin(), mark.end(), bytes.begin(),
                    [](char c, std::uint8_t b) { return static_cast<std::uint8_t>(c) == b; }))
        return;
    const auto number = [&](std::size_t at) {
        std::uint64_t value = 0;
        std::memcpy(&value, &bytes[at], sizeof value);
        return value;
    };
    const auto put_sum = [&](std::size_t at, std::size_t begin, std::size_t length) {
        const std::uint64_t sum = XXH3_64bits(&bytes[begin], length);
        std::memcpy(&bytes[at], &sum, sizeof sum);
    };
    put_sum(sum_at, 0, sum_at);
    const std::uint64_t table = number(table_at);
    for (std::size_t i = 0; i < std::min<std::size_t>(number(table_at + 8), most_sections); ++i) {
        const std::uint64_t entry = table + entry_bytes * i;
        if (table > bytes.size() || bytes.size() - table < entry_bytes * (i + 1)) return;
        const std::uint64_t begin = number(entry + 8), length = number(entry + 16);
        if (number(entry + 24) != 0 && begin < bytes.size() && length <= bytes.size() - begin)
            put_sum(entry + 24, begin, length);
    }
}

}  // namespace

Bytes damaged(Bytes bytes, std::mt19937& random) {
    static constexpr std::array kinds{
        &Damage::flip_bits, &Damage::fill_run, &Damage::randomize_run,  &Damage::cut_off,
        &Damage::leave_out, &Damage::repeat,   &Damage::extreme_number, &Damage::extreme_text};
    Damage damage(bytes, random);
    for (std::size_t i = 1 + damage.below(3); i > 0 && !bytes.empty(); --i)
        (damage.*kinds[damage.below(kinds.size())])();
    if (damage.below(8)) {
        repair_png(bytes);
        repair_volume(bytes);
    }
    return bytes;
}

}  // namespace tesela::fuzz
