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
    const std::int64_t count = templates.count(), shifts = sizes.search - sizes.window + 1;
    const Buffer<float> scores = match_scores(
        queue, {sizes.window, sizes.window, sizes.search, sizes.search, count, sizes.padded()},
        grays_of(queue, templates, sizes.window), grays_of(queue, windows, sizes.search));
    const auto side = static_cast<i32>(shifts);
    const BestShifts best =
        best_shifts(queue, scores, queue.allocate_filled<i32>(count, -1, "no shifts"),
                    {shifts, shifts, 0, count});
    const std::vector<i32> at = queue.download(best.at);
    const std::vector<float> score = queue.download(best.scores);
    std::vector<GrayPeak> peaks;
    for (std::size_t i = 0; i < at.size(); ++i)
        peaks.push_back({at[i] % side, at[i] / side, double{score[i]}});
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
