// Statistics of mean shift with MeanShiftVariant::thesis.
//
// E. Martin Gaspar, "clMeanShift: paralelizacion y parametrizacion del algoritmo Mean Shift
// utilizando OpenCL", master thesis, UNED, 2011: one launch an iteration over a queue of points
// that shrinks, neighbors from a uniform grid, bitonic sort, labels by an equivalence list.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tesela/options.h"

namespace tesela {

// Where the pairs (cell, point) were sorted: on the device if their number is a power of two,
// otherwise on the host.
enum class ThesisSort { device, host };
constexpr auto enum_names(ThesisSort) {
    return std::array{EnumNames<ThesisSort>{ThesisSort::device, "device"},
                      EnumNames<ThesisSort>{ThesisSort::host, "host"}};
}

// One round: one launch that makes one iteration of every point in the queue.
struct ThesisRound {
    std::int64_t queue_length = 0;
    std::int64_t global_size = 0;  // items launched: the queue's length, rounded up to 256
    double milliseconds = 0;       // with the shortening of the queue and the reading of its length
};

struct ThesisReport {
    std::array<std::int64_t, 3> cells{};  // of the grid along its axes, slowest first
    ThesisSort sort = ThesisSort::device;
    std::int64_t sort_launches = 0;  // on the device: S (S + 1) / 2 for 2^S pairs; on the host 0
    std::vector<ThesisRound> rounds;
    int post_processing_kernels = 0;  // 1 where only the filtered image is asked for, otherwise 2
    int label_passes = 0;             // the last one changes nothing
};

}  // namespace tesela
