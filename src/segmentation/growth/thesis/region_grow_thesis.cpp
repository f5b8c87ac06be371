#include "tesela/region_grow_thesis.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "pixels/plane_of.h"
#include "segmentation/growth/thesis/stages.h"

namespace tesela {
namespace {

void check_image(const Shape& shape, bool has_alpha) {
    if (shape.dimensions() != 2 || shape.channels != 3 || has_alpha)
        throw InvalidArgument(
            "the thesis's variant takes pictures of three colors, 24 bits a pixel; this image "
            "has " +
            (shape.channels == 1 ? "one channel" : std::to_string(shape.channels) + " channels") +
            (shape.dimensions() > 2 ? " in " + std::to_string(shape.dimensions()) + " dimensions"
             : has_alpha            ? ", one of them alpha"
                                    : "") +
            ": convert it");
    if (shape.points() > std::numeric_limits<std::int32_t>::max())
        throw InvalidArgument("the image has " + std::to_string(shape.points()) +
                              " pixels; region growing takes at most 2147483647");
}

region_thesis::Layout checked_layout(const Shape& shape, bool has_alpha,
                                     const ThesisGrowOptions& options) {
    validate_options(options);
    check_image(shape, has_alpha);
    return region_thesis::make_layout(shape, options);
}

}  // namespace

DeviceThesisGrowResult region_grow_thesis(const DeviceImage<const std::uint8_t>& image,
                                          const ThesisGrowOptions& options, Queue& queue,
                                          const Progress& progress) {
    const region_thesis::Layout layout = checked_layout(image.shape, image.has_alpha, options);
    progress.throw_if_cancelled();
    DeviceThesisGrowResult result;
    result.labels = {{}, plane_of(image.shape), image.geometry};
    result.colored = {{}, image.shape, image.geometry};
    std::tie(result.colored.pixels, result.labels.pixels) =
        queue.allocate_together<std::uint8_t, std::uint32_t>(
            {image.shape.elements(), image.shape.points()}, "colored picture and labels");
    auto planes = queue.allocate<std::uint8_t>(3 * layout.places(), "Y'CbCr planes");
    region_thesis::Tiles tiles = region_thesis::allocate_tiles(queue, layout);
    region_thesis::to_planes(queue, layout, options.range, image.pixels, planes);
    region_thesis::grow(queue, layout, options, planes, tiles, result.labels.pixels);
    region_thesis::merge(queue, layout, options, tiles);
    region_thesis::paint(queue, layout, options, tiles, result.labels.pixels, planes);
    region_thesis::to_picture(queue, layout, options.range, planes, result.colored.pixels);
    result.tiles_x = layout.tiles_x;
    result.tiles_y = layout.tiles_y;
    result.owned_pixels = layout.owned();
    result.table = std::move(tiles.table);
    result.tile_labels = std::move(tiles.labels);
    result.rounds = std::move(tiles.rounds);
    return result;
}

ThesisGrowReport thesis_grow_report(const DeviceThesisGrowResult& result, Queue& queue) {
    ThesisGrowReport report;
    report.tiles_x = result.tiles_x;
    report.tiles_y = result.tiles_y;
    report.owned_pixels = result.owned_pixels;
    const std::vector<std::int32_t> table = queue.download(result.table);
    const std::vector<std::uint32_t> labels = queue.download(result.tile_labels);
    report.merge_rounds = static_cast<int>(queue.download(result.rounds).front());
    report.tiles.resize(labels.size());
    report.unlabeled_pixels = report.owned_pixels;
    std::vector<bool> is_used(labels.size(), false);
    for (std::size_t t = 0; t < labels.size(); ++t) {
        const auto column = [&](std::size_t c) { return table[c * labels.size() + t]; };
        ThesisGrowTile& tile = report.tiles[t];
        tile.size = column(0);
        for (std::size_t c = 0; c < 3; ++c) {
            tile.sum[c] = column(1 + c);
            tile.mean[c] = column(1 + c) / column(0);
        }
        tile.iterations = column(4);
        tile.label = labels[t];
        report.unlabeled_pixels -= tile.size;
        report.growth_iterations = std::max(report.growth_iterations, tile.iterations);
        // A tile may have handed on its number and then taken a lower one.
        if (!is_used[tile.label - 1]) ++report.region_count;
        is_used[tile.label - 1] = true;
    }
    return report;
}

ThesisGrowResult region_grow_thesis(const PixelView<std::uint8_t>& image,
                                    const ThesisGrowOptions& options, Queue& queue,
                                    const Progress& progress) {
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    const DeviceImage<const std::uint8_t> uploaded{queue.lend(image.pixels(), "input image"),
                                                   image.shape(), image.geometry, image.has_alpha};
    clock.start("growth");
    progress.report(0.1, "growth");
    const DeviceThesisGrowResult found = region_grow_thesis(uploaded, options, queue, progress);
    queue.finish();
    clock.start("download");
    progress.report(0.9, "download");
    ThesisGrowResult result{thesis_grow_report(found, queue), LabelImage(found.labels.shape),
                            Image<std::uint8_t>(image.shape())};
    result.labels.geometry = result.colored.geometry = image.geometry;
    queue.read(found.colored.pixels, std::span<std::uint8_t>(result.colored.pixels()),
               found.labels.pixels, std::span<std::uint32_t>(result.labels.pixels()));
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

std::int64_t region_grow_thesis_bytes(const Shape& shape, const ThesisGrowOptions& options) {
    const region_thesis::Layout layout = checked_layout(shape, false, options);
    constexpr std::int64_t words_of_tile = 5 + 1 + 7;
    return shape.points() * (3 + 3 + 4) + 3 * layout.places() + 4 * words_of_tile * layout.tiles();
}

}  // namespace tesela
