#include "io/gzip.h"
#include "io/volume.h"

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
    require_memory(file.path(), header.data_bytes, options.max_bytes);
    if (packed) check_stream(data, header.stream_offset, needed);
}

}  // namespace tesela::io
