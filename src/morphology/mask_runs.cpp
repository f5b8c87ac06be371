#include "morphology/mask_runs.h"

#include <algorithm>
#include <utility>

#include "morphology/bit_planes.h"
#include "morphology/run_groups.h"

namespace tesela {

Buffer<std::uint8_t> mask_step(Queue& queue, const Shape& shape, const StructuringElement& element,
                               MaskStep step, const Buffer<const std::uint8_t>& mask,
                               std::uint8_t on) {
    using kernels::i32;
    const kernels::morphology_grid grid = bit_grid(shape, queue.device());
    const std::int64_t words = words_of(grid);
    // Erosion is dilation of the complement.
    const BitsOf what = step == MaskStep::erode ? BitsOf::complement : BitsOf::mask;
    auto grown = packed(queue, grid, what, mask);
    auto next = queue.allocate<std::uint64_t>(words, "bits of a mask");
    auto united = queue.allocate_filled<std::uint64_t>(words, 0, "bits of a mask");
    const RunGroups groups(queue, element);
    const i32 span = prefers_groups(queue.device()) ? 1 : grid.pitch;
    i32 half = 0;
    for (const RunGroup& group : groups.list) {
        while (half < group.half) {
            const i32 away = std::min({group.half - half, half + 1, i32{63}});
            queue.launch(kernels::morphology_grow_bits, Range{grid.pitch, shape.y * shape.z}, grown,
                         next, away, grid);
            std::swap(grown, next);
            half += away;
        }
        queue.launch(kernels::morphology_unite_bits, Range{grid.pitch / span, shape.y, shape.z},
                     grown, groups.runs, united, group.first, group.count, span, grid);
    }
    return unpacked(queue, grid, what, on, united);
}

std::int64_t mask_step_bytes(const Shape& shape, const Device& device) {
    return 3 * 8 * words_of(bit_grid(shape, device)) + shape.points();
}

}  // namespace tesela
