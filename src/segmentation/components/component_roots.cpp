#include "segmentation/components/component_roots.h"

#include "kernels/components/components.kernel.h"

namespace tesela {

using kernels::i32;
using kernels::u32;

std::int64_t words_of_row(std::int64_t points) { return (points + 31) / 32; }

std::int64_t words_of_rows(const Shape& shape) {
    return shape.points() / shape.x * words_of_row(shape.x);
}

namespace {

std::int64_t parts_of(std::int64_t words, int tiled_words) {
    const std::int64_t part = kernels::components_words_of_part(tiled_words);
    return (words + part - 1) / part;
}

}  // namespace

Buffer<u32> number_roots(Queue& queue, std::int64_t words, int tiled_words,
                         const Buffer<u32>& tile_summary, std::int64_t tiles, Buffer<u32>& roots) {
    const std::int64_t groups = parts_of(words, tiled_words);
    auto sums = queue.allocate<u32>(2 * groups, "component counts of parts");
    auto counts = queue.allocate<u32>(3, "component counts");
    queue.launch_early(kernels::components_count, Groups{groups}, roots, tile_summary,
                       i32{tiled_words}, static_cast<i32>(words), static_cast<i32>(tiles), sums);
    queue.launch_early(kernels::components_rank, Groups{groups}, sums, i32{tiled_words},
                       static_cast<i32>(words), roots, counts);
    return counts;
}

std::int64_t number_roots_bytes(std::int64_t words, int tiled_words) {
    return (2 * parts_of(words, tiled_words) + 3) * static_cast<std::int64_t>(sizeof(u32));
}

}  // namespace tesela
