#include "operation_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "convert.h"
#include "interrupt.h"
#include "kinds.h"
#include "messages.h"
#include "tesela/seeds.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Operation;

// Progress of the whole job at the end of reading and of computing.
constexpr double read_fraction = 0.02, computed_fraction = 0.95;

// One point, or two slices and frames of one point, with the image's type, channels and geometry.
AnyImage sample_of(const AnyImage& image) {
    Shape shape = shape_of(image);
    shape.x = shape.y = 1;
    shape.z = std::min<std::int64_t>(shape.z, 2);
    shape.t = std::min<std::int64_t>(shape.t, 2);
    Image<double> sample(shape, geometry_of(image));
    sample.has_alpha = has_alpha(image);
    return convert(sample, pixel_type_of(image)).image;
}

}  // namespace

Device::Choice device_for(const Operation& operation, const OperationSettings& settings) {
    const std::string& list = settings.job.device;
    if (!operation.choose_device) return first_device(list);
    const Device::Choice choice = operation.choose_device(
        settings.options, names_several(list) ? choose_devices(list).front().device.id() : list);
    say("device {}: {} ({})", choice.device.id(), choice.device.properties().name, choice.reason);
    return choice;
}

OperationJob::OperationJob(const Operation& operation, const OperationSettings& settings,
                           Json parameters, const CancelToken& token)
    : operation_(operation),
      settings_(settings),
      parameters_(std::move(parameters)),
      overlay_(overlay_options(settings.pictures)),
      outputs_(settings.job.force),
      progress_(settings.job.progress, settings.messages.quiet, token) {
    return_freed_memory(settings.memory.max_memory.bytes);
    for (const OutputFile& file : settings.files.files) {
        const operations::Output* output = output_of(file);
        const auto side_files = output ? files_of(output->kind).side_files : nullptr;
        const bool has_side_files = side_files && file.path.has_filename();
        outputs_.add(file.name, file.path,
                     has_side_files ? side_files(file.path) : std::vector<fs::path>{},
                     !output || output->kind != kinds::labels);
    }
    for (const std::string& name : settings.taken) wanted_.insert(name);
    // With no file at all the report counts the regions.
    for (const operations::Output& output : operation.outputs)
        if (outputs_.has(std::string(output.name)) ||
            (output.kind == kinds::labels &&
             (outputs_.empty() || outputs_.has("overlay") || outputs_.has("colored"))))
            wanted_.emplace(output.name);
}

int OperationJob::run() {
    require_outputs();
    std::vector<fs::path> inputs = settings_.inputs;
    inputs.insert(inputs.end(), settings_.named_inputs.begin(), settings_.named_inputs.end());
    outputs_.check(inputs);
    probe_outputs(Image<std::uint8_t>({1}));  // any format holds this one
    const Device::Choice choice = device_for(operation_, settings_);
    explain("parameters: {}", json_text(parameters_, -1));
    read();
    probe_outputs(sample_of(input_.image));
    if (settings_.job.dry_run) return report_dry_run(choice, memory_plan(choice.device));
    std::int64_t for_queue = 0;
    if (settings_.memory.max_memory.bytes > 0) {  // the plan looks at the pixels, which takes time
        const MemoryPlan plan = memory_plan(choice.device);
        plan.require();
        for_queue = plan.for_queue();
    }
    compute_on(choice.device, for_queue);
    write();
    if (settings_.take) settings_.take(results_.outputs);
    progress_.finish();
    report(choice);
    return exit_done;
}

void OperationJob::require_outputs() const {
    if (!outputs_.empty() || !settings_.taken.empty() || settings_.messages.json ||
        settings_.job.dry_run)
        return;
    throw InvalidArgument(
        fmt::format("no output was named: give {}, or --json for figures only", output_flags()));
}

// "--mask (-o) or --surface"
std::string OperationJob::output_flags() const {
    std::string text;
    const auto& files = settings_.files.files;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (i > 0) text += i + 1 < files.size() ? ", " : " or ";
        text += "--" + files[i].name + (i == 0 ? " (-o)" : "");
    }
    return text;
}

const operations::Output* OperationJob::output_of(const OutputFile& file) const {
    for (const operations::Output& output : operation_.outputs)
        if (output.name == file.name) return &output;
    return nullptr;
}

