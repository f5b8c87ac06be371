#include "rendering/bricks.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "kernels/rendering/render_fill.kernel.h"
#include "kernels/rendering/render_shares.kernel.h"

namespace tesela::rendering {
namespace {

std::int32_t parts(std::int64_t length, std::int64_t side) {
    return static_cast<std::int32_t>((length + side - 1) / side);
}

template <class V>
Buffer<V> allocate_pool(const Bricks& bricks, Queue& queue) {
    return queue.allocate<V>(bricks.bricks() * kernels::render_brick_voxels, "bricks");
}

// Launches for the voxels of a limited number of bricks at a time, so that item numbers fit.
template <class Launch>
void in_groups(const Bricks& bricks, const Launch& launch) {
    constexpr std::int64_t most = 1 << 14;
    for (std::int64_t first = 0; first < bricks.bricks(); first += most)
        launch(Range{kernels::render_brick_row, kernels::render_brick_plane,
                     std::min(most, bricks.bricks() - first)},
               static_cast<std::int32_t>(first));
}

template <class Cut, class T, class V>
void cut(const Cut& kernel, const Buffer<const T>& voxels, const Bricks& bricks, Buffer<V>& pool,
         Queue& queue) {
    in_groups(bricks, [&](const Range& range, std::int32_t first) {
        queue.launch(kernel, range, voxels, bricks.page_table, bricks.grid, first, pool);
    });
}

template <class Ranges, class V>
Buffer<float> ranges_of(const Ranges& kernel, const Buffer<V>& pool, const Bricks& bricks,
                        std::int32_t margin, Queue& queue) {
    Buffer<float> ranges = queue.allocate<float>(2 * bricks.blocks(), "ranges of blocks");
    queue.launch(kernel, Range{bricks.grid.blocks[0], bricks.grid.blocks[1], bricks.grid.blocks[2]},
                 pool, bricks.page_table, bricks.grid, margin, ranges);
    return ranges;
}

template <class V, class T, class Cut, class Ranges>
void fill(Bricks& bricks, const PixelSource<T>& volume, const Cut& cut_kernel,
          const Ranges& ranges_kernel, Queue& queue) {
    Buffer<V> pool = allocate_pool<V>(bricks, queue);
    const auto voxels = volume.on_device(queue);
    cut(cut_kernel, voxels.get().pixels, bricks, pool, queue);
    bricks.ranges = ranges_of(ranges_kernel, pool, bricks, 1, queue);
    queue.finish();  // the volume is only lent
    bricks.pool = std::move(pool);
}

struct Fill {
    Bricks& bricks;
    Queue& queue;

