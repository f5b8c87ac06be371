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

// Annotations of each class; others are counted.
std::vector<std::pair<std::string, Annotations>> by_class(const Annotations& annotations,
                                                          AnnotationCounts& counts) {
    std::vector<std::pair<std::string, Annotations>> classes;
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

}  // namespace

AnnotationCounts add_annotated_tiles(const TileSource& slide, const Annotations& annotations,
                                     const std::string& slide_name, const TissueGrid& grid,
                                     const std::optional<StainMatrix>& stains,
                                     const FeatureSet& features, Queue& queue,
                                     TissueSamples& samples, const Progress& progress) {
    AnnotationCounts counts;
    const auto classes = by_class(annotations, counts);
    const tissue::AreaShares inside(tissue_mask(slide));
    std::vector<int> label_of(static_cast<std::size_t>(grid.cells()), -1);
    std::vector<bool> in_several(label_of.size());
    for (const auto& [name, own] : classes) {
        const tissue::AreaShares shares(
            annotation_mask(slide, own, grid.columns * pixels_of_cell, grid.rows * pixels_of_cell));
        std::vector<int64_t> own_cells;
        for (int64_t cell = 0; cell < grid.cells(); ++cell) {
            const int64_t column = cell % grid.columns, row = cell / grid.columns;
            if (tissue::share_of_cell(shares, slide, grid, column, row) >= least_share &&
                tissue::share_of_cell(inside, slide, grid, column, row) >= 0.5)
                own_cells.push_back(cell);
        }
        if (own_cells.empty()) {
            counts.classes_without_tiles.push_back(name);
            continue;
        }
        const int label = tissue::place_of(samples.classes, name);
        for (const int64_t cell : own_cells) {
            int& known = label_of[static_cast<std::size_t>(cell)];
            if (known >= 0) in_several[static_cast<std::size_t>(cell)] = true;
            known = label;
        }
    }
    counts.tiles_in_several = std::count(in_several.begin(), in_several.end(), true);
    const tissue::TileColors colors(slide, stains);
    tissue::FeatureCollector collector(features, queue);
    const int group = tissue::place_of(samples.group_names, slide_name);
    for (int64_t cell = 0; cell < grid.cells(); ++cell) {
        const int label = label_of[static_cast<std::size_t>(cell)];
        if (label < 0) continue;
        const int64_t column = cell % grid.columns, row = cell / grid.columns;
        progress.report(static_cast<double>(cell) / static_cast<double>(grid.cells()), "tiles");
        collector.add(colors.normalized(read_tile(slide, grid, column, row)));
        samples.labels.push_back(label);
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
