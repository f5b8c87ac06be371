#include "io/gzip_pieces.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "core/threads.h"
#include "io/deflate_pieces.h"
#include "io/in_order.h"

namespace tesela::io {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::int64_t piece_unit = 1 << 20;
constexpr std::size_t head_bytes = 12, field_head_bytes = 8, trailer_bytes = 8;
// Subfield TP: the length of a piece, and those of all pieces packed, of 32 bits each.
constexpr std::size_t most_pieces = (0xffff - field_head_bytes) / 4;

template <class T>
void put(Bytes& bytes, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
        bytes.push_back(static_cast<std::uint8_t>(std::uint64_t{value} >> (8 * i)));
}

std::uint32_t get_u32(const std::uint8_t* at) {
    return at[0] | at[1] << 8 | at[2] << 16 | static_cast<std::uint32_t>(at[3]) << 24;
}
std::size_t get_u16(const std::uint8_t* at) { return at[0] | static_cast<std::size_t>(at[1]) << 8; }

std::uint32_t checksum(std::span<const std::uint8_t> bytes, std::uint32_t before = 0) {
    return crc32_gzip_refl(before, bytes.data(), bytes.size());
}

// ---- packing ----------------------------------------------------------------------------------

struct PackedPiece {
    Bytes bytes;
    std::int64_t unpacked;
    std::uint32_t checksum;
};

// ISA-L is a few percent longer than zlib where numbers are noisy. Where they are not, as in label
// maps, it is half as long again, but there zlib is fast too.
Bytes pack(std::span<const std::uint8_t> in, bool last, Compression compression) {
    constexpr std::size_t noisy = 8;
    constexpr int usual = 6, best = 9;
    Bytes out = deflate_fast(in, last);
    if (compression == Compression::small) {
        Bytes other = deflate_small(in, last, best);
        return other.size() < out.size() ? other : out;
    }
    if (compression == Compression::fast || out.size() * noisy > in.size()) return out;
    return deflate_small(in, last, usual);
}

std::int64_t piece_length(std::int64_t total) {
    const std::int64_t pieces = (total + piece_unit - 1) / piece_unit;
    const auto most = static_cast<std::int64_t>(most_pieces);
    return piece_unit * std::max<std::int64_t>(1, (pieces + most - 1) / most);
}

Bytes member_head(std::int64_t piece, const std::vector<std::uint32_t>& lengths) {
    constexpr std::uint8_t has_extra = 4, unix_system = 3;
    Bytes head{0x1f, 0x8b, Z_DEFLATED, has_extra, 0, 0, 0, 0, 0, unix_system};
    const std::size_t field = 4 + 4 * lengths.size();
    put(head, static_cast<std::uint16_t>(field + 4));
    head.insert(head.end(), {'T', 'P'});
    put(head, static_cast<std::uint16_t>(field));
    put(head, static_cast<std::uint32_t>(piece));
    for (const std::uint32_t length : lengths) put(head, length);
    return head;
}

// ---- unpacking --------------------------------------------------------------------------------

struct Pieces {
    std::int64_t length = 0;                // of each, unpacked, but for the last
    std::vector<std::uint32_t> packed;      // lengths
    std::vector<std::int64_t> begin;        // in the file
    std::uint32_t checksum = 0, bytes = 0;  // of the whole, by the member's trailer
};

// What a member says of its pieces; nothing where they do not fill the file, or not `total` bytes.
std::optional<Pieces> find_pieces(const InputFile& file, std::int64_t offset, std::int64_t total) {
    Bytes head(head_bytes + field_head_bytes);
    if (file.read_some(offset, head) < head.size()) return {};
    const std::size_t extra = get_u16(&head[10]), field = get_u16(&head[14]);
    if (head[0] != 0x1f || head[1] != 0x8b || head[2] != Z_DEFLATED || head[3] != 4 ||
        head[12] != 'T' || head[13] != 'P' || extra != field + 4 || field < 8 || field % 4 != 0)
        return {};
    Pieces pieces;
    pieces.length = get_u32(&head[16]);
    const std::size_t count = field / 4 - 1;
    const auto n = static_cast<std::int64_t>(count);
    if (total <= (n - 1) * pieces.length || total > n * pieces.length) return {};
    Bytes numbers(4 * count + trailer_bytes);
    if (file.read_some(offset + std::ssize(head), std::span(numbers).first(4 * count)) < 4 * count)
        return {};
    std::int64_t at =
        offset + static_cast<std::int64_t>(head_bytes) + static_cast<std::int64_t>(extra);
    for (std::size_t i = 0; i < count; ++i) {
        pieces.packed.push_back(get_u32(&numbers[4 * i]));
        pieces.begin.push_back(at);
        at += pieces.packed.back();
    }
    const auto trailer = std::span(numbers).last(trailer_bytes);
    if (at + std::ssize(trailer) != file.size() || file.read_some(at, trailer) < trailer.size())
        return {};
    pieces.checksum = get_u32(trailer.data());
    pieces.bytes = get_u32(trailer.data() + 4);
    return pieces;
}

// Unpacks one piece: `skipped` bytes, and then those of `out`; gives the checksum of both, or
// nothing where it holds anything else.
std::optional<std::uint32_t> inflate_piece(Bytes& packed, std::int64_t skipped,
                                           std::span<std::uint8_t> out, bool last) {
    const auto state = std::make_unique_for_overwrite<inflate_state>();
    isal_inflate_init(state.get());
    state->next_in = packed.data();
    state->avail_in = static_cast<std::uint32_t>(packed.size());
    std::uint32_t sum = 0;
    const auto fill = [&](std::span<std::uint8_t> to) {
        state->next_out = to.data();
        state->avail_out = static_cast<std::uint32_t>(to.size());
        if (isal_inflate(state.get()) != ISAL_DECOMP_OK || state->avail_out > 0) return false;
        sum = checksum(to, sum);
        return true;
    };
    Bytes passed(static_cast<std::size_t>(std::min<std::int64_t>(skipped, 1 << 16)));
    for (std::int64_t done = 0; done < skipped; done += std::ssize(passed)) {
        passed.resize(std::min(passed.size(), static_cast<std::size_t>(skipped - done)));
        if (!fill(passed)) return {};
    }
    if (!fill(out)) return {};
    std::uint8_t beyond = 0;
    state->next_out = &beyond;
    state->avail_out = 1;
    const bool ended = isal_inflate(state.get()) == ISAL_DECOMP_OK && state->avail_out == 1 &&
                       state->avail_in == 0 && (state->block_state == ISAL_BLOCK_FINISH) == last;
    return ended ? std::optional(sum) : std::nullopt;
}

// What of a piece is taken is `bytes` bytes at `at` behind those that are skipped. `place` calls
// `fill` with memory for them, and gives what that gave.
template <class Place>
bool inflate_to(const InputFile& file, std::int64_t offset, std::int64_t skipped,
                std::int64_t taken, int threads, const Place& place) {
    const std::int64_t total = skipped + taken;
    const auto pieces = find_pieces(file, offset, total);
    if (!pieces || pieces->bytes != static_cast<std::uint32_t>(total)) return false;
    const std::int64_t count = std::ssize(pieces->packed), length = pieces->length;
    std::vector<std::uint32_t> sums(pieces->packed.size());
    std::atomic<bool> whole{true};
    detail::for_each_index(count, threads, [&](std::int64_t i) {
        if (!whole) return;
        const auto index = static_cast<std::size_t>(i);
        const std::int64_t begin = i * length, end = std::min(total, begin + length);
        const std::int64_t first = std::clamp(skipped, begin, end);  // that is taken
        Bytes packed(pieces->packed[index]);
        const auto fill = [&](std::span<std::uint8_t> out) {
            const auto sum = inflate_piece(packed, first - begin, out, i == count - 1);
            if (sum) sums[index] = *sum;
            return sum.has_value();
        };
        if (file.read_some(pieces->begin[index], packed) != packed.size() ||
            !place(std::max<std::int64_t>(first - skipped, 0),
                   static_cast<std::size_t>(end - first), fill))
            whole = false;
    });
    if (!whole) return false;
    std::uint32_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
        sum = static_cast<std::uint32_t>(crc32_combine(sum, sums[static_cast<std::size_t>(i)],
                                                       std::min(length, total - i * length)));
    return sum == pieces->checksum;
}

}  // namespace

