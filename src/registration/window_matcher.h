// Windows of two slides matched on a device: normalized cross-correlation of the directions of
// gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/registration/window_match.kernel.h"
#include "registration/shift_peaks.h"
#include "tesela/compute/queue.h"

namespace tesela {

// Templates of `window` pixels a side are looked for at shifts of up to `search` pixels in windows
// of `side`.
struct WindowSizes {
    std::int64_t window = 0, search = 0;

    static constexpr std::int64_t cell = 32;  // pixels between nodes
    std::int64_t side() const { return window + 2 * search; }
    std::int64_t nodes() const { return (side() + cell - 1) / cell + 1; }
    std::int64_t shifts() const { return 2 * search + 1; }
};

// Pixels of several windows: boxes one behind the other, and positions within them at the nodes of
// each window, all x, then all y.
struct WindowBoxes {
    std::vector<std::uint16_t> pixels;
    std::vector<std::int64_t> firsts;
    std::vector<std::int32_t> sizes;  // width and height of each
    std::vector<float> nodes;
    int samples = 1;  // of which a pixel is the mean, along each axis

    std::int64_t count() const { return static_cast<std::int64_t>(firsts.size()); }
};

// The same boxes on a device.
struct DeviceBoxes {
    Buffer<const std::uint16_t> pixels;
    Buffer<const std::int64_t> firsts;
    Buffer<const std::int32_t> sizes;
    Buffer<const float> nodes;
    std::int64_t count = 0;
    int samples = 1;
};
// `boxes` outlives the result.
DeviceBoxes lend(Queue& queue, const WindowBoxes& boxes);
// The pixels of `sizes.side()` a side that the windows have.
Buffer<float> sampled_windows(Queue& queue, const DeviceBoxes& boxes, const WindowSizes& sizes);

// Where a template of the fixed window lies best in the moving one.
struct WindowPeak {
    double x = 0, y = 0;  // shift, in pixels of the windows
    double score = 0, second = 0;
    double way_back = 0;     // distance by which the way back misses
    bool at_border = false;  // of the shifts
};

class WindowMatcher {
  public:
    WindowMatcher(Queue& queue, const WindowSizes& sizes);

    using Boxes = DeviceBoxes;
    Boxes lend(const WindowBoxes& boxes) { return tesela::lend(queue_, boxes); }
    // Templates of the fixed windows in the moving ones, and back from there.
    std::vector<WindowPeak> match(const Boxes& fixed, const Boxes& moving);

    // Windows that are matched at once, and the memory that this takes beside their boxes.
    static std::int64_t batch(const Device& device);
    static std::int64_t device_bytes(const WindowSizes& sizes, const Device& device);

  private:
    using Windows = Buffer<const std::uint16_t>;  // two channels
    Windows directions_of(const Boxes& boxes);
    Windows cut(const Windows& windows, const Buffer<std::int32_t>& at);
    ShiftPeaks peaks_of(const Windows& templates, const Windows& windows);

    Queue& queue_;
    WindowSizes sizes_;
    Buffer<float> gray_smoothing_, direction_smoothing_;
};

}  // namespace tesela
