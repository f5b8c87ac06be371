#include "operation_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "batch.h"
#include "kinds.h"
#include "operations/kinds/image.h"
#include "operations/kinds/seeds.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/volume_file.h"
#include "tesela/color.h"
#include "tesela/io.h"
#include "tesela/seeds.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Operation;

Json description_of(const operations::Input& input) {
    return {{"name", input.name},
            {"kind", input.kind.name},
            {"help", input.help},
            {"required", input.required}};
}

Json description_of(const Operation& operation) {
    Json inputs = Json::array(), outputs = Json::array();
    for (const auto* list : {&operation.inputs, &operation.named})
        for (const operations::Input& input : *list) inputs.push_back(description_of(input));
    for (const operations::Output& output : operation.outputs)
        outputs.push_back(
            {{"name", output.name}, {"kind", output.kind.name}, {"help", output.help}});
    Json json{{"inputs", inputs},
              {"outputs", outputs},
              {"level", operation.device.level.run ? "device" : "host"}};
    if (!operation.progress.stages.empty()) json["stages"] = operation.progress.stages;
    return json;
}

// "TEMPLATE" and "INPUT" of match.
std::vector<HelpInput> help_of(const std::vector<const operations::Input*>& inputs) {
    std::vector<HelpInput> parts;
    for (const operations::Input* input : inputs) {
        std::string name(input->name);
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        parts.push_back({std::move(name), std::string(input->help), input->several});
    }
    return parts;
}

constexpr const char* sequence_inputs =
    "two pictures of one size; or a sequence: a folder of pictures, three pictures or more, a "
    "video, or - for Y4M on standard input";

}  // namespace

std::vector<const operations::Input*> file_inputs(const Operation& operation) {
    std::vector<const operations::Input*> files;
    for (const operations::Input& input : operation.inputs)
        if (input.kind != kinds::seeds) files.push_back(&input);
    return files;
}

bool is_image_job(const Operation& operation) {
    return !operation.device.on_host && !operation.inputs.empty() &&
           is_image(operation.inputs.front().kind);
}

// Whether there are images beside the first, to be matched with it.
static bool has_several_grids(const Operation& operation) {
    if (is_image_job(operation)) return operation.inputs.size() > 1 || !operation.named.empty();
    std::size_t images = 0;
    for (const auto* inputs : {&operation.inputs, &operation.named})
        for (const operations::Input& input : *inputs)
            images += (input.several ? 2 : 1) *
                      (input.kind == kinds::image || input.kind == kinds::labels);
    return images > 1;
}

static bool writes_images(const Operation& operation) {
    return std::any_of(
        operation.outputs.begin(), operation.outputs.end(),
        [](const operations::Output& output) { return has_compression(output.kind); });
}

// Whether labels are made, or read with the names that tables show.
static bool has_labels(const Operation& operation) {
    for (const auto* inputs : {&operation.inputs, &operation.named})
        for (const operations::Input& input : *inputs)
            if (input.names_labels) return true;
    return std::any_of(
        operation.outputs.begin(), operation.outputs.end(),
        [](const operations::Output& output) { return output.kind == kinds::labels; });
}

static bool reads_planes(const Operation& operation) {
    for (const auto* inputs : {&operation.inputs, &operation.named})
        for (const operations::Input& input : *inputs)
            if (input_kind(input.kind).has_planes) return true;
    return false;
}

const operations::Input* seeds_input(const Operation& operation) {
    for (const operations::Input& input : operation.inputs)
        if (input.kind == kinds::seeds) return &input;
    return nullptr;
}

const OutputFile* OutputFiles::find(std::string_view name) const {
    for (const OutputFile& file : files)
        if (file.name == name) return &file;
    return nullptr;
}

OperationSettings::OperationSettings(const Operation& operation)
    : options(operation.options), named(operation.named) {
    if (const operations::Input* input = seeds_input(operation))
        seeds.all.push_back({input, std::string(input->automatic)});
    for (const operations::Output& output : operation.outputs) {
        files.files.push_back({std::string(output.name), std::string(output.help), {}});
        if (output.convertible) files.files.back().type_name = files.files.back().name + "-type";
        has_pictures |= output.kind == kinds::labels;
    }
    if (!has_pictures) return;
    if (!operation.inputs.empty())
        files.files.push_back(
            {std::string(overlay), "picture of the region boundaries on the input", {}});
    files.files.push_back({std::string(colored), "picture of the regions in random colors", {}});
    files.files.push_back(
        {std::string(outlines), "outlines of the regions: .geojson or .geojson.gz", {}});
}

