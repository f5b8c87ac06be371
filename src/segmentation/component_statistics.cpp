#include "segmentation/component_statistics.h"

#include <algorithm>

#include "kernels/component_statistics.kernel.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

constexpr std::int64_t slab_points = 1 << 17;  // short enough for the cache of a core
constexpr std::int64_t kept_words = kernels::statistics_kept * kernels::statistics_entry_words;

std::int64_t parts_along(std::int64_t length, std::int64_t part) {
    return (length + part - 1) / part;
}

std::int64_t rows_of(const Shape& shape) { return shape.y * shape.z * shape.t; }

std::int64_t slab_rows_of(const Shape& shape) {
    return std::max<std::int64_t>(1, slab_points / shape.x);
}

struct Axes {
    explicit Axes(const Shape& shape)
        : count(shape.dimensions()),
          nx(static_cast<i32>(shape.x)),
          ny(static_cast<i32>(shape.y)),
          nz(static_cast<i32>(shape.z)),
          nt(static_cast<i32>(shape.t)) {}
    i32 count, nx, ny, nz, nt;
};

}  // namespace

int component_record_words(const Shape& shape) { return 1 + 4 * shape.dimensions(); }

std::int64_t component_areas(const Shape& shape, std::int64_t count) {
    return count * 4 * shape.dimensions();
}

Buffer<std::uint32_t> component_statistics(Queue& queue, const Shape& shape,
                                           const Buffer<std::uint32_t>& labels,
                                           std::uint32_t count) {
    auto records = queue.allocate<u32>(std::int64_t{count} * component_record_words(shape),
                                       "component statistics");
    const Axes n(shape);
    const auto slab_rows = static_cast<i32>(slab_rows_of(shape));
    const Groups slabs{parts_along(rows_of(shape), slab_rows)};
    auto highest = queue.allocate<u32>(slabs.x, "highest labels of slabs");
    auto last_skipped = queue.allocate<u32>(slabs.x, "last skipped rows of slabs");
    auto kept = queue.allocate<u32>(slabs.x * kept_words, "components of earlier slabs");
    queue.launch(kernels::component_statistics_highest, slabs, labels, n.nx,
                 static_cast<i32>(rows_of(shape)), slab_rows, highest);
    queue.launch(kernels::component_statistics_own, slabs, labels, highest, n.count, n.nx, n.ny,
                 n.nz, n.nt, slab_rows, count, records, kept, last_skipped);
    queue.launch(kernels::component_statistics_shared, slabs, labels, highest, last_skipped,
                 n.count, n.nx, n.ny, n.nz, n.nt, slab_rows, count, kept, records);
    return records;
}

std::int64_t component_statistics_bytes(const Shape& shape, std::int64_t count) {
    const std::int64_t slabs = parts_along(rows_of(shape), slab_rows_of(shape));
    return (count * component_record_words(shape) + slabs * (kept_words + 2)) *
           static_cast<std::int64_t>(sizeof(u32));
}

}  // namespace tesela
