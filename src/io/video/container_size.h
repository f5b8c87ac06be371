// How long a video's file claims to be.
#pragma once

#include <string_view>

#include "io/file.h"

namespace tesela::io {

// The bytes that the outermost parts of a file add up to, where `container`, FFmpeg's name of its
// format, is one whose parts say how long they are (MP4, QuickTime, Matroska, WebM, AVI); otherwise
// the size of the file. A larger number than that is a file that was cut off.
std::int64_t claimed_bytes(const InputFile& file, std::string_view container);

}  // namespace tesela::io
