// Coarser levels of a brick, made from its voxels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "volumes/brick_coder.h"

namespace tesela::detail {

// The most frequent value of the voxels that each voxel covers `levels` further, of several the
// lowest. `size` is that of `fine`.
template <class T>
std::vector<T> most_frequent(std::span<const T> fine, const BrickSize& size, int levels) {
    const BrickSize coarse = size_at(size, levels);
    const int step = 1 << levels;
    std::vector<T> result, covered;
    for (int z = 0; z < coarse[2]; ++z)
        for (int y = 0; y < coarse[1]; ++y)
            for (int x = 0; x < coarse[0]; ++x) {
                covered.clear();
                for (int fz = z * step; fz < std::min(size[2], (z + 1) * step); ++fz)
                    for (int fy = y * step; fy < std::min(size[1], (y + 1) * step); ++fy)
                        for (int fx = x * step; fx < std::min(size[0], (x + 1) * step); ++fx)
                            covered.push_back(
                                fine[static_cast<std::size_t>((fz * size[1] + fy) * size[0] + fx)]);
                std::sort(covered.begin(), covered.end());
                T best = covered.front();
                std::ptrdiff_t most = 0;
                for (auto at = covered.begin(); at != covered.end();) {
                    const auto end = std::upper_bound(at, covered.end(), *at);
                    if (end - at > most) most = end - at, best = *at;
                    at = end;
                }
                result.push_back(best);
            }
    return result;
}

// From level `from` of a brick, where it has `size` voxels, to `level`: means as the codec takes
// them, of labels the most frequent ones.
template <class T>
std::vector<T> coarser_brick(std::vector<T> fine, BrickSize size, int from, int level,
                             bool is_labels) {
    if (from == level) return fine;
    if (is_labels) return most_frequent<T>(fine, size, level - from);
    for (int i = from; i < level; ++i) {
        if constexpr (has_wavelet<T>)
            fine = as_signed<T>(halve<std::make_unsigned_t<T>>(as_unsigned<T>(fine), size, i));
        else
            fine = halve<T>(fine, size, i);
        size = halved(size);
    }
    return fine;
}

}  // namespace tesela::detail
