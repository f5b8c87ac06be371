#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>

#include "tesela/color.h"
#include "tesela/tissue_slides.h"
#include "tesela/tissue_training.h"

namespace tesela {
namespace {

bool holds_tile(double pixels) { return pixels >= 8 && pixels <= 4096; }

std::string four_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

// Where a side of tiles is not given.
constexpr std::array tiles_to_choose{256, 128, 64, 32};  // um, the preferred first
constexpr std::int64_t least_tiles_of_class = 20;
constexpr Length usual_tile{128, Length::In::micrometer};  // of other pixels and pictures

std::vector<std::array<std::uint8_t, 3>> class_colors(const std::vector<std::string>& classes,
                                                      const std::vector<Annotations>& drawn) {
    std::vector<std::array<std::uint8_t, 3>> colors;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        colors.push_back(label_color(static_cast<std::uint32_t>(c + 1)));
        for (const Annotations& annotations : drawn)
            for (const Annotation& annotation : annotations.list)
                if (annotation.color && annotation.classes.size() == 1 &&
                    annotation.classes[0] == classes[c])
                    colors.back() = *annotation.color;
    }
    return colors;
}

void tell_left_out(const AnnotationCounts& counts, std::vector<std::string>& warnings) {
    const auto tell = [&](std::int64_t number, const char* which) {
        if (number > 0)
            warnings.push_back(std::to_string(number) +
                               (number == 1 ? " annotation " : " annotations ") + which +
                               " left out");
    };
    tell(counts.unclassified, "without a class");
    tell(counts.starred, "of classes ending in *");
    tell(counts.without_area, "without an area");
    for (const std::string& name : counts.classes_without_tiles)
        warnings.push_back("class '" + name +
                           "' left out: no tile of tissue lies for three quarters in it");
    if (counts.tiles_in_several > 0)
        warnings.push_back((counts.tiles_in_several == 1
                                ? "1 tile lies"
                                : std::to_string(counts.tiles_in_several) + " tiles lie") +
                           " in annotations of several classes: each counts for the class that is "
                           "last in the alphabet; draw the classes apart");
}

// Tiles of each class for each of several grids, of all slides together. A class without a tile of
// the smallest side is none.
std::vector<ClassTiles> class_tiles(const std::vector<AnnotatedSlide>& slides,
                                    const std::vector<TissueModel>& models) {
    std::vector<ClassTiles> all(models.size());
    for (const AnnotatedSlide& annotated : slides) {
        const auto slide = annotated.open();
        std::vector<TissueGrid> grids;
        for (const TissueModel& model : models)
            grids.push_back(tissue_grid(*slide, model.micrometers_per_pixel, model.tile));
        const auto counts = count_annotated_tiles(*slide, annotated.annotations(*slide), grids);
        for (std::size_t g = 0; g < grids.size(); ++g)
            for (const auto& [name, tiles] : counts[g]) all[g][name] += tiles;
    }
    for (const auto& [name, tiles] : ClassTiles(all.back()))
        if (tiles == 0)
            for (ClassTiles& counts : all) counts.erase(name);
    return all;
}

// "A 12, B 3" of those that have too few.
std::string classes_in_need(const ClassTiles& counts) {
    std::string text;
    for (const auto& [name, tiles] : counts)
        if (tiles < least_tiles_of_class)
            text += (text.empty() ? "" : ", ") + name + " " + std::to_string(tiles);
    return text;
}

// The largest tile that leaves enough of every class; else the smallest, with a warning.
Length chosen_tile(const std::vector<AnnotatedSlide>& slides, const Length& resolution,
                   std::vector<std::string>& warnings) {
    std::vector<TissueModel> models;
    std::vector<Length> sides;
    for (const int side : tiles_to_choose) {
        const Length tile{static_cast<double>(side), Length::In::micrometer};
        if (!holds_tile(tile.millimeters() / resolution.millimeters())) continue;
        set_sizes(models.emplace_back(), resolution, tile);
        sides.push_back(tile);
    }
    if (models.empty()) return usual_tile;
    const std::vector<ClassTiles> counts = class_tiles(slides, models);
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (!counts[i].empty() && classes_in_need(counts[i]).empty()) return sides[i];
    if (!counts.back().empty())
        warnings.push_back("tiles of " + sides.back().to_string() +
                           " are taken, and still these classes have fewer than " +
                           std::to_string(least_tiles_of_class) + ": " +
                           classes_in_need(counts.back()) + "; draw more of them");
    return sides.back();
}

void read_slides(const std::vector<AnnotatedSlide>& slides, const FeatureSet& features,
                 StainNormalization stain, TrainingTiles& result, Queue& queue,
                 const Progress& progress) {
    TissueModel& model = result.model;
    std::vector<Annotations> drawn;
    for (const AnnotatedSlide& annotated : slides) {
        const auto slide = annotated.open();
        if (stain == StainNormalization::macenko && !model.stains)
            model.stains = slide_stains(*slide);
        drawn.push_back(annotated.annotations(*slide));
        result.warnings.insert(result.warnings.end(), drawn.back().warnings.begin(),
                               drawn.back().warnings.end());
        const TissueGrid grid = tissue_grid(*slide, model.micrometers_per_pixel, model.tile);
        const std::size_t before = result.samples.rows();
        const AnnotationCounts counts = add_annotated_tiles(
            *slide, drawn.back(), std::filesystem::path(annotated.name).filename().string(), grid,
            model.stains, features, queue, result.samples, progress);
        tell_left_out(counts, result.warnings);
        result.classes_without_tiles.insert(result.classes_without_tiles.end(),
                                            counts.classes_without_tiles.begin(),
                                            counts.classes_without_tiles.end());
        if (result.samples.rows() == before)
            result.warnings.push_back(
                "'" + annotated.name + "' gives no tile: no tile of " + std::to_string(model.tile) +
                " pixels lies for three quarters in one annotation; draw larger ones or lower "
                "--tile");
    }
    model.colors = class_colors(result.samples.classes, drawn);
}

}  // namespace

