#include "operation_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "convert.h"
#include "messages.h"
#include "option_binder.h"
#include "tesela/overlay.h"
#include "tesela/seeds.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Operation;

// Pictures that any label map can be shown by.
constexpr std::string_view overlay = "overlay", random_colors = "random-colors";

bool is_picture(operations::Kind kind) { return kind == kinds::image || kind == kinds::mask; }

// A text for each kind of value, null where there is none.
Json json_of_figures(const operations::Figures& figures);

struct FigureJson {
    Json operator()(std::monostate) const { return {}; }
    Json operator()(const operations::Figures& record) const { return json_of_figures(record); }
    Json operator()(const std::vector<operations::Figures>& records) const {
        Json list = Json::array();
        for (const operations::Figures& record : records) list.push_back(json_of_figures(record));
        return list;
    }
    template <class T>
    Json operator()(const T& value) const {
        return value;
    }
};

Json json_of_figures(const operations::Figures& figures) {
    Json json = Json::object();
    for (const operations::Figure& figure : figures)
        json[figure.name] = std::visit(FigureJson{}, figure.value);
    return json;
}

void write_table(const operations::Table& table, const fs::path& path) {
    std::ofstream out(path, std::ios::binary);
    fmt::memory_buffer text;
    const auto flush = [&] {
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        text.clear();
    };
    fmt::format_to(std::back_inserter(text), "{}\n", fmt::join(table.columns, ","));
    for (std::int64_t row = 0; row < table.rows; ++row) {
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            std::visit(
                [&](auto value) {
                    fmt::format_to(std::back_inserter(text), "{}{}", column > 0 ? "," : "", value);
                },
                table.cell(row, column));
        text.push_back('\n');
        if (text.size() >= (1 << 20)) flush();
    }
    flush();
    out.close();
    if (!out) throw UnwritableOutput("cannot write '" + path.string() + "': is the disk full?");
}

Json description_of(const Operation& operation) {
    Json outputs = Json::array();
    for (const operations::Output& output : operation.outputs)
        outputs.push_back({{"name", output.name}, {"kind", output.kind}, {"help", output.help}});
    return {{"outputs", outputs}, {"examples", operation.examples}};
}

const operations::Input* seeds_input(const Operation& operation) {
    for (const operations::Input& input : operation.inputs)
        if (input.kind == kinds::seeds) return &input;
    return nullptr;
}

}  // namespace

const OutputFile* OutputFiles::find(std::string_view name) const {
    for (const OutputFile& file : files)
        if (file.name == name) return &file;
    return nullptr;
}

OperationSettings::OperationSettings(const Operation& operation)
    : options(operation.options), named(operation) {
    if (const operations::Input* input = seeds_input(operation)) {
        seeds.name = input->name;
        seeds.help = input->help;
    }
    bool has_labels = false;
    for (const operations::Output& output : operation.outputs) {
        files.files.push_back({std::string(output.name), std::string(output.help), {}});
        if (output.convertible) files.files.back().type_name = files.files.back().name + "-type";
        has_labels |= output.kind == kinds::labels;
    }
    if (!has_labels) return;
    files.files.push_back(
        {std::string(overlay), "picture of the region boundaries on the input", {}});
    files.files.push_back(
        {std::string(random_colors), "picture of the regions in random colors", {}});
}

void add_options(VerbParser& parser, const Operation& operation, OperationSettings& settings) {
    parser.add_inputs(settings.inputs, "INPUT", 1, 1, std::string(operation.inputs.front().help));
    parser.add(settings.files, "Outputs", {{settings.files.files.front().name, "-o,--output"}});
    if (const operations::Input* seeds = seeds_input(operation)) {
        Aliases aliases;
        if (!seeds->alias.empty()) aliases.emplace(seeds->name, "--" + std::string(seeds->alias));
        parser.add(settings.seeds, "Options", aliases);
        parser.add(settings.geometry, "Options");
    }
    if (operation.has_snapshots) parser.add(settings.snapshots, "Snapshots");
    if (!operation.named.empty()) parser.add(settings.named, "Further inputs");
    parser.add(settings.options, "Options");
    add_job_options(parser, settings, "Input");
    parser.add_examples(operation.examples);
    std::vector<std::string> basic(operation.basic.begin(), operation.basic.end());
    if (const operations::Input* seeds = seeds_input(operation); seeds && !basic.empty())
        basic.emplace_back(seeds->name);
    parser.show_first("Options", basic);
    parser.add_to_description(description_of(operation));
}

void find_seed_file(const Operation& operation, OperationSettings& settings) {
    const std::string& text = settings.seeds.seeds;
    if (!seeds_input(operation) || parse_seeds(text)) return;
    if (std::error_code error; !fs::exists(text, error))
        throw UnreadableInput(
            "--seeds: '" + text +
            "' is neither auto, grid, grid:SPACING, points 'x,y;...', boxes "
            "'box:x0,y0,x1,y1;...' nor balls 'ball:x,y,r;...', and there is no file of this name");
    settings.inputs.emplace_back(text);
}

