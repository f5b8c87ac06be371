// tissue features, train
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "operations/all.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/tissue.h"
#include "operations/registry.h"
#include "operations/slides.h"
#include "tesela/tissue_training.h"

namespace tesela::operations {
namespace {

struct TrainOptions : TissueSampleOptions {
    ClassifierOptions classifier = {};
};
template <class V>
void describe(V&& v, TrainOptions& o) {
    describe(v, static_cast<TissueSampleOptions&>(o));
    describe(v, o.classifier);
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
    if (const auto* maps = inputs.find<OfSlides<ImageValue>>("label-maps"))
        require_a_file_each(call, "label-maps", maps->is_folder, slides->size());
}

std::vector<AnnotatedSlide> annotated_slides(const Call& call) {
    const auto* maps = call.inputs.find<OfSlides<ImageValue>>("label-maps");
    const auto* drawn = call.inputs.find<OfSlides<Annotations>>("annotations");
    std::vector<AnnotatedSlide> slides;
    for (const OpenSlide& open : call.inputs.get<std::vector<OpenSlide>>("slide")) {
        const std::string name = call.name_of("slide", slides.size());
        slides.push_back({name, open, [=](const TileSource& slide) {
                              return maps ? annotations_of(maps->of(name).pixels<std::uint32_t>(),
                                                           slide)
                                          : drawn->of(name);
                          }});
    }
    return slides;
}

TrainingTiles tiles_of(const Call& call, const TissueSampleOptions& options, Queue& queue,
                       const Progress& progress) {
    require_one_source(call);
    if (const auto* pictures = call.inputs.find<TilePictures>("tiles"))
        return training_tiles(*pictures, options, queue, progress);
    return training_tiles(annotated_slides(call), options, queue, progress);
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
void require_two_classes(const TissueSampleOptions& options, const TrainingTiles& tiles) {
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
    TrainingTiles tiles = tiles_of(call, call.options.as<TissueSampleOptions>(), queue, progress);
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
    TrainingTiles tiles = tiles_of(call, options, queue, progress.part(0, 0.5));
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
    operation.named = {
        {"tiles", kinds::tile_pictures, "folder with a folder of pictures a class", false},
        {"annotations", kinds::slide_annotations, "GeoJSON of the slide, or a folder of such files",
         false},
        {"label-maps", kinds::slide_labels, "folder of label maps over the slides", false}};
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
         .options = Options::of(TissueSampleOptions{}),
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
