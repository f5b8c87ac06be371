// What encoder and decoder of bricks know of a coefficient before they see it: its prediction, and
// how active its surroundings are. Both sides walk through the same cells in the same order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "core/brick_coder.h"

namespace tesela::detail {

static_assert(std::endian::native == std::endian::little, "chunks are little endian");

constexpr int detail_contexts = 16;
constexpr int detail_tokens = 52;
constexpr int probability_bits = 12;
constexpr std::uint32_t probability_one = 1u << probability_bits;
constexpr std::uint32_t lowest_state = 1u << 16;
constexpr int most_lanes = 64;
// A chunk: lanes and shift, bytes of each table, the tables, what makes it even, words of each lane
// and those words.
constexpr std::size_t chunk_table_bytes_at = 2;

// Bits of a detail's number: the axes along which it is a difference. The order is that of coding.
constexpr std::array<int, 7> detail_order{4, 2, 1, 6, 5, 3, 7};

// Numbers below 16 are tokens of their own; of others the token has the two highest bits, the rest
// follows as it is.
constexpr int first_long_token = 16;
constexpr int extra_bits(int token) {
    return token < first_long_token ? 0 : 3 + (token - first_long_token) / 2;
}
constexpr std::uint32_t token_base(int token) {
    return token < first_long_token
               ? static_cast<std::uint32_t>(token)
               : static_cast<std::uint32_t>(2 + (token & 1)) << extra_bits(token);
}

constexpr int activity_steps = 64;
// The context of an activity, finer where activities are low.
constexpr std::array<std::uint8_t, activity_steps> context_of_activity = [] {
    constexpr int limits[detail_contexts - 1] = {1,  2,  3,  4,  5,  6,  8, 10,
                                                 12, 15, 18, 22, 27, 33, 40};
    std::array<std::uint8_t, activity_steps> table{};
    for (int activity = 0; activity < activity_steps; ++activity)
        for (const int limit : limits)
            if (activity >= limit) ++table[static_cast<std::size_t>(activity)];
    return table;
}();
// `shift` bits of activities are left out.
inline std::size_t context_of(std::uint32_t activity, int shift) {
    return context_of_activity[std::min<std::size_t>(activity >> shift, activity_steps - 1)];
}
// 48 / k: how much the k magnitudes known of a cell say about the next.
constexpr std::array<int, 7> known_weight{0, 48, 24, 16, 12, 10, 8};

// The cells of a level, seen from the coarser one.
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
        before_ = 0;
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
            // At the border one neighbor tells half of the slope.
            predicted_[axis] = ((first != last ? 2 * slope : slope) + 2) >> 2;
            if (2 * place_[axis] + 1 >= fine_[axis]) missing_ |= 1 << axis;
        }
        surroundings_ = (activity >> 1) + (before_ * 11 >> 4);
        known_ = 0;
        sum_ = 0;
    }
    void leave() { before_ = sum_; }

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
    int center_ = 0, missing_ = 0, surroundings_ = 0, before_ = 0;
    int known_ = 0, sum_ = 0;
};

// How the frequencies of a context lie in the interval of probabilities.
struct TokenTable {
    std::array<std::uint16_t, detail_tokens + 1> first{};  // and one behind the last
    std::array<std::uint8_t, 256> hint{};                  // the token at each 16th place

    void set(const std::array<std::uint32_t, detail_tokens>& frequencies) {
        std::uint32_t sum = 0;
        for (std::size_t t = 0; t < detail_tokens; ++t) {
            first[t] = static_cast<std::uint16_t>(sum);
            for (std::uint32_t at = (sum + 15) / 16; at * 16 < sum + frequencies[t]; ++at)
                hint[at] = static_cast<std::uint8_t>(t);
            sum += frequencies[t];
        }
        first[detail_tokens] = static_cast<std::uint16_t>(sum);
    }
    int find(std::uint32_t place) const {
        int token = hint[place >> 4];
        // Once without a branch, which nothing could predict.
        token += place >= first[static_cast<std::size_t>(token) + 1] ? 1 : 0;
        while (place >= first[static_cast<std::size_t>(token) + 1]) ++token;
        return token;
    }
};

// The rows of a lane: `lanes` share them evenly.
struct Rows {
    int first, end;
    int count() const { return end - first; }
};
inline Rows rows_of_lane(int rows, int lanes, int lane) {
    const int each = (rows + lanes - 1) / lanes;
    return {std::min(rows, lane * each), std::min(rows, (lane + 1) * each)};
}

// The sums and differences of a cell, in place: of pairs along x, then y, then z (S transform).
inline void split_cell(std::array<int, 8>& c) {
    for (std::size_t bit = 1; bit < 8; bit *= 2)
        for (std::size_t k = 0; k < 8; ++k)
            if ((k & bit) == 0) {
                const int difference = c[k] - c[k | bit];
                c[k] = c[k | bit] + (difference >> 1);
                c[k | bit] = difference;
            }
}
inline void join_cell(std::array<int, 8>& c) {
    for (std::size_t bit = 4; bit > 0; bit /= 2)
        for (std::size_t k = 0; k < 8; ++k)
            if ((k & bit) == 0) {
                const int second = c[k] - (c[k | bit] >> 1);
                c[k] = second + c[k | bit];
                c[k | bit] = second;
            }
}
// Of 8 voxels; what is added before the division by 8.
constexpr int rounding_of(int level) { return 4 - (level & 1); }

}  // namespace tesela::detail
