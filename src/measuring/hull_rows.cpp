#include "measuring/hull_rows.h"

#include <algorithm>
#include <iterator>

namespace tesela::measuring {

namespace {

// A corner of the diamonds that pixels are, in doubled pixels, and the row of the pixel.
struct Corner {
    std::int64_t y, out;
    std::size_t row;
};

// Of all rows from above to below; of two at one height the one further out.
std::vector<Corner> corners_of(std::span<const RowEnd> rows) {
    std::vector<Corner> corners;
    corners.reserve(3 * rows.size());
    const auto add = [&](std::int64_t y, std::int64_t out, std::size_t row) {
        if (corners.empty() || corners.back().y < y)
            corners.push_back({y, out, row});
        else if (corners.back().out < out)
            corners.back() = {y, out, row};
    };
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::int64_t y = 2 * rows[k].row, out = 2 * std::int64_t{rows[k].out};
        add(y - 1, out, k);
        add(y, out + 1, k);
        add(y + 1, out, k);
    }
    return corners;
}

// The corners of the hull (A. M. Andrew, "Another efficient algorithm for convex hulls in two
// dimensions", 1979), as the kernel has them.
void reduce(std::vector<Corner>& corners) {
    std::size_t count = 0;
    for (const Corner& corner : corners) {
        while (count >= 2) {
            const Corner &last = corners[count - 1], &before = corners[count - 2];
            if ((last.out - before.out) * (corner.y - before.y) >
                (corner.out - before.out) * (last.y - before.y))
                break;
            --count;
        }
        corners[count++] = corner;
    }
    corners.resize(count);
}

}  // namespace

void HullRows::add(std::span<const RowEnd> rows) {
    std::vector<RowEnd> all;
    all.reserve(rows_.size() + rows.size());
    std::merge(rows_.begin(), rows_.end(), rows.begin(), rows.end(), std::back_inserter(all),
               [](const RowEnd& a, const RowEnd& b) { return a.row < b.row; });
    // The two ends of one row are neighbors.
    std::size_t count = 0;
    for (const RowEnd& end : all) {
        if (count > 0 && all[count - 1].row == end.row)
            all[count - 1].out = std::max(all[count - 1].out, end.out);
        else
            all[count++] = end;
    }
    all.resize(count);
    std::vector<Corner> corners = corners_of(all);
    reduce(corners);
    rows_.clear();
    for (const Corner& corner : corners)
        if (rows_.empty() || rows_.back().row != all[corner.row].row)
            rows_.push_back(all[corner.row]);
}

}  // namespace tesela::measuring