std::vector<std::string> NamedInput::given() const {
    return text.empty() ? texts : std::vector{text};
}

bool NamedInput::is_file(const std::string& given) const {
    operations::Values ignored;
    const auto by_text = input_kind(input->kind).by_text;
    return !(by_text && by_text(input->name, given, ignored));
}

NamedInputs::NamedInputs(const std::vector<operations::Input>& inputs) {
    for (const operations::Input& input : inputs)
        all.push_back({&input, std::string(input.automatic)});
}

std::vector<std::string> NamedInputs::given(std::string_view name) const {
    for (const NamedInput& named : all)
        if (named.input->name == name) return named.given();
    return {};
}

std::vector<fs::path> NamedInputs::files() const {
    std::vector<fs::path> paths;
    for (const NamedInput& named : all)
        for (const std::string& text : named.given()) {
            if (!named.is_file(text)) continue;
            const std::string_view texts = input_kind(named.input->kind).texts;
            if (std::error_code error; !fs::exists(text, error))
                throw UnreadableInput(
                    texts.empty()
                        ? fmt::format("--{}: there is no file '{}'", named.input->name, text)
                        : fmt::format("--{}: '{}' is {}, and there is no file of this name",
                                      named.input->name, text, texts));
            paths.emplace_back(text);
        }
    return paths;
}

std::vector<fs::path> OperationSettings::files_read() const {
    std::vector<fs::path> read = inputs;
    if (names.is_file()) read.emplace_back(names.names);
    for (const NamedInputs* by_flag : {&seeds, &named})
        for (fs::path& path : by_flag->files()) read.push_back(std::move(path));
    if (!writing.dicom_source.empty()) read.emplace_back(writing.dicom_source);
    return read;
}

// "3=" begins a list: no file is called so.
bool NamesOption::is_file() const {
    const std::size_t digits = names.find_first_not_of("0123456789");
    return !names.empty() && (digits == 0 || digits == std::string::npos || names[digits] != '=');
}

LabelTable NamesOption::table() const {
    if (is_file()) {
        if (std::error_code error; !fs::exists(names, error))
            throw UnreadableInput(
                fmt::format("--names: '{}' is no list such as 1=liver,2=kidney, and there is no "
                            "file of this name",
                            names));
        return io::read_label_names(names);
    }
    try {
        return parse_label_names(names);
    } catch (const InvalidArgument& error) {
        throw InvalidArgument(fmt::format("--names: {}", error.what()));
    }
}

OverlayOptions overlay_options(const PictureOptions& options) {
    const auto parsed = [](const char* flag, const auto& parse) {
        try {
            return parse();
        } catch (const InvalidArgument& error) {
            throw InvalidArgument(fmt::format("--{}: {}", flag, error.what()));
        }
    };
    OverlayOptions chosen{
        .line_width = options.overlay_line, .fill = options.overlay_fill, .color_of = label_color};
    chosen.slices = parsed("slices", [&] { return SliceChoice::parse(options.slices); });
    if (!options.window.empty())
        chosen.window = parsed("window", [&] { return BrightnessWindow::parse(options.window); });
    return chosen;
}

