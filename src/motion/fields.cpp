#include "motion/fields.h"

#include <algorithm>
#include <memory>

#include "core/point_text.h"
#include "core/single_precision.h"
#include "tesela/error.h"

namespace tesela {
namespace {

void check_count(std::int64_t frames) {
    if (frames < 2)
        throw InvalidArgument("motion is between frames: give at least two, not " +
                              std::to_string(frames));
}

void check_picture(const Shape& shape, FrameColors colors) {
    validate(shape);
    const bool may_be_color = colors == FrameColors::allowed;
    if (shape.z > 1 || shape.t > 1 ||
        (shape.channels != 1 && !(may_be_color && shape.channels == 3)))
        throw InvalidArgument(std::string("motion is that of pictures of one channel, brightness") +
                              (may_be_color ? ", or of three, red, green and blue" : ""));
}

// Frames are counted from 0 in sentences.
void check_values(const Image<float>& frame, std::size_t index) {
    try {
        require_values(std::span<const float>(frame.pixels()), frame.shape(), largest_squared);
    } catch (const InvalidArgument& error) {
        throw InvalidArgument("frame " + std::to_string(index) + ": " + error.what());
    }
}

Shape shape_of_frames(std::span<const Image<float>> frames, FrameColors colors) {
    check_count(static_cast<std::int64_t>(frames.size()));
    Shape shape = frames.front().shape();
    check_picture(shape, colors);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (frames[i].shape().channels != shape.channels)
            throw InvalidArgument("frames are all gray or all in color, but frame " +
                                  std::to_string(i) + " has " +
                                  std::to_string(frames[i].shape().channels) +
                                  " channels and frame 0 " + std::to_string(shape.channels));
        if (frames[i].shape() != shape)
            throw InvalidArgument("frames have one size, but frame " + std::to_string(i) + " has " +
                                  size_text(frames[i].shape()) + " pixels and frame 0 " +
                                  size_text(shape));
        check_values(frames[i], i);
    }
    shape.t = static_cast<std::int64_t>(frames.size());
    return shape;
}

Shape shape_of_field(const Shape& frames) { return {frames.x, frames.y, 1, 1, 2}; }

}  // namespace

void check_sequence(const Shape& shape, FrameColors colors) {
    check_count(shape.t);
    Shape frame = shape;
    frame.t = 1;
    check_picture(frame, colors);
}

DeviceImage<float> device_fields(Buffer<float> fields, const DeviceImage<const float>& frames) {
    Shape shape = shape_of_field(frames.shape);
    shape.t = frames.shape.t - 1;
    return {std::move(fields), shape, frames.geometry};
}

FieldsJob::FieldsJob(std::span<const Image<float>> frames, Queue& queue, const Progress& progress,
                     FrameColors colors)
    : frames_(frames), queue_(queue), progress_(progress), shape_(shape_of_frames(frames, colors)) {
    clock_.start("upload");
    progress.report(0, "upload");
}

void FieldsJob::tell_levels(int levels, int asked) {
    result_.levels = levels;
    if (levels < asked)
        result_.warnings.push_back("the pyramid has " + std::to_string(levels) +
                                   " levels and not " + std::to_string(asked) +
                                   ": smaller ones would have too few pixels");
}

void FieldsJob::start_computing() {
    clock_.start("flow");
    progress_.report(0.05, "flow");
}

FlowResult FieldsJob::finish(const Buffer<float>& fields) {
    // Memory takes its time too, while the device still works.
    for (const Image<float>& frame : frames_.first(frames_.size() - 1))
        result_.fields.emplace_back(shape_of_field(shape_), frame.geometry);
    queue_.finish();
    clock_.start("download");
    progress_.report(0.95, "download");
    if (result_.fields.size() == 1) {
        queue_.read(fields, std::span<float>(result_.fields[0].pixels()));
    } else {
        const auto count = static_cast<std::size_t>(fields.size());
        const auto all = std::make_unique_for_overwrite<float[]>(count);
        queue_.read(fields, std::span<float>(all.get(), count));
        const float* from = all.get();
        for (FlowField& field : result_.fields) {
            std::copy_n(from, field.pixels().size(), field.data());
            from += field.pixels().size();
        }
    }
    progress_.report(1, "done");
    result_.stages = clock_.take();
    return std::move(result_);
}

}  // namespace tesela