void OperationJob::read() {
    clock_.start("read");
    progress_.part(0, read_fraction).report(0, "read");
    const DisposableWork reading;
    input_ = io::read_image(settings_.input(), read_options(settings_.memory, settings_.raw));
    add_warnings(input_.warnings);
    input_has_geometry_ = geometry_of(input_.image).known();
    apply_spacing(settings_.spacing.spacing, input_.image);
    progress_.finish();
    say("read {}: {}, {}, spacing {}", settings_.input().string(), input_.format,
        image_text(input_.image),
        spacing_text(geometry_of(input_.image), shape_of(input_.image).dimensions(),
                     settings_.spacing.spacing.given() ? "given" : input_.spacing_source));
    const operations::Input& first = *file_inputs(operation_).front();
    if (const auto open = files_of(first.kind).open)
        open(inputs_, first.name, input_.image, settings_.input());
    else
        inputs_.refer(first.name, input_.image);
    std::size_t files = 0;
    for (const operations::Input& input : operation_.inputs) {
        if (input.kind == kinds::seeds)
            read_seeds(input);
        else if (files++ > 0)
            read_further(input, settings_.inputs[files - 1]);
    }
    set_named_inputs(
        settings_.named,
        [&](const fs::path& path, ReadAs as, bool own_grid) {
            return own_grid ? read_unfitted(path, as) : read_fitted(path, as);
        },
        inputs_);
    clock_.finish();
    progress_.part(0, read_fraction).report(1, "read");
}

fs::path OperationJob::path_of(std::string_view input) const {
    const auto files = file_inputs(operation_);
    for (std::size_t i = 0; i < files.size(); ++i)
        if (files[i]->name == input) return settings_.inputs[i];
    return settings_.inputs.back();
}

// What `work` gives. An error about an input names its file.
template <class Work>
auto OperationJob::naming_inputs(const Work& work) const {
    try {
        return work();
    } catch (const operations::InvalidInput& error) {
        throw InvalidArgument(path_of(error.input()).string() + ": " + error.what());
    }
}

// Two images may be matched by their pixels alone; where both lie in space, they have to fit.
void OperationJob::read_further(const operations::Input& input, const fs::path& path) {
    io::ReadResult read = io::read_image(
        path, read_options(settings_.memory, bytes_of(input_.image) + further_bytes_));
    add_warnings(read.warnings);
    input_.work_bytes = std::max(input_.work_bytes, read.work_bytes);
    AnyImage image = std::move(read.image);
    if (!input.own_grid && geometry_of(input_.image).known() && geometry_of(image).known()) {
        apply_spacing(settings_.spacing.spacing, image);
        std::vector<std::string> warnings;
        image = fit_to({settings_.input(), grid_of(input_.image)}, path, std::move(image),
                       settings_.geometry, warnings);
        add_warnings(warnings);
    }
    further_bytes_ += bytes_of(image);
    inputs_.set(input.name, std::move(image));
}

void OperationJob::read_seeds(const operations::Input& input) {
    const std::string_view name = input.name;
    if (settings_.seeds.seeds.empty()) return;
    if (settings_.inputs.size() == file_inputs(operation_).size()) {
        inputs_.set(name, *parse_seeds(settings_.seeds.seeds));
        return;
    }
    inputs_.set(name,
                Seeds(std::get<LabelImage>(read_fitted(settings_.inputs.back(), ReadAs::labels))));
}

AnyImage OperationJob::read_as(const fs::path& path, ReadAs as) const {
    const io::ReadOptions options =
        read_options(settings_.memory, bytes_of(input_.image) + further_bytes_);
    if (as == ReadAs::labels) return io::read_labels(path, options);
    AnyImage image = io::read_image(path, options).image;
    if (as == ReadAs::image) return image;
    return mask_labels(image, path);
}

AnyImage OperationJob::read_unfitted(const fs::path& path, ReadAs as) {
    AnyImage image = read_as(path, as);
    further_bytes_ += bytes_of(image);
    return image;
}