namespace {

void add_input_options(VerbParser& parser, const Operation& operation,
                       OperationSettings& settings) {
    if (takes_several(operation)) parser.add(settings.batch, "Input");
    if (reads_planes(operation)) parser.add(settings.planes, "Input");
    if (operation.sequence) {
        parser.add(settings.sequence, "Sequences");
        parser.add(settings.raw, "Input");
        return;
    }
    const operations::Kind first =
        operation.inputs.empty() ? operations::Kind() : operation.inputs.front().kind;
    if (first == kinds::slide) parser.add(settings.slide, "Slide");
    if (operation.inputs.empty() || !(is_image(first) || first == kinds::stored_volume)) return;
    // Of images as slides, whose boxes come in order, fewer tiles are met again.
    settings.slide.cache.bytes = TileCache::default_capacity / 2;
    parser.add(settings.spacing, "Input");
    parser.add(settings.raw, "Input");
}

void add_file_arguments(VerbParser& parser, const Operation& operation,
                        OperationSettings& settings) {
    const auto files = file_inputs(operation);
    if (files.empty()) return;
    const auto required = std::count_if(files.begin(), files.end(),
                                        [](const auto* input) { return input->required; });
    parser.add_inputs(settings.inputs, help_of(files), static_cast<std::size_t>(required),
                      files.back()->several ? 1 << 20 : files.size());
}

void add_arguments(VerbParser& parser, const Operation& operation, OperationSettings& settings) {
    if (operation.sequence)
        parser.add_inputs(settings.inputs, {{"FRAME", sequence_inputs, true}}, 1, 1 << 20);
    else if (takes_several(operation))
        parser.add_inputs(settings.inputs,
                          {{is_image_job(operation) ? "INPUT" : "SLIDE",
                            std::string(operation.inputs.front().help), true}},
                          operation.command_line.instead_of_input.empty() ? 1 : 0, 1 << 20);
    else
        add_file_arguments(parser, operation, settings);
}

// Flags of computing, as far as the operation computes on a device or writes a file.
void add_job_options(VerbParser& parser, const Operation& operation, OperationSettings& settings) {
    if (!operation.device.on_host)
        parser.add(settings.job, "Computing");
    else if (!operation.outputs.empty())
        parser.add(static_cast<ForceOption&>(settings.job), "Computing");
    if (operation.device.threaded) parser.add(static_cast<WorkOptions&>(settings.job), "Computing");
    parser.add(settings.memory, "Computing");
    parser.add(settings.messages, "Messages", message_aliases());
}

}  // namespace

void add_options(VerbParser& parser, const Operation& operation, OperationSettings& settings) {
    if (!settings.files.files.empty()) {
        const std::string& first = settings.files.files.front().name;
        parser.add(settings.files, "Outputs", {{first, first == "output" ? "-o" : "-o,--output"}});
    }
    if (writes_images(operation)) parser.add(settings.writing, "Outputs");
    if (has_labels(operation)) parser.add(settings.names, "Labels");
    if (settings.has_pictures) parser.add(settings.pictures, "Pictures of labels");
    if (const operations::Input* seeds = seeds_input(operation)) {
        Aliases aliases;
        if (!seeds->alias.empty()) aliases.emplace(seeds->name, "--" + std::string(seeds->alias));
        parser.add(settings.seeds, "Options", aliases);
    }
    if (operation.progress.has_snapshots) parser.add(settings.snapshots, "Snapshots");
    if (!operation.named.empty()) parser.add(settings.named, "Further inputs");
    parser.add(settings.options, "Options", operation.command_line.positional);
    add_arguments(parser, operation, settings);
    if (has_several_grids(operation)) parser.add(settings.geometry, "Input");
    add_input_options(parser, operation, settings);
    add_job_options(parser, operation, settings);
    parser.add_examples(operation.examples);
    if (const auto& list = operation.command_line.list)
        parser.add_list(std::string(list->name), std::string(list->help), list->text);
    std::vector<std::string> basic(operation.command_line.basic.begin(),
                                   operation.command_line.basic.end());
    if (const operations::Input* seeds = seeds_input(operation); seeds && !basic.empty())
        basic.emplace_back(seeds->name);
    parser.show_first("Options", basic);
    parser.add_to_description(description_of(operation));
}

void find_sole_input(const Operation& operation, OperationSettings& settings) {
    if (operation.command_line.instead_of_input.empty()) return;
    for (const NamedInput& input : settings.named.all) {
        if (input.input->name != operation.command_line.instead_of_input || input.text.empty())
            continue;
        if (!settings.inputs.empty())
            throw InvalidArgument(fmt::format("--{} stands alone: '{}' cannot be given beside it",
                                              input.input->name, settings.input().string()));
        settings.inputs = {input.text};
    }
    if (settings.inputs.empty())
        throw InvalidArgument(fmt::format("INPUT or --{} is missing; see 'tesela {} --help'",
                                          operation.command_line.instead_of_input, operation.name));
}

void require_named_inputs(const Operation& operation, const OperationSettings& settings) {
    for (const NamedInputs* by_flag : {&settings.named, &settings.seeds})
        for (const NamedInput& named : by_flag->all)
            if (named.input->required && named.given().empty())
                throw InvalidArgument(fmt::format("--{} is missing; see 'tesela {} --help'",
                                                  named.input->name, operation.name));
    settings.files_read();
}

}  // namespace tesela::cli
