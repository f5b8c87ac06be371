#include "segmentation/components/components.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/components/components.kernel.h"
#include "segmentation/components/component_statistics.h"
#include "segmentation/components/long_axes.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

constexpr int beyond = 30;  // log2 of a part that is as long as its axis

// The parts in which an image is joined first: 2^shift points along y and z, one along t. Tiles
// have 32 along x, slabs all.
struct Parts {
    bool tiles;
    int shift_y, shift_z;
};

std::int64_t parts_along(std::int64_t length, int shift) { return ((length - 1) >> shift) + 1; }

std::int64_t words_of(std::int64_t points) { return (points + 31) / 32; }

// One bit a point, each row from a word on.
std::int64_t words_of_rows(const Shape& shape) {
    return shape.points() / shape.x * words_of(shape.x);
}

Parts tiles_for(const Shape& shape) { return shape.z > 1 ? Parts{true, 3, 3} : Parts{true, 6, 0}; }
Groups tiles_of(const Shape& shape, const Parts& parts) {
    return {words_of(shape.x), parts_along(shape.y, parts.shift_y),
            parts_along(shape.z, parts.shift_z) * shape.t};
}
std::int64_t count_of(const Groups& groups) { return groups.x * groups.y * groups.z; }
// The first and the last points of a tile's rows, of one channel.
constexpr std::int64_t column_points = 2 * kernels::components_tile_rows;
// Words of a row whose roots stand tile by tile, or 0.
i32 tiled_words_of(const Shape& shape) {
    return kernels::components_tiled_words(shape.z > 1, static_cast<i32>(shape.x));
}
// Words of roots: two for each 32 points, and for each row of a tile beyond the image.
std::int64_t words_of_roots(const Shape& shape) {
    if (tiled_words_of(shape) == 0) return 2 * words_of_rows(shape);
    return 2 * count_of(tiles_of(shape, tiles_for(shape))) * kernels::components_tile_rows;
}
// Tiles number points with rows of whole words, which for very long and narrow images are too many,
// and so may be the tiles.
bool fits_tiles(const Shape& shape) {
    return words_of_rows(shape) < std::int64_t{1} << 27 &&
           count_of(tiles_of(shape, tiles_for(shape))) * 3 * column_points < std::int64_t{1} << 31;
}

Parts choose_parts(const Queue& queue, const Shape& shape, ComponentParts asked) {
    const bool tiles = asked == ComponentParts::tiles ||
                       (asked == ComponentParts::automatic && prefers_groups(queue.device()));
    if (tiles && fits_tiles(shape)) return tiles_for(shape);
    // Short enough for the cache of a core, but in a volume with few links to the next.
    constexpr std::int64_t slab_points = 1 << 17;
    const bool volume = shape.z > 1;
    const std::int64_t step = volume ? shape.x * shape.y : shape.x;
    int shift = volume ? 3 : 0;
    while (step << shift < slab_points) ++shift;
    return volume ? Parts{false, beyond, shift} : Parts{false, shift, beyond};
}

// Entries of what tiles share for which there is memory: for a picture 64 a tile of 2048 points, of
// which noise has 45 at most; for a volume, of which it has 200, 256. Records of images with
// more are made by slabs.
std::int64_t most_shared(const Shape& shape) { return shape.points() / (shape.z > 1 ? 8 : 32) + 1; }
// The most records whose words 32 bits count in fours, as the kernels of tiles do.
std::int64_t most_records(const Shape& shape) {
    return std::numeric_limits<u32>::max() / (component_record_words(shape) / 4 + 1);
}
// Records for which there is memory before their number is known. Noise of two values in a picture
// has no more; in a volume noise of 30 % has not, of 10 to 25 % has up to one in 11 points.
std::int64_t expected_records(const Shape& shape) {
    return std::min(shape.points() / (shape.z > 1 ? 16 : 7) + 1, most_records(shape));
}

// The largest difference whose square is at most `square`, as far as 32 bits go.
std::int64_t root_of(std::int64_t square) {
    auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(square)));
    while (root > 0 && root > square / root) --root;
    while (root + 1 <= square / (root + 1)) ++root;
    return std::min(root, std::int64_t{std::numeric_limits<u32>::max()});
}

