#include "tesela/split_merge.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/thresholds/split_merge.kernel.h"
#include "pixels/plane_of.h"
#include "segmentation/components/components.h"
#include "segmentation/mean_shift/region_fusion.h"
#include "segmentation/thresholds/gray_levels.h"
#include "tesela/device_value_range.h"
#include "tesela/value_range.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

// One grid of the tree.
struct Blocks {
    i32 nx, ny;
    Buffer<u32> low, high, sum;
};

Blocks coarser(Queue& queue, const Blocks& fine, const Buffer<u32>& low, const Buffer<u32>& high,
               const Buffer<u32>& sum, std::int64_t planes) {
    Blocks coarse{(fine.nx + 1) / 2, (fine.ny + 1) / 2, {}, {}, {}};
    const std::int64_t blocks = std::int64_t{coarse.nx} * coarse.ny * planes;
    coarse.low = queue.allocate<u32>(blocks, "lowest levels of blocks");
    coarse.high = queue.allocate<u32>(blocks, "highest levels of blocks");
    coarse.sum = queue.allocate<u32>(blocks, "sums of blocks");
    queue.launch(kernels::split_merge_coarser, Range{coarse.nx, coarse.ny, planes}, low, high, sum,
                 coarse.low, coarse.high, coarse.sum, fine.nx, fine.ny, coarse.nx, coarse.ny);
    return coarse;
}

// The mean of each point's block, in 1/256 levels.
Buffer<i32> block_means(Queue& queue, const Shape& shape, const GrayLevels& levels, u32 most,
                        int largest) {
    const std::int64_t slices = shape.z * shape.t;
    const auto nx = static_cast<i32>(shape.x), ny = static_cast<i32>(shape.y);
    auto means = queue.allocate<i32>(shape.points() * levels.channels, "means of blocks");
    const auto paint = [&](const Blocks& blocks, const Buffer<u32>& low, const Buffer<u32>& high,
                           const Buffer<u32>& sum, i32 shift) {
        queue.launch(kernels::split_merge_paint, Range{nx, ny, slices}, low, high, sum, means, most,
                     levels.channels, shift, nx, ny, static_cast<i32>(slices), blocks.nx,
                     blocks.ny);
    };
    // Blocks of one point: their lowest and highest level and their sum are the level.
    Blocks blocks{nx, ny, {}, {}, {}};
    paint(blocks, levels.planes, levels.planes, levels.planes, 0);
    for (i32 shift = 1; 1 << shift <= largest; ++shift) {
        const bool first = shift == 1;
        blocks = coarser(queue, blocks, first ? levels.planes : blocks.low,
                         first ? levels.planes : blocks.high, first ? levels.planes : blocks.sum,
                         slices * levels.channels);
        paint(blocks, blocks.low, blocks.high, blocks.sum, shift);
    }
    return means;
}

// A value difference in units of a level's 1/`parts`, as far as levels go.
double in_levels(const GrayLevels& levels, double value, double parts) {
    constexpr double farthest = 131072;  // beyond the distance of any two colors
    return levels.unit > 0 ? std::min(value / levels.unit, farthest) * parts : 0;
}

// `shape` is that of a plane.
DeviceSplitMergeResult merged_levels(GrayLevels levels, const Shape& shape,
                                     const Geometry& geometry, const SplitMergeOptions& options,
                                     Queue& queue, StageClock& clock, const Progress& progress) {
    const int axes = axes_of_neighbors(options.connectivity, shape);
    clock.start("split");
    progress.report(0.2, "split");
    auto means = block_means(queue, shape, levels,
                             static_cast<u32>(in_levels(levels, *options.homogeneity, 1)),
                             options.largest_block);
    clock.start("merge");
    progress.report(0.5, "merge");
    DeviceSplitMergeResult result;
    result.labels = {queue.allocate<u32>(shape.points(), "labels"), shape, geometry};
    const double limit = std::floor(in_levels(levels, *options.grouping, 256));
    auto count =
        label_components(queue, shape, levels.channels, means,
                         static_cast<std::int64_t>(limit * limit), axes, result.labels.pixels);
    RegionRules rules;
    rules.smallest = std::min<std::int64_t>(options.min_region, shape.points());
    const Progress merging([&](double, std::string_view stage) { progress.report(0.5, stage); });
    RegionMerge merge(queue, shape, levels.channels, rules, axes, std::move(count),
                      MergedFeatures::dropped, means, result.labels.pixels, RegionRoom::automatic,
                      merging);
    const MergedRegions merged = merge.finish();
    result.count = merged.count;
    result.group_count = merged.components;
    result.connectivity = resolve(options.connectivity, shape);
    result.warnings = std::move(levels.warnings);
    return result;
}

// In values, of which `level` gives how many a gray level is.
template <class Level>
SplitMergeOptions filled(SplitMergeOptions options, const Level& level) {
    if (options.homogeneity && options.grouping) return options;
    const double values = level();
    if (!options.homogeneity) options.homogeneity = 40 * values;
    if (!options.grouping) options.grouping = 8 * values;
    return options;
}

template <class AnySource>
DeviceSplitMergeResult split_and_merge(const AnySource& image, const Shape& shape,
                                       const Geometry& geometry, const SplitMergeOptions& options,
                                       Queue& queue, StageClock& clock, const Progress& progress) {
    validate_options(options);
    axes_of_neighbors(options.connectivity, plane_of(shape));  // refuses before the upload
    clock.start("upload");
    progress.report(0, "upload");
    return merged_levels(gray_levels(queue, image, LevelsOf::channels), plane_of(shape), geometry,
                         options, queue, clock, progress);
}

}  // namespace

SplitMergeResult split_merge(const AnyImageView& image, const SplitMergeOptions& options,
                             Queue& queue, const Progress& progress) {
    StageClock clock;
    DeviceSplitMergeResult found =
        split_and_merge(image, image.shape(), image.geometry(),
                        filled(options, [&] { return gray_level(image); }), queue, clock, progress);
    SplitMergeResult result{std::move(static_cast<SplitMergeReport&>(found)), {}};
    result.labels = LabelImage::unwritten(found.labels.shape, found.labels.geometry);
    queue.read(found.labels.pixels, std::span<u32>(result.labels.pixels()));
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

template <class T>
DeviceSplitMergeResult split_merge(const DeviceImage<const T>& image,
                                   const SplitMergeOptions& options, Queue& queue,
                                   const Progress& progress) {
    StageClock clock;
    DeviceSplitMergeResult result = split_and_merge(
        image, image.shape, image.geometry,
        filled(options, [&] { return gray_level(image, queue); }), queue, clock, progress);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}
#define TESELA_INSTANTIATE(T)                                                \
    template DeviceSplitMergeResult split_merge(const DeviceImage<const T>&, \
                                                const SplitMergeOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t split_merge_device_bytes(const AnyImageView& image) {
    const Shape shape = plane_of(image.shape());
    const std::int64_t channels = image.shape().channels - (image.has_alpha() ? 1 : 0);
    const std::int64_t points = shape.points();
    // The first grid has a quarter of the points, and two grids are there at once.
    const std::int64_t blocks = channels * (points + 2 * (shape.x + shape.y)) * 3 * 4 / 2;
    const std::int64_t merging = std::max(
        label_components_bytes(shape),
        merge_regions_bytes(shape, static_cast<int>(channels), points, MergedFeatures::dropped));
    return gray_levels_bytes(image, LevelsOf::channels) + (channels + 1) * points * 4 +
           std::max(blocks, merging);
}

}  // namespace tesela
