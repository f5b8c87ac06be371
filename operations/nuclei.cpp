#include "tesela/nuclei.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "operations/regions.h"
#include "operations/registry.h"
#include "tesela/measure.h"

namespace tesela::operations {
namespace {

constexpr std::array<std::string_view, 4> level_names{"negative", "weak", "moderate", "strong"};

bool is_listed(const MeasureColumn& column) {
    constexpr std::array<std::string_view, 9> properties{
        "label",        "area",        "equivalent_diameter_area", "touches_border", "centroid",
        "eccentricity", "circularity", "intensity_mean",           "intensity_std"};
    return std::find(properties.begin(), properties.end(), column.property) != properties.end();
}

// What rows are made of.
struct Counted {
    Measurements measurements;
    std::optional<Positivity> positivity;
    std::vector<std::int64_t> cell_areas;  // where there are cells
};

Table table_of(const std::shared_ptr<const Counted>& counted) {
    using Column = std::function<Table::Cell(std::size_t)>;
    Table table{.columns = {}, .rows = std::ssize(counted->measurements.objects), .cell = {}};
    std::vector<Column> columns;
    const auto add = [&](const std::string& name, Column column) {
        table.columns.push_back(name);
        columns.push_back(std::move(column));
    };
    for (const MeasureColumn& column : measure_columns(counted->measurements))
        if (is_listed(column))
            add(column.name, [value = column.value](std::size_t n) {
                return std::visit([](auto number) -> Table::Cell { return number; }, value(n));
            });
    if (!counted->cell_areas.empty())
        add("cell_area", [counted](std::size_t n) { return counted->cell_areas[n]; });
    if (counted->positivity) {
        add("dab_mean", [counted](std::size_t n) { return counted->positivity->density[n]; });
        add("dab_level", [counted](std::size_t n) {
            return std::string(
                level_names[static_cast<std::size_t>(counted->positivity->level[n])]);
        });
    }
    table.cell = [counted, columns = std::move(columns)](std::int64_t row, std::size_t column) {
        return columns[column](static_cast<std::size_t>(row));
    };
    return table;
}

std::string stain_text(const NucleiResult& found) {
    if (found.stain == NucleusStain::dapi) return "bright on a dark ground (dapi)";
    return found.section == StainSet::he ? "hematoxylin, with eosin" : "hematoxylin, with DAB";
}

std::string summary_of(const Call& call, const NucleiResult& found) {
    const bool is_given = call.options.as<NucleiOptions>().diameter.has_value();
    std::string text = found.count == 1 ? "1 nucleus" : printed("%u nuclei", found.count);
    text += printed(": %s; diameter %.3g pixels", stain_text(found).c_str(), found.diameter);
    if (call.image().geometry().known()) {
        const auto spacing = call.image().geometry().spacing_mm();
        text += printed(" (%.3g um)", 1000 * found.diameter * std::sqrt(spacing[0] * spacing[1]));
    }
    text += is_given ? ", as given" : ", estimated";
    if (found.positivity)
        text += printed("; %.1f %% positive for DAB, H-score %.0f", 100 * found.positivity->share,
                        found.positivity->h_score);
    return text;
}

Figures figures_of(const NucleiResult& found) {
    Figures figures{{"nucleus_count", std::int64_t{found.count}},
                    {"stain", std::string(enum_name(found.stain))}};
    if (found.section) figures.push_back({"section", std::string(enum_name(*found.section))});
    if (!found.positivity) return figures;
    const Positivity& positivity = *found.positivity;
    figures.push_back({"positive_share", positivity.share});
    figures.push_back({"h_score", positivity.h_score});
    for (std::size_t level = 0; level < level_names.size(); ++level)
        figures.push_back({std::string(level_names[level]) + "_count", positivity.counts[level]});
    return figures;
}

std::vector<std::int64_t> areas_of(const LabelImage& labels, std::uint32_t count) {
    std::vector<std::int64_t> areas(count);
    for (const std::uint32_t label : labels.pixels())
        if (label > 0) ++areas[label - 1];
    return areas;
}

Table measured_table(const NucleiResult& found, Queue& queue, const Progress& progress) {
    Counted counted{.measurements = {}, .positivity = found.positivity, .cell_areas = {}};
    const std::vector<AnyImageView> images{found.channel};
    counted.measurements =
        measure(found.nuclei, images, {.hulls = false, .percentiles = false}, queue, progress);
    if (found.cells.shape().points() == found.nuclei.shape().points())
        counted.cell_areas = areas_of(found.cells, found.count);
    return table_of(std::make_shared<const Counted>(std::move(counted)));
}

Results run_nuclei(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<NucleiOptions>();
    NucleiResult found = find_nuclei(call.image(), options, queue, progress.part(0, 0.9));
    Results results;
    results.summary = summary_of(call, found);
    results.figures = figures_of(found);
    results.used = {{"diameter", Length(found.diameter)}};
    results.warnings = std::move(found.warnings);
    if (call.wants("table"))
        results.outputs.set("table", measured_table(found, queue, progress.part(0.9, 1)));
    if (call.wants("cells"))
        results.outputs.set("cells", options.expand ? std::move(found.cells) : found.nuclei);
    results.outputs.set("labels", std::move(found.nuclei));
    return results;
}

Memory nuclei_memory(const Call& call, const Device& device) {
    const std::int64_t points = call.shape().points();
    constexpr std::int64_t word = 4;
    return {.device = find_nuclei_device_bytes(call.image(), device),
            .held = 3 * word * points,        // labels, cells, the channel
            .computing = 6 * word * points};  // amounts of stains, smoothed channels, masks
}

}  // namespace

void add_nuclei(Registry& registry) {
    Output labels = labels_output();
    labels.help = "label map of the nuclei";
    registry.add(Operation{
        .name = "nuclei",
        .purpose = "find, count and measure cell nuclei",
        .sentence = "Finds, counts and measures cell nuclei in fluorescence or stained sections.",
        .task = tasks::segment,
        .examples = {"nuclei dapi.tif -o nuclei.tif --table nuclei.csv",
                     "nuclei ihc.png -o nuclei.png --overlay outlines.png --positive dab"},
        .inputs =
            {{.name = "input", .kind = kinds::image, .help = "gray or RGB picture", .axes = 2}},
        .outputs = {std::move(labels),
                    {.name = "cells",
                     .kind = kinds::labels,
                     .help = "label map of the cells: nuclei grown by --expand"},
                    {.name = "table",
                     .kind = kinds::table,
                     .help = "CSV or JSON: a row for each nucleus"}},
        .options = Options::of(NucleiOptions{}),
        .run = run_nuclei,
        .memory = nuclei_memory});
}

}  // namespace tesela::operations
