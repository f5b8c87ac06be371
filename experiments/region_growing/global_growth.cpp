#include "experiments/region_growing/global_growth.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <vector>

#include "experiments/kernels/region_thesis_experiments.kernel.h"
#include "segmentation/growth/thesis/stages.h"

namespace tesela::experiments {
namespace {

using region_thesis::Layout;

std::vector<std::uint32_t> seed_labels(const Layout& layout) {
    std::vector<std::uint32_t> labels(static_cast<std::size_t>(layout.places()), 0);
    const int center = layout.block / 2 + 1;
    for (int tile = 0; tile < layout.tiles(); ++tile) {
        const std::int64_t row = tile / layout.tiles_x * layout.stride + center;
        const std::int64_t x = tile % layout.tiles_x * layout.stride + center;
        labels[static_cast<std::size_t>(row * layout.pitch + x)] =
            static_cast<std::uint32_t>(tile + 1);
    }
    return labels;
}

// Columns as those of region_thesis::Tiles, and means.
struct Sums {
    std::vector<std::int32_t> table, means;
};

Sums sums_of(const Layout& layout, const std::vector<std::uint8_t>& planes,
             const std::vector<std::uint32_t>& labels) {
    const auto tiles = static_cast<std::size_t>(layout.tiles());
    const auto places = static_cast<std::size_t>(layout.places());
    Sums sums{std::vector<std::int32_t>(5 * tiles, 0), std::vector<std::int32_t>(3 * tiles)};
    for (std::size_t i = 0; i < places; ++i) {
        if (labels[i] == 0) continue;
        ++sums.table[labels[i] - 1];
        for (std::size_t c = 0; c < 3; ++c)
            sums.table[(1 + c) * tiles + labels[i] - 1] += planes[c * places + i];
    }
    for (std::size_t t = 0; t < tiles; ++t)
        for (std::size_t c = 0; c < 3; ++c)
            sums.means[3 * t + c] = sums.table[(1 + c) * tiles + t] / sums.table[t];
    return sums;
}

}  // namespace

GlobalGrowth grow_globally(const Image<std::uint8_t>& image, const ThesisGrowOptions& options,
                           Queue& queue, const Progress& progress) {
    const Layout layout = region_thesis::make_layout(image.shape(), options);
    const auto rgb = queue.lend(std::span<const std::uint8_t>(image.pixels()), "input image");
    auto planes = queue.allocate<std::uint8_t>(3 * layout.places(), "Y'CbCr planes");
    region_thesis::to_planes(queue, layout, options.range, rgb, planes);
    const std::vector<std::uint8_t> colors = queue.download(planes);
    std::vector<std::uint32_t> labels = seed_labels(layout);
    auto before = queue.allocate<std::uint32_t>(layout.places(), "labels");
    auto after = queue.allocate_filled<std::uint32_t>(layout.places(), 0u, "labels after a step");
    auto joined = queue.allocate<std::uint32_t>(1, "pixels that joined");
    GlobalGrowth result;
    for (bool growing = true; growing; ++result.iterations) {
        progress.throw_if_cancelled();
        const Sums sums = sums_of(layout, colors, labels);
        queue.write(before, std::span<const std::uint32_t>(labels));
        const auto means = queue.upload(std::span<const std::int32_t>(sums.means), "means");
        queue.fill(joined, 0u);
        queue.launch(kernels::region_thesis_global_step, Range{layout.width, layout.height}, planes,
                     before, means, after, joined, layout.pitch, layout.width, layout.height,
                     region_thesis::limit_of(options.growth_threshold));
        queue.read(after, std::span<std::uint32_t>(labels));
        growing = queue.download(joined)[0] > 0;
    }
    region_thesis::Tiles tiles = region_thesis::allocate_tiles(queue, layout);
    std::vector<std::uint32_t> numbers;
    for (int tile = 0; tile < layout.tiles(); ++tile)
        numbers.push_back(static_cast<std::uint32_t>(tile + 1));
    const Sums sums = sums_of(layout, colors, labels);
    queue.write(tiles.table, std::span<const std::int32_t>(sums.table));
    queue.write(tiles.labels, std::span<const std::uint32_t>(numbers));
    region_thesis::merge(queue, layout, options, tiles);
    const std::vector<std::uint32_t> merged = queue.download(tiles.labels);
    result.region_count =
        static_cast<std::int64_t>(std::set<std::uint32_t>(merged.begin(), merged.end()).size());
    result.labels = LabelImage({image.shape().x, image.shape().y});
    for (std::int64_t y = 0; y < image.shape().y; ++y)
        for (std::int64_t x = 0; x < image.shape().x; ++x) {
            const std::uint32_t label =
                labels[static_cast<std::size_t>((image.shape().y - 1 - y) * layout.pitch + x)];
            result.labels(x, y) = label == 0 ? 0 : merged[label - 1];
            result.unlabeled_pixels += label == 0;
        }
    return result;
}

}  // namespace tesela::experiments
