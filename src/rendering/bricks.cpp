#include "rendering/bricks.h"

#include <numeric>

namespace tesela::rendering {
namespace {

template <class T>
std::span<const T> pixels_of(const Image<T>& image) {
    return {image.pixels()};
}

std::int32_t parts(std::int64_t length, std::int64_t side) {
    return static_cast<std::int32_t>((length + side - 1) / side);
}

kernels::render_grid grid_of(const Shape& shape) {
    kernels::render_grid grid{};
    const std::array<std::int64_t, 3> size{shape.x, shape.y, shape.z};
    for (std::size_t a = 0; a < 3; ++a) {
        grid.size[a] = static_cast<std::int32_t>(size[a]);
        grid.bricks[a] = parts(size[a], kernels::render_brick_side);
        grid.blocks[a] = parts(size[a], kernels::render_block_side);
    }
    return grid;
}

template <class V>
Buffer<V> allocate_pool(const Bricks& bricks, Queue& queue) {
    return queue.allocate<V>(bricks.bricks() * kernels::render_brick_voxels, "bricks");
}

// The voxels of so many bricks from `first` on, so that an item's number fits.
constexpr std::int64_t most_bricks = 1 << 14;
Range range_of(const Bricks& bricks, std::int64_t first) {
    return {kernels::render_brick_row, kernels::render_brick_plane,
            std::min(most_bricks, bricks.bricks() - first)};
}

template <class Cut, class T, class V>
void cut(const Cut& kernel, const Buffer<const T>& voxels, const Bricks& bricks, Buffer<V>& pool,
         Queue& queue) {
    for (std::int64_t first = 0; first < bricks.bricks(); first += most_bricks)
        queue.launch(kernel, range_of(bricks, first), voxels, bricks.slots, bricks.grid,
                     static_cast<std::int32_t>(first), pool);
}

template <class Ranges, class V>
Buffer<float> ranges_of(const Ranges& kernel, const Buffer<V>& pool, const Bricks& bricks,
                        Queue& queue) {
    Buffer<float> ranges = queue.allocate<float>(2 * bricks.blocks(), "ranges of blocks");
    queue.launch(kernel, Range{bricks.grid.blocks[0], bricks.grid.blocks[1], bricks.grid.blocks[2]},
                 pool, bricks.slots, bricks.grid, ranges);
    return ranges;
}

template <class V, class T, class Cut, class Ranges>
void fill(Bricks& bricks, std::span<const T> voxels, const Cut& cut_kernel,
          const Ranges& ranges_kernel, Queue& queue) {
    Buffer<V> pool = allocate_pool<V>(bricks, queue);
    cut(cut_kernel, queue.lend(voxels, "volume"), bricks, pool, queue);
    bricks.ranges = ranges_of(ranges_kernel, pool, bricks, queue);
    queue.finish();  // the volume is only lent
    bricks.pool = std::move(pool);
}

Buffer<std::int32_t> slots_in_order(const Bricks& bricks, Queue& queue) {
    std::vector<std::int32_t> slots(static_cast<std::size_t>(bricks.bricks()));
    std::iota(slots.begin(), slots.end(), 0);
    return queue.upload(std::span<const std::int32_t>(slots), "places of bricks");
}

struct Coarsen {
    const Bricks& finer;
    Bricks& bricks;
    Queue& queue;

    template <class Kernel, class Ranges, class V>
    void make(const Kernel& kernel, const Ranges& ranges_kernel, const Buffer<V>& from) const {
        Buffer<V> pool = allocate_pool<V>(bricks, queue);
        for (std::int64_t first = 0; first < bricks.bricks(); first += most_bricks)
            queue.launch(kernel, range_of(bricks, first), from, finer.slots, finer.grid,
                         bricks.slots, bricks.grid, static_cast<std::int32_t>(first), pool);
        bricks.ranges = ranges_of(ranges_kernel, pool, bricks, queue);
        bricks.pool = std::move(pool);
    }
    void operator()(const Buffer<std::uint8_t>& from) const {
        make(kernels::render_coarser_u8, kernels::render_ranges_u8, from);
    }
    void operator()(const Buffer<std::uint16_t>& from) const {
        make(kernels::render_coarser_u16, kernels::render_ranges_u16, from);
    }
    void operator()(const Buffer<float>& from) const {
        make(kernels::render_coarser_f32, kernels::render_ranges_f32, from);
    }
    void operator()(const Buffer<std::uint32_t>& from) const {
        make(kernels::render_coarser_rgb, kernels::render_ranges_rgb, from);
    }
};

struct Fill {
    Bricks& bricks;
    Queue& queue;

