#include "motion/fields.h"

#include <algorithm>

#include "tesela/error.h"

namespace tesela {
namespace {

std::string size_text(const Shape& shape) {
    return std::to_string(shape.x) + "x" + std::to_string(shape.y);
}

Shape shape_of_frames(std::span<const Image<float>> frames) {
    if (frames.size() < 2)
        throw InvalidArgument("motion is between frames: give at least two, not " +
                              std::to_string(frames.size()));
    const Shape first = frames.front().shape();
    if (first.dimensions() > 2 || first.channels != 1)
        throw InvalidArgument("motion is that of pictures of one channel, brightness");
    for (std::size_t i = 1; i < frames.size(); ++i)
        if (frames[i].shape() != first)
            throw InvalidArgument("frames have one size, but frame " + std::to_string(i) + " has " +
                                  size_text(frames[i].shape()) + " pixels and frame 0 " +
                                  size_text(first));
    return first;
}

}  // namespace

FieldsJob::FieldsJob(std::span<const Image<float>> frames, Queue& queue, const Progress& progress)
    : frames_(frames), queue_(queue), progress_(progress), shape_(shape_of_frames(frames)) {
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
    queue_.finish();
    clock_.start("download");
    progress_.report(0.95, "download");
    const std::vector<float> all = queue_.download(fields);
    Shape shape = shape_;
    shape.channels = 2;
    for (std::size_t i = 0; i + 1 < frames_.size(); ++i) {
        FlowField& field = result_.fields.emplace_back(shape, frames_[i].geometry);
        const auto elements = static_cast<std::ptrdiff_t>(shape.elements());
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i) * elements;
        std::copy(begin, begin + elements, field.pixels().begin());
    }
    progress_.report(1, "done");
    result_.stages = clock_.take();
    return std::move(result_);
}

}  // namespace tesela
