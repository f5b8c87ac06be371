// texture glcm, lbp, thesis texture
#include <memory>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "operations/registry.h"
#include "tesela/glcm.h"
#include "tesela/lbp.h"
#include "tesela/texture_thesis.h"
#include "tesela/tile_features.h"

namespace tesela::operations {
namespace {

constexpr Input mask_input{"mask", kinds::mask, "ignore pixels where this picture is 0", false};
const Input picture_input{
    .name = "input", .kind = kinds::image, .help = "picture, gray or 8-bit colors", .axes = 2};

std::optional<AnyImageView> mask_of(const Call& call) { return call.inputs.find_view("mask"); }

// A row for each matrix: what it is of, then `columns` of it.
template <class Value>
Table table_of(const std::shared_ptr<const GlcmResult>& result, std::vector<std::string> columns,
               const Value& value) {
    const auto rows = static_cast<std::int64_t>(result->matrices.size());
    columns.insert(columns.begin(), {"channel", "distance", "angle"});
    return {std::move(columns), rows,
            [result, value](std::int64_t row, std::size_t column) -> Table::Cell {
                const auto matrix = static_cast<std::size_t>(row);
                const std::size_t pairs = result->pairs.size();
                if (column == 0) return result->channels[matrix / pairs];
                if (column == 1) return result->pairs[matrix % pairs].distance;
                if (column == 2) return result->pairs[matrix % pairs].angle;
                return value(matrix, column - 3);
            }};
}

Table descriptor_table(const std::shared_ptr<const GlcmResult>& result) {
    std::vector<Descriptors> rows;
    for (const CooccurrenceMatrix& matrix : result->matrices)
        rows.push_back(descriptors_of(matrix));
    return table_of(result, {descriptor_names.begin(), descriptor_names.end()},
                    [rows](std::size_t row, std::size_t column) { return rows[row][column]; });
}

Table matrix_table(const std::shared_ptr<const GlcmResult>& result, int levels) {
    std::vector<std::string> columns;
    for (int i = 0; i < levels; ++i)
        for (int j = 0; j < levels; ++j)
            columns.push_back(std::to_string(i) + "-" + std::to_string(j));
    return table_of(result, std::move(columns), [result](std::size_t row, std::size_t column) {
        return result->matrices[row].counts[column];
    });
}

Results run_glcm(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<GlcmOptions>();
    const auto result =
        std::make_shared<GlcmResult>(glcm(call.image(), mask_of(call), options, queue, progress));
    Results results;
    results.summary = counted(static_cast<std::int64_t>(result->channels.size()), "channel") +
                      ", " + counted(static_cast<std::int64_t>(result->pairs.size()), "offset") +
                      ", " + std::to_string(options.levels) + " levels";
    Figures channels;
    for (std::size_t c = 0; c < result->channels.size(); ++c) {
        Figures means;
        for (std::size_t d = 0; d < descriptor_names.size(); ++d) {
            double sum = 0;
            for (std::size_t k = 0; k < result->pairs.size(); ++k)
                sum += descriptors_of(result->matrices[c * result->pairs.size() + k])[d];
            means.push_back({std::string(descriptor_names[d]),
                             sum / static_cast<double>(result->pairs.size())});
        }
        channels.push_back({result->channels[c], std::move(means)});
    }
    results.figures = {{"mean_over_offsets", std::move(channels)}};
    results.stages = result->stages;
    results.warnings = result->warnings;
    if (call.wants("features")) results.outputs.set("features", descriptor_table(result));
    if (call.wants("matrices"))
        results.outputs.set("matrices", matrix_table(result, options.levels));
    return results;
}

Memory glcm_memory(const Call& call, const Device&) {
    const auto& options = call.options.as<GlcmOptions>();
    const std::int64_t device = glcm_device_bytes(call.image(), options);
    return {.device = device, .held = device / 2};
}

Results run_lbp(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<LbpOptions>();
    LbpResult result = lbp(call.image(), mask_of(call), options, queue, progress);
    Results results;
    std::int64_t pixels = 0;
    for (const std::int64_t count : result.histogram) pixels += count;
    results.summary =
        counted(pixels, "pixel") + " with " + std::to_string(result.histogram.size()) + " codes";
    results.figures = {{"pixels", pixels}, {"histogram", result.histogram}};
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    if (call.wants("codes")) results.outputs.set("codes", AnyImage(std::move(result.codes)));
    if (call.wants("histogram"))
        results.outputs.set(
            "histogram", Table{{"code", "count"},
                               static_cast<std::int64_t>(result.histogram.size()),
                               [histogram = result.histogram](std::int64_t row,
                                                              std::size_t column) -> Table::Cell {
                                   return column == 0 ? row
                                                      : histogram[static_cast<std::size_t>(row)];
                               }});
    return results;
}

Results run_thesis(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<ThesisTextureOptions>();
    ThesisTextureResult found = texture_thesis(call.image(), options, queue, progress);
    Results results;
    results.summary = counted(std::ssize(found.features), "feature") + " of the thesis, " +
                      std::to_string(options.levels) + " levels, " + counted(found.passes, "pass") +
                      " for the matrices";
    results.figures = {{"features", found.features}, {"passes", found.passes}};
    results.stages = std::move(found.stages);
    const auto matrices = std::make_shared<GlcmResult>();
    matrices->channels = {"L", "a", "b"};
    matrices->pairs = {{1, 0, {1, 0}}};
    matrices->matrices.assign(found.matrices.begin(), found.matrices.end());
    results.outputs.set("matrices", matrix_table(matrices, options.levels));
    if (call.wants("codes")) results.outputs.set("codes", AnyImage(std::move(found.codes)));
    const FeatureSet set("thesis-" + std::to_string(options.levels));
    results.outputs.set("features", Table{{"feature", "value"},
                                          std::ssize(found.features),
                                          [names = set.names(), values = std::move(found.features)](
                                              std::int64_t row, std::size_t column) -> Table::Cell {
                                              const auto k = static_cast<std::size_t>(row);
                                              if (column == 0) return names[k];
                                              return values[k];
                                          }});
    return results;
}

}  // namespace

void add_thesis_texture(Registry& registry) {
    registry.add(Operation{
        .name = "thesis texture",
        .purpose = "texture as the thesis behind tissue classification",
        .sentence = "Computes the thirteen texture features of a tile by four stages, as in A. "
                    "Ruiz Sanchez's thesis of 2015.",
        .examples = {"thesis texture tile.png -o features.csv",
                     "thesis texture tile.png --matrix predicate --levels 8 --matrices m.csv "
                     "--json"},
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "8-bit picture, gray or in colors",
                    .axes = 2}},
        .outputs = {{.name = "features",
                     .kind = kinds::table,
                     .help = "CSV or JSON: the features",
                     .always = true},
                    {.name = "matrices", .kind = kinds::table, .help = "CSV: counts, row by row"},
                    {.name = "codes",
                     .kind = kinds::image,
                     .help = "pattern of each pixel, without the border",
                     .pixels = mask_pixels}},
        .options = Options::of(ThesisTextureOptions{}),
        .run = run_thesis,
        .memory = [](const Call& call, const Device&) {
            const Shape& shape = call.image().shape();
            return Memory{
                .device = texture_thesis_bytes(shape, call.options.as<ThesisTextureOptions>()),
                .computing = 20 * shape.points()};
        }});
}

