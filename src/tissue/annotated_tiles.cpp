#include <algorithm>

#include "tesela/tissue_slides.h"
#include "tissue/area_shares.h"
#include "tissue/batch.h"
#include "tissue/stain_tiles.h"
#include "tissue/training.h"

namespace tesela {
namespace {

using std::int64_t;

// Masks have this many pixels along the side of a cell, so that three quarters can be told.
constexpr int64_t pixels_of_cell = 8;
constexpr double least_share = 0.75;

using Classes = std::vector<std::pair<std::string, Annotations>>;

// Annotations of each class; others are counted.
Classes by_class(const Annotations& annotations, AnnotationCounts& counts) {
    Classes classes;
    for (const Annotation& annotation : annotations.list) {
        if (annotation.classes.empty()) {
            ++counts.unclassified;
        } else if (annotation.classes.back().ends_with('*')) {
            ++counts.starred;
        } else if (!std::holds_alternative<Polygons>(annotation.shape)) {
            ++counts.without_area;
        } else {
            std::string name;  // "Tumor: Positive", as QuPath shows derived classes
            for (const std::string& part : annotation.classes)
                name += (name.empty() ? "" : ": ") + part;
            auto found = std::find_if(classes.begin(), classes.end(),
                                      [&](const auto& one) { return one.first == name; });
            if (found == classes.end()) found = classes.insert(found, {name, {}});
            found->second.list.push_back(annotation);
            ++counts.used;
        }
    }
    std::sort(classes.begin(), classes.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return classes;
}

struct DrawnCells {
    std::vector<int> class_of;        // of each cell, its place among the classes; -1: none
    std::vector<std::int64_t> tiles;  // of each class, those of others among them
    std::int64_t in_several = 0;
};

DrawnCells drawn_cells(const TileSource& slide, const Classes& classes,
                       const tissue::AreaShares& inside, const TissueGrid& grid) {
    DrawnCells drawn{std::vector<int>(static_cast<std::size_t>(grid.cells()), -1), {}};
    std::vector<bool> in_several(drawn.class_of.size());
    for (const auto& [name, own] : classes) {
        const tissue::AreaShares shares(
            annotation_mask(slide, own, grid.columns * pixels_of_cell, grid.rows * pixels_of_cell));
        const int number = static_cast<int>(drawn.tiles.size());
        drawn.tiles.push_back(0);
        for (int64_t cell = 0; cell < grid.cells(); ++cell) {
            const int64_t column = cell % grid.columns, row = cell / grid.columns;
            if (tissue::share_of_cell(shares, slide, grid, column, row) < least_share ||
                tissue::share_of_cell(inside, slide, grid, column, row) < 0.5)
                continue;
            const auto at = static_cast<std::size_t>(cell);
            in_several[at] = in_several[at] || drawn.class_of[at] >= 0;
            drawn.class_of[at] = number;
            ++drawn.tiles.back();
        }
    }
    drawn.in_several = std::count(in_several.begin(), in_several.end(), true);
    return drawn;
}

}  // namespace

std::vector<ClassTiles> count_annotated_tiles(const TileSource& slide,
                                              const Annotations& annotations,
                                              const std::vector<TissueGrid>& grids) {
    AnnotationCounts ignored;
    const Classes classes = by_class(annotations, ignored);
    const tissue::AreaShares inside(tissue_mask(slide));
    std::vector<ClassTiles> counts;
    for (const TissueGrid& grid : grids) {
        ClassTiles& tiles = counts.emplace_back();
        for (const auto& one : classes) tiles[one.first] = 0;
        for (const int number : drawn_cells(slide, classes, inside, grid).class_of)
            if (number >= 0) ++tiles[classes[static_cast<std::size_t>(number)].first];
    }
    return counts;
}

AnnotationCounts add_annotated_tiles(const TileSource& slide, const Annotations& annotations,
                                     const std::string& slide_name, const TissueGrid& grid,
                                     const std::optional<StainMatrix>& stains,
                                     const FeatureSet& features, Queue& queue,
                                     TissueSamples& samples, const Progress& progress) {
    AnnotationCounts counts;
    const Classes classes = by_class(annotations, counts);
    const DrawnCells drawn =
        drawn_cells(slide, classes, tissue::AreaShares(tissue_mask(slide)), grid);
    std::vector<int> labels;  // of the classes
    for (std::size_t c = 0; c < classes.size(); ++c) {
        const std::string& name = classes[c].first;
        if (drawn.tiles[c] == 0) counts.classes_without_tiles.push_back(name);
        labels.push_back(drawn.tiles[c] > 0 ? tissue::place_of(samples.classes, name) : -1);
    }
    counts.tiles_in_several = drawn.in_several;
    const tissue::TileColors colors(slide, stains);
    tissue::FeatureCollector collector(features, queue);
    const int group = tissue::place_of(samples.group_names, slide_name);
    for (int64_t cell = 0; cell < grid.cells(); ++cell) {
        const int number = drawn.class_of[static_cast<std::size_t>(cell)];
        if (number < 0) continue;
        const int64_t column = cell % grid.columns, row = cell / grid.columns;
        progress.report(static_cast<double>(cell) / static_cast<double>(grid.cells()), "tiles");
        Image<std::uint8_t> tile = read_tile(slide, grid, column, row);
        colors.normalize(tile.pixels());
        collector.add(std::move(tile));
        samples.labels.push_back(labels[static_cast<std::size_t>(number)]);
        samples.groups.push_back(group);
        samples.names.push_back(slide_name + ":" + std::to_string(column) + "," +
                                std::to_string(row));
    }
    samples.width = features.size();
    samples.feature_names = features.names();
    const std::vector<double> rows = collector.finish();
    samples.features.insert(samples.features.end(), rows.begin(), rows.end());
    return counts;
}

}  // namespace tesela
