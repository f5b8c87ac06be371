// Minimax growth of pictures by rows, as suits a processor with vectors
// (kernels/watershed/cpu/minimax_rows.h).
#pragma once

#include "segmentation/watershed/minimax_grid.h"
#include "tesela/compute/queue.h"
#include "tesela/progress.h"

namespace tesela {

// As minimax_grow and minimax_reconstruct, of pictures.
MinimaxReport minimax_grow_rows(Queue& queue, const MinimaxGrid& grid,
                                Buffer<std::uint16_t> weights, Buffer<std::uint32_t>& labels,
                                const MinimaxOutputs& outputs, const Progress& progress);
void minimax_reconstruct_rows(Queue& queue, const MinimaxGrid& grid,
                              const Buffer<std::uint16_t>& weights, Buffer<std::uint16_t>& heights,
                              const Progress& progress);

// As minimax_bytes, of these two.
std::int64_t minimax_rows_bytes(const MinimaxGrid& grid);

}  // namespace tesela
