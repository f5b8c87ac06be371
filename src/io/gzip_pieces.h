// Gzip members of pieces, which all cores pack and unpack at once. A piece refers to nothing before
// it and ends with a flush; the header's extra field (RFC 1952, section 2.3.1.1) says how long the
// pieces are. To other programs it is a member like any other.
#pragma once

#include <functional>

#include "io/file.h"
#include "tesela/io.h"

namespace tesela::io {

// Fills `bytes` with what stands at `offset`; called from several threads at once.
using ReadAt = std::function<void(std::int64_t offset, std::span<std::uint8_t> bytes)>;

// Packs `total` bytes as one member behind what `to` has, a file on a disk, the same for any number
// of threads (0: all of the CPU). Throws UnwritableOutput.
void write_gzip(std::int64_t total, const ReadAt& read, OutputFile& to,
                Compression compression = Compression::automatic, int threads = 0);
// Packs a file. Throws UnreadableInput, UnwritableOutput.
void gzip_file(const fs::path& from, OutputFile& to);

// Whether what `file` has from `offset` on is one member of pieces that holds `skipped` bytes,
// which are passed over, and then exactly those of `out`, with a right checksum. Where it is not,
// or anything is other than its extra field says, `out` holds anything, and the stream itself
// decides what it is.
bool inflate_pieces(const InputFile& file, std::int64_t offset, std::int64_t skipped,
                    std::span<std::uint8_t> out, int threads = 0);
// The same of `total` bytes behind those that are skipped, which are given to `take` piece by
// piece, by several threads at once and in any order, each in memory of its own.
using TakePart = std::function<void(std::int64_t offset, std::span<const std::uint8_t> bytes)>;
bool inflate_pieces(const InputFile& file, std::int64_t offset, std::int64_t skipped,
                    std::int64_t total, const TakePart& take, int threads = 0);

}  // namespace tesela::io
