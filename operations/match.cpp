#include <memory>

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "operations/registry.h"
#include "tesela/match_template.h"

namespace tesela::operations {
namespace {

Table table_of(const std::vector<MatchPeak>& found) {
    const auto peaks = std::make_shared<const std::vector<MatchPeak>>(found);
    return {{"x", "y", "score"},
            static_cast<std::int64_t>(peaks->size()),
            [peaks](std::int64_t row, std::size_t column) -> Table::Cell {
                const MatchPeak& peak = (*peaks)[static_cast<std::size_t>(row)];
                return column == 0 ? peak.x : column == 1 ? peak.y : peak.score;
            }};
}

// Of MatchResult and DeviceMatchResult.
template <class Result>
Results results_of(const Call& call, Result result) {
    Results results;
    std::vector<Figures> records;
    for (const MatchPeak& peak : result.peaks) {
        records.push_back({{"x", peak.x}, {"y", peak.y}, {"score", peak.score}});
        results.text += printed("x %.3f, y %.3f: score %.4f\n", peak.x, peak.y, peak.score);
    }
    const MatchPeak& best = result.peaks.front();
    results.summary =
        printed("template: best score %.4f at x %.3f, y %.3f", best.score, best.x, best.y);
    results.figures = {{"best_score", best.score}, {"best_x", best.x}, {"best_y", best.y}};
    results.details = {{"peaks", std::move(records)}};
    results.warnings = std::move(result.warnings);
    if (call.wants("peaks")) results.outputs.set("peaks", table_of(result.peaks));
    results.outputs.set("scores", std::move(result.scores));
    return results;
}

Results run_match(const Call& call, Queue& queue, const Progress& progress) {
    return results_of(call, match_template(call.inputs.view("template"), call.image(),
                                           call.options.as<MatchOptions>(), queue, progress));
}

DeviceLevel match_level() {
    DeviceLevel level =
        device_level([]<class T>(const DeviceImage<const T>& image, const Call& call, Queue& queue,
                                 const Progress& progress) {
            const auto& pattern = call.inputs.image("template").resident_of<T>();
            return results_of(call, match_template(pattern, image, call.options.as<MatchOptions>(),
                                                   queue, progress));
        });
    level.one_type = level.needs_f64 = true;
    return level;
}

}  // namespace

void add_match(Registry& registry) {
    registry.add(Operation{
        .name = "match",
        .purpose = "where a picture occurs in another, by cross-correlation",
        .sentence = "Finds a template in a picture by normalized cross-correlation, with subpixel "
                    "accuracy.",
        .task = tasks::registration,
        .examples = {"match vessel.png section.png -o scores.tif",
                     "match star.png sky.png -o scores.tif --best 20 --peaks stars.csv"},
        .inputs = {{.name = "template",
                    .kind = kinds::image,
                    .help = "template, a small picture",
                    .axes = 2},
                   {.name = "input",
                    .kind = kinds::image,
                    .help = "picture to search",
                    .own_grid = true,
                    .axes = 2}},
        .outputs = {{.name = "scores",
                     .kind = kinds::image,
                     .help = "scores from -1 to 1 at the template's upper left corner",
                     .pixels = [](const AnyImageView&) { return PixelFormat{PixelType::f32}; },
                     .always = true},
                    {.name = "peaks",
                     .kind = kinds::table,
                     .help = "CSV: x, y and score of the best"}},
        .options = Options::of(MatchOptions{}),
        .run = run_match,
        .memory =
            [](const Call& call, const Device& device) {
                const Shape& image = call.image().shape();
                const auto& pattern = call.inputs.view("template").shape();
                return Memory{.device = match_device_bytes(pattern, image, device),
                              .computing = 6 * (image.points() + pattern.points())};
            },
        .device = {.level = match_level()}});
}

}  // namespace tesela::operations
