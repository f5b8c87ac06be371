// tesela tissue classify SLIDE...
#include <fmt/format.h>

#include <fstream>
#include <map>

#include "errors.h"
#include "interrupt.h"
#include "progress.h"
#include "tesela/geojson_io.h"
#include "tissue_job.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct ClassifyOptions {
    fs::path model, map, geojson, probability, overlay, table, inside;
    bool summary = false;
    std::string background = "auto", stride;
    int size = 1024;
};

template <class V>
void describe(V&& v, ClassifyOptions& o) {
    v("model", o.model, "model that 'tesela tissue train' wrote");
    v("map", o.map, "label map, a pixel a tile; of several slides a folder");
    v("geojson", o.geojson, "polygons of the tissues (.geojson, .geojson.gz)");
    v("probability", o.probability, "probabilities as OME-TIFF, a channel a class");
    v("overlay", o.overlay, "thumbnail in the colors of the classes");
    v("table", o.table, "CSV: place and probabilities of each tile");
    v("summary", o.summary, "print the area and share of each class");
    v("background", o.background, "auto, none, or a mask that is 0 on the background");
    v("inside", o.inside, "GeoJSON of the areas to classify");
    v("stride", o.stride, "spacing of tiles in um or px",
      OptionRange{.automatic = "side of a tile"});
    v("size", o.size, "longer side of the overlay",
      OptionRange{.lowest = 16, .highest = 16384, .unit = "pixels"});
}

struct NamedOutput {
    const char* name;
    fs::path ClassifyOptions::*path;
    const char* suffix;  // in a folder of several slides
};
constexpr NamedOutput named_outputs[] = {{"map", &ClassifyOptions::map, ".png"},
                                         {"geojson", &ClassifyOptions::geojson, ".geojson"},
                                         {"probability", &ClassifyOptions::probability, ".ome.tif"},
                                         {"overlay", &ClassifyOptions::overlay, ".png"},
                                         {"table", &ClassifyOptions::table, ".csv"}};

// For several slides each output is a folder, with a file of the slide's name.
ClassifyOptions options_of(const ClassifyOptions& options, const fs::path& slide, bool several) {
    ClassifyOptions own = options;
    if (!several) return own;
    for (const NamedOutput& output : named_outputs)
        if (fs::path& path = own.*output.path; !path.empty())
            path /= slide.stem().string() + output.suffix;
    return own;
}

OutputSet outputs_of(const ClassifyOptions& options, const fs::path& slide, bool force) {
    OutputSet outputs(force);
    for (const NamedOutput& output : named_outputs) {
        const fs::path& path = options.*output.path;
        if (std::string(output.name) == "map" && !path.empty())
            outputs.add(output.name, path, {io::labels_side_file(path)});
        else
            outputs.add(output.name, path);
    }
    outputs.check(std::vector<fs::path>{slide, options.model});
    return outputs;
}

struct ClassShare {
    std::int64_t tiles = 0;
    double area_mm2 = 0, percent = 0;
};

// Of each class; the part of a cell beyond the slide does not count.
std::vector<ClassShare> shares_of(const TileSource& slide, const TissueModel& model,
                                  const TissueMap& map) {
    const TileLevel& first = slide.facts().levels.front();
    const TissueGrid& grid = map.grid;
    double square = 0;
    if (first.geometry.known())
        square = first.geometry.spacing_mm()[0] * first.geometry.spacing_mm()[1];
    const auto part = [&](std::int64_t cell, std::size_t axis, std::int64_t length) {
        const double begin = static_cast<double>(cell) * grid.stride[axis];
        return std::min(begin + grid.stride[axis], static_cast<double>(length)) - begin;
    };
    std::vector<ClassShare> shares(model.classes.size());
    double all = 0;
    for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
        const int label = map.labels[static_cast<std::size_t>(cell)];
        if (label == 0) continue;
        const double area = part(cell % grid.columns, 0, first.shape.x) *
                            part(cell / grid.columns, 1, first.shape.y);
        ClassShare& own = shares[static_cast<std::size_t>(label - 1)];
        ++own.tiles;
        own.area_mm2 += area * square;
        own.percent += area;
        all += area;
    }
    for (ClassShare& own : shares) own.percent *= all > 0 ? 100 / all : 0;
    return shares;
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

