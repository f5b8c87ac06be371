#define XXH_INLINE_ALL  // one library less to load
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>

#include "io/volume_file/volume_file.h"

namespace tesela::io {

std::uint64_t checksum_of(std::span<const std::uint8_t> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

namespace {

// Its tables are large, so that each thread keeps its own.
ZSTD_CCtx* compressor() {
    using Kept = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;
    thread_local const Kept kept(ZSTD_createCCtx(), ZSTD_freeCCtx);
    if (!kept) throw std::bad_alloc();
    return kept.get();
}

// Likewise.
ZSTD_DCtx* decompressor() {
    using Kept = std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)>;
    thread_local const Kept kept(ZSTD_createDCtx(), ZSTD_freeDCtx);
    if (!kept) throw std::bad_alloc();
    return kept.get();
}

// Whether the frame had as many bytes as there is room for.
bool decompress(std::span<const std::uint8_t> packed, std::span<std::uint8_t> bytes) {
    const std::size_t length = ZSTD_decompressDCtx(decompressor(), bytes.data(), bytes.size(),
                                                   packed.data(), packed.size());
    return !ZSTD_isError(length) && length == bytes.size();
}

// Bytes of the same place in each value together.
Bytes shuffled(std::span<const std::uint8_t> values, std::size_t value_bytes) {
    Bytes together(values.size());
    const std::size_t count = values.size() / value_bytes;
    for (std::size_t b = 0; b < value_bytes; ++b)
        for (std::size_t i = 0; i < count; ++i)
            together[b * count + i] = values[i * value_bytes + b];
    return together;
}

}  // namespace

Bytes pack(std::span<const std::uint8_t> values, std::size_t value_bytes, int effort) {
    const Bytes together = value_bytes == 1 ? Bytes() : shuffled(values, value_bytes);
    const std::span<const std::uint8_t> from = value_bytes == 1 ? values : together;
    Bytes packed(ZSTD_compressBound(from.size()));
    const std::size_t length = ZSTD_compressCCtx(compressor(), packed.data(), packed.size(),
                                                 from.data(), from.size(), effort);
    if (ZSTD_isError(length)) throw std::bad_alloc();  // the only way that it can fail
    packed.resize(length);
    return packed;
}

std::size_t unpacked_bytes(std::span<const std::uint8_t> packed) {
    const unsigned long long bytes = ZSTD_getFrameContentSize(packed.data(), packed.size());
    return bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN
               ? 0
               : static_cast<std::size_t>(bytes);
}

bool unpack(std::span<const std::uint8_t> packed, std::size_t value_bytes,
            std::span<std::uint8_t> values) {
    if (value_bytes == 1) return decompress(packed, values);
    Bytes shuffled(values.size());
    if (!decompress(packed, shuffled)) return false;
    const std::size_t count = values.size() / value_bytes;
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t b = 0; b < value_bytes; ++b)
            values[i * value_bytes + b] = shuffled[b * count + i];
    return true;
}

namespace {

template <class T>
std::optional<SparseValues> split(std::span<const std::uint8_t> bytes) {
    const std::size_t count = bytes.size() / sizeof(T);
    const auto value = [&](std::size_t i) {
        T number;
        std::memcpy(&number, &bytes[i * sizeof(T)], sizeof(T));
        return number;
    };
    // The value that more than half of all have, if there is one (R. S. Boyer and J. S. Moore,
    // 1981).
    T frequent{};
    std::size_t votes = 0, others = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (votes == 0) frequent = value(i);
        votes = value(i) == frequent ? votes + 1 : votes - 1;
    }
    for (std::size_t i = 0; i < count; ++i) others += value(i) == frequent ? 0 : 1;
    if (2 * others >= count) return {};
    SparseValues sparse;
    sparse.frequent.resize(sizeof(T));
    std::memcpy(sparse.frequent.data(), &frequent, sizeof(T));
    sparse.others.resize((count + 7) / 8);
    sparse.rest.resize(others * sizeof(T));
    std::uint8_t* next = sparse.rest.data();
    for (std::size_t i = 0; i < count; ++i) {
        const T number = value(i);
        if (number == frequent) continue;
        sparse.others[i / 8] = static_cast<std::uint8_t>(sparse.others[i / 8] | 1 << i % 8);
        std::memcpy(next, &number, sizeof(T));
        next += sizeof(T);
    }
    return sparse;
}

}  // namespace

std::optional<SparseValues> split_sparse(std::span<const std::uint8_t> values,
                                         std::size_t value_bytes) {
    return value_bytes == 1 ? split<std::uint8_t>(values) : split<std::uint16_t>(values);
}

Bytes pack_sparse(const SparseValues& values, int effort) {
    const Bytes first = pack(values.others, 1, effort);
    const Bytes second = pack(values.rest, values.frequent.size(), effort);
    Bytes packed = values.frequent;
    const auto length = static_cast<std::uint32_t>(first.size());
    const auto length_bytes = bytes_of(&length, 1);
    packed.insert(packed.end(), length_bytes.begin(), length_bytes.end());
    packed.insert(packed.end(), first.begin(), first.end());
    packed.insert(packed.end(), second.begin(), second.end());
    return packed;
}

bool unpack_sparse(std::span<const std::uint8_t> packed, std::size_t value_bytes,
                   std::span<std::uint8_t> values) {
    std::uint32_t length = 0;
    const std::size_t head = value_bytes + sizeof length;
    if (packed.size() < head) return false;
    std::memcpy(&length, &packed[value_bytes], sizeof length);
    if (length > packed.size() - head) return false;
    const std::size_t count = values.size() / value_bytes;
    Bytes others((count + 7) / 8);
    if (!unpack(packed.subspan(head, length), 1, others)) return false;
    if (count % 8 != 0)
        others.back() = static_cast<std::uint8_t>(others.back() & ((1u << count % 8) - 1));
    std::size_t number = 0;
    for (const std::uint8_t byte : others) number += static_cast<std::size_t>(std::popcount(byte));
    Bytes rest(number * value_bytes);
    if (!unpack(packed.subspan(head + length), value_bytes, rest)) return false;
    if (value_bytes == 1)
        std::fill(values.begin(), values.end(), packed[0]);
    else
        for (std::size_t i = 0; i < count; ++i)
            std::copy_n(packed.data(), value_bytes, &values[i * value_bytes]);
    const std::uint8_t* next = rest.data();
    for (std::size_t k = 0; k < others.size(); ++k)
        for (unsigned bits = others[k]; bits != 0; bits &= bits - 1) {
            const std::size_t i = 8 * k + static_cast<std::size_t>(std::countr_zero(bits));
            std::copy_n(next, value_bytes, &values[i * value_bytes]);
            next += value_bytes;
        }
    return true;
}

}  // namespace tesela::io
