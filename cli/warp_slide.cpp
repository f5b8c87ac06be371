#include "warp_slide.h"

#include <algorithm>

#include "tesela/slide_io.h"

namespace tesela::cli {

bool is_ome_tiff(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".ome.tif") || name.ends_with(".ome.tiff");
}

void warp_slide(const TileSource& slide, const Transform& transform, const ImageGrid& target,
                const WarpOptions& options, bool labels, Queue& queue, const Progress& progress,
                const std::filesystem::path& path) {
    if (options.inverse) require_invertible(transform);
    constexpr std::int64_t stored = 256, side = 1024;
    Shape shape{target.shape.x, target.shape.y};
    shape.channels = slide.facts().levels.front().shape.channels;
    const auto writer = io::create_ome_tiff(
        path, {slide.facts().type, shape, target.geometry, slide.facts().has_alpha},
        {.tile = stored, .labels = labels});
    for (std::int64_t y = 0; y < shape.y; y += side)
        for (std::int64_t x = 0; x < shape.x; x += side) {
            progress.report(static_cast<double>(y) / static_cast<double>(shape.y), "warp");
            const TileBox box{x, y, std::min(side, shape.x - x), std::min(side, shape.y - y)};
            const AnyImage pixels = warp_box(slide, transform, target, box, options, labels, queue);
            for (std::int64_t v = 0; v < box.height; v += stored)
                for (std::int64_t u = 0; u < box.width; u += stored)
                    writer->write((x + u) / stored, (y + v) / stored,
                                  part_of(pixels, {u, v, std::min(stored, box.width - u),
                                                   std::min(stored, box.height - v)}));
        }
    writer->finish();
}

}  // namespace tesela::cli
