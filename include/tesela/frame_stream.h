// Frames one after the other, from wherever they come and to wherever they go. What reads and
// writes files is in tesela/video_io.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/image.h"

namespace tesela {

// Frames per second as a fraction: 30000/1001 is what television has.
struct FrameRate {
    std::int64_t numerator = 25, denominator = 1;

    double per_second() const {
        return static_cast<double>(numerator) / static_cast<double>(denominator);
    }
    bool operator==(const FrameRate&) const = default;
};

// What a stream says of itself before its frames are read.
struct FrameStreamFacts {
    std::string format;                       // "Y4M", "pictures", "mov,mp4"
    std::string codec;                        // "h264"; empty where frames are not encoded
    Shape frame{0, 0};                        // of each frame; 0 x 0: not known before the first
    std::optional<FrameRate> rate = {};       // where the stream has one
    std::optional<std::int64_t> frames = {};  // as the file counts them; only the end is certain
    std::optional<std::int64_t> likely_frames = {};  // where it does not, by duration and rate
};

class FrameReader {
  public:
    virtual ~FrameReader() = default;

    virtual const FrameStreamFacts& facts() const = 0;
    // The next frame, or nothing after the last one. Errors name the file and the frame.
    virtual std::optional<AnyImage> next() = 0;
    // Sentences about what was read so far, each once: that the end of a video may be missing.
    virtual std::vector<std::string> warnings() const { return {}; }
    // How sentences call frame `index`, which counts from 0: "'film.mp4', frame 12". May be called
    // from any thread.
    virtual std::string frame_name(std::int64_t index) const = 0;
};

class FrameWriter {
  public:
    virtual ~FrameWriter() = default;

    // All frames have the size and channels of the first one.
    virtual void write(const AnyImage& frame) = 0;
    // Completes the output. Without it there is none.
    virtual void finish() = 0;
};

}  // namespace tesela