void write_gzip(std::int64_t total, const ReadAt& read, OutputFile& to, Compression compression,
                int threads) {
    const std::int64_t length = piece_length(total);
    const std::int64_t count = std::max<std::int64_t>(1, (total + length - 1) / length);
    std::vector<std::uint32_t> lengths(static_cast<std::size_t>(count));
    const std::int64_t begin = to.place();
    const Bytes room = member_head(length, lengths);
    to.write_or_throw(room.data(), room.size());
    const auto make = [&](std::int64_t i) {
        Bytes in(static_cast<std::size_t>(std::min(length, total - i * length)));
        read(i * length, in);
        return PackedPiece{pack(in, i == count - 1, compression), std::ssize(in), checksum(in)};
    };
    std::uint32_t sum = 0;
    make_in_order(count, threads, make, [&](std::int64_t i, const PackedPiece& piece) {
        to.write_or_throw(piece.bytes.data(), piece.bytes.size());
        lengths[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(piece.bytes.size());
        sum = static_cast<std::uint32_t>(crc32_combine(sum, piece.checksum, piece.unpacked));
    });
    Bytes trailer;
    put(trailer, sum);
    put(trailer, static_cast<std::uint32_t>(total));
    to.write_or_throw(trailer.data(), trailer.size());
    const Bytes head = member_head(length, lengths);
    to.rewrite(begin, head.data(), head.size());
}

void gzip_file(const fs::path& from, OutputFile& to) {
    const InputFile file(from);
    write_gzip(
        file.size(),
        [&](std::int64_t offset, std::span<std::uint8_t> bytes) { file.read(offset, bytes); }, to);
}

bool inflate_pieces(const InputFile& file, std::int64_t offset, std::int64_t skipped,
                    std::span<std::uint8_t> out, int threads) {
    return inflate_to(file, offset, skipped, std::ssize(out), threads,
                      [&](std::int64_t at, std::size_t bytes, const auto& fill) {
                          return fill(out.subspan(static_cast<std::size_t>(at), bytes));
                      });
}

bool inflate_pieces(const InputFile& file, std::int64_t offset, std::int64_t skipped,
                    std::int64_t total, const TakePart& take, int threads) {
    constexpr std::size_t longest = std::size_t{1} << 26;  // of what lies beside the image
    return inflate_to(file, offset, skipped, total, threads,
                      [&](std::int64_t at, std::size_t bytes, const auto& fill) {
                          if (bytes > longest) return false;
                          Bytes part(bytes);
                          if (!fill(part)) return false;
                          take(at, part);
                          return true;
                      });
}

}  // namespace tesela::io
