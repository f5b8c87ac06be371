// Stands in for decoder.cpp and encoder.cpp where FFmpeg's libraries are not used.
#include "io/video.h"

namespace tesela::io {

bool has_video_codecs() { return false; }

std::unique_ptr<FrameReader> open_coded_video(const fs::path& path, const FrameReadOptions&) {
    const std::string format = video_format(path);
    if (format.empty())
        throw unsupported(path, "it is neither a folder of pictures nor a Y4M video");
    throw unsupported(path, "it is a video (" + format +
                                "), and this Tesela was built without FFmpeg's libraries, "
                                "so that it reads Y4M alone; convert it, or build with "
                                "TESELA_WITH_FFMPEG=ON");
}

std::unique_ptr<FrameWriter> create_coded_video(const fs::path& path, const VideoWriteOptions&) {
    throw UnsupportedFormat("cannot write " + quoted(path) +
                            ": this Tesela was built without FFmpeg's libraries, so that it writes "
                            "Y4M alone; use .y4m, or build with TESELA_WITH_FFMPEG=ON");
}

}  // namespace tesela::io
