#include <algorithm>
#include <array>

#include "files/output_files.h"
#include "operations/kinds/annotations.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/table.h"
#include "report.h"
#include "tesela/slide_io.h"
#include "viewer/server/job.h"

namespace tesela::viewer {
namespace {

namespace kinds = operations::kinds;

constexpr std::int64_t most_rows = 1000;

Json cell_json(const operations::Table::Cell& cell) {
    return std::visit([](const auto& value) -> Json { return value; }, cell);
}

Json table_json(const operations::Table& table) {
    Json rows = Json::array();
    for (std::int64_t row = 0; row < std::min(table.rows, most_rows); ++row) {
        Json cells = Json::array();
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            cells.push_back(cell_json(table.cell(row, column)));
        rows.push_back(std::move(cells));
    }
    return {{"columns", table.columns}, {"rows", std::move(rows)}, {"count", table.rows}};
}

bool is_written_in_boxes(const operations::Output& output) {
    return output.kind == kinds::tiles || output.kind == kinds::label_parts;
}

// The first image that was given, where the result lies on its grid.
std::optional<int> image_below(const Job& job, const Shape& shape) {
    for (const JobInput& input : job.inputs)
        for (const ImagePointer& image : input.images) {
            const Shape& own = image->pixels.shape();
            if (own.x == shape.x && own.y == shape.y && own.z == shape.z && own.t == shape.t)
                return image->role == Role::labels && image->of ? image->of : image->id;
        }
    return {};
}

Role role_of(const operations::Output& output) {
    return output.kind == kinds::labels || output.kind == kinds::mask ? Role::labels : Role::image;
}

Image image_of(const Job& job, const operations::Output& output,
               const operations::ImageValue& pixels) {
    return {.name = std::string(output.name) + " " + std::to_string(job.id) + " (" +
                    job.operation->name + ")",
            .role = role_of(output),
            .of = image_below(job, pixels.shape()),
            .pixels = pixels,
            .separate_channels = output.kind.pixels == PixelType::f32,
            .recipe = {},
            .view = job.view,
            .job = job.id};
}

void keep(const Job& job, const operations::Output& output, const std::string& file,
          const operations::Values& values, Images& images, JobOutcome& outcome) {
    const std::string name(output.name);
    if (const auto* pixels = values.find<operations::ImageValue>(name)) {
        Image image = image_of(job, output, *pixels);
        image.recipe = {outcome.commands, outcome.python, file, python_output(job.id, name)};
        outcome.outputs[name] = images.add_result(std::move(image));
    } else if (const auto* table = values.find<operations::Table>(name)) {
        outcome.tables[name] = table_json(*table);
    } else if (const auto* outlines = values.find<operations::Outlines>(name)) {
        outcome.tables[name] = table_json(outlines->table);
    }
}

void keep_files(const Job& job, const std::vector<MadeFile>& files, Images& images,
                JobOutcome& outcome) {
    for (const MadeFile& file : files) {
        const operations::Output& output = *job.operation->output(file.output);
        outcome.outputs[file.output] =
            images.add_made(file.path, role_of(output), job.inputs.front().images.front()->id);
        outcome.warnings.push_back("the result is the file '" + file.path.filename().string() +
                                   "' in the folder of --save-to");
        outcome.python.clear();  // there the slide would be read as a whole
    }
}

}  // namespace

bool writes_files(const Job& job) {
    return job.goes_in_boxes() && std::any_of(job.form().outputs.begin(), job.form().outputs.end(),
                                              [&](const operations::Output& output) {
                                                  return is_written_in_boxes(output) &&
                                                         job.wanted.contains(output.name);
                                              });
}

std::vector<MadeFile> files_of_boxes(const Job& job, const std::filesystem::path& folder,
                                     operations::Values& parts) {
    std::vector<MadeFile> files;
    for (const operations::Output& output : job.form().outputs) {
        if (!is_written_in_boxes(output) || !job.wanted.contains(output.name)) continue;
        const std::string name = std::string(output.name) + "-" + std::to_string(job.id);
        std::filesystem::path path = folder / (name + ".ome.tif");
        for (int n = 2; std::filesystem::exists(path); ++n)
            path = folder / (name + "-" + std::to_string(n) + ".ome.tif");
        files::output_kind(output.kind).open(parts, output.name, path);
        files.push_back({std::string(output.name), path, files::side_files(output, path)});
    }
    return files;
}

RecipeCall recipe_of(const Job& job, const std::string& device) {
    RecipeCall call{
        .operation = *job.operation, .options = job.options, .device = device, .number = job.id};
    for (const JobInput& input : job.inputs) {
        GivenInput given{.text = input.text};
        for (const ImagePointer& image : input.images) given.images.push_back(&image->recipe);
        call.inputs.emplace_back(input.name, std::move(given));
    }
    return call;
}

JobOutcome take_results(const Job& job, operations::Results results,
                        const std::vector<MadeFile>& files, const std::string& device,
                        Images& images) {
    RecipeCall call = recipe_of(job, device);
    std::vector<const operations::Output*> made;
    for (const operations::Output& output : job.operation->outputs) {
        if (!results.outputs.has(output.name) || !job.wanted.contains(output.name)) continue;
        made.push_back(&output);
        call.outputs.emplace_back(output.name, file_name(output, results.outputs, job.id));
    }
    for (const MadeFile& file : files)
        call.outputs.emplace_back(file.output, file.path.filename().string());
    JobOutcome outcome{.summary = std::move(results.summary),
                       .text = std::move(results.text.empty() ? results.data : results.text),
                       .failure = std::move(results.failure),
                       .figures = cli::json_of(results.figures),
                       .warnings = std::move(results.warnings),
                       .commands = command_lines(call),
                       .python = python_lines(call)};
    try {
        keep_files(job, files, images, outcome);
        for (std::size_t i = 0; i < made.size(); ++i)
            keep(job, *made[i], call.outputs[i].second, results.outputs, images, outcome);
    } catch (...) {
        for (const auto& [name, id] : outcome.outputs) images.forget(id);
        throw;
    }
    return outcome;
}

Json json_of(const Job& job) {
    constexpr std::array<const char*, 5> states{"waiting", "running", "done", "failed", "canceled"};
    const auto lines = [](const std::vector<std::string>& all) {
        std::string text;
        for (const std::string& line : all) text += (text.empty() ? "" : "\n") + line;
        return text;
    };
    return {{"job", job.id},
            {"operation", job.operation->name},
            {"view", job.view},
            {"state", states[static_cast<std::size_t>(job.state)]},
            {"stage", job.stage},
            {"fraction", job.fraction},
            {"error", job.error.empty() ? Json() : Json(job.error)},
            {"field", job.field.empty() ? Json() : Json(job.field)},
            {"outputs", job.outcome.outputs},
            {"tables", job.outcome.tables},
            {"summary", job.outcome.summary},
            {"figures", job.outcome.figures},
            {"text", job.outcome.text},
            {"warnings", job.outcome.warnings},
            {"seconds", job.seconds},
            {"command", lines(job.outcome.commands)},
            {"python", lines(job.outcome.python)}};
}

}  // namespace tesela::viewer