// The kernels of one kind of values.
struct EqualBytes {
    using Value = std::uint8_t;
    static constexpr int channels = 1;
    static constexpr auto& picture_tiles = kernels::components_tiles_picture_u8;
    static constexpr auto& volume_tiles = kernels::components_tiles_volume_u8;
    static constexpr auto& slabs = kernels::components_slabs_u8;
    static constexpr auto& picture_seams = kernels::components_seams_picture_u8;
    static constexpr auto& volume_seams = kernels::components_seams_volume_u8;
    static constexpr auto& slab_seams = kernels::components_slab_seams_u8;
};
struct NearInOneChannel {
    using Value = std::int32_t;
    static constexpr int channels = 1;
    static constexpr auto& picture_tiles = kernels::components_tiles_picture_1;
    static constexpr auto& volume_tiles = kernels::components_tiles_volume_1;
    static constexpr auto& slabs = kernels::components_slabs_1;
    static constexpr auto& picture_seams = kernels::components_seams_picture_1;
    static constexpr auto& volume_seams = kernels::components_seams_volume_1;
    static constexpr auto& slab_seams = kernels::components_slab_seams_1;
};
struct NearInThreeChannels {
    using Value = std::int32_t;
    static constexpr int channels = 3;
    static constexpr auto& picture_tiles = kernels::components_tiles_picture_3;
    static constexpr auto& volume_tiles = kernels::components_tiles_volume_3;
    static constexpr auto& slabs = kernels::components_slabs_3;
    static constexpr auto& picture_seams = kernels::components_seams_picture_3;
    static constexpr auto& volume_seams = kernels::components_seams_volume_3;
    static constexpr auto& slab_seams = kernels::components_slab_seams_3;
};

template <class Kernels, class Values>
class Labeling {
  public:
    Labeling(Queue& queue, const Shape& shape, ComponentParts parts, std::int64_t limit, int axes)
        : queue_(queue),
          shape_(LongAxes(shape).shape),
          parts_(choose_parts(queue, shape_, parts)),
          limit_(limit),
          axes_(axes) {}

    // Gives the number of components, which are labeled in order.
    Buffer<u32> number(const Values& values, Buffer<u32>& labels) {
        if (!parts_.tiles) return run_slabs(values, labels);
        join_tiles(values, labels, kernels::components_numbered);
        auto counts = number_roots(words_of_rows(shape_), tiled_words_of(shape_), 0);
        label_tiles(labels, kernels::components_numbered);
        return counts;
    }

    void tell_apart(const Values& values, Buffer<u32>& labels) {
        if (parts_.tiles) {
            join_tiles(values, labels, 0);
            label_tiles(labels, 0);
        } else {
            run_slabs(values, labels);
        }
    }

    MeasuredComponents measure(const Values& values, Buffer<u32>& labels) {
        if (!parts_.tiles) {
            const u32 count = queue_.download(run_slabs(values, labels))[0];
            return {count, component_statistics(queue_, shape_, labels, count)};
        }
        join_tiles(values, labels, kernels::components_measured);
        auto counts = number_roots(words_of_rows(shape_), tiled_words_of(shape_),
                                   count_of(tiles_of(shape_, parts_)));
        const std::int64_t room = expected_records(shape_);
        shared_ = queue_.allocate<u32>(most_shared(shape_) * kernels::components_shared_words,
                                       "what tiles have of components of others");
        auto records = allocate_records(room);
        std::array<u32, 2> read{};  // of components, and of what tiles share
        queue_.read_while(counts, std::span<u32>(read),
                          [&] { measure_tiles(room, counts, labels, records); });
        const auto [count, shared] = read;
        if (shared > most_shared(shape_) || count > most_records(shape_)) {
            records = {};
            shared_ = {};
            label_tiles(labels, kernels::components_numbered);
            return {count, component_statistics(queue_, shape_, labels, count)};
        }
        if (count > room) {
            records = {};
            records = allocate_records(count);
            measure_tiles(count, counts, labels, records);
        }
        return {count, std::move(records)};
    }

  private:
    // Of the 13 rows before a row, those of another slice and of another volume come first.
    i32 first_neighbor() const { return shape_.t > 1 ? 0 : shape_.z > 1 ? 9 : 12; }
    // `outputs`: what is made beside labels.
    kernels::components_job make_job(i32 outputs) const {
        return {.plane = shape_.points(),
                .limit = static_cast<kernels::u64>(limit_),
                .nx = static_cast<i32>(shape_.x),
                .ny = static_cast<i32>(shape_.y),
                .nz = static_cast<i32>(shape_.z),
                .shift_y = parts_.shift_y,
                .shift_z = parts_.shift_z,
                .first_neighbor = first_neighbor(),
                .axes = axes_,
                .outputs = outputs};
    }

    // ---- Tiles, each by a group ----

