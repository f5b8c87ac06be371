#include "levelset/necks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/levelset/necks.kernel.h"
#include "segmentation/components/components.h"
#include "tesela/distance.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::neck_grid;
using kernels::u32;

std::int64_t words_of(const Shape& shape) { return (shape.points() - 1) / 32 + 1; }

// A bit for each point of the image.
Buffer<u32> upload_bits(Queue& queue, const Shape& shape, std::span<const u32> points) {
    std::vector<u32> bits(static_cast<std::size_t>(words_of(shape)), 0);
    for (const u32 point : points) bits[point / 32] |= u32{1} << point % 32;
    return queue.upload(std::span<const u32>(bits), "seeds");
}

// The nearest floats, so that comparisons equal those with the numbers themselves.
float lowest_from(double limit) {
    const auto near = static_cast<float>(limit);
    return near < limit ? std::nextafter(near, std::numeric_limits<float>::infinity()) : near;
}
float highest_to(double limit) {
    const auto near = static_cast<float>(limit);
    return near > limit ? std::nextafter(near, -std::numeric_limits<float>::infinity()) : near;
}

// The object's bounding box with a margin of one point, where the image has one.
neck_grid grid_of(const Shape& shape, int object, const u32* known) {
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    neck_grid grid{object, static_cast<i32>(shape.x), static_cast<i32>(shape.y), {}, {}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto length = static_cast<i32>(lengths[axis]);
        const i32 lowest = length - 1 - static_cast<i32>(known[2 * axis]);
        const auto highest = static_cast<i32>(known[2 * axis + 1]);
        grid.first[axis] = std::max(lowest - 1, 0);
        grid.length[axis] = std::min(highest + 1, length - 1) - grid.first[axis] + 1;
    }
    return grid;
}

// Items that take parts of rows.
Range row_parts(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    return {(nx - 1) / kernels::neck_points + 1, ny, nz};
}

// The core components with seeds, or else the largest one.
Buffer<const std::uint8_t> kept_core(Queue& queue, const Shape& box, const neck_grid& grid,
                                     Buffer<float> depth, float radius, const Buffer<u32>& seeds,
                                     Buffer<u32>& known) {
    const std::int64_t points = box.points();
    auto made = queue.allocate<std::uint8_t>(points, "core of an object");
    queue.launch(kernels::neck_core, Range{points}, depth, radius, made);
    depth = {};
    const Buffer<const std::uint8_t> core = std::move(made);
    auto parts = queue.allocate<u32>(points, "parts of a core");
    const auto count = label_components(queue, box, core, 1, parts);
    auto sizes = queue.allocate_filled<u32>(points + 1, 0u, "sizes of parts");
    queue.launch(kernels::neck_find_seeds, Range{seeds.size()}, seeds, core, parts, sizes, known,
                 grid);
    queue.launch(kernels::neck_sizes, row_parts(box.x, box.y, box.z), core, parts, known, sizes,
                 grid);
    const Range items{kernels::neck_items};
    queue.launch(kernels::neck_find_largest, items, sizes, count, known, grid);
    queue.launch(kernels::neck_find_first, items, sizes, count, known, grid);
    auto kept = queue.allocate<std::uint8_t>(points, "kept core of an object");
    queue.launch(kernels::neck_keep, Range{points}, core, parts, sizes, known, kept, grid);
    return kept;
}

std::int64_t wide(const u32* words) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(words[1]) << 32 | words[0]);
}

}  // namespace

std::vector<CutPart> cut_necks(Queue& queue, const Shape& shape,
                               const std::array<double, 3>& spacing, std::span<const double> radii,
                               std::span<const std::uint32_t> seeds, int count,
                               Buffer<std::uint8_t>& objects, CutNecks what) {
    auto known = queue.allocate_filled<u32>(std::int64_t{kernels::neck_words} * (count + 1), 0u,
                                            "what is known of objects");
    const auto of = [](const std::vector<u32>& words, int object) {
        return words.data() + object * kernels::neck_words;
    };
    queue.launch(kernels::neck_boxes, row_parts(shape.x, shape.y, shape.z), objects, known,
                 i32{count}, static_cast<i32>(shape.x), static_cast<i32>(shape.y),
                 static_cast<i32>(shape.z));
    const auto seed_bits = upload_bits(queue, shape, seeds);
    const std::vector<u32> boxes = queue.download(known);
    for (int object = 1; object <= count; ++object) {
        const double radius = radii[static_cast<std::size_t>(object) - 1];
        if (of(boxes, object)[kernels::neck_count] == 0 || radius <= 0) continue;
        const neck_grid grid = grid_of(shape, object, of(boxes, object));
        const Shape box{grid.length[0], grid.length[1], grid.length[2]};
        auto made = queue.allocate<std::uint8_t>(box.points(), "object");
        queue.launch(kernels::neck_inside, Range{box.x, box.y, box.z}, objects, made, grid);
        const Buffer<const std::uint8_t> inside = std::move(made);
        const auto kept = kept_core(queue, box, grid, signed_distance(queue, box, spacing, inside),
                                    lowest_from(radius), seed_bits, known);
        const auto away = signed_distance(queue, box, spacing, kept);
        queue.launch(kernels::neck_cut, row_parts(box.x, box.y, box.z), inside, away,
                     highest_to(2 * radius), i32{what == CutNecks::cut}, objects, known, grid);
    }
    const std::vector<u32> found = queue.download(known);
    std::vector<CutPart> parts;
    for (int object = 1; object <= count; ++object) {
        const u32* gone = of(found, object) + kernels::neck_gone;
        CutPart part{object, wide(gone), of(found, object)[kernels::neck_count], {}};
        if (part.points == 0) continue;
        for (std::size_t axis = 0; axis < 3; ++axis)
            part.middle[axis] =
                static_cast<double>(wide(gone + 2 + 2 * axis)) / static_cast<double>(part.points);
        parts.push_back(part);
    }
    return parts;
}

std::int64_t cut_necks_device_bytes(const Shape& shape) {
    const std::int64_t points = shape.points();
    // The object, its core or what is kept of it, and distances; or labels and sizes of parts.
    const std::int64_t parts = 4 * points + std::max(label_components_bytes(shape), 5 * points + 4);
    return 4 * words_of(shape) + 2 * points + std::max(12 * points, parts) +
           4 * std::int64_t{kernels::neck_words} * kernels::ftc_objects;
}

}  // namespace tesela
