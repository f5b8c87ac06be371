// Histograms and co-occurrence matrices of planes.
#include <algorithm>

#include "kernels/texture/cooccurrence.kernel.h"
#include "kernels/texture/plane_counts.kernel.h"
#include "texture/tile_planes.h"

namespace tesela {
namespace {

using kernels::cooccurrence_job;
using kernels::plane_counts_job;
using std::int32_t;
using std::int64_t;
using Counts = Buffer<std::uint32_t>;

bool by_groups(const Queue& queue, CountWay way) {
    return way == CountWay::groups ||
           (way == CountWay::automatic && prefers_groups(queue.device()));
}

// The rows of a piece where `planes` planes are cut into about `wanted` pieces of at least `least`
// rows.
int32_t rows_of_piece(int32_t ny, int64_t planes, int64_t wanted, int32_t least) {
    const int64_t pieces = std::clamp<int64_t>((wanted + planes - 1) / std::max<int64_t>(planes, 1),
                                               1, std::max(ny / least, 1));
    return static_cast<int32_t>(std::max<int64_t>((ny + pieces - 1) / pieces, 1));
}
int64_t pieces_of(int32_t ny, int32_t rows) { return std::max((ny + rows - 1) / rows, 1); }

// Pieces that fill a GPU several times, or keep all threads of a CPU busy.
int64_t pieces_wanted(const Queue& queue) {
    const Device& device = queue.device();
    return prefers_groups(device) ? 4096 : 8 * device.properties().compute_units;
}

Counts sum_of(Queue& queue, Counts parts, int64_t cells, int64_t pieces) {
    if (pieces == 1) return parts;
    Counts counts = queue.allocate<std::uint32_t>(cells, "counts of texture");
    queue.launch(kernels::counts_sum, Range{cells}, parts, counts, cells,
                 static_cast<int32_t>(pieces));
    return counts;
}

// What stands in for a mask where none is given; it is not read.
const Buffer<const std::uint8_t>& mask_or(const TileMasks& masks, const TilePlanes& planes) {
    return masks.given() ? masks.bytes : planes.bytes;
}

// Calls `launch` with as many offsets at once as a job can have.
template <class Launch>
void for_offsets(cooccurrence_job job, const std::vector<PixelOffset>& offsets, int32_t at_once,
                 const Launch& launch) {
    for (job.first_offset = 0; job.first_offset < job.all_offsets; job.first_offset += at_once) {
        job.offsets = std::min(at_once, job.all_offsets - job.first_offset);
        for (int32_t k = 0; k < job.offsets; ++k) {
            job.x[k] = offsets[static_cast<std::size_t>(job.first_offset + k)].x;
            job.y[k] = offsets[static_cast<std::size_t>(job.first_offset + k)].y;
        }
        launch(job);
    }
}

Counts counted_by_groups(Queue& queue, const TilePlanes& planes, const TileMasks& masks,
                         cooccurrence_job job, const std::vector<PixelOffset>& offsets) {
    const int32_t cells = job.levels * job.levels;
    Counts counts = queue.allocate_filled<std::uint32_t>(planes.count * job.all_offsets * cells, 0u,
                                                         "co-occurrence matrices");
    if (cells > kernels::cooccurrence_local_cells) {
        for_offsets(job, offsets, kernels::cooccurrence_most_offsets, [&](const auto& part) {
            queue.launch(kernels::cooccurrence_pixels, Range{planes.nx, planes.ny, planes.count},
                         planes.bytes, mask_or(masks, planes), counts, part);
        });
        return counts;
    }
    job.rows = rows_of_piece(planes.ny, planes.count, pieces_wanted(queue), 8);
    const Groups groups{pieces_of(planes.ny, job.rows), planes.count};
    const int32_t at_once = std::min<int32_t>(kernels::cooccurrence_most_offsets,
                                              kernels::cooccurrence_local_cells / cells);
    for_offsets(job, offsets, at_once, [&](const auto& part) {
        queue.launch(kernels::cooccurrence_local, groups, planes.bytes, mask_or(masks, planes),
                     counts, part);
    });
    return counts;
}

Counts counted_by_rows(Queue& queue, const TilePlanes& planes, const TileMasks& masks,
                       cooccurrence_job job, const std::vector<PixelOffset>& offsets) {
    const int64_t cells = planes.count * job.all_offsets * job.levels * job.levels;
    constexpr int64_t most_cells = 1 << 24;
    const int64_t wanted =
        std::min(pieces_wanted(queue), std::max<int64_t>(most_cells / cells, 1) * planes.count);
    job.rows = rows_of_piece(planes.ny, planes.count, wanted, 16);
    const int64_t pieces = pieces_of(planes.ny, job.rows);
    Counts parts =
        queue.allocate_filled<std::uint32_t>(pieces * cells, 0u, "co-occurrence matrices");
    for_offsets(job, offsets, kernels::cooccurrence_most_offsets, [&](const auto& part) {
        queue.launch(kernels::cooccurrence_rows, Range{part.offsets, pieces, planes.count},
                     planes.bytes, mask_or(masks, planes), parts, part);
    });
    return sum_of(queue, std::move(parts), cells, pieces);
}

}  // namespace

Buffer<std::uint32_t> plane_histograms(Queue& queue, const TilePlanes& planes,
                                       const TileMasks& masks, int32_t margin, CountWay way) {
    constexpr int64_t bins = 256;
    plane_counts_job job{};
    job.nx = planes.nx;
    job.ny = planes.ny;
    job.margin = margin;
    job.channels = planes.channels;
    job.masked = masks.given();
    job.planes = static_cast<int32_t>(planes.count);
    const int64_t cells = planes.count * bins;
    if (by_groups(queue, way)) {
        job.rows = rows_of_piece(planes.ny, planes.count, pieces_wanted(queue), 8);
        Counts counts = queue.allocate_filled<std::uint32_t>(cells, 0u, "counts of texture");
        queue.launch(kernels::plane_counts_local,
                     Groups{pieces_of(planes.ny, job.rows), planes.count}, planes.bytes,
                     mask_or(masks, planes), counts, job);
        return counts;
    }
    job.rows = rows_of_piece(planes.ny, planes.count, pieces_wanted(queue), 16);
    const int64_t pieces = pieces_of(planes.ny, job.rows);
    Counts parts = queue.allocate_filled<std::uint32_t>(pieces * cells, 0u, "counts of texture");
    queue.launch(kernels::plane_counts_rows, Range{pieces, planes.count}, planes.bytes,
                 mask_or(masks, planes), parts, job);
    return sum_of(queue, std::move(parts), cells, pieces);
}

Buffer<std::uint32_t> cooccurrence(Queue& queue, const TilePlanes& planes, const TileMasks& masks,
                                   int levels, const std::vector<PixelOffset>& offsets,
                                   CountWay way) {
    cooccurrence_job job{};
    job.all_offsets = static_cast<int32_t>(offsets.size());
    job.levels = levels;
    job.nx = planes.nx;
    job.ny = planes.ny;
    job.channels = planes.channels;
    job.masked = masks.given();
    job.planes = static_cast<int32_t>(planes.count);
    return by_groups(queue, way) ? counted_by_groups(queue, planes, masks, job, offsets)
                                 : counted_by_rows(queue, planes, masks, job, offsets);
}

}  // namespace tesela