    void operator()(const PixelSource<std::uint8_t>& image) const {
        if (image.shape().channels == 3)
            fill<std::uint32_t>(bricks, image, kernels::render_cut_rgb8, kernels::render_ranges_rgb,
                                queue);
        else
            fill<std::uint8_t>(bricks, image, kernels::render_cut_u8, kernels::render_ranges_u8,
                               queue);
    }
    void operator()(const PixelSource<std::uint16_t>& image) const {
        if (image.shape().channels == 3)
            fill<std::uint32_t>(bricks, image, kernels::render_cut_rgb16,
                                kernels::render_ranges_rgb, queue);
        else
            fill<std::uint16_t>(bricks, image, kernels::render_cut_u16, kernels::render_ranges_u16,
                                queue);
    }
    void operator()(const PixelSource<std::int8_t>& image) const {
        bricks.value_offset = -128;
        fill<std::uint8_t>(bricks, image, kernels::render_cut_i8, kernels::render_ranges_u8, queue);
    }
    void operator()(const PixelSource<std::int16_t>& image) const {
        bricks.value_offset = -32768;
        fill<std::uint16_t>(bricks, image, kernels::render_cut_i16, kernels::render_ranges_u16,
                            queue);
    }
    void operator()(const PixelSource<std::uint32_t>& image) const {
        fill<float>(bricks, image, kernels::render_cut_u32, kernels::render_ranges_f32, queue);
    }
    void operator()(const PixelSource<std::int32_t>& image) const {
        fill<float>(bricks, image, kernels::render_cut_i32, kernels::render_ranges_f32, queue);
    }
    void operator()(const PixelSource<float>& image) const {
        fill<float>(bricks, image, kernels::render_cut_f32, kernels::render_ranges_f32, queue);
    }
    void operator()(const PixelSource<double>& image) const {
        const std::span<const double> wide = image.pixels();
        Image<float> narrow(image.shape());
        std::copy(wide.begin(), wide.end(), narrow.data());
        fill<float>(bricks, PixelSource<float>(narrow), kernels::render_cut_f32,
                    kernels::render_ranges_f32, queue);
    }
};

// Of blocks of labels: shares have the voxels around a voxel.
constexpr std::int32_t label_margin = 2;

// What `render_fill` is told of a box, which it takes for a brick.
std::vector<std::int32_t> filled_by(const VoxelBox& box, const kernels::render_grid& grid) {
    std::vector<std::int32_t> numbers(kernels::render_fill_numbers);
    for (std::size_t a = 0; a < 3; ++a) {
        const auto origin = static_cast<std::int32_t>(box.begin[a]);
        const auto size = static_cast<std::int32_t>(box.length(a));
        const std::int32_t begin = origin == 0 ? -kernels::render_brick_border : origin;
        const std::int32_t end =
            box.end[a] == grid.size[a]
                ? grid.bricks[a] * kernels::render_brick_side + kernels::render_brick_border
                : origin + size;
        numbers[kernels::render_fill_begin + a] = begin;
        numbers[kernels::render_fill_count + a] = end - begin;
        numbers[kernels::render_fill_origin + a] = origin;
        numbers[kernels::render_fill_size + a] = size;
    }
    return numbers;
}

// The bricks, their borders included, that have voxels of which the shares depend on a box: page
// and place of each.
std::vector<std::int32_t> bricks_around(const VoxelBox& box, const kernels::render_grid& grid) {
    constexpr std::int64_t far = kernels::render_brick_border + label_margin;
    std::array<std::int32_t, 3> first{}, last{};
    for (std::size_t a = 0; a < 3; ++a) {
        const auto brick = [&](std::int64_t voxel) {
            return static_cast<std::int32_t>(std::clamp<std::int64_t>(
                voxel / kernels::render_brick_side, 0, grid.bricks[a] - 1));
        };
        first[a] = brick(box.begin[a] - far);
        last[a] = brick(box.end[a] - 1 + far);
    }
    std::vector<std::int32_t> bricks;
    for (std::int32_t z = first[2]; z <= last[2]; ++z)
        for (std::int32_t y = first[1]; y <= last[1]; ++y)
            for (std::int32_t x = first[0]; x <= last[0]; ++x)
                bricks.insert(bricks.end(),
                              {(z * grid.bricks[1] + y) * grid.bricks[0] + x, x, y, z});
    return bricks;
}

}  // namespace

kernels::render_grid grid_of(const Shape& shape, int block_side) {
    kernels::render_grid grid{};
    const std::array<std::int64_t, 3> size{shape.x, shape.y, shape.z};
    for (std::size_t a = 0; a < 3; ++a) {
        grid.size[a] = static_cast<std::int32_t>(size[a]);
        grid.bricks[a] = parts(size[a], kernels::render_brick_side);
        grid.blocks[a] = parts(size[a], block_side);
    }
    grid.block_side = block_side;
    while (block_side << grid.brick_shift < kernels::render_brick_side) ++grid.brick_shift;
    return grid;
}

template <class T>
Bricks bricks_of(const PixelSource<T>& volume, Queue& queue) {
    Bricks bricks;
    bricks.grid = grid_of(volume.shape(), kernels::render_block_side);
    std::vector<std::int32_t> page_table(static_cast<std::size_t>(bricks.bricks()));
    std::iota(page_table.begin(), page_table.end(), 0);
    bricks.page_table = queue.upload(std::span<const std::int32_t>(page_table), "page table");
    Fill{bricks, queue}(volume);
    return bricks;
}

#define TESELA_INSTANTIATE(T) template Bricks bricks_of(const PixelSource<T>&, Queue&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::int8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(std::uint32_t);
TESELA_INSTANTIATE(std::int32_t);
TESELA_INSTANTIATE(float);
TESELA_INSTANTIATE(double);
#undef TESELA_INSTANTIATE

LabelBricks no_labels(Queue& queue) {
    return {queue.allocate<std::uint16_t>(1, "labels"),
            queue.allocate_filled<float>(2, 0, "ranges of labels"),
            queue.allocate<std::uint32_t>(1, "shares of labels")};
}

LabelBricks label_bricks_of(const Image<std::uint16_t>& labels, const Bricks& volume,
                            Queue& queue) {
    LabelBricks made = no_labels(queue);
    made.pool = allocate_pool<std::uint16_t>(volume, queue);
    cut(kernels::render_cut_u16,
        queue.lend(std::span<const std::uint16_t>(labels.pixels()), "labels"), volume, made.pool,
        queue);
    made.ranges = ranges_of(kernels::render_ranges_u16, made.pool, volume, label_margin, queue);
    queue.finish();  // the labels are only lent
    return made;
}

void add_shares(LabelBricks& labels, std::uint32_t visible, const Bricks& volume, Queue& queue) {
    if (labels.shares.size() == labels.pool.size()) return;
    labels.shares = queue.allocate<std::uint32_t>(labels.pool.size(), "shares of labels");
    in_groups(volume, [&](const Range& range, std::int32_t first) {
        queue.launch(kernels::render_shares, range, labels.pool, volume.page_table, labels.ranges,
                     volume.grid, visible, first, labels.shares);
    });
}

void update_label_bricks(LabelBricks& labels, const Image<std::uint16_t>& part, const VoxelBox& box,
                         std::uint32_t visible, const Bricks& volume, Queue& queue) {
    const std::vector<std::int32_t> numbers = filled_by(box, volume.grid);
    const auto told = queue.upload(std::span<const std::int32_t>(numbers), "changed labels");
    const auto starts = queue.allocate_filled<std::int64_t>(1, 0, "start of labels");
    kernels::render_pages pages{};
    std::copy_n(volume.grid.bricks, 3, pages.count);
    const std::int64_t rows = std::int64_t{numbers[kernels::render_fill_count + 1]} *
                              numbers[kernels::render_fill_count + 2];
    queue.launch(kernels::render_fill_u16, Range{rows, 1},
                 queue.lend(std::span<const std::uint16_t>(part.pixels()), "labels"), starts, told,
                 volume.page_table, pages, labels.pool);
    // Shares have voxels around them, and so have ranges.
    const std::vector<std::int32_t> around = bricks_around(box, volume.grid);
    const Buffer<std::int32_t> filled =
        queue.upload(std::span<const std::int32_t>(around), "bricks of labels");
    const std::int64_t blocks = std::int64_t{1} << (3 * volume.grid.brick_shift);
    queue.launch(kernels::render_page_ranges_u16, Range{blocks, std::ssize(around) / 4},
                 labels.pool, filled, volume.grid, label_margin, labels.ranges);
    if (labels.shares.size() == labels.pool.size())
        for (std::size_t i = 0; i < around.size(); i += 4)
            queue.launch(kernels::render_shares,
                         Range{kernels::render_brick_row, kernels::render_brick_plane, 1},
                         labels.pool, volume.page_table, labels.ranges, volume.grid, visible,
                         around[i], labels.shares);
    queue.finish();  // the labels are only lent
}

std::int64_t bricks_bytes(const Shape& shape, int bytes_per_voxel) {
    Bricks bricks;
    bricks.grid = grid_of(shape, kernels::render_block_side);
    return bricks.bricks() * (std::int64_t{kernels::render_brick_voxels} * bytes_per_voxel + 4) +
           bricks.blocks() * 10 + shape.points() * bytes_per_voxel;
}

}  // namespace tesela::rendering
