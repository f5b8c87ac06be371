#include "segmentation/components.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/components.kernel.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

constexpr int beyond = 30;  // log2 of a part that is as long as its axis

// The parts in which an image is joined first: 2^shift points along x, y and z, one along t.
struct Parts {
    bool tiles;
    int shift_x, shift_y, shift_z;
};

Parts choose_parts(const Queue& queue, const Shape& shape, ComponentParts asked) {
    const bool volume = shape.z > 1 || shape.t > 1;
    const bool tiles = asked == ComponentParts::tiles ||
                       (asked == ComponentParts::automatic && queue.device().properties().is_gpu);
    if (tiles) return volume ? Parts{true, 5, 3, 3} : Parts{true, 5, 6, 0};
    // Short enough for the cache of a core, but in a volume with few links to the next.
    constexpr std::int64_t slab_points = 1 << 17;
    const std::int64_t step = volume ? shape.x * shape.y : shape.x;
    int shift = volume ? 3 : 0;
    while (step << shift < slab_points) ++shift;
    return volume ? Parts{false, beyond, beyond, shift} : Parts{false, beyond, shift, beyond};
}

// Axes of one point say nothing of neighbors; without them a slice of any orientation is a picture.
Shape without_unit_axes(const Shape& shape) {
    std::array<std::int64_t, 4> axes{1, 1, 1, 1};
    std::size_t used = 0;
    for (const std::int64_t length : {shape.x, shape.y, shape.z, shape.t})
        if (length > 1) axes[used++] = length;
    return {axes[0], axes[1], axes[2], axes[3]};
}

std::int64_t parts_along(std::int64_t length, int shift) { return ((length - 1) >> shift) + 1; }

// The largest difference whose square is at most `square`, as far as 32 bits go.
std::int64_t root_of(std::int64_t square) {
    auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(square)));
    while (root > 0 && root > square / root) --root;
    while (root + 1 <= square / (root + 1)) ++root;
    return std::min(root, std::int64_t{std::numeric_limits<u32>::max()});
}

std::int64_t words_of(std::int64_t points) { return (points + 31) / 32; }

// Two words for each 32 points, each row from a word on.
std::int64_t words_of_runs(const Shape& shape) {
    return shape.points() / shape.x * 2 * words_of(shape.x);
}

// The kernels of one kind of values.
struct EqualBytes {
    using Value = const std::uint8_t;
    static constexpr auto& tiles = kernels::components_tiles_u8;
    static constexpr auto& slabs = kernels::components_slabs_u8;
    static constexpr auto& seams = kernels::components_seams_u8;
    static constexpr auto& slab_seams = kernels::components_slab_seams_u8;
};
struct NearInOneChannel {
    using Value = std::int32_t;
    static constexpr auto& tiles = kernels::components_tiles_1;
    static constexpr auto& slabs = kernels::components_slabs_1;
    static constexpr auto& seams = kernels::components_seams_1;
    static constexpr auto& slab_seams = kernels::components_slab_seams_1;
};
struct NearInThreeChannels {
    using Value = std::int32_t;
    static constexpr auto& tiles = kernels::components_tiles_3;
    static constexpr auto& slabs = kernels::components_slabs_3;
    static constexpr auto& seams = kernels::components_seams_3;
    static constexpr auto& slab_seams = kernels::components_slab_seams_3;
};

template <class Kernels>
class Labeling {
  public:
    using Values = Buffer<typename Kernels::Value>;

    Labeling(Queue& queue, const Shape& shape, ComponentParts parts, std::int64_t limit, int axes)
        : queue_(queue),
          shape_(without_unit_axes(shape)),
          parts_(choose_parts(queue, shape_, parts)),
          limit_(limit),
          axes_(axes),
          parent_(queue.allocate<u32>(shape_.points(), "component parents")),
          roots_(queue.allocate_filled<u32>(2 * words_of(shape_.points()), u32{0},
                                            "component roots")) {}

    Buffer<u32> run(const Values& values, Buffer<u32>& labels) {
        if (parts_.tiles) {
            join_tiles(values);
            join_points_of_tiles(values);
        } else {
            runs_ = queue_.allocate<u32>(words_of_runs(shape_), "component runs");
            join_slabs(values);
            join_rows_of_slabs(values);
        }
        return number(labels);
    }

  private:
    i32 nx() const { return static_cast<i32>(shape_.x); }
    i32 ny() const { return static_cast<i32>(shape_.y); }
    i32 nz() const { return static_cast<i32>(shape_.z); }
    // Of the 13 rows before a row, those of another slice and of another volume come first.
    i32 first_neighbor() const { return shape_.t > 1 ? 0 : shape_.z > 1 ? 9 : 12; }

    void join_tiles(const Values& values) {
        const Groups tiles{parts_along(shape_.x, parts_.shift_x),
                           parts_along(shape_.y, parts_.shift_y),
                           parts_along(shape_.z, parts_.shift_z) * shape_.t};
        queue_.launch(Kernels::tiles, tiles, values, shape_.points(), limit_, nx(), ny(), nz(),
                      parts_.shift_y, first_neighbor(), axes_, parent_, roots_);
    }