void write_table(const fs::path& path, const TissueModel& model, const TissueMap& map,
                 const TileSource& slide) {
    const Geometry& geometry = slide.facts().levels.front().geometry;
    const double um = geometry.known() ? geometry.spacing_mm()[0] * 1000 : 0;
    std::ofstream out(path);
    out << "column,row,x_px,y_px" << (um > 0 ? ",x_um,y_um" : "") << ",class";
    for (const std::string& name : model.classes) out << "," << csv_field(name);
    out << "\n";
    for (std::int64_t cell = 0; cell < map.grid.cells(); ++cell) {
        const auto at = static_cast<std::size_t>(cell);
        if (map.labels[at] == 0) continue;
        const std::int64_t column = cell % map.grid.columns, row = cell / map.grid.columns;
        const double x = static_cast<double>(column) * map.grid.stride[0];
        const double y = static_cast<double>(row) * map.grid.stride[1];
        std::string line = fmt::format("{},{},{},{}", column, row, x, y);
        if (um > 0) line += fmt::format(",{:.6g},{:.6g}", x * um, y * um);
        line += "," + csv_field(model.classes[map.labels[at] - 1u]);
        for (std::size_t c = 0; c < model.classes.size(); ++c)
            line += fmt::format(",{:.6f}", map.probabilities[at * model.classes.size() + c]);
        out << line << "\n";
    }
    out.close();
    if (!out) throw UnwritableOutput("cannot write '" + path.string() + "': is the disk full?");
}

void write_probabilities(const fs::path& path, const TissueModel& model, const TissueMap& map,
                         const Geometry& geometry) {
    const auto channels = static_cast<int>(model.classes.size());
    Image<float> all({map.grid.columns, map.grid.rows, 1, 1, channels}, geometry);
    all.pixels() = map.probabilities;
    constexpr std::int64_t tile = 256;
    const auto writer =
        io::create_ome_tiff(path, {PixelType::f32, all.shape(), geometry, false}, {.tile = tile});
    const AnyImage source = std::move(all);
    const Shape& shape = shape_of(source);
    for (std::int64_t y = 0; y < shape.y; y += tile)
        for (std::int64_t x = 0; x < shape.x; x += tile) {
            const TileBox box{x, y, std::min(tile, shape.x - x), std::min(tile, shape.y - y)};
            AnyImage part = Image<float>({box.width, box.height, 1, 1, channels});
            copy_box(source, box, part, 0, 0);
            writer->write(x / tile, y / tile, part);
        }
    writer->finish();
}

class Classification {
  public:
    Classification(const ClassifyOptions& options, const SlideOptions& slide_options,
                   const TissueVerb& verb)
        : options_(options),
          slide_options_(slide_options),
          verb_(verb),
          model_(read_tissue_model(options.model, read_options(verb.memory))),
          queues_(verb.queues()) {
        if (model_.tile < 1)
            throw InvalidArgument("the model '" + options.model.string() +
                                  "' was trained on tiles of different sizes: cut them alike, or "
                                  "train on slides");
    }

