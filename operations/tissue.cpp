// tissue classify, thesis tissue
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "operations/all.h"
#include "operations/kinds/annotations.h"
#include "operations/kinds/image.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/table.h"
#include "operations/kinds/tissue.h"
#include "operations/registry.h"
#include "operations/slides.h"
#include "tesela/tissue_slides.h"

namespace tesela::operations {

void warn_of_colors(const TissueModel& model, Results& results) {
    std::map<Rgb, std::vector<std::string>> classes;
    for (std::size_t c = 0; c < model.colors.size(); ++c)
        classes[model.colors[c]].push_back(model.classes[c]);
    for (const auto& [color, names] : classes)
        if (names.size() > 1)
            results.warnings.push_back(
                fmt::format("the classes {} have one color, #{:02x}{:02x}{:02x}: no picture tells "
                            "them apart; give them colors of their own",
                            fmt::join(names, ", "), color[0], color[1], color[2]));
}

namespace {

struct ClassifyOptions {
    bool summary = false;
    std::optional<Length> stride = {};
    int size = 1024;
};
template <class V>
void describe(V&& v, ClassifyOptions& o) {
    v("summary", o.summary, "print the area and share of each class");
    v("stride", o.stride, "spacing of tiles in um or px",
      OptionRange{.automatic = "side of a tile"});
    v("size", o.size, "longer side of the overlay",
      OptionRange{.lowest = 16, .highest = 16384, .unit = "pixels"});
}

const TissueModel& model_of(const Call& call) { return call.inputs.get<TissueModel>("model"); }
const TileSource& slide_of(const Call& call) { return *call.inputs.get<Slide>("slide"); }
const Geometry& geometry_of_pixels(const TileSource& slide) {
    return slide.facts().levels.front().geometry;
}

std::string summary_text(const TissueModel& model, const std::vector<ClassShare>& shares,
                         bool has_area) {
    std::string text =
        fmt::format("{:<24}{:>8}{:>12}{:>9}\n", "class", "tiles", has_area ? "mm2" : "", "percent");
    for (std::size_t c = 0; c < shares.size(); ++c)
        text += fmt::format("{:<24}{:>8}{:>12}{:>9.2f}\n", model.classes[c], shares[c].tiles,
                            has_area ? fmt::format("{:.4f}", shares[c].area_mm2) : "",
                            shares[c].percent);
    return text;
}

// Place and probabilities of each tile of tissue. The table keeps what it needs.
Table table_of(const TileSource& slide, const TissueModel& model, const TissueMap& map) {
    const Geometry& geometry = geometry_of_pixels(slide);
    const double um = geometry.known() ? geometry.spacing_mm()[0] * 1000 : 0;
    auto cells = std::make_shared<std::vector<std::int64_t>>();
    for (std::int64_t cell = 0; cell < map.grid.cells(); ++cell)
        if (map.labels[static_cast<std::size_t>(cell)] != 0) cells->push_back(cell);
    Table table{{"column", "row", "x_px", "y_px"}, static_cast<std::int64_t>(cells->size()), {}};
    if (um > 0) table.columns.insert(table.columns.end(), {"x_um", "y_um"});
    const std::size_t named = table.columns.size();
    table.columns.push_back("class");
    table.columns.insert(table.columns.end(), model.classes.begin(), model.classes.end());
    const auto kept = std::make_shared<const TissueMap>(map);
    table.cell = [=, classes = model.classes](std::int64_t row, std::size_t column) -> Table::Cell {
        const std::int64_t cell = (*cells)[static_cast<std::size_t>(row)];
        const auto at = static_cast<std::size_t>(cell);
        const TissueGrid& grid = kept->grid;
        const std::int64_t place[2] = {cell % grid.columns, cell / grid.columns};
        if (column < 2) return place[column];
        const std::size_t axis = column % 2;
        const double pixel = static_cast<double>(place[axis]) * grid.stride[axis];
        if (column < 4) return pixel;
        if (column < named) return fmt::format("{:.6g}", pixel * um);
        if (column == named) return classes[kept->labels[at] - 1u];
        return fmt::format("{:.6f}", kept->probabilities[at * classes.size() + column - named - 1]);
    };
    return table;
}

void write_probabilities(const OpenTiles& open, const TissueModel& model, const TissueMap& map,
                         const Geometry& geometry) {
    const auto channels = static_cast<int>(model.classes.size());
    Image<float> all({map.grid.columns, map.grid.rows, 1, 1, channels}, geometry);
    all.pixels() = map.probabilities;
    const auto writer = open({PixelType::f32, all.shape(), geometry, false}, {.tile = stored_tile});
    write_box(*writer, 0, 0, all);
    writer->finish();
}

// Masks of what is looked at, over the whole slide.
std::vector<Image<std::uint8_t>> masks_of(const Call& call) {
    std::vector<Image<std::uint8_t>> masks;
    const TileSource& slide = slide_of(call);
    const auto& background = call.inputs.get<Background>("background");
    if (const auto* choice = std::get_if<BackgroundChoice>(&background);
        choice && *choice == BackgroundChoice::automatic)
        masks.push_back(tissue_mask(slide));
    if (const auto* image = std::get_if<ImageValue>(&background)) {
        const LabelView& mask = image->pixels<std::uint32_t>();
        masks.emplace_back(mask.shape());
        std::transform(mask.pixels().begin(), mask.pixels().end(), masks.back().pixels().begin(),
                       [](std::uint32_t label) { return label != 0 ? 255 : 0; });
    }
    if (call.inputs.has("inside")) {
        const TissueModel& model = model_of(call);
        const TissueGrid grid = tissue_grid(slide, model.micrometers_per_pixel, model.tile);
        constexpr std::int64_t pixels_of_tile = 8;
        masks.push_back(annotation_mask(slide, call.inputs.get<Annotations>("inside"),
                                        grid.columns * pixels_of_tile, grid.rows * pixels_of_tile));
    }
    return masks;
}

void require_tiles_of_a_size(const Call& call) {
    if (model_of(call).tile < 1)
        throw InvalidArgument("the model '" + call.name_of("model") +
                              "' was trained on tiles of different sizes: cut them alike, or "
                              "train on slides");
}

TissueMap classified(const Call& call, const Progress& progress) {
    require_tiles_of_a_size(call);
    TissueMapOptions mapping;
    mapping.threads = call.threads;
    if (const auto& stride = call.options.as<ClassifyOptions>().stride)
        mapping.stride = tissue_stride(slide_of(call), model_of(call), *stride);
    const std::vector<Image<std::uint8_t>> masks = masks_of(call);
    for (const Image<std::uint8_t>& mask : masks) mapping.masks.push_back(&mask);
    return classify_slide(slide_of(call), model_of(call), call.queues, mapping, progress);
}

void set_outputs(const Call& call, const TissueMap& map, Results& results) {
    const TileSource& slide = slide_of(call);
    const TissueModel& model = model_of(call);
    LabelImage labels = tissue_labels(slide, map);
    warn_of_colors(model, results);
    if (call.wants("geojson")) results.outputs.set("geojson", tissue_polygons(slide, model, map));
    if (call.wants("probability"))
        write_probabilities(call.parts.get<OpenTiles>("probability"), model, map, labels.geometry);
    if (call.wants("overlay"))
        results.outputs.set(
            "overlay",
            AnyImage(tissue_overlay(slide, model, map, call.options.as<ClassifyOptions>().size)));
    if (call.wants("table")) results.outputs.set("table", table_of(slide, model, map));
    results.outputs.set("map", ClassMap{std::move(labels), model.classes, model.colors});
}

Results run_classify(const Call& call, Queue&, const Progress& progress) {
    const TissueModel& model = model_of(call);
    const TissueMap map = classified(call, progress);
    Results results;
    set_outputs(call, map, results);
    const bool has_area = geometry_of_pixels(slide_of(call)).known();
    const std::vector<ClassShare> shares = class_shares(slide_of(call), model, map);
    if (call.options.as<ClassifyOptions>().summary)
        results.data = summary_text(model, shares, has_area);
    std::vector<Figures> classes;
    std::int64_t tissue = 0;
    for (std::size_t c = 0; c < shares.size(); ++c) {
        tissue += shares[c].tiles;
        classes.push_back(
            {{"name", model.classes[c]},
             {"tiles", shares[c].tiles},
             {"area_mm2", has_area ? Figure::Value(shares[c].area_mm2) : Figure::Value()},
             {"percent", shares[c].percent}});
    }
    results.summary = fmt::format("{} of tissue, {} x {} tiles in all", counted(tissue, "tile"),
                                  map.grid.columns, map.grid.rows);
    results.details = {{"columns", map.grid.columns},
                       {"rows", map.grid.rows},
                       {"classes", std::move(classes)},
                       {"seconds", Figure::Record{{"reading", map.stages[0].busy_seconds},
                                                  {"describing", map.stages[2].busy_seconds}}}};
    results.shared = map.devices;
    results.shared_thing = "tile";
    return results;
}

Operation classify() {
    return {.name = "tissue classify",
            .purpose = "classify the tissue of slides",
            .sentence = "Classifies the tissue of slides.",
            .examples = {"tissue classify slide.svs --model tissue.model -o map.png --overlay "
                         "overlay.png",
                         "tissue classify slide.svs --model tissue.model --geojson tissue.geojson "
                         "--summary"},
            .inputs = {{"slide", kinds::slide, "whole slides, tiled TIFF or pictures"}},
            .named = {{"model", kinds::tissue_model, "model that 'tesela tissue train' wrote"},
                      {.name = "background",
                       .kind = kinds::background,
                       .help = "auto, none, or a mask that is 0 on the background",
                       .required = false,
                       .automatic = "auto"},
                      {"inside", kinds::annotations, "GeoJSON of the areas to classify", false}},
            .outputs = {{.name = "map",
                         .kind = kinds::classes,
                         .help = "label map, a pixel a tile; of several slides a folder",
                         .suffix = ".png"},
                        {.name = "geojson",
                         .kind = kinds::annotations,
                         .help = "polygons of the tissues (.geojson, .geojson.gz)",
                         .suffix = ".geojson"},
                        {.name = "probability",
                         .kind = kinds::tiles,
                         .help = "probabilities as OME-TIFF, a channel a class",
                         .suffix = ".ome.tif"},
                        {.name = "overlay",
                         .kind = kinds::image,
                         .help = "thumbnail in the colors of the classes",
                         .suffix = ".png"},
                        {.name = "table",
                         .kind = kinds::table,
                         .help = "CSV: place and probabilities of each tile",
                         .suffix = ".csv"}},
            .options = Options::of(ClassifyOptions{}),
            .run = run_classify,
            .memory = [](const Call&, const Device&) { return Memory{}; },
            .device = {.queues = Queues::of_devices},
            .command_line = {.prints = "summary"}};
}

// ---- thesis tissue -----------------------------------------------------------------------------

double busy_of(const std::vector<DeviceLoad>& devices) {
    double seconds = 0;
    for (const DeviceLoad& device : devices) seconds += device.busy_seconds;
    return seconds;
}

// All tiles, background as well, and what the stages of the stream had to do.
Results run_thesis_tissue(const Call& call, Queue&, const Progress& progress) {
    const TissueModel& model = model_of(call);
    require_tiles_of_a_size(call);
    if (!model.features.starts_with("thesis"))
        throw InvalidArgument("the model '" + call.name_of("model") + "' has the features " +
                              model.features +
                              ", not those of the thesis: train it with "
                              "--features thesis --classifier knn");
    const auto started = std::chrono::steady_clock::now();
    const TissueMap map =
        classify_slide(slide_of(call), model, call.queues, {.threads = call.threads}, progress);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
    const double seconds = taken.count(), overlap = seconds / slowest_stage_seconds(map);
    const double of_tile = 1e3 * seconds / static_cast<double>(map.grid.cells());
    const double reading = map.stages.front().busy_seconds, counting = busy_of(map.devices),
                 describing = map.stages.back().busy_seconds;
    Results results;
    results.summary = fmt::format(
        "{} in {:.2f} s, {:.2f} of the slowest stage, {:.3f} ms a tile; all threads "
        "together read {:.2f} s, counted {:.2f} s, described {:.2f} s",
        counted(map.grid.cells(), "tile"), seconds, overlap, of_tile, reading, counting,
        describing);
    results.figures = {
        {"tiles", map.grid.cells()},
        {"seconds", seconds},
        {"seconds_by_slowest", overlap},
        {"milliseconds_a_tile", of_tile},
        {"busy_seconds",
         Figure::Record{{"reading", reading}, {"counting", counting}, {"describing", describing}}}};
    results.shared = map.devices;
    results.shared_thing = "tile";
    warn_of_colors(model, results);
    results.outputs.set("map",
                        ClassMap{tissue_labels(slide_of(call), map), model.classes, model.colors});
    return results;
}

Operation thesis_tissue() {
    return {.name = "thesis tissue",
            .purpose = "slides as the thesis behind tissue classification",
            .sentence =
                "Classifies all tiles of slides by the thirteen texture features of A. Ruiz "
                "Sanchez's thesis of 2015, and tells how its stages overlap.",
            .examples = {"thesis tissue slide.svs --model thesis.model -o map.png",
                         "thesis tissue slide.svs --model thesis.model -o map.png --device cuda "
                         "--json"},
            .inputs = {{"slide", kinds::slide, "whole slides, tiled TIFF or pictures"}},
            .named = {{"model", kinds::tissue_model,
                       "model of 'tesela tissue train --features thesis --classifier knn'"}},
            .outputs = {{.name = "map",
                         .kind = kinds::classes,
                         .help = "label map, a pixel a tile; of several slides a folder",
                         .suffix = ".png"}},
            .run = run_thesis_tissue,
            .memory = [](const Call&, const Device&) { return Memory{}; },
            .device = {.queues = Queues::of_devices}};
}

}  // namespace

void add_tissue(Registry& registry) {
    registry.add(Family{.name = "tissue",
                        .purpose = "train tissue classifiers and classify slides",
                        .sentence = "Classifies the tissue of slides by texture and color.",
                        .task = tasks::texture});
    add_tissue_training(registry);
    add_tissue_evaluation(registry);
    registry.add(classify());
    registry.add(thesis_tissue());
}

}  // namespace tesela::operations
