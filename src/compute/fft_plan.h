// What Fourier transforms prepare for later calls.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "tesela/compute/buffer.h"

namespace tesela::detail {

// How lines of one length are transformed: what kernels::fft_lines has of it.
struct FftLengths {
    std::int64_t length, transformed, padded;
    std::int64_t chirp, filter, half_turns, table_pairs;
    std::vector<std::int32_t> radices;
};
FftLengths fft_lengths(std::int64_t length, bool is_real);
std::vector<float> fft_tables(const FftLengths& lengths);

struct FftPlan {
    FftLengths lengths;
    Buffer<float> tables;
};

// Those that were used last.
class FftPlans {
  public:
    // Null where there is none.
    const FftPlan* find(std::int64_t length, bool is_real);
    const FftPlan& keep(std::int64_t length, bool is_real, FftPlan plan);
    void clear() { plans_.clear(); }

  private:
    static constexpr std::size_t most = 32;
    struct Entry {
        std::int64_t length;
        bool is_real;
        FftPlan plan;
    };
    std::list<Entry> plans_;  // the last used in front
};

}  // namespace tesela::detail
