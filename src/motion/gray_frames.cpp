#include "motion/gray_frames.h"

#include <string>

#include "tesela/error.h"

namespace tesela {
namespace {

std::string size_text(const Shape& shape) {
    return std::to_string(shape.x) + "x" + std::to_string(shape.y);
}

}  // namespace

Shape shape_of_gray_frames(std::span<const Image<float>> frames) {
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

}  // namespace tesela
