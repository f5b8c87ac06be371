// Sequences of frames in files: folders of pictures, Y4M, and videos.
//
//   pictures  every format of tesela/io.h, one frame each; files without a header, one frame or
//             several each (FrameReadOptions::raw).
//   Y4M       YUV4MPEG2: C420 (jpeg, mpeg2, paldv), C422, C444, Cmono of 8 bits, or of 9 to 16
//             (C420p10, Cmono10). Read from and written to files and pipes. Written as C444, or
//             Cmono where frames are gray, of 8 bits or 16 as the frames.
//   videos    MP4, QuickTime, Matroska, WebM, AVI, MPEG-TS, MPEG-PS, Ogg, Flash video and ASF with
//             what FFmpeg's libraries decode; written as H.264 (MPEG-4 Part 2 where they lack the
//             encoder) in .mp4, .mkv, .mov or .avi. Only where Tesela was built with them
//             (TESELA_WITH_FFMPEG).
//
// Frames of a video are Image<std::uint8_t>, of a Y4M with more bits Image<std::uint16_t> up to
// white at 65535; RGB, or one channel where the video is gray. YUV is
// that of ITU-R BT.709 from 1280 columns or more than 576 rows on, else of BT.601, unless the video
// says what it is; of limited range (black 16, white 235) unless it says full range. Missing chroma
// is repeated. Turns by right angles and mirrors that a video asks players for are applied.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/frame_stream.h"
#include "tesela/io.h"
#include "tesela/progress.h"

namespace tesela::io {

struct FrameReadOptions {
    std::int64_t max_bytes = 0;           // as ReadOptions, for each frame
    const CancelToken* cancel = nullptr;  // ends waiting for a pipe with Cancelled
    bool ignore_geometry = false;         // of pictures, matched pixel by pixel
    PlaneChoice choice = {};              // what of each picture is the frame
    // Of files without a header: where it has one slice, each holds as many frames of it as fit.
    std::optional<RawLayout> raw = {};
};

// The pictures of a folder, in the natural order of their names: frame2 before frame10. They are
// told by suffix; hidden files and subfolders are passed over. Throws UnreadableInput for a folder
// that is missing or has no pictures, InvalidArgument where a number between those of the names is
// missing: names differ in one number, which goes up by the same step everywhere else.
// `any_suffix`: all files are frames.
std::vector<std::filesystem::path> frame_files(const std::filesystem::path& folder,
                                               bool any_suffix = false);

// Numbers in names are compared as numbers, all else by bytes.
bool natural_less(std::string_view a, std::string_view b);

// One picture after the other. Opens none before it is asked for. Those that have geometry must lie
// on the grid of the first, in any order of axes (tesela/align.h): InvalidArgument otherwise.
std::unique_ptr<FrameReader> open_pictures(std::vector<std::filesystem::path> files,
                                           const FrameReadOptions& options = {});

// A folder of pictures, a Y4M file, a video; "-" is Y4M on standard input. Throws UnreadableInput,
// UnsupportedFormat (also for videos where FFmpeg is missing), OutOfMemory, and what
// frame_files throws. Reading a video without any frame throws UnreadableInput.
std::unique_ptr<FrameReader> open_frames(const std::filesystem::path& path,
                                         const FrameReadOptions& options = {});

// "Y4M", or the name of a video container by the first bytes of the file, else empty. Throws
// UnreadableInput for a file that is missing, empty or not readable.
std::string video_format(const std::filesystem::path& path);

// Whether Tesela was built with FFmpeg's libraries, and they can be loaded.
bool has_video_codecs();

// Whether `path` is for a video by its suffix (.y4m, .mp4, .mkv, .mov, .avi, .gif), or is "-".
bool is_video_name(const std::filesystem::path& path);

struct VideoWriteOptions {
    FrameRate rate;
    bool overwrite = true;  // false: an existing file is refused with InvalidArgument
};

// Takes frames of 8 bits, Y4M also of 16, with one channel or three. "-" is Y4M on standard output.
// Videos of other formats have even sides: a last column or row is repeated where one is missing.
// Throws UnwritableOutput, UnsupportedFormat (suffix, frames of another kind; videos where Tesela
// was built without them), InvalidArgument (a frame unlike the first). A file is written beside the
// target and renamed by finish().
std::unique_ptr<FrameWriter> create_video(const std::filesystem::path& path,
                                          const VideoWriteOptions& options = {});

}  // namespace tesela::io
