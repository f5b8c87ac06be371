#include <algorithm>

#include "tesela/error.h"
#include "tesela/tissue_tiles.h"
#include "tissue/batch.h"
#include "tissue/training.h"

namespace tesela {
namespace {

// 0 where the picture is not square.
int side_of(const AnyImage& tile) {
    const Shape& shape = shape_of(tile);
    return static_cast<int>(shape.x == shape.y ? shape.x : 0);
}

}  // namespace

TileFolder read_tiles(const TilePictures& pictures, const FeatureSet& features, Queue& queue,
                      const Progress& progress) {
    TileFolder result;
    TissueSamples& samples = result.samples;
    samples.width = features.size();
    samples.feature_names = features.names();
    samples.classes = pictures.classes;
    const std::vector<TilePicture>& all = pictures.tiles;
    for (const TilePicture& tile : all) {
        samples.labels.push_back(tile.label);
        samples.names.push_back(tile.name);
        samples.groups.push_back(tissue::place_of(samples.group_names, tile.slide));
    }
    tissue::FeatureCollector collector(features, queue);
    constexpr std::size_t at_once = 32;  // decoded by all threads
    for (std::size_t first = 0; first < all.size(); first += at_once) {
        progress.report(static_cast<double>(first) / static_cast<double>(all.size()), "tiles");
        std::vector<AnyImage> tiles(std::min(at_once, all.size() - first));
        tissue::in_parallel(tiles.size(), 0,
                            [&](std::size_t i) { tiles[i] = pictures.read(first + i); });
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            const int side = side_of(tiles[i]);
            if (first + i == 0)
                result.side = side;
            else if (side != result.side)
                result.side = 0;
            try {
                collector.add(tiles[i]);
            } catch (const UnsupportedFormat& error) {
                throw UnsupportedFormat("cannot read " + all[first + i].source + ": " +
                                        error.what());
            }
        }
    }
    samples.features = collector.finish();
    return result;
}

}  // namespace tesela
