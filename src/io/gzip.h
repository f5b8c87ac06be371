// Compressed streams: checked as a whole before a decoder sees them, and written with checks.
#pragma once

#include "io/file.h"

namespace tesela::io {

using TakePiece = std::function<void(std::span<const std::uint8_t>)>;

// The first bytes of the gzip or zlib stream at `offset`, at most `longest`. Throws UnreadableInput
// where not even those can be unpacked.
std::vector<std::uint8_t> inflate_head(const InputFile& file, std::int64_t offset,
                                       std::size_t longest);

// Unpacks the whole stream at `offset` and checks that it ends properly, with a right checksum, and
// holds at least `needed` bytes; stops reading where it holds far more. Throws UnreadableInput.
void check_stream(const InputFile& file, std::int64_t offset, std::int64_t needed);

// Unpacks the first `skipped` + `bytes` bytes of the stream at `offset` and hands all but the first
// `skipped` to `take` in pieces, each but the last a multiple of 64 bytes. Throws UnreadableInput.
void inflate_pieces(const InputFile& file, std::int64_t offset, std::int64_t skipped,
                    std::int64_t bytes, const TakePiece& take);

// What is around a stream (RFC 1951): the head and checksum of gzip or zlib, or nothing.
enum class Wrapping { gzip_or_zlib, none };

// Unpacks the whole stream at `offset`, with its checksum. Throws UnreadableInput, and OutOfMemory
// beyond `longest` bytes, or the physical memory where that is 0.
std::string inflate_all(const InputFile& file, std::int64_t offset, std::int64_t longest,
                        Wrapping wrapping = Wrapping::gzip_or_zlib);

// Packs a file as gzip. Throws UnwritableOutput.
void gzip_file(const fs::path& from, OutputFile& to);

}  // namespace tesela::io
