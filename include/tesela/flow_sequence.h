// Optical flow through a sequence of any length: frames are read, prepared, compared, shown and
// written at the same time, and memory does not grow with the number of frames.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tesela/brightness.h"
#include "tesela/compute/queue.h"
#include "tesela/flow_result.h"
#include "tesela/frame_stream.h"
#include "tesela/progress.h"
#include "tesela/stage_load.h"

namespace tesela {

// The motion between two neighbors of a sequence.
struct FlowStep {
    std::int64_t index = 0;  // of the first of both frames
    std::shared_ptr<const AnyImage> first, second;
    FlowField field;
};

// A method with its options: N frames give N - 1 fields, each the same as from its two frames
// alone. Called from one thread for each queue.
using FlowMethod =
    std::function<FlowResult(std::span<const Image<float>>, Queue&, const Progress&)>;

// Takes each field. Called from several threads at once and in any order, but for the first field,
// which is taken before any other. What it returns, if anything, is called in the order of the
// frames, from the thread that called flow_sequence: that is the place to write.
using FlowSink = std::function<std::function<void()>(FlowStep&&)>;

struct FlowSequenceOptions {
    int batch = 2;    // frames of one call of the method, at least 2; neighbors share a frame
    int threads = 0;  // that prepare, and that call the sink; 0: half of all, at most 8
    // What the method sees of a frame; `range` is used_range of the first one.
    Image<float> (*prepare)(const AnyImageView& frame, const ValueRange& range) = brightness;
    std::int64_t sink_bytes = 0;  // that the sink keeps of a field until it is written
    // Host memory that frames and fields under way may take; 0: no limit. Where it is too small for
    // all stages to work at once, fewer batches are under way, but always one.
    std::int64_t max_bytes = 0;
};

struct FlowSequenceReport {
    std::int64_t frames = 0, fields = 0;
    double seconds = 0;
    std::vector<StageLoad> stages;      // "read", "prepare", "compute", "show", "write"
    std::vector<DeviceLoad> devices;    // what each did of "compute", in fields
    int levels = 0;                     // as in FlowResult
    ValueRange range;                   // of the first frame
    std::vector<std::string> warnings;  // sentences for the user, each once
};

// Host memory that frames like this one and their fields take at most while they are under way.
std::int64_t flow_sequence_host_bytes(const AnyImageView& frame, int queues,
                                      const FlowSequenceOptions& options = {});

// Reads all frames and gives the field of each pair to the sink. Each queue gets a thread, so that
// with two of them one transfers while the other computes, and queues of several devices share the
// work; the fields are those that their device gives alone. `progress` is called from the calling
// thread.
//
// Where a frame cannot be read or differs in size, all fields before it are written; then the error
// is thrown, with the frame's name and number. The same holds for a frame that the method cannot
// use, and for a device that fails, whose id stands in the error where there are several. Throws
// InvalidArgument for less than two frames, Cancelled, and what reader, method and sink throw.
FlowSequenceReport flow_sequence(FrameReader& reader, const FlowMethod& method,
                                 const FlowSink& sink, std::span<Queue> queues,
                                 const FlowSequenceOptions& options = {},
                                 const Progress& progress = {});

}  // namespace tesela
