#include "registration/thesis/gray_matcher.h"

#include <algorithm>

#include "kernels/registration/register_thesis.kernel.h"
#include "tesela/match_template.h"

namespace tesela {
namespace {

using kernels::i32;

Buffer<const std::uint16_t> grays_of(Queue& queue, const WindowBoxes& boxes, std::int64_t side) {
    const Buffer<float> windows = sampled_windows(queue, lend(queue, boxes), whole_windows(side));
    auto steps = queue.allocate<std::uint16_t>(windows.size(), "gray values of windows");
    queue.launch(kernels::window_grays, Range{windows.size()}, windows, steps);
    return steps;
}

}  // namespace

std::vector<GrayPeak> gray_peaks(Queue& queue, const ThesisWindows& sizes,
                                 const WindowBoxes& templates, const WindowBoxes& windows) {
    const Buffer<const std::uint16_t> patterns = grays_of(queue, templates, sizes.window);
    const Buffer<const std::uint16_t> images = grays_of(queue, windows, sizes.search);
    const Buffer<float> scores = match_scores(
        queue,
        {sizes.window, sizes.window, sizes.search, sizes.search, templates.count(), sizes.padded()},
        patterns, images);
    return direct_peaks(queue, sizes, scores, patterns, images);
}

std::vector<GrayPeak> direct_peaks(Queue& queue, const ThesisWindows& sizes,
                                   const Buffer<float>& scores,
                                   const Buffer<const std::uint16_t>& templates,
                                   const Buffer<const std::uint16_t>& windows) {
    constexpr float margin = 1e-4f;  // far above the rounding of scores, about 1e-6
    constexpr std::int64_t most = kernels::near_shifts;
    const std::int64_t shifts = sizes.search - sizes.window + 1;
    const std::int64_t count = scores.size() / (shifts * shifts);
    const auto side = static_cast<i32>(shifts);
    const kernels::gray_form form{static_cast<i32>(sizes.window), static_cast<i32>(sizes.search),
                                  side};
    const BestShifts best =
        best_shifts(queue, scores, queue.allocate_filled<i32>(count, -1, "no shifts"),
                    {shifts, shifts, 0, count});
    auto near = queue.allocate<i32>(most * count, "shifts near the best");
    queue.launch(kernels::shifts_near_best, Range{count}, scores, best.rows, best.scores, best.at,
                 near, form, margin);
    auto direct = queue.allocate<float>(most * count, "direct scores");
    queue.launch(kernels::direct_scores, Groups{most, count}, templates, windows, near, direct,
                 form);
    const std::vector<i32> at = queue.download(near);
    const std::vector<float> score = queue.download(direct);
    std::vector<GrayPeak> peaks;
    for (auto first = std::size_t{0}; first < at.size(); first += most) {
        std::size_t highest = first;
        for (std::size_t i = first + 1; i < first + most; ++i)
            if (score[i] > score[highest] || (score[i] == score[highest] && at[i] < at[highest]))
                highest = i;
        peaks.push_back({at[highest] % side, at[highest] / side, double{score[highest]}});
    }
    return peaks;
}

std::int64_t gray_batch(const ThesisWindows& sizes, const Device& device) {
    constexpr std::int64_t most_values = std::int64_t{1} << 27;  // of padded windows
    const std::int64_t most = device.properties().is_gpu ? 64 : 8;
    return std::clamp<std::int64_t>(most_values / (sizes.padded() * sizes.padded()), 1, most);
}

std::int64_t gray_device_bytes(const ThesisWindows& sizes, const Device& device) {
    const std::int64_t side = sizes.search, shifts = sizes.search - sizes.window + 1;
    const std::int64_t padded = sizes.padded();
    // Boxes of turned windows, windows and their values in steps, padded planes, two spectra and
    // what transforms of lengths with large factors take, sums of columns and of windows, scores.
    return gray_batch(sizes, device) *
           ((4 + 6) * (side * side + 2 * sizes.window * sizes.window) + 68 * padded * (padded + 2) +
            12 * side * shifts + 16 * shifts * shifts);
}

}  // namespace tesela
