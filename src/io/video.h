// Videos by FFmpeg's libraries, and what Y4M has in common with them.
#pragma once

#include "io/file.h"
#include "tesela/video_io.h"

namespace tesela::io {

// Which YUV a picture of this size has where its file does not say.
inline bool is_high_definition(std::int64_t width, std::int64_t height) {
    return width >= 1280 || height > 576;
}

// What all frames of a video have in common.
struct VideoFrameKind {
    Shape shape;
    PixelType type;
    bool operator==(const VideoFrameKind&) const = default;
};
inline VideoFrameKind video_frame_kind(const AnyImage& frame) {
    return {shape_of(frame), pixel_type_of(frame)};
}

// Throws UnsupportedFormat for what a video cannot hold that takes 8, or 8 and 16 bits, and
// InvalidArgument for a frame that is not as the first, where that is given.
void require_video_frame(const AnyImage& frame, const VideoFrameKind* first, int most_bits,
                         const fs::path& shown);

// Files without a header, each with as many frames as the layout has slices; with one slice, as
// many as fit.
std::unique_ptr<FrameReader> open_raw_frames(std::vector<fs::path> files, const RawLayout& layout,
                                             const FrameReadOptions& options);
std::unique_ptr<FrameReader> open_y4m(const fs::path& path, const FrameReadOptions& options);
std::unique_ptr<FrameWriter> create_y4m(const fs::path& path, const VideoWriteOptions& options);

// src/io/video/, or what says that it was not built.
std::unique_ptr<FrameReader> open_coded_video(const fs::path& path,
                                              const FrameReadOptions& options);
std::unique_ptr<FrameWriter> create_coded_video(const fs::path& path,
                                                const VideoWriteOptions& options);

}  // namespace tesela::io
