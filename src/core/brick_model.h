// The model of brick encoder and decoder: what both predict of a detail before it is coded, its
// value and the activity around it, which selects the rANS table (J. Duda, "Asymmetric numeral
// systems", arXiv:1311.2540, 2013). Both visit the same cells in the same order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "core/brick_coder.h"

namespace tesela::detail {

static_assert(std::endian::native == std::endian::little, "chunks are little endian");

constexpr int detail_contexts = 16;
constexpr int detail_symbols = 52;
constexpr int probability_bits = 12;
constexpr std::uint32_t probability_one = 1u << probability_bits;
// Lower bound of the state of rANS, which is renormalized by words of 16 bits.
constexpr std::uint32_t lowest_state = 1u << 16;
constexpr int max_streams = 64;
// A chunk: number of streams and shift, bytes of each table, the tables, padding to an even number
// of bytes, the number of words of each stream, and these words.
constexpr std::size_t chunk_table_bytes_at = 2;

// Details in coding order. Bits of a detail's number are the axes of its differences.
constexpr std::array<int, 7> detail_order{4, 2, 1, 6, 5, 3, 7};

// Numbers below 16 are symbols; larger ones fall into buckets, as in exponential-Golomb codes: the
// symbol stands for the two highest bits, and the other bits follow without a model.
constexpr int first_long_symbol = 16;
constexpr int extra_bits(int symbol) {
    return symbol < first_long_symbol ? 0 : 3 + (symbol - first_long_symbol) / 2;
}
constexpr std::uint32_t symbol_base(int symbol) {
    return symbol < first_long_symbol
               ? static_cast<std::uint32_t>(symbol)
               : static_cast<std::uint32_t>(2 + (symbol & 1)) << extra_bits(symbol);
}

constexpr int activity_steps = 64;
// The context of an activity; contexts are finer for low activities.
constexpr std::array<std::uint8_t, activity_steps> context_of_activity = [] {
    constexpr int limits[detail_contexts - 1] = {1,  2,  3,  4,  5,  6,  8, 10,
                                                 12, 15, 18, 22, 27, 33, 40};
    std::array<std::uint8_t, activity_steps> table{};
    for (int activity = 0; activity < activity_steps; ++activity)
        for (const int limit : limits)
            if (activity >= limit) ++table[static_cast<std::size_t>(activity)];
    return table;
}();
// The lowest `shift` bits of the activity are dropped.
inline std::size_t context_of(std::uint32_t activity, int shift) {
    return context_of_activity[std::min<std::size_t>(activity >> shift, activity_steps - 1)];
}
// 48 / k: weight of the sum of the first k magnitudes of a cell in the activity of the next.
constexpr std::array<int, 7> known_weight{0, 48, 24, 16, 12, 10, 8};

// The cells of a level, and what the coarser one predicts of their details.
template <class T>
class Cells {
  public:
    Cells() = default;
    Cells(std::span<const T> coarse, const BrickSize& fine)
        : coarse_(coarse.data()), fine_(fine), size_(halved(fine)) {}

    const BrickSize& size() const { return size_; }
    int rows() const { return size_[1] * size_[2]; }

    void enter_row(int row) {
        place_ = {0, row % size_[1], row / size_[1]};
        previous_ = 0;
    }
    void enter(int x) {
        place_[0] = x;
        const int row = size_[0], slice = size_[0] * size_[1];
        const T* here = coarse_ + (std::int64_t{place_[2]} * slice + place_[1] * row + x);
        center_ = *here;
        missing_ = 0;
        const std::array<int, 3> step{1, row, slice};
        int activity = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool first = place_[axis] == 0, last = place_[axis] == size_[axis] - 1;
            const int low = first ? center_ : here[-step[axis]];
            const int high = last ? center_ : here[step[axis]];
            const int slope = low - high;
            activity += std::abs(slope) + std::abs(low + high - 2 * center_);
            // At the border only half of the slope is known.
            predicted_[axis] = ((first != last ? 2 * slope : slope) + 2) >> 2;
            if (2 * place_[axis] + 1 >= fine_[axis]) missing_ |= 1 << axis;
        }
        surroundings_ = (activity >> 1) + (previous_ * 11 >> 4);
        known_ = 0;
        sum_ = 0;
    }
    void leave() { previous_ = sum_; }

