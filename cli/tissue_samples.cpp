// Samples of tissue from tiles, annotated slides and label maps.
#include <fmt/format.h>

#include <algorithm>

#include "tesela/geojson_io.h"
#include "tissue_job.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

// Micrometers of a pixel of the model, 0 for pixels as they are; and the pixels of a tile.
void set_sizes(const SampleOptions& options, TissueModel& model) {
    const Length resolution = parse_length("resolution", options.resolution);
    const Length tile = parse_length("tile", options.tile);
    constexpr double um = 1000;
    if (resolution.physical())
        model.micrometers_per_pixel = resolution.millimeters() * um;
    else if (resolution.value != 1)
        throw InvalidArgument(
            fmt::format("--resolution is {}; give a size of pixels such as "
                        "0.5um, or 1px for that of the slide",
                        options.resolution));
    if (resolution.physical() &&
        !(model.micrometers_per_pixel >= 0.05 && model.micrometers_per_pixel <= 100))
        throw InvalidArgument(
            fmt::format("--resolution is {}; it must be 0.05 to 100 um", options.resolution));
    if (tile.physical() && !resolution.physical())
        throw InvalidArgument(fmt::format(
            "--tile is {}, but --resolution is in pixels: give the tile as 256px", options.tile));
    const double side =
        tile.physical() ? tile.millimeters() * um / model.micrometers_per_pixel : tile.value;
    if (!(side >= 8 && side <= 4096))
        throw InvalidArgument(
            fmt::format("--tile is {}, which is {:.4g} pixels; it must be 8 to 4096 pixels",
                        options.tile, side));
    model.tile = static_cast<int>(side + 0.5);
}

// Annotations are in the pixels of one slide.
void require_a_file_each(const fs::path& annotations, std::size_t slides) {
    if (slides > 1 && !annotations.empty() && !fs::is_directory(annotations))
        throw InvalidArgument(
            fmt::format("'{}' cannot be of {} slides: give a folder with a file for each",
                        annotations.string(), slides));
}

// The file of a slide in a folder: that with the slide's name, its suffix left out, or behind it.
fs::path file_of(const fs::path& folder, const fs::path& slide,
                 const std::vector<std::string>& suffixes) {
    if (!fs::is_directory(folder)) return folder;
    for (const std::string& suffix : suffixes)
        for (const fs::path& stem : {slide.stem(), slide.filename(), slide.stem().stem()})
            if (const fs::path file = folder / (stem.string() + suffix); fs::exists(file))
                return file;
    throw UnreadableInput(fmt::format("'{}' has no file for the slide '{}': name it {}{}",
                                      folder.string(), slide.filename().string(),
                                      slide.stem().string(), suffixes.front()));
}

std::vector<std::array<std::uint8_t, 3>> class_colors(const std::vector<std::string>& classes,
                                                      const std::vector<Annotations>& drawn) {
    std::vector<std::array<std::uint8_t, 3>> colors;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        colors.push_back(io::label_color(static_cast<std::uint32_t>(c + 1)));
        for (const Annotations& annotations : drawn)
            for (const Annotation& annotation : annotations.list)
                if (annotation.color && annotation.classes.size() == 1 &&
                    annotation.classes[0] == classes[c])
                    colors.back() = *annotation.color;
    }
    return colors;
}

// A label map over a slide as annotations: a mask of each label becomes its cells.
Annotations annotations_of(const LabelImage& labels, const TileSource& slide) {
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

void tell_left_out(const AnnotationCounts& counts) {
    if (counts.unclassified > 0)
        warn(counted(counts.unclassified, "annotation") + " without a class left out");
    if (counts.starred > 0)
        warn(counted(counts.starred, "annotation") + " of classes ending in * left out");
    if (counts.without_area > 0)
        warn(counted(counts.without_area, "annotation") + " without an area left out");
    for (const std::string& name : counts.classes_without_tiles)
        warn(fmt::format("class '{}' left out: no tile of tissue lies for three quarters in it",
                         name));
}

void read_slides(const std::vector<fs::path>& paths, const SampleOptions& options,
                 const SlideOptions& slide_options, const TissueVerb& verb, TrainingTiles& result,
                 Queue& queue, const Progress& progress) {
    const FeatureSet features(result.model.features);
    std::vector<Annotations> drawn;
    for (const fs::path& path : paths) {
        const auto slide = open_slide(path, slide_options, verb.memory);
        if (options.stain == StainChoice::macenko && !result.model.stains)
            result.model.stains = slide_stains(*slide);
        if (options.annotations.empty()) {
            drawn.push_back(annotations_of(
                io::read_labels(file_of(options.label_maps, path, {".png", ".tif", ".nii.gz"}),
                                read_options(verb.memory)),
                *slide));
        } else {
            drawn.push_back(io::read_geojson(
                file_of(options.annotations, path, {".geojson", ".geojson.gz", ".json"}),
                read_options(verb.memory)));
            for (const std::string& warning : drawn.back().warnings) warn(warning);
        }
        const TissueGrid grid =
            tissue_grid(*slide, result.model.micrometers_per_pixel, result.model.tile);
        const std::size_t before = result.samples.rows();
        tell_left_out(add_annotated_tiles(*slide, drawn.back(), path.filename().string(), grid,
                                          result.model.stains, features, queue, result.samples,
                                          progress));
        if (result.samples.rows() == before)
            warn(
                fmt::format("'{}' gives no tile: no tile of {} pixels lies for three quarters in "
                            "one annotation; draw larger ones or lower --tile",
                            path.string(), result.model.tile));
    }
    result.model.colors = class_colors(result.samples.classes, drawn);
}

}  // namespace

TrainingTiles read_training_tiles(const std::vector<fs::path>& slides, const SampleOptions& options,
                                  const SlideOptions& slide_options, const TissueVerb& verb,
                                  const Progress& progress) {
    const int sources = (options.tiles.empty() ? 0 : 1) + (options.annotations.empty() ? 0 : 1) +
                        (options.label_maps.empty() ? 0 : 1);
    if (sources != 1)
        throw InvalidArgument(
            "give the tissue to learn from by one of --tiles, --annotations and --label-maps");
    if (options.tiles.empty() == slides.empty())
        throw InvalidArgument(slides.empty() ? "no slide was named: annotations are those of slides"
                                             : "--tiles takes no slides beside the folder");
    require_a_file_each(options.annotations, slides.size());
    require_a_file_each(options.label_maps, slides.size());
    TrainingTiles result;
    const FeatureSet features(options.features);
    result.model.features = features.groups();
    Queue queue = verb.queue();
    if (!options.tiles.empty()) {
        if (options.stain != StainChoice::none)
            throw InvalidArgument("--stain is of slides; tiles are taken as they are");
        TileFolder folder =
            read_tile_folder(options.tiles, features, queue, read_options(verb.memory), progress);
        result.samples = std::move(folder.samples);
        set_sizes(options, result.model);
        result.model.tile = folder.side;
        result.model.colors = class_colors(result.samples.classes, {});
    } else {
        set_sizes(options, result.model);
        read_slides(slides, options, slide_options, verb, result, queue, progress);
    }
    result.model.classes = result.samples.classes;
    say("{}", samples_text(result.samples));
    return result;
}

}  // namespace tesela::cli
