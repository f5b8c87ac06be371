// What blocks of threads read of a plane of bytes, counted as experiment EXP-8 does
// (docs/region-experiments.md).
#pragma once

#include <cstdint>

namespace tesela::experiments {

struct BlockShape {
    int width, height;
};

// Rows of `pitch` bytes, as many blocks as fit, each of one thread a byte; the leftmost bytes of a
// block are read from `shift` on. Every component of `step` interleaved ones counts for itself.
struct PlaneReads {
    int pitch, height;
    int shift = 0, step = 1;
};

// Half-warps of 16 threads, by the thesis's rule: the part of one in a row is one transaction, of
// 32 bytes where it lies in one segment of 32, of 64 where it crosses into the next.
struct Transactions {
    std::int64_t of_32 = 0, of_64 = 0;
    std::int64_t count() const { return of_32 + of_64; }
    std::int64_t bytes() const { return 32 * of_32 + 64 * of_64; }
};
Transactions count_transactions(const BlockShape& block, const PlaneReads& reads);

// Warps of 32 threads, each of which asks once, and gets the sectors of 32 bytes that it touches.
struct Sectors {
    std::int64_t requests = 0, sectors = 0, useful_bytes = 0;
    double per_request() const {
        return static_cast<double>(sectors) / static_cast<double>(requests);
    }
    double efficiency() const {
        return static_cast<double>(useful_bytes) / (32 * static_cast<double>(sectors));
    }
};
Sectors count_sectors(const BlockShape& block, const PlaneReads& reads);

// Segments of 32 bytes of a row that the columns of block k touch (table 6.1), and how many of its
// columns lie before a boundary; 0 where there is none.
int segments_of_block(int k, int width, int pitch);
int columns_before_boundary(int k, int width);

}  // namespace tesela::experiments
