#include "segmentation/components/components.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/components/components.kernel.h"
#include "segmentation/components/component_roots.h"
#include "segmentation/components/component_runs.h"
#include "segmentation/components/component_statistics.h"
#include "segmentation/components/long_axes.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

// The tiles in which an image is joined first: 32 points along x, 2^shift points along y and z, one
// along t.
struct Tiles {
    int shift_y, shift_z;
};

std::int64_t parts_along(std::int64_t length, int shift) { return ((length - 1) >> shift) + 1; }

Tiles tiles_for(const Shape& shape) { return shape.z > 1 ? Tiles{3, 3} : Tiles{6, 0}; }
Groups tiles_of(const Shape& shape) {
    const Tiles tiles = tiles_for(shape);
    return {words_of_row(shape.x), parts_along(shape.y, tiles.shift_y),
            parts_along(shape.z, tiles.shift_z) * shape.t};
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
    return 2 * count_of(tiles_of(shape)) * kernels::components_tile_rows;
}
// Tiles number points with rows of whole words, which for very long and narrow images are too many,
// and so may be the tiles.
bool fits_tiles(const Shape& shape) {
    return words_of_rows(shape) < std::int64_t{1} << 27 &&
           count_of(tiles_of(shape)) * 3 * column_points < std::int64_t{1} << 31;
}

bool takes_tiles(const Queue& queue, const Shape& image, ComponentParts asked) {
    const bool tiles = asked == ComponentParts::tiles ||
                       (asked == ComponentParts::automatic && prefers_groups(queue.device()));
    return tiles && fits_tiles(LongAxes(image).shape);
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
    static constexpr auto& picture_seams = kernels::components_seams_picture_u8;
    static constexpr auto& volume_seams = kernels::components_seams_volume_u8;
};
struct NearInOneChannel {
    using Value = std::int32_t;
    static constexpr int channels = 1;
    static constexpr auto& picture_tiles = kernels::components_tiles_picture_1;
    static constexpr auto& volume_tiles = kernels::components_tiles_volume_1;
    static constexpr auto& picture_seams = kernels::components_seams_picture_1;
    static constexpr auto& volume_seams = kernels::components_seams_volume_1;
};
struct NearInThreeChannels {
    using Value = std::int32_t;
    static constexpr int channels = 3;
    static constexpr auto& picture_tiles = kernels::components_tiles_picture_3;
    static constexpr auto& volume_tiles = kernels::components_tiles_volume_3;
    static constexpr auto& picture_seams = kernels::components_seams_picture_3;
    static constexpr auto& volume_seams = kernels::components_seams_volume_3;
};

// By tiles, each of which a group joins.
template <class Kernels, class Values>
class Labeling {
  public:
    Labeling(Queue& queue, const Shape& shape, std::int64_t limit, int axes)
        : queue_(queue), shape_(LongAxes(shape).shape), limit_(limit), axes_(axes) {}

    // Gives the number of components, which are labeled in order.
    Buffer<u32> number(const Values& values, Buffer<u32>& labels) {
        join_tiles(values, labels, kernels::components_numbered);
        auto counts = number_image_roots(0);
        label_tiles(labels, kernels::components_numbered);
        return counts;
    }

    void tell_apart(const Values& values, Buffer<u32>& labels) {
        join_tiles(values, labels, 0);
        label_tiles(labels, 0);
    }

    MeasuredComponents measure(const Values& values, Buffer<u32>& labels) {
        join_tiles(values, labels, kernels::components_measured);
        auto counts = number_image_roots(count_of(tiles_of(shape_)));
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
        const Tiles tiles = tiles_for(shape_);
        return {.plane = shape_.points(),
                .limit = static_cast<kernels::u64>(limit_),
                .nx = static_cast<i32>(shape_.x),
                .ny = static_cast<i32>(shape_.y),
                .nz = static_cast<i32>(shape_.z),
                .shift_y = tiles.shift_y,
                .shift_z = tiles.shift_z,
                .first_neighbor = first_neighbor(),
                .axes = axes_,
                .outputs = outputs};
    }

    Buffer<u32> number_image_roots(std::int64_t tiles) {
        return number_roots(queue_, words_of_rows(shape_), tiled_words_of(shape_), tile_summary_,
                            tiles, roots_);
    }

    void join_tiles(const Values& values, Buffer<u32>& labels, i32 outputs) {
        const kernels::components_job job = make_job(outputs);
        Groups tiles = tiles_of(shape_);
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
        queue_.launch_early(kernels::components_label_tiles, tiles_of(shape_), tile_summary_,
                            parent_, roots_, make_job(outputs), labels);
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
            tiles_of(shape_), tile_summary_, parent_, roots_, job, labels, records, shared_,
            counts);
        // Groups take entries by turns, for few images have as many as there is room for.
        constexpr std::int64_t most_groups = 4096;
        queue_.launch_early(is_volume ? kernels::components_add_shared_volume
                                      : kernels::components_add_shared_picture,
                            Groups{std::min((most_shared(shape_) + 255) / 256, most_groups)},
                            shared_, counts, job, records);
    }

    Queue& queue_;
    Shape shape_;
    std::int64_t limit_;
    i32 axes_;
    Buffer<u32> parent_, roots_, tile_summary_, shared_;
};

}  // namespace