// A label map, a mask or another image, on the grid of the input.
AnyImage OperationJob::read_fitted(const fs::path& path, ReadAs as) {
    AnyImage image = read_as(path, as);
    // --spacing corrects both files, but puts none into space that is not there by itself.
    PlacedFile first{settings_.input(), grid_of(input_.image)};
    if (!input_has_geometry_) first.grid.geometry = {};
    if (geometry_of(image).known()) apply_spacing(settings_.spacing.spacing, image);
    std::vector<std::string> warnings;
    const auto fit = [&](auto typed) -> AnyImage {
        return fit_to(first, path, std::move(typed), settings_.geometry, warnings);
    };
    AnyImage fitted =
        as == ReadAs::image ? fit(std::move(image)) : fit(std::get<LabelImage>(std::move(image)));
    add_warnings(warnings);
    further_bytes_ += bytes_of(fitted);
    return fitted;
}

// The queue ends here, so that its memory is free for what comes.
void OperationJob::compute_on(const Device& device, std::int64_t max_memory) {
    const DisposableWork computing;
    {
        Queue queue(device, queue_options(settings_.job, max_memory));
        operations::Call asked = call();
        check(operation_, asked);
        if (!settings_.snapshots.snapshots.empty()) ask_for_snapshots(asked);
        results_ = naming_inputs([&] {
            return operation_.run(asked, queue, progress_.part(read_fraction, computed_fraction));
        });
        add_warnings(results_.warnings);
        counters_ = queue.counters();
        if (settings_.job.profile) kernels_ = queue.profile();
    }
    if (operation_.finish) operation_.finish(call(), results_);
    convert_outputs();
}

// These stay, however the job ends.
void OperationJob::ask_for_snapshots(operations::Call& asked) const {
    const fs::path& folder = settings_.snapshots.snapshots;
    make_result_folder({"snapshots", folder}, settings_.job.force, settings_.inputs);
    asked.snapshot_every = settings_.snapshots.every;
    asked.snapshot = [&](std::int64_t step, const LabelImage& labels) {
        const std::string name = fmt::format("{:06}", step);
        const char* extension = labels.shape().z > 1 ? ".nii.gz" : ".png";
        io::write_labels(labels, folder / ("labels" + name + extension));
        io::write_image(boundary_overlay(input_.image, labels, overlay_),
                        folder / ("overlay" + name + ".png"));
    };
}

