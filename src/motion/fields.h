// What the methods of optical flow have in common: frames in, fields out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/flow_result.h"
#include "tesela/progress.h"

namespace tesela {

// Of a level of a pyramid.
struct LevelSize {
    int width, height;
    std::int64_t points() const { return std::int64_t{width} * height; }
};

// Whether frames may have three channels, red, green and blue, or one only, brightness.
enum class FrameColors { refused, allowed };

// Throws InvalidArgument unless frames along t are two or more pictures of such channels.
void check_sequence(const Shape& shape, FrameColors colors = FrameColors::refused);

// Fields of the pairs of a sequence, u and v of each pixel side by side, one behind the other.
DeviceImage<float> device_fields(Buffer<float> fields, const DeviceImage<const float>& frames);

// One call, from the check of the frames to the fields in host memory, with times and progress.
class FieldsJob {
  public:
    // Throws InvalidArgument unless there are at least two frames, of one size, each a picture of
    // such channels, without NaN and infinite pixels.
    FieldsJob(std::span<const Image<float>> frames, Queue& queue, const Progress& progress,
              FrameColors colors = FrameColors::refused);

    // That of all frames, which lie along t.
    const Shape& shape() const { return shape_; }
    // The frames on the device, one behind the other.
    template <class Real>
    Buffer<Real> upload() const {
        std::vector<Real> planes;
        planes.reserve(static_cast<std::size_t>(shape_.elements()));
        for (const Image<float>& frame : frames_)
            planes.insert(planes.end(), frame.pixels().begin(), frame.pixels().end());
        return queue_.upload(std::span<const Real>(planes), "frames");
    }
    DeviceImage<const float> device_frames() const {
        return {upload<float>(), shape_, frames_.front().geometry};
    }
    // Warns where a pyramid has fewer levels than asked for.
    void tell_levels(int levels, int asked);
    void start_computing();
    // `fields`: u, v of each pixel side by side, one pair of frames behind the other.
    FlowResult finish(const Buffer<float>& fields);

  private:
    std::span<const Image<float>> frames_;
    Queue& queue_;
    const Progress& progress_;
    Shape shape_;
    StageClock clock_;
    FlowResult result_;
};

}  // namespace tesela
