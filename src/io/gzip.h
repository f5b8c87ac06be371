// Compressed streams: checked as a whole before a decoder sees them, and written with checks.
#pragma once

#include "io/file.h"

namespace tesela::io {

// The first bytes of the gzip or zlib stream at `offset`, at most `longest`. Throws UnreadableInput
// where not even those can be unpacked.
std::vector<std::uint8_t> inflate_head(const InputFile& file, std::int64_t offset,
                                       std::size_t longest);

// Unpacks the whole stream at `offset` and checks that it ends properly, with a right checksum, and
// holds at least `needed` bytes; stops reading where it holds far more. Throws UnreadableInput.
void check_stream(const InputFile& file, std::int64_t offset, std::int64_t needed);

// Packs a file as gzip. Throws UnwritableOutput.
void gzip_file(const fs::path& from, OutputFile& to);

}  // namespace tesela::io