OperationJob::OperationJob(const Operation& operation, const OperationSettings& settings,
                           Json parameters, const CancelToken& token)
    : ImageJob(operation.name, settings, std::move(parameters), token),
      operation_(operation),
      options_(settings) {
    for (const OutputFile& file : settings.files.files) {
        const operations::Output* output = output_of(file);
        if (output && output->kind == kinds::labels && !file.path.empty())
            outputs_.add(file.name, file.path, {io::labels_side_file(file.path)});
        else
            outputs_.add(file.name, file.path);
    }
    // With no file at all the report counts the regions.
    for (const operations::Output& output : operation.outputs)
        if (outputs_.has(std::string(output.name)) ||
            (output.kind == kinds::labels &&
             (outputs_.empty() || outputs_.has("overlay") || outputs_.has("random-colors"))))
            wanted_.emplace(output.name);
}

const operations::Output* OperationJob::output_of(const OutputFile& file) const {
    for (const operations::Output& output : operation_.outputs)
        if (output.name == file.name) return &output;
    return nullptr;
}

Device::Choice OperationJob::choose_device() const {
    return operation_.choose_device
               ? operation_.choose_device(options_.options, settings_.job.device)
               : ImageJob::choose_device();
}

void OperationJob::read_more() {
    inputs_.refer(operation_.inputs.front().name, input_.image);
    if (seeds_input(operation_)) read_seeds();
    set_named_inputs(
        options_.named,
        [&](const fs::path& path, bool labels) { return read_fitted(path, labels); }, inputs_);
}

void OperationJob::read_seeds() {
    const std::string_view name = seeds_input(operation_)->name;
    if (settings_.inputs.size() == 1) {
        inputs_.set(name, *parse_seeds(options_.seeds.seeds));
        return;
    }
    inputs_.set(name, Seeds(std::get<LabelImage>(read_fitted(settings_.inputs[1], true))));
}

// A label map, or another image, on the grid of the input.
AnyImage OperationJob::read_fitted(const fs::path& path, bool is_labels) {
    const io::ReadOptions options =
        read_options(settings_.memory, bytes_of(input_.image) + seed_image_bytes_);
    AnyImage labels =
        is_labels ? AnyImage(io::read_labels(path, options)) : io::read_image(path, options).image;
    // --spacing corrects both files, but puts none into space that is not there by itself.
    PlacedFile first{settings_.input(), grid_of(input_.image)};
    if (!input_has_geometry_) first.grid.geometry = {};
    if (geometry_of(labels).known()) apply_spacing(settings_.spacing.spacing, labels);
    std::vector<std::string> warnings;
    AnyImage fitted = fit_to(first, path, std::move(labels), options_.geometry, warnings);
    add_warnings(warnings);
    seed_image_bytes_ += bytes_of(fitted);
    return fitted;
}

void OperationJob::compute(Queue& queue, const Progress& progress) {
    operations::Call asked = call();
    check(operation_, asked);
    if (!options_.snapshots.snapshots.empty()) {
        make_result_folder({"snapshots", options_.snapshots.snapshots}, settings_.job.force,
                           settings_.inputs);
        asked.snapshot_every = options_.snapshots.every;
        asked.snapshot = [&](std::int64_t step, const LabelImage& labels) {
            write_snapshot(step, labels);
        };
    }
    results_ = operation_.run(asked, queue, progress);
    add_warnings(results_.warnings);
    convert_outputs();
}

// These stay, however the job ends.
void OperationJob::write_snapshot(std::int64_t step, const LabelImage& labels) const {
    const std::string name = fmt::format("{:06}", step);
    const fs::path& folder = options_.snapshots.snapshots;
    const bool volume = labels.shape().z > 1;
    constexpr io::WriteOptions replace{.overwrite = true};
    io::write_labels(labels, folder / ("labels" + name + (volume ? ".nii.gz" : ".png")), replace);
    io::write_image(boundary_overlay(input_.image, labels), folder / ("overlay" + name + ".png"),
                    replace);
}

// What was asked for in another pixel type.
void OperationJob::convert_outputs() {
    for (const OutputFile& file : options_.files.files) {
        if (!file.pixel_type) continue;
        clock_.start("convert");
        Conversion converted = convert(results_.outputs.get<AnyImage>(file.name), *file.pixel_type);
        results_.outputs.set(file.name, std::move(converted.image));
        if (converted.rounded || converted.saturated)
            add_warnings({fmt::format("--{} {}: {} values were rounded, {} saturated",
                                      file.type_name, pixel_type_name(*file.pixel_type),
                                      converted.rounded, converted.saturated)});
        clock_.finish();
    }
}

void OperationJob::finish_results() {
    if (operation_.finish) operation_.finish(call(), results_);
}