void add_texture(Registry& registry) {
    registry.add(Family{.name = "texture",
                        .purpose = "measure texture: co-occurrence, local binary patterns",
                        .sentence = "Measures texture.",
                        .task = tasks::texture});
    registry.add(Operation{
        .name = "texture glcm",
        .purpose = "co-occurrence matrices and Haralick's descriptors",
        .sentence = "Computes gray-level co-occurrence matrices and Haralick's descriptors.",
        .examples = {"texture glcm tile.png -o features.csv",
                     "texture glcm tile.png -o features.csv --mask nuclei.png --distances 1,3"},
        .inputs = {picture_input},
        .named = {mask_input},
        .outputs = {{.name = "features",
                     .kind = kinds::table,
                     .help = "CSV: descriptors by channel, distance and angle"},
                    {.name = "matrices", .kind = kinds::table, .help = "CSV: counts, row by row"}},
        .options = Options::of(GlcmOptions{}),
        .run = run_glcm,
        .memory = glcm_memory});
    registry.add(Operation{
        .name = "texture lbp",
        .purpose = "local binary patterns and their histogram",
        .sentence = "Computes local binary patterns and their histogram.",
        .examples = {"texture lbp tile.png -o codes.png --histogram codes.csv",
                     "texture lbp tile.png --histogram codes.csv --points 16 --radius 2"},
        .inputs = {picture_input},
        .named = {mask_input},
        .outputs = {{.name = "codes",
                     .kind = kinds::image,
                     .help = "code of each pixel, without the border",
                     .pixels = mask_pixels},
                    {.name = "histogram", .kind = kinds::table, .help = "CSV: count of each code"}},
        .options = Options::of(LbpOptions{}),
        .run = run_lbp,
        .memory = [](const Call& call, const Device&) {
            return Memory{.device = lbp_device_bytes(call.image())};
        }});
}

}  // namespace tesela::operations
