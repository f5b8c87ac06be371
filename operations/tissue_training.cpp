// tissue features, train
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "operations/all.h"
#include "operations/registry.h"
#include "operations/slides.h"
#include "tesela/color.h"
#include "tesela/tissue_slides.h"
#include "tesela/tissue_tiles.h"

namespace tesela::operations {
namespace {

enum class StainChoice { none, macenko };
constexpr auto enum_names(StainChoice) {
    return std::array{EnumNames<StainChoice>{StainChoice::none, "none"},
                      EnumNames<StainChoice>{StainChoice::macenko, "macenko"}};
}
constexpr auto enum_help(StainChoice) {
    return std::array<std::string_view, 2>{"as scanned", "one appearance for all slides (Macenko)"};
}

struct SampleOptions {
    std::string features = "default";
    Length resolution{0.5, Length::In::micrometer};
    std::optional<Length> tile = {};  // nothing: by the annotations
    StainChoice stain = StainChoice::none;
};
template <class V>
void describe(V&& v, SampleOptions& o) {
    v("features", o.features, "default, thesis, or groups such as color,lbp-8-1");
    v("resolution", o.resolution, "size of a pixel, or 1px for that of the slide");
    v("tile", o.tile, "side of a tile in um or px",
      OptionRange{.automatic = "largest with 20 tiles a class, 32 to 256um"});
    v("stain", o.stain, "color normalization of slides");
}

struct TrainOptions : SampleOptions {
    ClassifierOptions classifier = {};
};
template <class V>
void describe(V&& v, TrainOptions& o) {
    describe(v, static_cast<SampleOptions&>(o));
    describe(v, o.classifier);
}

bool holds_tile(double pixels) { return pixels >= 8 && pixels <= 4096; }

// Micrometers of a pixel of the model, 0 for pixels as they are; and the pixels of a tile.
void set_sizes(const Length& resolution, const Length& tile, TissueModel& model) {
    constexpr double um = 1000;
    if (resolution.physical())
        model.micrometers_per_pixel = resolution.millimeters() * um;
    else if (resolution.value != 1)
        throw InvalidArgument(
            fmt::format("--resolution is {}; give a size of pixels such as "
                        "0.5um, or 1px for that of the slide",
                        resolution.to_string()));
    if (resolution.physical() &&
        !(model.micrometers_per_pixel >= 0.05 && model.micrometers_per_pixel <= 100))
        throw InvalidArgument(
            fmt::format("--resolution is {}; it must be 0.05 to 100 um", resolution.to_string()));
    if (tile.physical() && !resolution.physical())
        throw InvalidArgument(
            fmt::format("--tile is {}, but --resolution is in pixels: give the tile as 256px",
                        tile.to_string()));
    const double side =
        tile.physical() ? tile.millimeters() * um / model.micrometers_per_pixel : tile.value;
    if (!holds_tile(side))
        throw InvalidArgument(
            fmt::format("--tile is {}, which is {:.4g} pixels; it must be 8 to 4096 pixels",
                        tile.to_string(), side));
    model.tile = static_cast<int>(side + 0.5);
}

// Where --tile is not given.
constexpr std::array tiles_to_choose{256, 128, 64, 32};  // um, the preferred first
constexpr std::int64_t least_tiles_of_class = 20;
constexpr Length usual_tile{128, Length::In::micrometer};  // of other pixels and pictures

std::vector<Rgb> class_colors(const std::vector<std::string>& classes,
                              const std::vector<Annotations>& drawn) {
    std::vector<Rgb> colors;
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

void tell_left_out(const AnnotationCounts& counts, std::vector<std::string>& warnings) {
    const auto tell = [&](std::int64_t number, const char* which) {
        if (number > 0)
            warnings.push_back(fmt::format("{} {} left out", counted(number, "annotation"), which));
    };
    tell(counts.unclassified, "without a class");
    tell(counts.starred, "of classes ending in *");
    tell(counts.without_area, "without an area");
    for (const std::string& name : counts.classes_without_tiles)
        warnings.push_back(fmt::format(
            "class '{}' left out: no tile of tissue lies for three quarters in it", name));
    if (counts.tiles_in_several > 0)
        warnings.push_back(fmt::format(
            "{} in annotations of several classes: each counts for the class that is last in the "
            "alphabet; draw the classes apart",
            counts.tiles_in_several == 1 ? "1 tile lies"
                                         : fmt::format("{} tiles lie", counts.tiles_in_several)));
}

struct TrainingTiles {
    TissueModel model;  // without its classifier
    Length tile = {};
    TissueSamples samples;
    std::vector<std::string> warnings = {}, classes_without_tiles = {};
};

// What was drawn on a slide, or its label map.
Annotations drawn_on(const Call& call, const std::string& slide_name, const TileSource& slide) {
    if (const auto* maps = call.inputs.find<OfSlides<LabelImage>>("label-maps"))
        return annotations_of(maps->of(slide_name), slide);
    return call.inputs.get<OfSlides<Annotations>>("annotations").of(slide_name);
}

// Tiles of each class for each of several grids, of all slides together. A class without a tile of
// the smallest side is none.
std::vector<ClassTiles> class_tiles(const Call& call, const std::vector<TissueModel>& models) {
    std::vector<ClassTiles> all(models.size());
    const auto& slides = call.inputs.get<std::vector<OpenSlide>>("slide");
    for (std::size_t i = 0; i < slides.size(); ++i) {
        const Slide slide = slides[i]();
        std::vector<TissueGrid> grids;
        for (const TissueModel& model : models)
            grids.push_back(tissue_grid(*slide, model.micrometers_per_pixel, model.tile));
        const auto counts =
            count_annotated_tiles(*slide, drawn_on(call, call.name_of("slide", i), *slide), grids);
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
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, tiles);
    return text;
}

// The largest tile that leaves enough of every class; else the smallest, with a warning.
Length chosen_tile(const Call& call, const Length& resolution, std::vector<std::string>& warnings) {
    std::vector<TissueModel> models;
    std::vector<Length> sides;
    for (const int side : tiles_to_choose) {
        const Length tile{static_cast<double>(side), Length::In::micrometer};
        TissueModel model;
        if (!holds_tile(tile.millimeters() / resolution.millimeters())) continue;
        set_sizes(resolution, tile, model);
        models.push_back(std::move(model));
        sides.push_back(tile);
    }
    if (models.empty()) return usual_tile;
    const std::vector<ClassTiles> counts = class_tiles(call, models);
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (!counts[i].empty() && classes_in_need(counts[i]).empty()) return sides[i];
    if (!counts.back().empty())
        warnings.push_back(fmt::format(
            "tiles of {} are taken, and still these classes have fewer than {}: {}; draw more of "
            "them",
            sides.back().to_string(), least_tiles_of_class, classes_in_need(counts.back())));
    return sides.back();
}

void read_slides(const Call& call, const SampleOptions& options, TrainingTiles& result,
                 Queue& queue, const Progress& progress) {
    const FeatureSet features(result.model.features);
    const auto& slides = call.inputs.get<std::vector<OpenSlide>>("slide");
    std::vector<Annotations> drawn;
    for (std::size_t i = 0; i < slides.size(); ++i) {
        const Slide slide = slides[i]();
        const std::string name = call.name_of("slide", i);
        if (options.stain == StainChoice::macenko && !result.model.stains)
            result.model.stains = slide_stains(*slide);
        drawn.push_back(drawn_on(call, name, *slide));
        result.warnings.insert(result.warnings.end(), drawn.back().warnings.begin(),
                               drawn.back().warnings.end());
        const TissueGrid grid =
            tissue_grid(*slide, result.model.micrometers_per_pixel, result.model.tile);
        const std::size_t before = result.samples.rows();
        const AnnotationCounts counts = add_annotated_tiles(
            *slide, drawn.back(), std::filesystem::path(name).filename().string(), grid,
            result.model.stains, features, queue, result.samples, progress);
        tell_left_out(counts, result.warnings);
        result.classes_without_tiles.insert(result.classes_without_tiles.end(),
                                            counts.classes_without_tiles.begin(),
                                            counts.classes_without_tiles.end());
        if (result.samples.rows() == before)
            result.warnings.push_back(
                fmt::format("'{}' gives no tile: no tile of {} pixels lies for three quarters in "
                            "one annotation; draw larger ones or lower --tile",
                            name, result.model.tile));
    }
    result.model.colors = class_colors(result.samples.classes, drawn);
}

// Annotations are in the pixels of one slide.
void require_a_file_each(const Call& call, std::string_view input, bool is_folder,
                         std::size_t slides) {
    if (slides > 1 && !is_folder)
        throw InvalidArgument(
            fmt::format("'{}' cannot be of {} slides: give a folder with a file for each",
                        call.name_of(input), slides));
}

void require_one_source(const Call& call) {
    const Values& inputs = call.inputs;
    const bool tiles = inputs.has("tiles");
    if (int{tiles} + int{inputs.has("annotations")} + int{inputs.has("label-maps")} != 1)
        throw InvalidArgument(
            "give the tissue to learn from by one of --tiles, --annotations and --label-maps");
    const auto* slides = inputs.find<std::vector<OpenSlide>>("slide");
    if (!tiles && !slides)
        throw InvalidArgument("no slide was named: annotations are those of slides");
    if (tiles && slides) throw InvalidArgument("--tiles takes no slides beside the folder");
    if (const auto* drawn = inputs.find<OfSlides<Annotations>>("annotations"))
        require_a_file_each(call, "annotations", drawn->is_folder, slides->size());
    if (const auto* maps = inputs.find<OfSlides<LabelImage>>("label-maps"))
        require_a_file_each(call, "label-maps", maps->is_folder, slides->size());
}

TrainingTiles training_tiles(const Call& call, const SampleOptions& options, Queue& queue,
                             const Progress& progress) {
    require_one_source(call);
    TrainingTiles result;
    const bool chosen = !options.tile && !call.inputs.has("tiles") && options.resolution.physical();
    result.tile = chosen ? chosen_tile(call, options.resolution, result.warnings)
                         : options.tile.value_or(usual_tile);
    const FeatureSet features(options.features);
    result.model.features = features.groups();
    set_sizes(options.resolution, result.tile, result.model);
    if (const auto* pictures = call.inputs.find<TilePictures>("tiles")) {
        if (options.stain != StainChoice::none)
            throw InvalidArgument("--stain is of slides; tiles are taken as they are");
        TileFolder folder = read_tiles(*pictures, features, queue, progress);
        result.samples = std::move(folder.samples);
        result.model.tile = folder.side;
        result.model.colors = class_colors(result.samples.classes, {});
    } else {
        read_slides(call, options, result, queue, progress);
    }
    result.model.classes = result.samples.classes;
    return result;
}

}  // namespace

void report_samples(const TissueSamples& samples, Results& results) {
    std::vector<std::int64_t> counts(samples.classes.size());
    for (const int label : samples.labels) ++counts[static_cast<std::size_t>(label)];
    const auto rows = static_cast<std::int64_t>(samples.rows());
    Figure::Record classes;
    results.summary = counted(rows, "tile") + ": ";
    for (std::size_t c = 0; c < counts.size(); ++c) {
        results.summary += fmt::format("{}{} {}", c > 0 ? ", " : "", counts[c], samples.classes[c]);
        classes.push_back({samples.classes[c], counts[c]});
    }
    results.figures = {{"tiles", rows}, {"classes", std::move(classes)}};
}

namespace {

// The side of a tile, where tiles are cut from slides.
void report_tile(const Call& call, const TrainingTiles& tiles, Results& results) {
    if (call.inputs.has("tiles")) return;
    results.summary += fmt::format("; tiles of {}", tiles.tile.to_string());
    results.used.emplace_back("tile", tiles.tile);
}

// A sentence with the way out, where annotations are too small for the tiles.
void require_two_classes(const SampleOptions& options, const TrainingTiles& tiles) {
    if (tiles.samples.classes.size() > 1 || tiles.classes_without_tiles.empty()) return;
    throw InvalidArgument(fmt::format(
        "training needs tiles of at least two classes, and there are of {}: three quarters of a "
        "tile of {} have to lie in an annotation on tissue, and those of {} hold none; draw larger "
        "ones{}",
        tiles.samples.classes.empty() ? "none" : tiles.samples.classes.front() + " only",
        tiles.tile.to_string(), fmt::join(tiles.classes_without_tiles, ", "),
        options.tile ? ", or lower --tile" : ""));
}

Results run_features(const Call& call, Queue& queue, const Progress& progress) {
    TrainingTiles tiles = training_tiles(call, call.options.as<SampleOptions>(), queue, progress);
    Results results;
    report_samples(tiles.samples, results);
    report_tile(call, tiles, results);
    results.summary += fmt::format("; {} features", tiles.samples.width);
    results.warnings = std::move(tiles.warnings);
    results.outputs.set("output", std::move(tiles.samples));
    return results;
}

Figure::Record record_of(const ClassifierParameters& chosen, ClassifierKind kind) {
    if (kind == ClassifierKind::svm) return {{"cost", chosen.cost}, {"gamma", chosen.gamma}};
    if (kind == ClassifierKind::knn) return {{"neighbors", std::int64_t{chosen.neighbors}}};
    return {};
}

Results run_train(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<TrainOptions>();
    ClassifierOptions classifier = options.classifier;
    classifier.threads = call.threads;
    TrainingTiles tiles = training_tiles(call, options, queue, progress.part(0, 0.5));
    require_two_classes(options, tiles);
    tiles.model.classifier = train_classifier(tiles.samples, classifier, progress.part(0.5, 1));
    const ClassifierParameters chosen = chosen_parameters(tiles.model.classifier);
    Results results;
    report_samples(tiles.samples, results);
    report_tile(call, tiles, results);
    results.summary +=
        fmt::format("; {} of {}", enum_name(classifier.classifier),
                    counted(static_cast<std::int64_t>(tiles.samples.width), "feature"));
    if (classifier.classifier == ClassifierKind::svm)
        results.summary += fmt::format(", cost {:.4g}, gamma {:.4g}", chosen.cost, chosen.gamma);
    if (classifier.classifier == ClassifierKind::knn)
        results.summary += fmt::format(", {}", counted(chosen.neighbors, "neighbor"));
    results.figures.push_back({"chosen", record_of(chosen, classifier.classifier)});
    results.warnings = std::move(tiles.warnings);
    warn_of_colors(tiles.model, results);
    results.outputs.set("output", std::move(tiles.model));
    return results;
}

Operation of_samples(Operation operation) {
    operation.inputs = {{.name = "slide",
                         .kind = kinds::slide,
                         .help = "slides with annotations or label maps",
                         .required = false,
                         .several = true}};
    operation.named = {{"tiles", kinds::tile_pictures, "folder with a folder of pictures a class"},
                       {"annotations", kinds::slide_annotations,
                        "GeoJSON of the slide, or a folder of such files"},
                       {"label-maps", kinds::slide_labels, "folder of label maps over the slides"}};
    operation.memory = [](const Call&, const Device&) { return Memory{}; };
    return operation;
}

Operation features() {
    return of_samples(
        {.name = "tissue features",
         .purpose = "compute feature vectors of tiles",
         .sentence = "Computes feature vectors of tiles.",
         .examples = {"tissue features --tiles TILES -o tiles.csv",
                      "tissue features slide.svs --annotations slide.geojson -o tiles.csv"},
         .outputs = {{.name = "output",
                      .kind = kinds::samples,
                      .help = "table of features (.csv)",
                      .required = true}},
         .options = Options::of(SampleOptions{}),
         .run = run_features});
}

Operation train() {
    return of_samples(
        {.name = "tissue train",
         .purpose = "train a tissue classifier",
         .sentence = "Trains a tissue classifier.",
         .examples = {"tissue train slide.svs --annotations slide.geojson -o tissue.model",
                      "tissue train --tiles TILES -o tissue.model --classifier lda"},
         .outputs = {{.name = "output",
                      .kind = kinds::tissue_model,
                      .help = "model (.model)",
                      .required = true}},
         .options = Options::of(TrainOptions{}),
         .run = run_train});
}

}  // namespace

void add_tissue_training(Registry& registry) {
    registry.add(features());
    registry.add(train());
}

}  // namespace tesela::operations
