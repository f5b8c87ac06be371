// Videos by FFmpeg's libraries, and what Y4M has in common with them.
#pragma once

#include "io/file.h"
#include "tesela/video_io.h"

namespace tesela::io {

// Which YUV a picture of this size has where its file does not say.
inline bool is_high_definition(std::int64_t width, std::int64_t height) {
    return width >= 1280 || height > 576;
}

// The frame as a video takes it. Throws UnsupportedFormat for other types and channels, and
// InvalidArgument for a shape that is not `first`, where that is given.
const Image<std::uint8_t>& video_frame(const AnyImage& frame, const Shape* first,
                                       const fs::path& shown);

std::unique_ptr<FrameReader> open_y4m(const fs::path& path, const FrameReadOptions& options);
std::unique_ptr<FrameWriter> create_y4m(const fs::path& path, const VideoWriteOptions& options);

// src/io/video/, or what says that it was not built.
std::unique_ptr<FrameReader> open_coded_video(const fs::path& path,
                                              const FrameReadOptions& options);
std::unique_ptr<FrameWriter> create_coded_video(const fs::path& path,
                                                const VideoWriteOptions& options);

}  // namespace tesela::io