using Features = Buffer<std::int32_t>;
using Bytes = Buffer<const std::uint8_t>;

namespace {

// By slabs: labels of points, and, where asked for, records.
Buffer<u32> painted(Queue& queue, const Shape& shape, LabeledRuns found, Buffer<u32>& labels) {
    paint_runs(queue, shape, found, labels);
    return std::move(found.counts);
}
MeasuredComponents measured(Queue& queue, const Shape& shape, const LabeledRuns& found,
                            Buffer<u32>& labels) {
    const u32 count = queue.download(found.counts)[0];
    MeasuredComponents result{count, run_statistics(queue, shape, found.runs, labels, count)};
    paint_runs(queue, shape, found, labels);
    return result;
}

}  // namespace

Buffer<std::uint32_t> label_components(Queue& queue, const Shape& shape, int channels,
                                       const Features& features, std::int64_t limit2, int axes,
                                       Buffer<std::uint32_t>& labels, ComponentParts parts) {
    if (channels != 1 && channels != 3)
        throw InvalidArgument("components are made of features of 1 or 3 channels, not of " +
                              std::to_string(channels));
    const std::int64_t limit = channels == 1 ? root_of(limit2) : limit2;
    if (!takes_tiles(queue, shape, parts))
        return painted(queue, shape,
                       label_runs(queue, shape, channels, features, limit, axes, labels), labels);
    if (channels == 1)
        return Labeling<NearInOneChannel, Features>(queue, shape, limit, axes)
            .number(features, labels);
    return Labeling<NearInThreeChannels, Features>(queue, shape, limit, axes)
        .number(features, labels);
}

Buffer<std::uint32_t> label_components(Queue& queue, const Shape& shape, const Bytes& values,
                                       int axes, Buffer<std::uint32_t>& labels,
                                       ComponentParts parts) {
    if (!takes_tiles(queue, shape, parts))
        return painted(queue, shape, label_runs(queue, shape, values, axes, labels), labels);
    return Labeling<EqualBytes, Bytes>(queue, shape, 0, axes).number(values, labels);
}

void tell_components_apart(Queue& queue, const Shape& shape, const Bytes& values, int axes,
                           Buffer<std::uint32_t>& labels, ComponentParts parts) {
    if (!takes_tiles(queue, shape, parts))
        paint_runs(queue, shape, label_runs(queue, shape, values, axes, labels), labels);
    else
        Labeling<EqualBytes, Bytes>(queue, shape, 0, axes).tell_apart(values, labels);
}

MeasuredComponents measure_components(Queue& queue, const Shape& shape, const Bytes& values,
                                      int axes, Buffer<std::uint32_t>& labels,
                                      ComponentParts parts) {
    if (!takes_tiles(queue, shape, parts))
        return measured(queue, shape, label_runs(queue, shape, values, axes, labels), labels);
    return Labeling<EqualBytes, Bytes>(queue, shape, 0, axes).measure(values, labels);
}

MeasuredComponents measure_components(Queue& queue, const Shape& shape, const Features& values,
                                      int axes, Buffer<std::uint32_t>& labels,
                                      ComponentParts parts) {
    if (!takes_tiles(queue, shape, parts))
        return measured(queue, shape, label_runs(queue, shape, 1, values, 0, axes, labels), labels);
    return Labeling<NearInOneChannel, Features>(queue, shape, 0, axes).measure(values, labels);
}

namespace {

std::int64_t labeling_bytes(const Shape& shape, int channels) {
    const Shape used = LongAxes(shape).shape;
    const std::int64_t slabs = label_runs_bytes(shape);
    if (!fits_tiles(used)) return slabs;
    const std::int64_t words = words_of_rows(used);
    const std::int64_t tiles =
        32 * words + words_of_roots(used) +
        count_of(tiles_of(used)) * (kernels::components_summary_words + channels * column_points);
    return std::max(slabs, tiles * static_cast<std::int64_t>(sizeof(u32)) +
                               number_roots_bytes(words, tiled_words_of(used)));
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
    const std::int64_t statistics = component_statistics_bytes(shape, count);
    if (parts == ComponentParts::slabs) return label_runs_bytes(shape) + statistics;
    // Where tiles share too much, slabs measure what tiles have labeled.
    const std::int64_t slabs = labeling_bytes(shape, 0) + statistics;
    const std::int64_t shared =
        word * kernels::components_shared_words * most_shared(LongAxes(shape).shape);
    const std::int64_t records =
        word * component_record_words(shape) * measured_records(shape, count, parts);
    // The sides of tiles are given back before there are records.
    return std::max({slabs, labeling_bytes(shape, 1), labeling_bytes(shape, 0) + records + shared});
}

}  // namespace tesela
