#include "io/volume.h"

#include <algorithm>

namespace tesela::io {

InputFile open_data(const InputFile& header, const fs::path& data_file) {
    try {
        return InputFile(data_file);
    } catch (const UnreadableInput& error) {
        if (data_file == header.path()) throw;
        throw unreadable(header.path(),
                         std::string("its pixels lie in another file, ") + error.what());
    }
}

void check_data(const InputFile& file, const VolumeHeader& header, const DecodeOptions& options) {
    const InputFile data = open_data(file, header.data_file);
    const std::int64_t needed = header.skipped_bytes + header.data_bytes;
    const bool packed = header.stream_offset >= 0;
    const std::int64_t there = data.size() - (packed ? header.stream_offset : header.data_offset);
    // Deflate shrinks data at most 1032-fold (RFC 1951: 258 bytes in 2 bits).
    const std::int64_t most = packed ? 1032 * there : there;
    if (needed > most)
        throw unreadable(file.path(), "the header claims " + std::to_string(needed) +
                                          " bytes of pixels, but the file has only " +
                                          std::to_string(std::max<std::int64_t>(there, 0)) +
                                          (packed ? " compressed bytes" : ""));
    // A header that unpacks to more than the limit is not worth the time to skip it.
    require_memory(file.path(), header.data_bytes, options.max_bytes,
                   header.work_bytes + header.skipped_bytes);
    if (packed) check_stream(data, header.stream_offset, needed);
}

void read_data(const InputFile& file, const VolumeHeader& header, const TakePiece& take) {
    const InputFile data = open_data(file, header.data_file);
    if (header.stream_offset >= 0)
        return inflate_pieces(data, header.stream_offset, header.skipped_bytes, header.data_bytes,
                              take);
    std::vector<std::uint8_t> bytes(std::size_t{1} << 18);
    for (std::int64_t at = 0; at < header.data_bytes;) {
        const std::span<std::uint8_t> piece(
            bytes.data(), static_cast<std::size_t>(std::min(
                              header.data_bytes - at, static_cast<std::int64_t>(bytes.size()))));
        data.read(header.data_offset + at, piece);
        take(piece);
        at += static_cast<std::int64_t>(piece.size());
    }
}

}  // namespace tesela::io