MemoryNeeds OperationJob::memory_needs(const Device& device) const {
    const operations::Memory memory = operation_.memory(call(), device);
    const std::int64_t inputs = bytes_of(input_.image) + further_input_bytes();
    return {.reading = inputs + input_.work_bytes,
            .held = inputs + output_bytes() + memory.held,
            .computing = memory.computing,
            .device = memory.device,
            .writing = std::max(writing_bytes(), memory.finishing)};
}

// Of pictures and labels; for a while in two types where another one is asked for.
std::int64_t OperationJob::output_bytes() const {
    constexpr std::int64_t label = 4;
    const Shape& shape = shape_of(input_.image);
    std::int64_t bytes = 0;
    for (const operations::Output& output : operation_.outputs) {
        if (!output.always && !wanted_.contains(output.name)) continue;
        if (output.kind == kinds::labels) bytes += label * shape.points();
        if (!is_picture(output.kind)) continue;
        const operations::PixelFormat format =
            output.pixels ? output.pixels(input_.image)
                          : operations::PixelFormat{pixel_type_of(input_.image), shape.channels};
        const std::int64_t elements = shape.points() * format.channels;
        bytes += elements * pixel_type_bytes(format.type);
        const OutputFile* file = options_.files.find(output.name);
        if (file->pixel_type) bytes += elements * pixel_type_bytes(*file->pixel_type);
    }
    return bytes;
}

// One output after the other: labels in another width, then their counts; a picture of three
// channels, and the values that its brightness is chosen by.
std::int64_t OperationJob::writing_bytes() const {
    constexpr std::int64_t label = 4, colors = 3, value = 8, most_values = 1 << 23;
    const Shape& shape = shape_of(input_.image);
    const std::int64_t points = shape.points();
    std::int64_t most = outputs_.has("labels") ? label * points : 0;
    if (outputs_.has("random-colors")) most = std::max(most, colors * points);
    if (outputs_.has("overlay"))
        most = std::max(most, colors * points + value * std::min(most_values, points) *
                                                    std::min(shape.channels, 3));
    return most;
}

Json OperationJob::statistics() const { return json_of_figures(results_.figures); }

void OperationJob::add_to_report(Json& json) const {
    json.update(json_of_figures(results_.details));
}

void OperationJob::tell_more() const {
    if (!results_.text.empty()) tell(results_.text);
}

Json OperationJob::parameters_as_used() const {
    Json parameters = parameters_;
    for (const auto& [name, value] : results_.used) parameters[name] = json_of(value);
    return parameters;
}

AnyImage OperationJob::like(const operations::Output& output, const AnyImage& image) const {
    if (!output.pixels) return image;
    const operations::PixelFormat format = output.pixels(image);
    Shape shape = shape_of(image);
    shape.channels = format.channels;
    return convert(Image<double>(shape, geometry_of(image)), format.type).image;
}

void OperationJob::probe_outputs(const AnyImage& sample) const {
    for (const OutputFile& file : options_.files.files) {
        const operations::Output* output = output_of(file);
        outputs_.probe(file.name, [&](const fs::path& path) {
            if (!output) {
                io::write_image(Image<std::uint8_t>({1, 1, 1, 1, 3}), path);
            } else if (output->kind == kinds::labels) {
                Shape shape = shape_of(sample);
                shape.channels = 1;
                io::write_labels(LabelImage(shape, geometry_of(sample)), path);
            } else if (is_picture(output->kind)) {
                const AnyImage image = like(*output, sample);
                const PixelType type = file.pixel_type.value_or(pixel_type_of(image));
                io::write_image(convert(image, type).image, path);
            }
        });
    }
}

void OperationJob::stage_outputs(const Progress& progress) {
    const auto labels = [&]() -> const LabelImage& {
        for (const operations::Output& output : operation_.outputs)
            if (output.kind == kinds::labels) return results_.outputs.get<LabelImage>(output.name);
        throw InvalidArgument(operation_.name + " makes no labels");
    };
    double done = 0;
    for (const OutputFile& file : options_.files.files) {
        const operations::Output* output = output_of(file);
        outputs_.stage(file.name, [&](const fs::path& path) {
            if (file.name == overlay)
                io::write_image(boundary_overlay(input_.image, labels()), path);
            else if (file.name == random_colors)
                io::write_image(label_picture(labels(), io::label_color), path);
            else if (output->kind == kinds::labels)
                io::write_labels(results_.outputs.get<LabelImage>(file.name), path);
            else if (output->kind == kinds::table)
                write_table(results_.outputs.get<operations::Table>(file.name), path);
            else
                io::write_image(results_.outputs.get<AnyImage>(file.name), path);
        });
        progress.report(++done / static_cast<double>(options_.files.files.size()), "write");
    }
}

// "--mask (-o) or --surface"
std::string OperationJob::output_flags() const {
    std::string text;
    const auto& files = options_.files.files;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (i > 0) text += i + 1 < files.size() ? ", " : " or ";
        text += "--" + files[i].name + (i == 0 ? " (-o)" : "");
    }
    return text;
}

}  // namespace tesela::cli