    // Gives the report of the slide.
    Json run(const fs::path& path, bool several, const Progress& progress) {
        const ClassifyOptions own = options_of(options_, path, several);
        OutputSet outputs = outputs_of(own, path, verb_.job.force);
        const auto slide = open_slide(path, slide_options_, verb_.memory);
        const TissueMap map = classified(*slide, progress);
        stage(outputs, own, *slide, map);
        const auto written = outputs.commit();
        const std::vector<ClassShare> shares = shares_of(*slide, model_, map);
        const bool has_area = slide->facts().levels.front().geometry.known();
        if (options_.summary && !verb_.messages.json)
            print((several ? path.string() + "\n" : "") + summary_text(model_, shares, has_area));
        std::int64_t tissue = 0;
        for (const ClassShare& share : shares) tissue += share.tiles;
        say("{}: {} of tissue, {} x {} tiles in all", path.string(), counted(tissue, "tile"),
            map.grid.columns, map.grid.rows);
        if (map.devices.size() > 1) say("{}", devices_text(map.devices, "tile"));
        return report(path, map, shares, has_area, written);
    }

  private:
    TissueMap classified(const TileSource& slide, const Progress& progress) {
        TissueMapOptions mapping;
        mapping.threads = verb_.job.threads;
        if (!options_.stride.empty()) {
            const TissueGrid grid = tissue_grid(slide, model_.micrometers_per_pixel, model_.tile);
            mapping.stride = pixels_of("stride", parse_length("stride", options_.stride),
                                       slide.facts().levels.front(), 0);
            if (options_.stride.ends_with("m")) mapping.stride /= grid.step[0];
            if (!(mapping.stride >= 1 && mapping.stride <= model_.tile))
                throw InvalidArgument(
                    fmt::format("--stride is {}, which is {:.4g} pixels of the model; it must be 1 "
                                "to {}, the side of a tile",
                                options_.stride, mapping.stride, model_.tile));
        }
        Image<std::uint8_t> background, inside;
        if (options_.background == "auto") {
            background = tissue_mask(slide);
        } else if (options_.background != "none") {
            const LabelImage mask =
                io::read_labels(options_.background, read_options(verb_.memory));
            background = Image<std::uint8_t>(mask.shape());
            std::transform(mask.pixels().begin(), mask.pixels().end(), background.pixels().begin(),
                           [](std::uint32_t label) { return label != 0 ? 255 : 0; });
        }
        if (options_.background != "none") mapping.masks.push_back(&background);
        if (!options_.inside.empty()) {
            const TissueGrid grid = tissue_grid(slide, model_.micrometers_per_pixel, model_.tile);
            constexpr std::int64_t pixels_of_tile = 8;
            inside = annotation_mask(slide, io::read_geojson(options_.inside),
                                     grid.columns * pixels_of_tile, grid.rows * pixels_of_tile);
            mapping.masks.push_back(&inside);
        }
        std::vector<Queue*> queues;
        for (Queue& queue : queues_) queues.push_back(&queue);
        return classify_slide(slide, model_, queues, mapping, progress);
    }

    void stage(OutputSet& outputs, const ClassifyOptions& own, const TileSource& slide,
               const TissueMap& map) const {
        const LabelImage labels = tissue_labels(slide, map);
        outputs.stage("map", [&](const fs::path& path) {
            std::vector<io::LabelClass> classes;
            for (std::size_t c = 0; c < model_.classes.size(); ++c)
                classes.push_back({model_.classes[c], model_.colors[c]});
            io::write_labels(labels, path, {}, classes);
        });
        outputs.stage("geojson", [&](const fs::path& path) {
            io::write_geojson(tissue_polygons(slide, model_, map), path);
        });
        outputs.stage("probability", [&](const fs::path& path) {
            write_probabilities(path, model_, map, labels.geometry);
        });
        outputs.stage("overlay", [&](const fs::path& path) {
            io::write_image(tissue_overlay(slide, model_, map, own.size), path);
        });
        outputs.stage("table",
                      [&](const fs::path& path) { write_table(path, model_, map, slide); });
    }

