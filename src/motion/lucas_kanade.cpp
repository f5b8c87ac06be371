#include "tesela/lucas_kanade.h"

#include <algorithm>
#include <string>

#include "motion/fields.h"
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

// `shape` is that of one frame, or of several.
void check_width(const Shape& shape) {
    if (shape.x > longest_row)
        throw InvalidArgument("frames have rows of " + std::to_string(shape.x) +
                              " pixels; Lucas-Kanade takes at most " + std::to_string(longest_row));
}

}  // namespace

FlowResult lucas_kanade(std::span<const Image<float>> frames, const LucasKanadeOptions& options,
                        Queue& queue, const Progress& progress) {
    check_options(options);
    FieldsJob job(frames, queue, progress);
    check_width(job.shape());
    job.tell_levels(1, 0);
    job.start_computing();
    const auto give = [&](const TakeFrames& take) {
        for (std::size_t i = 0; i < frames.size(); ++i)
            take(queue.lend(std::span<const float>(frames[i].pixels()), "frame"),
                 static_cast<int>(i), 1);
    };
    return job.finish(lucas_kanade_stages(queue, job.shape(), options, give, progress));
}

DeviceImage<float> lucas_kanade(const DeviceImage<const float>& frames,
                                const LucasKanadeOptions& options, Queue& queue,
                                const Progress& progress) {
    check_options(options);
    check_sequence(frames.shape);
    check_width(frames.shape);
    const auto give = [&](const TakeFrames& take) {
        take(frames.pixels, 0, static_cast<int>(frames.shape.t));
    };
    return device_fields(lucas_kanade_stages(queue, frames.shape, options, give, progress), frames);
}

}  // namespace tesela
