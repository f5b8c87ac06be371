#include <algorithm>

#include "io/file.h"
#include "tesela/tissue_tiles.h"
#include "tissue/batch.h"
#include "tissue/training.h"

namespace tesela {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> entries;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (!it->path().filename().string().starts_with(".")) entries.push_back(it->path());
    if (error) throw io::unreadable(folder, error.message());
    std::sort(entries.begin(), entries.end());
    return entries;
}

struct TileFile {
    fs::path path;
    std::string slide;
};

// Pictures of a class, and of the folders in it.
std::vector<TileFile> tiles_of_class(const fs::path& folder) {
    std::vector<TileFile> tiles;
    for (const fs::path& entry : sorted_entries(folder)) {
        if (!fs::is_directory(entry)) {
            tiles.push_back({entry, folder.filename().string() + "/" + entry.filename().string()});
            continue;
        }
        for (const fs::path& inner : sorted_entries(entry))
            if (!fs::is_directory(inner)) tiles.push_back({inner, entry.filename().string()});
    }
    if (tiles.empty())
        throw InvalidArgument("the folder " + io::quoted(folder) +
                              " of a class has no pictures: remove it or add some");
    return tiles;
}

}  // namespace

TileFolder read_tile_folder(const fs::path& folder, const FeatureSet& features, Queue& queue,
                            const io::ReadOptions& reading, const Progress& progress) {
    TileFolder result;
    TissueSamples& samples = result.samples;
    samples.width = features.size();
    samples.feature_names = features.names();
    std::vector<TileFile> files;
    for (const fs::path& entry : sorted_entries(folder)) {
        if (!fs::is_directory(entry)) continue;
        for (TileFile& tile : tiles_of_class(entry)) {
            samples.labels.push_back(static_cast<int>(samples.classes.size()));
            samples.names.push_back(fs::relative(tile.path, folder).string());
            samples.groups.push_back(tissue::place_of(samples.group_names, tile.slide));
            files.push_back(std::move(tile));
        }
        samples.classes.push_back(entry.filename().string());
    }
    if (files.empty())
        throw InvalidArgument("the folder " + io::quoted(folder) +
                              " has no folders of pictures: give one that has a folder for each "
                              "class");
    tissue::FeatureCollector collector(features, queue);
    constexpr std::size_t at_once = 32;  // decoded by all threads
    for (std::size_t first = 0; first < files.size(); first += at_once) {
        progress.report(static_cast<double>(first) / static_cast<double>(files.size()), "tiles");
        std::vector<AnyImage> tiles(std::min(at_once, files.size() - first));
        tissue::in_parallel(tiles.size(), 0, [&](std::size_t i) {
            tiles[i] = io::read_image(files[first + i].path, reading).image;
        });
        for (const AnyImage& tile : tiles) {
            const Shape& shape = shape_of(tile);
            const auto side = static_cast<int>(shape.x == shape.y ? shape.x : 0);
            result.side = first == 0 && &tile == tiles.data() ? side
                          : side == result.side               ? side
                                                              : 0;
        }
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            try {
                collector.add(tiles[i]);
            } catch (const UnsupportedFormat& error) {
                throw io::unsupported(files[first + i].path, error.what());
            }
        }
    }
    samples.features = collector.finish();
    return result;
}

}  // namespace tesela