    void join_slabs(const Values& values) {
        const Groups slabs{parts_along(shape_.y, parts_.shift_y) *
                           parts_along(shape_.z, parts_.shift_z) * shape_.t};
        queue_.launch(Kernels::slabs, slabs, values, shape_.points(), limit_, nx(), ny(), nz(),
                      parts_.shift_y, parts_.shift_z, first_neighbor(), axes_, runs_, parent_,
                      roots_);
    }

    // Rows that may have a row of another part before them: `block` of every `step`.
    struct SeamRows {
        std::int64_t first, block, step, count;
    };
    SeamRows seam_rows() const {
        const std::int64_t rows = shape_.y * shape_.z * shape_.t;
        std::int64_t first = 0, block = rows, step = rows;
        if (shape_.t == 1 && (shape_.z == 1 || !parts_.tiles)) {
            block = shape_.z == 1 ? 1 : shape_.y;
            step = block << (shape_.z == 1 ? parts_.shift_y : parts_.shift_z);
            first = step;
        }
        return {first, block, step,
                first < rows ? (rows - 1 - first) / step * block + block : std::int64_t{0}};
    }

    void join_rows_of_slabs(const Values& values) {
        const SeamRows seams = seam_rows();
        if (seams.count == 0) return;
        queue_.launch(Kernels::slab_seams, Range{seams.count}, values, shape_.points(), limit_,
                      nx(), ny(), nz(), parts_.shift_y, parts_.shift_z, first_neighbor(), axes_,
                      static_cast<i32>(seams.first), static_cast<i32>(seams.block),
                      static_cast<i32>(seams.step), runs_, parent_, roots_);
    }

    void join_points_of_tiles(const Values& values) {
        const SeamRows seams = seam_rows();
        const std::int64_t rows = shape_.y * shape_.z * shape_.t;
        const std::int64_t borders = ((shape_.x - 1) >> parts_.shift_x) * rows;
        const Range range{shape_.x, seams.count + (borders + shape_.x - 1) / shape_.x};
        queue_.launch(Kernels::seams, range, values, shape_.points(), limit_, nx(), ny(), nz(),
                      static_cast<i32>(rows), parts_.shift_x, parts_.shift_y, parts_.shift_z,
                      first_neighbor(), axes_, static_cast<i32>(seams.count),
                      static_cast<i32>(seams.first), static_cast<i32>(seams.block),
                      static_cast<i32>(seams.step), parent_, roots_);
    }

    Buffer<u32> number(Buffer<u32>& labels) {
        const std::int64_t points = shape_.points();
        const auto words = static_cast<i32>(words_of(points));
        const std::int64_t groups =
            (words + kernels::components_part_words - 1) / kernels::components_part_words;
        auto sums = queue_.allocate<u32>(groups, "component counts");
        auto count = queue_.allocate<u32>(1, "component count");
        queue_.launch(kernels::components_count, Groups{groups}, roots_, words, sums);
        queue_.launch(kernels::components_rank, Groups{groups}, sums, words, roots_, count);
        const std::int64_t items = 32 * ((words - 1) / kernels::components_item_points + 1);
        if (parts_.tiles)
            queue_.launch(kernels::components_label, Range{items}, parent_, roots_,
                          static_cast<u32>(points), labels);
        else
            queue_.launch(kernels::components_label_runs, Range{points / shape_.x}, parent_, roots_,
                          runs_, nx(), labels);
        return count;
    }

    Queue& queue_;
    Shape shape_;
    Parts parts_;
    std::int64_t limit_;
    i32 axes_;
    Buffer<u32> parent_, roots_, runs_;
};

}  // namespace

Buffer<std::uint32_t> label_components(Queue& queue, const Shape& shape, int channels,
                                       const Buffer<std::int32_t>& features, std::int64_t limit2,
                                       int axes, Buffer<std::uint32_t>& labels,
                                       ComponentParts parts) {
    if (channels == 1)
        return Labeling<NearInOneChannel>(queue, shape, parts, root_of(limit2), axes)
            .run(features, labels);
    if (channels == 3)
        return Labeling<NearInThreeChannels>(queue, shape, parts, limit2, axes)
            .run(features, labels);
    throw InvalidArgument("components are made of features of 1 or 3 channels, not of " +
                          std::to_string(channels));
}

Buffer<std::uint32_t> label_components(Queue& queue, const Shape& shape,
                                       const Buffer<const std::uint8_t>& values, int axes,
                                       Buffer<std::uint32_t>& labels, ComponentParts parts) {
    return Labeling<EqualBytes>(queue, shape, parts, 0, axes).run(values, labels);
}

std::int64_t label_components_bytes(const Shape& shape) {
    const std::int64_t points = shape.points();
    const std::int64_t words = words_of(points);
    const std::int64_t groups = words / kernels::components_part_words + 1;
    const std::int64_t runs = words_of_runs(without_unit_axes(shape));
    return (points + runs + 2 * words + groups + 1) * static_cast<std::int64_t>(sizeof(u32));
}

}  // namespace tesela
