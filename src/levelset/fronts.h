// Fronts on a device, by the fast two-cycle method: bits of one object, or labels of several.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/levelset/ftc_rounds.kernel.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/progress.h"

namespace tesela {

// Speeds of objects 1, 2, ...: of each the speeds of all levels, behind those of object 0.
struct FrontSpeeds {
    Buffer<std::uint16_t> levels;  // of points
    Buffer<std::int32_t> table;
    Buffer<std::int32_t> figures;            // means and deviations; empty where speeds stay
    std::int32_t drift = 0, multiplier = 0;  // in 1/256
    bool follows() const { return !figures.empty(); }
};

// Weights of the smoothing along x, y and z, at distances 0, 1, ...; both sides sum up to 256.
using FrontSmoothing = std::array<std::vector<std::uint32_t>, 3>;

struct FrontOptions {
    int objects = 1;
    int data_steps = 10, smoothing_steps = 0;
    FrontSmoothing smoothing = {};
    std::int64_t most_points = 0;  // of an object
};

struct FrontReport {
    std::int64_t rounds = 0;
    std::uint32_t stop = 0;  // kernels::ftc_stable, ...; 0: rounds are spent
    std::int32_t period = 0;
    std::vector<std::int64_t> points;  // of objects 1, 2, ...
};

// At most `rounds` rounds from the labels on, which become those behind the last one.
FrontReport run_fronts(Queue& queue, const Shape& shape, FrontSpeeds& speeds,
                       const FrontOptions& options, std::int64_t rounds,
                       Buffer<std::uint8_t>& labels, const Progress& progress);

std::int64_t fronts_device_bytes(const Shape& shape, bool several);

}  // namespace tesela