    void operator()(const Image<std::uint8_t>& image) const {
        if (image.shape().channels == 3)
            fill<std::uint32_t>(bricks, pixels_of(image), kernels::render_cut_rgb8,
                                kernels::render_ranges_rgb, queue);
        else
            fill<std::uint8_t>(bricks, pixels_of(image), kernels::render_cut_u8,
                               kernels::render_ranges_u8, queue);
    }
    void operator()(const Image<std::uint16_t>& image) const {
        if (image.shape().channels == 3)
            fill<std::uint32_t>(bricks, pixels_of(image), kernels::render_cut_rgb16,
                                kernels::render_ranges_rgb, queue);
        else
            fill<std::uint16_t>(bricks, pixels_of(image), kernels::render_cut_u16,
                                kernels::render_ranges_u16, queue);
    }
    void operator()(const Image<std::int8_t>& image) const {
        bricks.value_offset = -128;
        fill<std::uint8_t>(bricks, pixels_of(image), kernels::render_cut_i8,
                           kernels::render_ranges_u8, queue);
    }
    void operator()(const Image<std::int16_t>& image) const {
        bricks.value_offset = -32768;
        fill<std::uint16_t>(bricks, pixels_of(image), kernels::render_cut_i16,
                            kernels::render_ranges_u16, queue);
    }
    void operator()(const Image<std::uint32_t>& image) const {
        fill<float>(bricks, pixels_of(image), kernels::render_cut_u32, kernels::render_ranges_f32,
                    queue);
    }
    void operator()(const Image<std::int32_t>& image) const {
        fill<float>(bricks, pixels_of(image), kernels::render_cut_i32, kernels::render_ranges_f32,
                    queue);
    }
    void operator()(const Image<float>& image) const {
        fill<float>(bricks, pixels_of(image), kernels::render_cut_f32, kernels::render_ranges_f32,
                    queue);
    }
    void operator()(const Image<double>& image) const {
        const std::vector<float> narrow(image.pixels().begin(), image.pixels().end());
        fill<float>(bricks, std::span<const float>(narrow), kernels::render_cut_f32,
                    kernels::render_ranges_f32, queue);
    }
};

}  // namespace

Bricks bricks_of(const AnyImage& volume, Queue& queue) {
    Bricks bricks;
    bricks.grid = grid_of(shape_of(volume));
    bricks.slots = slots_in_order(bricks, queue);
    std::visit(Fill{bricks, queue}, volume);
    return bricks;
}

Bricks coarser(const Bricks& bricks, Queue& queue) {
    Bricks made;
    const std::int32_t* size = bricks.grid.size;
    made.grid = grid_of({(size[0] + 1) / 2, (size[1] + 1) / 2, (size[2] + 1) / 2});
    made.value_offset = bricks.value_offset;
    made.slots = slots_in_order(made, queue);
    std::visit(Coarsen{bricks, made, queue}, bricks.pool);
    return made;
}

LabelBricks label_bricks_of(const Image<std::uint16_t>& labels, const Bricks& volume,
                            Queue& queue) {
    LabelBricks made;
    made.pool = allocate_pool<std::uint16_t>(volume, queue);
    cut(kernels::render_cut_u16, queue.lend(pixels_of(labels), "labels"), volume, made.pool, queue);
    made.ranges = ranges_of(kernels::render_ranges_u16, made.pool, volume, queue);
    queue.finish();  // the labels are only lent
    return made;
}

std::int64_t bricks_bytes(const Shape& shape, int bytes_per_voxel) {
    Bricks bricks;
    bricks.grid = grid_of(shape);
    return bricks.bricks() * (std::int64_t{kernels::render_brick_voxels} * bytes_per_voxel + 4) +
           bricks.blocks() * 9 + shape.points() * bytes_per_voxel;
}

}  // namespace tesela::rendering
