#include "tesela/lucas_kanade.h"

#include <algorithm>
#include <string>

#include "motion/fields.h"
#include "motion/lucas_kanade_stages.h"
#include "motion/pyramidal_lucas_kanade.h"

namespace tesela {
namespace {

// Rows of planes are counted in 32 bits, with margins on both sides that may be as long.
constexpr std::int64_t longest_row = std::int64_t{1} << 29;

void check_odd(const char* name, const std::optional<int>& value) {
    if (value && *value % 2 == 0)
        throw InvalidArgument("--" + std::string(name) + " is " + std::to_string(*value) +
                              "; it must be an odd number");
}

[[noreturn]] void refuse(const std::string& what, const std::string& whose) {
    throw InvalidArgument(what + " is " + whose);
}

void check_default_variant(const LucasKanadeOptions& options) {
    const std::string whose = "the thesis's: leave it out, or use that variant";
    if (options.precision == Precision::double_) refuse("--precision double", whose);
    if (options.filter_size) refuse("--filter-size", whose);
}

void check_thesis_variants(const LucasKanadeOptions& options) {
    const std::string whose =
        "not in the variant " + std::string(enum_name(options.variant)) + ": leave it out";
    if (options.levels) refuse("--levels", whose);
    if (options.scale) refuse("--scale", whose);
    if (options.presmoothing) refuse("--presmoothing", whose);
    if (options.warps) refuse("--warps", whose);
    if (options.medians) refuse("--medians", whose);
    if (options.min_confidence) refuse("--min-confidence", whose);
    if (options.confidence) refuse("--confidence", whose);
    const int width = options.block_width.value_or(thesis_block);
    const int height = options.block_height.value_or(thesis_block);
    if (options.variant == LucasKanadeVariant::thesis_local &&
        std::max(width, height) > longest_tiled_block)
        throw InvalidArgument("the variant thesis-local has blocks of at most " +
                              std::to_string(longest_tiled_block) +
                              " pixels, which is what fits in the local memory of a device, and "
                              "the block is " +
                              std::to_string(width) + " x " + std::to_string(height) +
                              "; use the variant thesis");
}

void check_options(const LucasKanadeOptions& options) {
    validate_options(options);
    check_odd("filter-size", options.filter_size);
    check_odd("block-width", options.block_width);
    check_odd("block-height", options.block_height);
    if (options.variant == LucasKanadeVariant::standard)
        check_default_variant(options);
    else
        check_thesis_variants(options);
}

// `shape` is that of one frame, or of several.
void check_width(const Shape& shape) {
    if (shape.x > longest_row)
        throw InvalidArgument("frames have rows of " + std::to_string(shape.x) +
                              " pixels; Lucas-Kanade takes at most " + std::to_string(longest_row));
}

FlowResult flow_of_thesis(std::span<const Image<float>> frames, const LucasKanadeOptions& options,
                          FieldsJob& job, Queue& queue, const Progress& progress) {
    job.tell_levels(1, 0);
    job.start_computing();
    const auto give = [&](const TakeFrames& take) {
        for (std::size_t i = 0; i < frames.size(); ++i)
            take(queue.lend(std::span<const float>(frames[i].pixels()), "frame"),
                 static_cast<int>(i), 1);
    };
    return job.finish(lucas_kanade_stages(queue, job.shape(), options, give, progress));
}

// One picture a plane.
std::vector<Image<float>> pictures_of(const std::vector<float>& planes,
                                      std::span<const Image<float>> like) {
    std::vector<Image<float>> pictures;
    auto begin = planes.begin();
    for (const Image<float>& frame : like) {
        pictures.emplace_back(frame.shape(), frame.geometry);
        const auto end = begin + static_cast<std::ptrdiff_t>(pictures.back().pixels().size());
        std::copy(begin, end, pictures.back().pixels().begin());
        begin = end;
    }
    return pictures;
}

}  // namespace

FlowResult lucas_kanade(std::span<const Image<float>> frames, const LucasKanadeOptions& options,
                        Queue& queue, const Progress& progress) {
    check_options(options);
    FieldsJob job(frames, queue, progress);
    check_width(job.shape());
    if (options.variant != LucasKanadeVariant::standard)
        return flow_of_thesis(frames, options, job, queue, progress);
    const DeviceImage<const float> uploaded = job.device_frames();
    job.tell_levels(static_cast<int>(lucas_kanade_levels(job.shape(), options).size()),
                    options.levels.value_or(0));
    job.start_computing();
    const ConfidentFlow flow =
        pyramidal_lucas_kanade(uploaded, options, options.confidence, queue, progress);
    FlowResult result = job.finish(flow.fields.pixels);
    if (options.confidence)
        result.confidence =
            pictures_of(queue.download(flow.confidence.pixels), frames.first(frames.size() - 1));
    return result;
}

DeviceImage<float> lucas_kanade(const DeviceImage<const float>& frames,
                                const LucasKanadeOptions& options, Queue& queue,
                                const Progress& progress) {
    check_options(options);
    check_sequence(frames.shape);
    check_width(frames.shape);
    if (options.variant == LucasKanadeVariant::standard)
        return pyramidal_lucas_kanade(frames, options, false, queue, progress).fields;
    const auto give = [&](const TakeFrames& take) {
        take(frames.pixels, 0, static_cast<int>(frames.shape.t));
    };
    return device_fields(lucas_kanade_stages(queue, frames.shape, options, give, progress), frames);
}

ConfidentFlow lucas_kanade_with_confidence(const DeviceImage<const float>& frames,
                                           const LucasKanadeOptions& options, Queue& queue,
                                           const Progress& progress) {
    check_options(options);
    if (options.variant != LucasKanadeVariant::standard)
        throw InvalidArgument("confidence is the default variant's, and this is " +
                              std::string(enum_name(options.variant)));
    check_sequence(frames.shape);
    check_width(frames.shape);
    return pyramidal_lucas_kanade(frames, options, true, queue, progress);
}

std::int64_t lucas_kanade_device_bytes(const Shape& frames, const LucasKanadeOptions& options,
                                       const Device& device) {
    check_options(options);
    check_sequence(frames);
    check_width(frames);
    return options.variant == LucasKanadeVariant::standard
               ? pyramidal_lucas_kanade_bytes(frames, options, device)
               : lucas_kanade_stages_bytes(frames, options);
}

}  // namespace tesela