// What was asked for in another pixel type.
void OperationJob::convert_outputs() {
    for (const OutputFile& file : settings_.files.files) {
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

MemoryPlan OperationJob::memory_plan(const Device& device) const {
    const operations::Memory memory =
        naming_inputs([&] { return operation_.memory(call(), device); });
    const std::int64_t inputs = bytes_of(input_.image) + further_bytes_;
    const MemoryNeeds needs{.reading = inputs + input_.work_bytes,
                            .held = inputs + output_bytes() + memory.held,
                            .computing = memory.computing,
                            .device = memory.device,
                            .writing = std::max(writing_bytes(), memory.finishing)};
    return {device, needs, settings_.memory.max_memory.bytes};
}

std::int64_t OperationJob::output_bytes() const {
    std::int64_t bytes = 0;
    for (const operations::Output& output : operation_.outputs)
        if (output.always || wanted_.contains(output.name))
            bytes +=
                files_of(output.kind)
                    .bytes(output, input_.image, settings_.files.find(output.name)->pixel_type);
    return bytes;
}

// One output after the other: labels in another width, then their counts; a picture of three
// channels, and the values that its brightness is chosen by.
std::int64_t OperationJob::writing_bytes() const {
    constexpr std::int64_t label = 4, colors = 3, value = 8, most_values = 1 << 23;
    const Shape& shape = shape_of(input_.image);
    const std::int64_t points = shape.points();
    std::int64_t most = outputs_.has("labels") ? label * points : 0;
    if (outputs_.has("colored")) most = std::max(most, colors * points);
    if (outputs_.has("overlay"))
        most = std::max(most, colors * points + value * std::min(most_values, points) *
                                                    std::min(shape.channels, 3));
    return most;
}

void OperationJob::probe_outputs(const AnyImage& sample) const {
    for (const OutputFile& file : settings_.files.files)
        outputs_.probe(file.name, [&](const fs::path& path) {
            if (const operations::Output* output = output_of(file))
                files_of(output->kind).probe(*output, sample, file.pixel_type, path);
            else
                io::write_image(Image<std::uint8_t>({1, 1, 1, 1, 3}), path);
        });
}

const LabelImage& OperationJob::labels() const {
    for (const operations::Output& output : operation_.outputs)
        if (output.kind == kinds::labels) return results_.outputs.get<LabelImage>(output.name);
    throw InvalidArgument(operation_.name + " makes no labels");
}

void OperationJob::write_output(const OutputFile& file, const fs::path& path) const {
    if (const operations::Output* output = output_of(file))
        files_of(output->kind).write(results_.outputs, file.name, path);
    else if (file.name == overlay)
        io::write_image(boundary_overlay(input_.image, labels(), overlay_), path);
    else
        io::write_image(label_picture(labels(), io::label_color, overlay_.slices), path);
}

void OperationJob::write() {
    const Progress progress = progress_.part(computed_fraction, 1);
    clock_.start("write");
    progress.report(0, "write");
    {
        const DisposableWork staging;
        double done = 0;
        for (const OutputFile& file : settings_.files.files) {
            outputs_.stage(file.name, [&](const fs::path& path) { write_output(file, path); });
            progress.report(++done / static_cast<double>(settings_.files.files.size()), "write");
        }
    }
    written_ = outputs_.commit();
    clock_.finish();
}

void OperationJob::add_warnings(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) {
        progress_.finish();
        warn(warning);
        warnings_.push_back(warning);
    }
}

Json OperationJob::begin_json(const Device::Choice& choice, const Json& parameters) const {
    Json json = begin_report(operation_.name);
    json["device"] = json_of(choice);
    json["parameters"] = parameters;
    const auto files = file_inputs(operation_);
    if (files.size() == 1) {
        json["input"] = {{"path", settings_.input().string()}, {"format", input_.format}};
        json["input"].update(json_of(input_.image));
        if (!input_.spacing_source.empty()) json["input"]["spacing_source"] = input_.spacing_source;
        for (std::size_t i = 1; i < settings_.inputs.size(); ++i)
            json["further_inputs"].push_back(settings_.inputs[i].string());
        return json;
    }
    for (const operations::Input* input : files) {
        Json file{{"path", path_of(input->name).string()}};
        file.update(json_of(inputs_.get<AnyImage>(input->name)));
        json["inputs"].push_back(std::move(file));
    }
    return json;
}

void OperationJob::report(const Device::Choice& choice) {
    // Those of reading, computing and writing in the order in which they ran.
    std::vector<StageTime> stages = clock_.take();
    stages.insert(stages.begin() + 1, results_.stages.begin(), results_.stages.end());
    say("{}", results_.summary);
    say("times: {}", stages_text(stages));
    say("peak memory: {} (host), {} (device)", readable_bytes(peak_host_bytes()),
        readable_bytes(counters_.peak_bytes_in_use));
    for (const WrittenFile& file : written_)
        say("wrote {} ({})", file.path.string(), readable_bytes(file.bytes));
    if (!settings_.messages.json) {
        if (!settings_.messages.quiet && !results_.text.empty()) tell(results_.text);
        if (settings_.job.profile) tell(profile_text(kernels_, counters_));
        return;
    }
    Json parameters = parameters_;
    for (const auto& [name, value] : results_.used) parameters[name] = json_of(value);
    Json json = begin_json(choice, parameters);
    json["outputs"] = json_of(written_);
    json["statistics"] = json_of(results_.figures);
    json["stages"] = json_of(stages);
    json.update(json_of(results_.details));
    json["peak_memory"] = {{"host", peak_host_bytes()}, {"device", counters_.peak_bytes_in_use}};
    if (settings_.job.profile) {
        json["kernels"] = json_of(kernels_);
        json["counters"] = json_of(counters_);
    }
    json["warnings"] = warnings_;
    print_report(std::move(json));
}

int OperationJob::report_dry_run(const Device::Choice& choice, const MemoryPlan& plan) {
    progress_.finish();
    Json json = begin_json(choice, parameters_);
    json["warnings"] = warnings_;
    return report_plan(plan, outputs_.outputs(), std::move(json), settings_.messages.json);
}

}  // namespace tesela::cli
