#include "tesela/lucas_kanade.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "motion/lucas_kanade_stages.h"

namespace tesela {
namespace {

// Rows of planes are counted in 32 bits, with margins on both sides that may be as long.
constexpr std::int64_t longest_row = std::int64_t{1} << 29;

void check_odd(const char* name, int value) {
    if (value % 2 == 0)
        throw InvalidArgument("--" + std::string(name) + " is " + std::to_string(value) +
                              "; it must be an odd number");
}

void check_options(const LucasKanadeOptions& options) {
    validate_options(options);
    check_odd("filter-size", options.filter_size);
    check_odd("block-width", options.block_width);
    check_odd("block-height", options.block_height);
    const int longest = std::max(options.block_width, options.block_height);
    if (options.variant == LucasKanadeVariant::thesis_local && longest > longest_tiled_block)
        throw InvalidArgument("--variant thesis-local has blocks of at most " +
                              std::to_string(longest_tiled_block) +
                              " pixels, which is what fits in the local memory of a device, and "
                              "the block is " +
                              std::to_string(options.block_width) + " x " +
                              std::to_string(options.block_height) + "; use --variant thesis");
}

std::string size_text(const Shape& shape) {
    return std::to_string(shape.x) + " x " + std::to_string(shape.y);
}

// `shape` is that of one frame.
void check_shape(const Shape& shape, const std::string& name) {
    validate(shape);
    if (shape.z > 1 || shape.t > 1)
        throw InvalidArgument(name + " is not 2-D: optical flow is between two pictures");
    if (shape.channels != 1)
        throw InvalidArgument(name + " has " + std::to_string(shape.channels) +
                              " channels; Lucas-Kanade takes gray frames of one channel");
    if (shape.x > longest_row)
        throw InvalidArgument(name + " has rows of " + std::to_string(shape.x) +
                              " pixels; Lucas-Kanade takes at most " + std::to_string(longest_row));
}

void check_count(std::int64_t frames) {
    if (frames < 2)
        throw InvalidArgument("optical flow needs two frames or more, and there are " +
                              std::to_string(frames));
}

void check_finite(const Image<float>& frame, std::size_t index) {
    const std::vector<float>& pixels = frame.pixels();
    const auto is_bad = [](float value) { return !std::isfinite(value); };
    bool bad = false;  // all are looked at, because such a loop vectorizes
    for (const float value : pixels) bad |= is_bad(value);
    if (!bad) return;
    const std::int64_t at = std::find_if(pixels.begin(), pixels.end(), is_bad) - pixels.begin();
    throw InvalidArgument("frame " + std::to_string(index) + ": the pixel at x " +
                          std::to_string(at % frame.shape().x) + ", y " +
                          std::to_string(at / frame.shape().x) +
                          " is not a finite number; replace NaN and infinite values first");
}

// Frames are counted from 0 in sentences.
void check_frames(std::span<const Image<float>> frames) {
    check_count(static_cast<std::int64_t>(frames.size()));
    const Shape& shape = frames[0].shape();
    for (std::size_t i = 0; i < frames.size(); ++i) {
        check_shape(frames[i].shape(), "frame " + std::to_string(i));
        if (frames[i].shape() != shape)
            throw InvalidArgument("frame " + std::to_string(i) + " is " +
                                  size_text(frames[i].shape()) + " pixels and frame 0 is " +
                                  size_text(shape) + ": all frames must have one size");
        check_finite(frames[i], i);
    }
}

Shape field_shape(const Shape& frame) { return {frame.x, frame.y, 1, 1, 2}; }

std::vector<FlowField> download(Queue& queue, const Buffer<float>& flow,
                                std::span<const Image<float>> frames) {
    std::vector<FlowField> fields;
    for (std::size_t i = 0; i + 1 < frames.size(); ++i)
        fields.emplace_back(field_shape(frames[i].shape()), frames[i].geometry);
    if (fields.size() == 1) {
        queue.read(flow, std::span<float>(fields[0].pixels()));
        return fields;
    }
    const std::vector<float> all = queue.download(flow);
    auto begin = all.begin();
    for (FlowField& field : fields) {
        const auto end = begin + static_cast<std::ptrdiff_t>(field.pixels().size());
        std::copy(begin, end, field.pixels().begin());
        begin = end;
    }
    return fields;
}

}  // namespace

std::vector<FlowField> lucas_kanade(std::span<const Image<float>> frames,
                                    const LucasKanadeOptions& options, Queue& queue,
                                    const Progress& progress) {
    check_options(options);
    check_frames(frames);
    progress.report(0, "upload");
    const auto give = [&](const TakeFrames& take) {
        for (std::size_t i = 0; i < frames.size(); ++i) {
            take(queue.lend(std::span<const float>(frames[i].pixels()), "frame"),
                 static_cast<int>(i), 1);
            progress.report(0.4 * static_cast<double>(i + 1) / static_cast<double>(frames.size()),
                            "flow");
        }
    };
    Shape shape = frames[0].shape();
    shape.t = static_cast<std::int64_t>(frames.size());
    const Buffer<float> flow = lucas_kanade_stages(queue, shape, options, give, progress);
    progress.report(0.6, "download");
    std::vector<FlowField> fields = download(queue, flow, frames);
    progress.report(1, "done");
    return fields;
}

DeviceImage<float> lucas_kanade(const DeviceImage<const float>& frames,
                                const LucasKanadeOptions& options, Queue& queue,
                                const Progress& progress) {
    check_options(options);
    Shape shape = frames.shape;
    check_count(shape.t);
    shape.t = 1;
    check_shape(shape, "the sequence");
    const auto give = [&](const TakeFrames& take) {
        take(frames.pixels, 0, static_cast<int>(frames.shape.t));
    };
    DeviceImage<float> fields{lucas_kanade_stages(queue, frames.shape, options, give, progress),
                              field_shape(shape), frames.geometry};
    fields.shape.t = frames.shape.t - 1;
    return fields;
}

}  // namespace tesela