    Json report(const fs::path& path, const TissueMap& map, const std::vector<ClassShare>& shares,
                bool has_area, const std::vector<WrittenFile>& written) const {
        Json classes = Json::array();
        for (std::size_t c = 0; c < shares.size(); ++c)
            classes.push_back({{"name", model_.classes[c]},
                               {"tiles", shares[c].tiles},
                               {"area_mm2", has_area ? Json(shares[c].area_mm2) : Json()},
                               {"percent", shares[c].percent}});
        return {{"slide", path.string()},
                {"columns", map.grid.columns},
                {"rows", map.grid.rows},
                {"classes", std::move(classes)},
                {"seconds",
                 {{"reading", map.stage_seconds_reading},
                  {"describing", map.stage_seconds_describing}}},
                {"shared", json_of(map.devices)},
                {"outputs", json_of(written)}};
    }

    const ClassifyOptions& options_;
    const SlideOptions& slide_options_;
    const TissueVerb& verb_;
    const TissueModel model_;
    std::vector<Queue> queues_;
};

// Outputs of several slides have the names of these.
void require_names_apart(const std::vector<fs::path>& slides) {
    std::map<std::string, fs::path> known;
    for (const fs::path& slide : slides) {
        const auto [first, is_new] = known.emplace(slide.stem().string(), slide);
        if (!is_new)
            throw InvalidArgument(fmt::format(
                "'{}' and '{}' have the same name, and so would their maps: run them one by one",
                first->second.string(), slide.string()));
    }
}

void require_outputs(const ClassifyOptions& options, bool json) {
    if (options.model.empty())
        throw InvalidArgument("--model is missing: name a model that 'tesela tissue train' wrote");
    for (const NamedOutput& output : named_outputs)
        if (!(options.*output.path).empty()) return;
    if (!options.summary && !json)
        throw InvalidArgument(
            "no output was named: give --map (-o), --geojson, --probability, --overlay, --table, "
            "--summary or --json");
}

}  // namespace

int run_tissue_classify(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    ClassifyOptions options;
    SlideOptions slide;
    TissueVerb verb;
    std::vector<fs::path> inputs;
    VerbParser parser("tissue classify", "Classifies the tissue of slides.");
    parser.add_inputs(inputs, "SLIDE", 1, 1 << 20, "whole slides, tiled TIFF or pictures");
    parser.add(options, "Tissue", {{"map", "-o,--output"}});
    parser.add(slide, "Slide");
    add_tissue_options(parser, verb);
    parser.add_examples(
        {"tissue classify slide.svs --model tissue.model -o map.png --overlay overlay.png",
         "tissue classify slide.svs --model tissue.model --geojson tissue.geojson --summary"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(verb.messages.quiet, verb.messages.verbose);
    require_outputs(options, verb.messages.json);
    const bool several = inputs.size() > 1;
    if (several)
        for (const NamedOutput& output : named_outputs) {
            if ((options.*output.path).empty()) continue;
            require_names_apart(inputs);
            make_result_folder({output.name, options.*output.path}, true, inputs);
        }
    Classification classification(options, slide, verb);
    ProgressReporter progress(verb.job.progress, verb.messages.quiet, token);
    Json slides = Json::array();
    std::size_t failed = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto at = [&](std::size_t k) {
            return static_cast<double>(k) / static_cast<double>(inputs.size());
        };
        try {
            slides.push_back(
                classification.run(inputs[i], several, progress.part(at(i), at(i + 1))));
        } catch (const Error& error) {
            if (!several || error.code() == ErrorCode::cancelled) throw;
            progress.finish();
            complain(inputs[i].string() + ": " + error.what());
            slides.push_back({{"slide", inputs[i].string()}, {"error", error.what()}});
            ++failed;
        }
    }
    progress.finish();
    if (verb.messages.json) {
        Json report = begin_report("tissue classify");
        report["parameters"] = parser.values();
        report["slides"] = std::move(slides);
        report["peak_host_bytes"] = peak_host_bytes();
        print(json_text(std::move(report)));
    }
    return failed > 0 ? exit_some_failed : exit_done;
}

}  // namespace tesela::cli
