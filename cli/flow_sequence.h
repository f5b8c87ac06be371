// tesela flow METHOD of a folder of pictures, of three or more pictures, of a video or of Y4M on
// standard input.
#pragma once

#include "common_options.h"
#include "flow_files.h"
#include "second_image.h"
#include "tesela/flow_sequence.h"

namespace tesela::cli {

struct SequenceOptions {
    int batch = 2;
    double frame_rate = 0;
};

template <class V>
void describe(V&& v, SequenceOptions& o) {
    v("batch", o.batch, "frames that are computed in one launch; neighbors share one",
      OptionRange{.lowest = 2, .highest = 1000});
    v("frame-rate", o.frame_rate, "of videos that are written; 0: the input's, or 25 of pictures",
      OptionRange{.lowest = 0, .highest = 1000, .unit = "frames per second"});
}

inline constexpr const char* sequence_inputs =
    "two pictures of one size; or a sequence: a folder of pictures, three pictures or more, a "
    "video, or - for Y4M on standard input";

struct FlowSequenceJob {
    std::string method;  // its name
    FlowMethod compute;
    // Device memory that it takes at most for frames along t.
    std::function<std::int64_t(const Shape& frames, const Device&)> device_bytes;
    Image<float> (*prepare)(const AnyImage& frame);  // what the method sees of a frame
    std::vector<std::filesystem::path> inputs;
    FlowFiles files;
    SequenceOptions sequence;
    GeometryOptions geometry;
    JobOptions job;
    MemoryOptions memory;
    MessageOptions messages;
    Json parameters;
};

// Gives the exit code. What was done before an error or an interrupt is kept, and a sentence says
// how much. Throws as flow_sequence and tesela/video_io.h do.
int run_flow_sequence(const FlowSequenceJob& job, const CancelToken& token);

}  // namespace tesela::cli