    int center() const { return center_; }
    bool complete() const { return missing_ == 0; }
    bool has(int detail) const { return (detail & missing_) == 0; }
    int predicted(int detail) const {
        return detail == 1   ? predicted_[0]
               : detail == 2 ? predicted_[1]
               : detail == 4 ? predicted_[2]
                             : 0;
    }
    int activity() const {
        return known_ == 0 ? surroundings_
                           : (surroundings_ +
                              (sum_ * known_weight[static_cast<std::size_t>(known_)] >> 4)) >>
                                 1;
    }
    void take(int residual) {
        sum_ += std::abs(residual);
        ++known_;
    }

  private:
    const T* coarse_ = nullptr;
    BrickSize fine_{}, size_{};
    std::array<int, 3> place_{}, predicted_{};
    int center_ = 0, missing_ = 0, surroundings_ = 0, previous_ = 0;
    int known_ = 0, sum_ = 0;
};

// The rANS table of a context.
struct SymbolTable {
    std::array<std::uint16_t, detail_symbols + 1> cumulative{};  // frequencies below each symbol
    std::array<std::uint8_t, 256> lookup{};                      // the symbol at every 16th slot

    void set(const std::array<std::uint32_t, detail_symbols>& frequencies) {
        std::uint32_t sum = 0;
        for (std::size_t t = 0; t < detail_symbols; ++t) {
            cumulative[t] = static_cast<std::uint16_t>(sum);
            for (std::uint32_t at = (sum + 15) / 16; at * 16 < sum + frequencies[t]; ++at)
                lookup[at] = static_cast<std::uint8_t>(t);
            sum += frequencies[t];
        }
        cumulative[detail_symbols] = static_cast<std::uint16_t>(sum);
    }
    int find(std::uint32_t slot) const {
        int symbol = lookup[slot >> 4];
        // The first step has no branch, which would be unpredictable.
        symbol += slot >= cumulative[static_cast<std::size_t>(symbol) + 1] ? 1 : 0;
        while (slot >= cumulative[static_cast<std::size_t>(symbol) + 1]) ++symbol;
        return symbol;
    }
};

// The rows of a stream, of `streams` that divide them evenly.
struct Rows {
    int first, end;
    int count() const { return end - first; }
};
inline Rows rows_of_stream(int rows, int streams, int stream) {
    const int each = (rows + streams - 1) / streams;
    return {std::min(rows, stream * each), std::min(rows, (stream + 1) * each)};
}

// S transform of a cell, in place: sums and differences of pairs along x, then y, then z (A. Said,
// W. A. Pearlman, IEEE Transactions on Image Processing 5(9), 1996).
inline void s_transform(std::array<int, 8>& c) {
    for (std::size_t bit = 1; bit < 8; bit *= 2)
        for (std::size_t k = 0; k < 8; ++k)
            if ((k & bit) == 0) {
                const int difference = c[k] - c[k | bit];
                c[k] = c[k | bit] + (difference >> 1);
                c[k | bit] = difference;
            }
}
inline void inverse_s_transform(std::array<int, 8>& c) {
    for (std::size_t bit = 4; bit > 0; bit /= 2)
        for (std::size_t k = 0; k < 8; ++k)
            if ((k & bit) == 0) {
                const int second = c[k] - (c[k | bit] >> 1);
                c[k] = second + c[k | bit];
                c[k | bit] = second;
            }
}
// Added to the sum of 8 voxels before it is divided by 8.
constexpr int rounding_of(int level) { return 4 - (level & 1); }

}  // namespace tesela::detail