    void join_tiles(const Values& values, Buffer<u32>& labels, i32 outputs) {
        const kernels::components_job job = make_job(outputs);
        Groups tiles = tiles_of(shape_, parts_);
        const std::int64_t words = words_of_rows(shape_);
        const bool is_volume = shape_.z > 1;
        tile_summary_ = queue_.allocate<u32>(count_of(tiles) * kernels::components_summary_words,
                                             "what tiles keep for their seams");
        auto columns = queue_.allocate<typename Kernels::Value>(
            count_of(tiles) * Kernels::channels * column_points, "sides of tiles");
        parent_ = queue_.allocate<u32>(32 * words, "component parents");
        roots_ = queue_.allocate<u32>(outputs ? words_of_roots(shape_) : 1, "component roots");
        queue_.launch_early(is_volume ? Kernels::volume_tiles : Kernels::picture_tiles, tiles,
                            values, job, labels, tile_summary_, columns, parent_, roots_);
        const int seams = kernels::components_seams(is_volume, job.first_neighbor, axes_);
        const int together = kernels::components_seam_tiles(is_volume);
        tiles.x = (tiles.x + together - 1) / together;
        queue_.launch_early(is_volume ? Kernels::volume_seams : Kernels::picture_seams, tiles,
                            values, job, seams, labels, tile_summary_, columns, parent_, roots_);
    }

    void label_tiles(Buffer<u32>& labels, i32 outputs) {
        queue_.launch_early(kernels::components_label_tiles, tiles_of(shape_, parts_),
                            tile_summary_, parent_, roots_, make_job(outputs), labels);
    }

    Buffer<u32> allocate_records(std::int64_t count) {
        return queue_.allocate<u32>(count * component_record_words(shape_), "component statistics");
    }

    // Makes labels and records, or nothing where there are more components than `room` or tiles
    // share more than there is memory for.
    void measure_tiles(std::int64_t room, Buffer<u32>& counts, Buffer<u32>& labels,
                       Buffer<u32>& records) {
        const kernels::components_measure_job job{
            .nx = static_cast<i32>(shape_.x),
            .ny = static_cast<i32>(shape_.y),
            .nz = static_cast<i32>(shape_.z),
            .nt = static_cast<i32>(shape_.t),
            .room = static_cast<u32>(room),
            .shared_room = static_cast<u32>(most_shared(shape_))};
        const bool is_volume = shape_.z > 1;
        queue_.launch_early(
            is_volume ? kernels::components_measure_volume : kernels::components_measure_picture,
            tiles_of(shape_, parts_), tile_summary_, parent_, roots_, job, labels, records, shared_,
            counts);
        // Groups take entries by turns, for few images have as many as there is room for.
        constexpr std::int64_t most_groups = 4096;
        queue_.launch_early(is_volume ? kernels::components_add_shared_volume
                                      : kernels::components_add_shared_picture,
                            Groups{std::min((most_shared(shape_) + 255) / 256, most_groups)},
                            shared_, counts, job, records);
    }

    // ---- Slabs, each by an item ----

    Buffer<u32> run_slabs(const Values& values, Buffer<u32>& labels) {
        const std::int64_t points = shape_.points();
        // Two words for each 32 points, each row from a word on.
        runs_ = queue_.allocate<u32>(2 * words_of_rows(shape_), "component runs");
        parent_ = queue_.allocate<u32>(points, "component parents");
        roots_ = queue_.allocate_filled<u32>(2 * words_of(points), u32{0}, "component roots");
        join_slabs(values);
        join_rows_of_slabs(values);
        auto found = number_roots(words_of(points), 0, 0);
        queue_.launch(kernels::components_label_runs, Range{points / shape_.x}, parent_, roots_,
                      runs_, static_cast<i32>(shape_.x), labels);
        return found;
    }

    void join_slabs(const Values& values) {
        const Groups slabs{parts_along(shape_.y, parts_.shift_y) *
                           parts_along(shape_.z, parts_.shift_z) * shape_.t};
        queue_.launch(Kernels::slabs, slabs, values, make_job(kernels::components_numbered), runs_,
                      parent_, roots_);
    }

    void join_rows_of_slabs(const Values& values) {
        // Rows that may have a row of another slab before them: `block` of every `step`.
        const std::int64_t rows = shape_.y * shape_.z * shape_.t;
        std::int64_t first = 0, block = rows, step = rows;
        if (shape_.t == 1) {
            block = shape_.z == 1 ? 1 : shape_.y;
            step = block << (shape_.z == 1 ? parts_.shift_y : parts_.shift_z);
            first = step;
        }
        if (first >= rows) return;
        const std::int64_t count = (rows - 1 - first) / step * block + block;
        queue_.launch(Kernels::slab_seams, Range{count}, values,
                      make_job(kernels::components_numbered), static_cast<i32>(first),
                      static_cast<i32>(block), static_cast<i32>(step), runs_, parent_, roots_);
    }