void set_sizes(TissueModel& model, const Length& resolution, const Length& tile) {
    constexpr double um = 1000;
    if (resolution.physical())
        model.micrometers_per_pixel = resolution.millimeters() * um;
    else if (resolution.value == 1)
        model.micrometers_per_pixel = 0;
    else
        throw InvalidArgument(
            "--resolution is " + resolution.to_string() +
            "; give a size of pixels such as 0.5um, or 1px for that of the slide");
    if (resolution.physical() &&
        !(model.micrometers_per_pixel >= 0.05 && model.micrometers_per_pixel <= 100))
        throw InvalidArgument("--resolution is " + resolution.to_string() +
                              "; it must be 0.05 to 100 um");
    if (tile.physical() && !resolution.physical())
        throw InvalidArgument("--tile is " + tile.to_string() +
                              ", but --resolution is in pixels: give the tile as 256px");
    const double side =
        tile.physical() ? tile.millimeters() * um / model.micrometers_per_pixel : tile.value;
    if (!holds_tile(side))
        throw InvalidArgument("--tile is " + tile.to_string() + ", which is " + four_digits(side) +
                              " pixels; it must be 8 to 4096 pixels");
    model.tile = static_cast<int>(side + 0.5);
}

TrainingTiles training_tiles(const std::vector<AnnotatedSlide>& slides,
                             const TissueSampleOptions& options, Queue& queue,
                             const Progress& progress) {
    TrainingTiles result;
    const bool is_chosen = !options.tile && options.resolution.physical();
    result.tile = is_chosen ? chosen_tile(slides, options.resolution, result.warnings)
                            : options.tile.value_or(usual_tile);
    const FeatureSet features(options.features);
    result.model.features = features.groups();
    set_sizes(result.model, options.resolution, result.tile);
    read_slides(slides, features, options.stain, result, queue, progress);
    result.model.classes = result.samples.classes;
    return result;
}

TrainingTiles training_tiles(const TilePictures& pictures, const TissueSampleOptions& options,
                             Queue& queue, const Progress& progress) {
    TrainingTiles result;
    const FeatureSet features(options.features);
    result.model.features = features.groups();
    set_sizes(result.model, options.resolution, options.tile.value_or(usual_tile));
    if (options.stain != StainNormalization::none)
        throw InvalidArgument("--stain is of slides; tiles are taken as they are");
    TileFolder folder = read_tiles(pictures, features, queue, progress);
    result.samples = std::move(folder.samples);
    result.model.tile = folder.side;
    result.model.classes = result.samples.classes;
    result.model.colors = class_colors(result.samples.classes, {});
    return result;
}

// Each run of pixels in a row becomes a rectangle.
Annotations annotations_of(const LabelView& labels, const TileSource& slide) {
    const Shape& full = slide.facts().levels.front().shape;
    const double x = static_cast<double>(full.x) / static_cast<double>(labels.shape().x);
    const double y = static_cast<double>(full.y) / static_cast<double>(labels.shape().y);
    std::map<std::uint32_t, Polygons> polygons;
    for (std::int64_t row = 0; row < labels.shape().y; ++row)
        for (std::int64_t first = 0, end = 0; first < labels.shape().x; first = end) {
            const std::uint32_t label = labels(first, row);
            while (end < labels.shape().x && labels(end, row) == label) ++end;
            if (label == 0) continue;
            const double left = static_cast<double>(first) * x,
                         right = static_cast<double>(end) * x;
            const double top = static_cast<double>(row) * y, bottom = top + y;
            polygons[label].push_back(
                {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}, {}});
        }
    Annotations result;
    for (auto& [label, shapes] : polygons) {
        Annotation annotation;
        annotation.classes = {std::to_string(label)};
        annotation.shape = std::move(shapes);
        result.list.push_back(std::move(annotation));
    }
    return result;
}

}  // namespace tesela
