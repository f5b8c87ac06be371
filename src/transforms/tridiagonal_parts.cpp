#include <algorithm>
#include <cstdint>

#include "kernels/transforms/tridiagonal.kernel.h"
#include "transforms/tridiagonal_form.h"
#include "transforms/tridiagonal_parts.h"

namespace tesela {

using kernels::i32;

kernels::tridiagonal_layout tridiagonal_layout_of(const Device& device,
                                                  const TridiagonalLines& lines, std::int64_t part,
                                                  std::int64_t rows_of_item) {
    const std::int64_t parts = ceil_div(lines.rows, part);
    const std::int64_t ni = lines.counts[0], nj = lines.counts[1];
    const std::int64_t si = lines.strides[0], sj = lines.strides[1];
    kernels::tridiagonal_layout layout{};
    const auto count = [&](i32 axis, std::int64_t number, std::int64_t stride,
                           std::int64_t index_stride) {
        layout.counts[axis] = number;
        layout.strides[axis] = stride;
        layout.index_strides[axis] = index_stride;
    };
    const bool interleaved = is_interleaved(lines);
    layout.stride = lines.stride;
    layout.rows = lines.rows;
    layout.part = part;
    layout.part_axis = parts == 1 || (interleaved && takes_tridiagonal_groups(device)) ? 1 : 0;
    count(layout.part_axis, parts, part * lines.stride, 1);
    count(1 - layout.part_axis, ni, si, parts);
    count(2, nj, sj, ni * parts);
    if (parts == 1 && sj == ni * si) {
        count(0, ni * nj, si, 1);
        count(2, 1, 0, 0);
    }
    const std::int64_t chunks = ceil_div(part, rows_of_item);
    layout.chunks = static_cast<i32>(std::min<std::int64_t>(chunks, kernels::tridiagonal_group));
    layout.parts_per_group = static_cast<i32>(
        std::min<std::int64_t>(kernels::tridiagonal_group / layout.chunks, layout.counts[0]));
    layout.is_interleaved = interleaved;
    return layout;
}

}  // namespace tesela