    // Numbers the roots, of which `words` words have the bits, `tiled_words` of a row tile by tile.
    // Gives their number, and how many more `tiles` had found.
    Buffer<u32> number_roots(std::int64_t words, i32 tiled_words, std::int64_t tiles) {
        const std::int64_t part = kernels::components_words_of_part(tiled_words);
        const std::int64_t groups = (words + part - 1) / part;
        auto sums = queue_.allocate<u32>(2 * groups, "component counts of parts");
        auto counts = queue_.allocate<u32>(3, "component counts");
        queue_.launch_early(kernels::components_count, Groups{groups}, roots_,
                            tiles > 0 ? tile_summary_ : roots_, tiled_words,
                            static_cast<i32>(words), static_cast<i32>(tiles), sums);
        queue_.launch_early(kernels::components_rank, Groups{groups}, sums, tiled_words,
                            static_cast<i32>(words), roots_, counts);
        return counts;
    }

    Queue& queue_;
    Shape shape_;
    Parts parts_;
    std::int64_t limit_;
    i32 axes_;
    Buffer<u32> parent_, roots_, runs_, tile_summary_, shared_;
};

}  // namespace

using Features = Buffer<std::int32_t>;
using Bytes = Buffer<const std::uint8_t>;

Buffer<std::uint32_t> label_components(Queue& queue, const Shape& shape, int channels,
                                       const Features& features, std::int64_t limit2, int axes,
                                       Buffer<std::uint32_t>& labels, ComponentParts parts) {
    if (channels == 1)
        return Labeling<NearInOneChannel, Features>(queue, shape, parts, root_of(limit2), axes)
            .number(features, labels);
    if (channels == 3)
        return Labeling<NearInThreeChannels, Features>(queue, shape, parts, limit2, axes)
            .number(features, labels);
    throw InvalidArgument("components are made of features of 1 or 3 channels, not of " +
                          std::to_string(channels));
}

Buffer<std::uint32_t> label_components(Queue& queue, const Shape& shape, const Bytes& values,
                                       int axes, Buffer<std::uint32_t>& labels,
                                       ComponentParts parts) {
    return Labeling<EqualBytes, Bytes>(queue, shape, parts, 0, axes).number(values, labels);
}

void tell_components_apart(Queue& queue, const Shape& shape, const Bytes& values, int axes,
                           Buffer<std::uint32_t>& labels, ComponentParts parts) {
    Labeling<EqualBytes, Bytes>(queue, shape, parts, 0, axes).tell_apart(values, labels);
}

MeasuredComponents measure_components(Queue& queue, const Shape& shape, const Bytes& values,
                                      int axes, Buffer<std::uint32_t>& labels,
                                      ComponentParts parts) {
    return Labeling<EqualBytes, Bytes>(queue, shape, parts, 0, axes).measure(values, labels);
}

MeasuredComponents measure_components(Queue& queue, const Shape& shape, const Features& values,
                                      int axes, Buffer<std::uint32_t>& labels,
                                      ComponentParts parts) {
    return Labeling<NearInOneChannel, Features>(queue, shape, parts, 0, axes)
        .measure(values, labels);
}

namespace {

std::int64_t labeling_bytes(const Shape& shape, int channels) {
    const Shape used = LongAxes(shape).shape;
    const std::int64_t points = used.points();
    const std::int64_t words = words_of_rows(used);
    const std::int64_t slabs = points + 2 * words + 2 * words_of(points);
    std::int64_t tiles = 0;
    if (fits_tiles(used))
        tiles = 32 * words + words_of_roots(used) +
                count_of(tiles_of(used, tiles_for(used))) *
                    (kernels::components_summary_words + channels * column_points);
    const std::int64_t parts = words / kernels::components_words_of_part(tiled_words_of(used)) + 1;
    return (std::max(slabs, tiles) + 2 * parts + 3) * static_cast<std::int64_t>(sizeof(u32));
}

}  // namespace

std::int64_t label_components_bytes(const Shape& shape) { return labeling_bytes(shape, 3); }

std::int64_t measured_records(const Shape& shape, std::int64_t count, ComponentParts parts) {
    if (parts == ComponentParts::slabs) return count;
    return std::max(count, expected_records(LongAxes(shape).shape));
}

std::int64_t measure_components_bytes(const Shape& shape, std::int64_t count,
                                      ComponentParts parts) {
    constexpr std::int64_t word = sizeof(u32);
    const std::int64_t slabs = labeling_bytes(shape, 0) + component_statistics_bytes(shape, count);
    if (parts == ComponentParts::slabs) return slabs;
    const std::int64_t shared =
        word * kernels::components_shared_words * most_shared(LongAxes(shape).shape);
    const std::int64_t records =
        word * component_record_words(shape) * measured_records(shape, count, parts);
    // The sides of tiles are given back before there are records.
    return std::max({slabs, labeling_bytes(shape, 1), labeling_bytes(shape, 0) + records + shared});
}

}  // namespace tesela
