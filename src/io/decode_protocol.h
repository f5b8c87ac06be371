// What goes through the socket between the library and tesela-decode, the program that decodes
// compressed DICOM images. Both ends are of one build, so that structs travel as they are.
#pragma once

#include <cstdint>

namespace tesela::io {

inline constexpr std::uint64_t request_mark = 0x3171657261736574;  // "tesareq1"
inline constexpr std::uint64_t reply_mark = 0x3170657261736574;    // "tesarep1"
inline constexpr std::uint64_t longest_reason = 1024;

// Followed by `file_bytes` bytes: a DICOM file with one compressed image and nothing else.
struct DecodeRequest {
    std::uint64_t mark = request_mark;
    std::int64_t columns = 0, rows = 0;
    std::int32_t samples = 1, bits_allocated = 8, is_signed = 0;
    std::int32_t cpu_seconds = 0;  // that the decoder may take
    std::uint64_t file_bytes = 0;

    std::uint64_t pixel_bytes() const {
        return static_cast<std::uint64_t>(columns * rows * samples * (bits_allocated / 8));
    }
};

enum class DecodeStatus : std::uint32_t {
    pixels,  // followed by `bytes` bytes, as they would lie in a DICOM file without compression
    failed,  // followed by a reason of `bytes` bytes
};

struct DecodeReply {
    std::uint64_t mark = reply_mark;
    DecodeStatus status = DecodeStatus::failed;
    std::uint64_t bytes = 0;
};

}  // namespace tesela::io
