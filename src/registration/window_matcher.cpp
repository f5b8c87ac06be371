#include "registration/window_matcher.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "filters/gaussian.h"
#include "tesela/compute/fft.h"
#include "tesela/match_template.h"

namespace tesela {
namespace {

using kernels::i32;

// Pixels: of what gradients are taken of, and of their directions.
constexpr double gray_smoothing = 1, direction_smoothing = 1.5;
// Of score maxima that count as two places, along x or y.
constexpr std::int64_t apart = 8;

kernels::window_form form_of(const WindowSizes& sizes, int samples) {
    return {static_cast<i32>(sizes.side()), static_cast<i32>(sizes.nodes()),
            static_cast<i32>(WindowSizes::cell), samples};
}

Buffer<float> gaussian(Queue& queue, double deviation) {
    return queue.upload(std::span<const float>(gaussian_floats(deviation)), "gaussian");
}

}  // namespace

DeviceBoxes lend(Queue& queue, const WindowBoxes& boxes) {
    return {queue.lend(std::span(boxes.pixels), "pixels of windows"),
            queue.lend(std::span(boxes.firsts), "boxes of windows"),
            queue.lend(std::span(boxes.sizes), "sizes of windows"),
            queue.lend(std::span(boxes.nodes), "positions of windows"),
            boxes.count(),
            boxes.samples};
}

Buffer<float> sampled_windows(Queue& queue, const DeviceBoxes& boxes, const WindowSizes& sizes) {
    const std::int64_t side = sizes.side();
    auto windows = queue.allocate<float>(side * side * boxes.count, "windows");
    queue.launch(kernels::sample_windows, Range{side, side, boxes.count}, boxes.pixels,
                 boxes.firsts, boxes.sizes, boxes.nodes, windows, form_of(sizes, boxes.samples));
    return windows;
}

WindowMatcher::WindowMatcher(Queue& queue, const WindowSizes& sizes)
    : queue_(queue),
      sizes_(sizes),
      gray_smoothing_(gaussian(queue, gray_smoothing)),
      direction_smoothing_(gaussian(queue, direction_smoothing)) {}

std::int64_t WindowMatcher::batch(const Device& device) {
    return device.properties().is_gpu ? 64 : 8;
}

std::int64_t WindowMatcher::device_bytes(const WindowSizes& sizes, const Device& device) {
    const std::int64_t side = sizes.side(), padded = good_fft_size(side);
    const std::int64_t shifts = sizes.shifts();
    // Of both channels: directions as they are and smoothed, those of both windows in steps,
    // templates, padded planes, two spectra and what transforms take, sums of columns and of
    // windows, scores.
    return 2 * batch(device) *
           (16 * side * side + 2 * sizes.window * sizes.window + 36 * padded * (padded + 2) +
            12 * side * shifts + 16 * shifts * shifts);
}

WindowMatcher::Windows WindowMatcher::directions_of(const Boxes& boxes) {
    const std::int64_t side = sizes_.side(), values = side * side * boxes.count;
    const auto smoothed = [&](Buffer<float> images, std::int64_t count,
                              const Buffer<float>& weights) {
        const Buffer<const float> given = std::move(images);
        return smooth_images(queue_, static_cast<int>(side), static_cast<int>(side), count, given,
                             weights);
    };
    Buffer<float> windows = sampled_windows(queue_, boxes, sizes_);
    windows = smoothed(std::move(windows), boxes.count, gray_smoothing_);
    auto directions = queue_.allocate<float>(2 * values, "directions");
    queue_.launch(kernels::window_directions, Range{side, side, boxes.count}, windows, directions,
                  static_cast<i32>(side), values);
    windows = {};
    directions = smoothed(std::move(directions), 2 * boxes.count, direction_smoothing_);
    auto steps = queue_.allocate<std::uint16_t>(2 * values, "directions in steps");
    queue_.launch(kernels::direction_steps, Range{2 * values}, directions, steps);
    return steps;
}

WindowMatcher::Windows WindowMatcher::cut(const Windows& windows, const Buffer<std::int32_t>& at) {
    const std::int64_t window = sizes_.window, both = 2 * at.size();
    auto templates = queue_.allocate<std::uint16_t>(window * window * both, "templates");
    queue_.launch(kernels::cut_windows, Range{window, window, both}, windows, at, templates,
                  static_cast<i32>(sizes_.side()), static_cast<i32>(window),
                  static_cast<i32>(at.size()));
    return templates;
}

ShiftPeaks WindowMatcher::peaks_of(const Windows& templates, const Windows& windows) {
    const std::int64_t side = sizes_.side(), window = sizes_.window;
    const std::int64_t count = windows.size() / (2 * side * side);
    Buffer<float> scores =
        match_scores(queue_, {window, window, side, side, 2 * count}, templates, windows);
    queue_.launch(kernels::mean_scores, Range{scores.size() / 2}, scores, scores.size() / 2);
    return highest_of_shifts(queue_, scores, scores,
                             {sizes_.shifts(), sizes_.shifts(), apart, count});
}

std::vector<WindowPeak> WindowMatcher::match(const Boxes& fixed, const Boxes& moving) {
    const Windows here = directions_of(fixed), there = directions_of(moving);
    const auto search = static_cast<i32>(sizes_.search), shifts = static_cast<i32>(sizes_.shifts());
    const auto middle =
        queue_.allocate_filled<i32>(fixed.count, search * shifts + search, "middles");
    const ShiftPeaks found = peaks_of(cut(here, middle), there);
    const ShiftPeaks back = peaks_of(cut(there, found.at), here);
    std::vector<WindowPeak> peaks(static_cast<std::size_t>(fixed.count));
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        const i32 x = found.places[i] % shifts, y = found.places[i] / shifts;
        const double part_x = found.parts[2 * i], part_y = found.parts[2 * i + 1];
        // The template was cut at whole pixels: the way back leads to the part that is missing.
        const double back_x = back.places[i] % shifts - search + double{back.parts[2 * i]};
        const double back_y = back.places[i] / shifts - search + double{back.parts[2 * i + 1]};
        WindowPeak& peak = peaks[i];
        peak.x = x - search + (part_x - back_x) / 2;
        peak.y = y - search + (part_y - back_y) / 2;
        peak.score = double{found.ranks[i]};
        peak.second = double{found.seconds[i]};
        peak.way_back = std::hypot(back_x + part_x, back_y + part_y);
        peak.at_border = x == 0 || y == 0 || x + 1 == shifts || y + 1 == shifts;
    }
    return peaks;
}

}  // namespace tesela
