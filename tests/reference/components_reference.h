// Reference: connected components of up to four axes by flood fill (spec 000, section 4). Nobody
// optimizes this.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace tesela::reference {

// Labels 1..N in raster order (x fastest) of the components' first points. Points are neighbors
// where they differ by one along at most `axes` axes, and connected where `linked(a, b)` says so of
// their indices.
template <class Linked>
std::vector<std::uint32_t> components(const std::array<int, 4>& size, int axes,
                                      const Linked& linked) {
    const std::size_t points = static_cast<std::size_t>(size[0]) * size[1] * size[2] * size[3];
    std::vector<std::uint32_t> labels(points, 0);
    std::uint32_t count = 0;
    std::vector<std::size_t> open;
    for (std::size_t first = 0; first < points; ++first) {
        if (labels[first] != 0) continue;
        labels[first] = ++count;
        open.push_back(first);
        while (!open.empty()) {
            const std::size_t a = open.back();
            open.pop_back();
            for (int n = 0; n < 81; ++n) {  // neighbors, among them the point itself
                std::size_t b = 0, stride = 1, rest = a;
                int moved = 0;
                bool inside = true;
                for (int axis = 0, digits = n; axis < 4; ++axis, digits /= 3) {
                    const int step = digits % 3 - 1;
                    const int place = static_cast<int>(rest % size[axis]) + step;
                    rest /= size[axis];
                    moved += std::abs(step);
                    inside = inside && place >= 0 && place < size[axis];
                    b += stride * static_cast<std::size_t>(place);
                    stride *= size[axis];
                }
                if (!inside || moved > axes || labels[b] != 0 || !linked(a, b)) continue;
                labels[b] = count;
                open.push_back(b);
            }
        }
    }
    return labels;
}

}  // namespace tesela::reference
