// Thresholds of each pixel, on a device.
#pragma once

#include "segmentation/thresholds/gray_levels.h"
#include "tesela/threshold.h"

namespace tesela {

struct AdaptiveMask {
    Buffer<std::uint8_t> mask;  // 0 or 255
    Buffer<float> surface;      // thresholds, in file units
    int sweeps = 0;             // over the finest grid
};

AdaptiveMask above_window_mean(Queue& queue, const Shape& shape, const GrayLevels& levels,
                               const AdaptiveThresholdOptions& options);

// Yanowitz and Bruckstein's: values at thin edges, between them the solution of Laplace's equation
// by over-relaxation from coarse to fine, and regions without edges taken out again.
AdaptiveMask above_edge_surface(Queue& queue, const Shape& shape, const GrayLevels& levels,
                                const AdaptiveThresholdOptions& options, const Progress& progress);

// How a surface is relaxed: all points of a color of a chessboard at once, as suits a GPU, or many
// sweeps over bands of rows, as suits a processor. Surfaces are the same.
enum class SurfaceWay { automatic, by_colors, in_bands };

// Successive over-relaxation, with the factor `omega`, of the points of slices that are not fixed.
class SurfaceRelaxation {
  public:
    static constexpr int sweeps = 16;
    static constexpr float tolerance = 4;  // of 65535: a 64th of an 8-bit gray level

    // `is_fixed` and `surface` outlive it.
    SurfaceRelaxation(Queue& queue, const Shape& shape, const Buffer<std::uint8_t>& is_fixed,
                      float omega, Buffer<float>& surface, SurfaceWay way = SurfaceWay::automatic);

    // Runs sweeps. Gives whether all points changed by less than the tolerance in the last one.
    bool sweep();
    // Writes the result to `surface`.
    void finish();

  private:
    void sweep_by_colors();
    void sweep_in_bands();

    Queue& queue_;
    const std::int32_t nx_, ny_, width_;
    const std::int64_t slices_, plane_;
    const Buffer<std::uint8_t>& is_fixed_;
    const float omega_;
    Buffer<float>& surface_;
    const bool in_bands_;
    Buffer<std::uint32_t> unsettled_;
    Buffer<float> colors_, factors_;  // of bands
};

// Device memory for the regions among which ghosts are looked for, at most, in bytes.
std::int64_t ghosts_bytes(const Shape& shape);

}  // namespace tesela
