// The cells of a brick, which encoder and decoder visit in the same order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/volumes/bricks.kernel.h"
#include "volumes/brick_coder.h"

namespace tesela::detail {

static_assert(std::endian::native == std::endian::little, "chunks are little endian");

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
        cell_ = kernels::brick_begin_cell(*here);
        const std::array<int, 3> step{1, row, slice};
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            const bool first = place_[a] == 0, last = place_[a] == size_[a] - 1;
            kernels::brick_see_neighbors(&cell_, axis, first ? cell_.mean : here[-step[a]],
                                         last ? cell_.mean : here[step[a]], first != last);
            if (2 * place_[a] + 1 >= fine_[a]) cell_.missing |= 1 << axis;
        }
        kernels::brick_see_previous(&cell_, previous_);
    }
    void leave() { previous_ = cell_.sum; }

    kernels::brick_cell* cell() { return &cell_; }
    int mean() const { return cell_.mean; }
    bool complete() const { return cell_.missing == 0; }
    bool has(int detail) const { return kernels::brick_has(&cell_, detail) != 0; }

  private:
    const T* coarse_ = nullptr;
    BrickSize fine_{}, size_{};
    std::array<int, 3> place_{};
    kernels::brick_cell cell_{};
    int previous_ = 0;
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

}  // namespace tesela::detail
