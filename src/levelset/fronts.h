// Evolution of objects on a device by the fast two-cycle method: one object as bits, several as
// labels.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/levelset/ftc_rounds.kernel.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/progress.h"

namespace tesela {

// Speeds of objects: a table with a row for each object, from 0 on, and a column for each level.
struct FrontSpeeds {
    Buffer<std::uint16_t> levels;  // of points
    Buffer<std::int32_t> table;
    Buffer<std::int32_t> statistics;         // means and deviations; empty if speeds are constant
    std::int32_t drift = 0, multiplier = 0;  // in 1/256
    bool is_adaptive() const { return !statistics.empty(); }
};

// Smoothing weights along x, y and z at distances 0, 1, ...; with both sides they sum to 256.
using FrontSmoothing = std::array<std::vector<std::uint32_t>, 3>;

struct FrontOptions {
    int objects = 1;
    int data_steps = 10, smoothing_steps = 0;
    FrontSmoothing smoothing = {};
    std::int64_t most_points = 0;  // of an object
};

struct FrontReport {
    std::int64_t rounds = 0;
    std::uint32_t stop = 0;  // kernels::ftc_stable, ...; 0: all rounds were run
    std::int32_t period = 0;
    std::vector<std::int64_t> points;  // of objects 1, 2, ...
};

// Runs at most `rounds` rounds from the given labels, which it replaces by the final ones.
FrontReport run_fronts(Queue& queue, const Shape& shape, FrontSpeeds& speeds,
                       const FrontOptions& options, std::int64_t rounds,
                       Buffer<std::uint8_t>& labels, const Progress& progress);

std::int64_t fronts_device_bytes(const Shape& shape, bool several);

}  // namespace tesela
