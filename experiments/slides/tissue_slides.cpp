// The thesis's experiment on whole slides: E10. Copies of a synthetic section stand in for its
// three slides; none of their tiles is background.
#include <algorithm>
#include <cmath>
#include <span>

#include "core/temporary_folder.h"
#include "experiments/slides/laboratory.h"
#include "tesela/slide_io.h"
#include "tesela/synthetic_slide.h"
#include "tesela/tissue_slides.h"

namespace tesela::experiments {
namespace {

namespace fs = std::filesystem;

struct Way {
    std::string_view name, features;
    ClassifierKind classifier;
};
constexpr std::array ways{Way{"thesis", "thesis", ClassifierKind::knn},
                          Way{"default", "default", ClassifierKind::svm}};

// Taught the tissues of the section, for tiles of `side` pixels.
TissueModel trained(const SyntheticSection& section, const fs::path& slide_path, const Way& way,
                    int side, Queue& queue) {
    constexpr int training_tile = 128;
    const auto slide = io::open_slide(slide_path);
    Annotations tissues;
    tissues.list = section.tissues;
    TissueModel model;
    model.features = way.features;
    TissueSamples samples;
    add_annotated_tiles(*slide, tissues, "section", tissue_grid(*slide, 0, training_tile), {},
                        FeatureSet(model.features), queue, samples);
    model.classes = samples.classes;
    model.colors.resize(model.classes.size());
    model.classifier = train_classifier(samples, {.classifier = way.classifier});
    model.tile = side;
    return model;
}

struct Measured {
    TissueMap map;
    double seconds = 0;

    double overlap() const { return seconds / slowest_stage_seconds(map); }
    double milliseconds_of_tile() const {
        return 1e3 * seconds / static_cast<double>(map.grid.cells());
    }
};

// From the file, whose bytes the system holds and whose tiles nobody does. A GPU has two queues, so
// that it computes while the other one's results are read.
Measured classified(const SlideLaboratory& laboratory, std::size_t device, const TissueModel& model,
                    const fs::path& path) {
    TileCache::global().set_capacity(0);
    TileCache::global().set_capacity(TileCache::default_capacity);
    const auto slide = io::open_slide(path);
    const Device& on = laboratory.device(device);
    const QueueOptions options{.threads = laboratory.threads()};
    Queue first(on, options), second(on, options);
    std::vector<Queue*> queues{&first};
    if (on.properties().is_gpu) queues.push_back(&second);
    Measured measured;
    const auto started = std::chrono::steady_clock::now();
    measured.map = classify_slide(*slide, model, queues, {.threads = laboratory.threads()},
                                  laboratory.progress());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
    measured.seconds = taken.count();
    return measured;
}

std::string joined(const std::vector<double>& values) {
    std::string text;
    for (const double value : values)
        text += fmt::format("{}{:.3g}", text.empty() ? "" : ", ", value);
    return text;
}

void tell(SlideLaboratory& laboratory, const std::string& who, const std::vector<double>& overlaps,
          const std::vector<double>& of_tile) {
    const auto [least, most] = std::minmax_element(of_tile.begin(), of_tile.end());
    double mean = 0;
    for (const double value : of_tile) mean += value / static_cast<double>(of_tile.size());
    laboratory.find({"F29", "three slides by the slowest stage, " + who, "-", joined(overlaps),
                     std::ranges::max(overlaps) <= 1.15});
    laboratory.find({"F33", "milliseconds a tile of three slides, " + who, "linear",
                     joined(of_tile), *most <= 1.1 * mean && *least >= 0.9 * mean});
}

}  // namespace

void run_slides(SlideLaboratory& laboratory) {
    const detail::TemporaryFolder folder(laboratory.path_of("E10.csv"));
    const fs::path path = folder.path() / "slide.ome.tif";
    const int tile = laboratory.tile_side();
    const std::int64_t side = 4 * tile;
    const SyntheticSection section = synthetic_section(side);
    const auto write = [&](double width, double height) {
        io::write_repeated_slide(section.picture, std::lround(width), std::lround(height), path,
                                 {.tile = tile});
    };
    Table table({"device", "features", "slide", "tiles", "thesis_tiles", "seconds", "read", "count",
                 "describe", "seconds_by_slowest", "milliseconds_a_tile", "thesis_one_thread",
                 "thesis_cuda"});
    for (std::size_t device = 0; device < laboratory.device_count(); ++device)
        for (const Way& way : std::span(ways).first(laboratory.quick() ? 1 : ways.size())) {
            write(static_cast<double>(side), static_cast<double>(side));
            const TissueModel model = trained(section, path, way, tile, laboratory.queue(device));
            const std::string id = laboratory.device(device).id();
            std::vector<double> overlaps, of_tile;
            for (const PrintedSlide& printed : printed_slides) {
                write(laboratory.scale() * printed.width, laboratory.scale() * printed.height);
                const Measured found = classified(laboratory, device, model, path);
                overlaps.push_back(found.overlap());
                of_tile.push_back(found.milliseconds_of_tile());
                table.add({id, std::string(way.name), std::string(printed.name),
                           std::to_string(found.map.grid.cells()), std::to_string(printed.tiles),
                           cell(found.seconds), cell(found.map.stages[0].busy_seconds),
                           cell(found.map.devices[0].busy_seconds),
                           cell(found.map.stages[2].busy_seconds), cell(overlaps.back()),
                           cell(of_tile.back()), cell(printed.one_thread), cell(printed.cuda)});
                say("{}, {}: {} tiles in {:.2f} s", id, printed.name, found.map.grid.cells(),
                    found.seconds);
            }
            tell(laboratory, fmt::format("{} features, on {}", way.name, id), overlaps, of_tile);
        }
    laboratory.write("E10.csv", table);
}

}  // namespace tesela::experiments
