#include "operation_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <memory>
#include <mutex>

#include "files/convert.h"
#include "files/input_files.h"
#include "interrupt.h"
#include "kinds.h"
#include "messages.h"
#include "operations/kinds/folder.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/volume_file.h"
#include "tesela/color.h"
#include "tesela/compute/device_list.h"
#include "tesela/geojson_io.h"
#include "tesela/label_outlines.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Operation;
using operations::Queues;

// Progress of the whole job at the end of reading and of computing.
constexpr double read_fraction = 0.02, computed_fraction = 0.95;

// One point, or two slices and frames of one point, with the type, channels and geometry of the
// image, or the form of an output that is on another grid.
AnyImage sample_of(const AnyImage& image, const operations::Output* output,
                   const operations::Options& options) {
    const auto form = output && output->form
                          ? output->form(image, options)
                          : operations::ImageForm{shape_of(image), pixel_type_of(image)};
    Shape shape = form.shape;
    shape.x = shape.y = 1;
    shape.z = std::min<std::int64_t>(shape.z, 2);
    shape.t = std::min<std::int64_t>(shape.t, 2);
    Image<double> sample(shape, geometry_of(image));
    sample.has_alpha = has_alpha(image);
    return files::convert(sample, form.type).image;
}

void write_outlines(const LabelView& labels, const LabelTable& table, const fs::path& path,
                    const Progress& progress = {}) {
    const std::string name = path.filename().string();
    if (!name.ends_with(".geojson") && !name.ends_with(".geojson.gz"))
        throw UnsupportedFormat(
            fmt::format("'{}': outlines are written as .geojson or .geojson.gz", path.string()));
    io::write_geojson(label_outlines(labels, table, progress), path);
}
void probe_outlines(const AnyImage& sample, const fs::path& path) {
    Shape shape = shape_of(sample);
    shape.channels = 1;
    write_outlines(LabelImage(shape), {}, path);
}

// Counts a file that is there now.
void add_to(WrittenFile& folder, const fs::path& file) {
    ++*folder.files;
    keep_files(folder.path);
    folder.bytes += static_cast<std::int64_t>(fs::file_size(file));
}

}  // namespace

OperationJob::OperationJob(const Operation& operation, const OperationSettings& settings,
                           Json parameters, const CancelToken& token)
    : operation_(operation),
      settings_(settings),
      is_image_(is_image_job(operation)),
      parameters_(std::move(parameters)),
      overlay_(overlay_options(settings.pictures)),
      outputs_(settings.job.force),
      progress_(operation.device.on_host && !operation.device.threaded ? ProgressStyle::none
                                                                       : settings.job.progress,
                settings.messages.quiet, token),
      reading_(progress_.part(0, read_fraction)),
      reader_(operation, settings, reading_,
              [this](const std::string& warning) { add_warning(warning); }) {
    return_freed_memory(limit());
    for (const OutputFile& file : settings.files.files) add(file);
    outputs_.add_folder(std::string(snapshots), settings.snapshots.snapshots);
    for (const std::string& name : settings.taken) wanted_.insert(name);
    // With no file at all the report counts the regions.
    for (const operations::Output& output : operation.outputs)
        if (is_image_ && output.kind == kinds::labels &&
            (outputs_.empty() || outputs_.has("overlay") || outputs_.has("colored") ||
             outputs_.has("outlines")))
            wanted_.emplace(output.name);
}

void OperationJob::add(const OutputFile& file) {
    const operations::Output* output = operation_.output(file.name);
    if (file.path.empty() && output && output->required)
        throw InvalidArgument(
            fmt::format("--{} (-o) is missing: name the {}", file.name, file.help));
    if (file.path.empty()) return;
    if (file.path == "-" && !settings_.job.dry_run)
        throw InvalidArgument(
            fmt::format("--{}: '{}' does not write to standard output; name a file", file.name,
                        operation_.name));
    if (output) wanted_.insert(file.name);
    if (output && is_folder(output->kind)) {
        outputs_.add_folder(file.name, file.path, operations::resumes(settings_.options));
        return;
    }
    const bool has_side_files = output && file.path.has_filename();
    const bool may_be_series = output && files::may_be_series(output->kind);
    outputs_.add(file.name, file.path,
                 has_side_files ? files::side_files(*output, file.path) : std::vector<fs::path>{},
                 !output || (output->kind != kinds::labels && !output->keeps_labels),
                 may_be_series);
}

int OperationJob::run() {
    require_outputs();
    check_outputs();
    probe_outputs([](const auto*) { return Image<std::uint8_t>({1}); });  // any format holds it
    pick_devices();
    explain("parameters: {}", json_text(parameters_, -1));
    read();
    if (is_image_)
        probe_outputs([&](const operations::Output* output) {
            return sample_of(reader_.first().image, output, settings_.options);
        });
    check(operation_, call());
    std::int64_t for_queue = 0;
    // The plan of an image looks at the pixels, which takes time.
    if (!is_image_ || limit() > 0 || settings_.job.dry_run) {
        const MemoryPlan plan = memory_plan();
        if (settings_.job.dry_run) {
            progress_.finish();
            Json json = begin_json(parameters_);
            json["warnings"] = warnings_;
            std::vector<Output> outputs = outputs_.outputs();
            const std::vector<Output>& folders = outputs_.result_folders();
            outputs.insert(outputs.end(), folders.begin(), folders.end());
            return report_plan(plan, outputs, std::move(json), settings_.messages.json);
        }
        require_memory(plan);
        for_queue = plan.for_queue();
        if (const MemoryUse& host = plan.on_host(); host.available >= 0)
            parts_.set(operations::part_room, operations::PartRoom{std::max<std::int64_t>(
                                                  host.available - host.needed, 1)});
    }
    open_folders();
    try {
        compute(for_queue);
    } catch (...) {
        std::error_code not_empty;
        for (auto folder = made_folders_.rbegin(); folder != made_folders_.rend(); ++folder)
            fs::remove(*folder, not_empty);
        throw;
    }
    write();
    if (settings_.take && results_.failure.empty()) settings_.take(results_.outputs);
    progress_.finish();
    report();
    if (results_.failure.empty()) return exit_done;
    // A picture of bricks is made without the damaged ones.
    if (operation_.inputs.front().kind == kinds::compressed_volume)
        throw UnreadableInput(results_.failure);
    throw std::runtime_error(results_.failure);
}

// A job that failed has some of its outputs, or none.
bool OperationJob::is_left_out(const std::string& name) const {
    return !results_.failure.empty() && !results_.outputs.has(name);
}

// Other operations print what they find, or say which output they need.
void OperationJob::require_outputs() const {
    const std::string_view printed = operation_.command_line.prints;
    if ((!is_image_ && printed.empty()) || operation_.output(printed)) return;
    const bool prints = !printed.empty() && std::get<bool>(settings_.options.get(printed));
    if (prints || !outputs_.empty() || !outputs_.result_folders().empty() ||
        !settings_.taken.empty() || settings_.messages.json || settings_.job.dry_run)
        return;
    throw InvalidArgument(
        fmt::format("no output was named: give {}, or --json for figures only", output_flags()));
}

// "--mask (-o) or --surface"
std::string OperationJob::output_flags() const {
    std::vector<std::string> flags;
    for (const OutputFile& file : settings_.files.files)
        flags.push_back("--" + file.name + (flags.empty() ? " (-o)" : ""));
    if (!operation_.command_line.prints.empty())
        flags.push_back("--" + std::string(operation_.command_line.prints));
    std::string text;
    for (std::size_t i = 0; i < flags.size(); ++i)
        text += (i == 0 ? "" : i + 1 < flags.size() ? ", " : " or ") + flags[i];
    return text;
}

// What is derived from the first input says so, where its format can.
io::WriteOptions OperationJob::how() const {
    io::WriteOptions how = settings_.writing.how();
    how.origin.process = operation_.name;
    if (!how.origin.source.empty() || settings_.inputs.empty()) return how;
    how.origin.source = settings_.input();
    how.origin.series = settings_.planes.series;
    return how;
}

io::WriteOptions OperationJob::how(const operations::Output& output) const {
    io::WriteOptions how = this->how();
    how.origin.keeps_values = output.keeps_values;
    return how;
}

void OperationJob::check_outputs() const { outputs_.check(settings_.files_read()); }

void OperationJob::probe_outputs(const SampleOf& sample_of_output) const {
    for (const OutputFile& file : settings_.files.files) {
        const operations::Output* output = operation_.output(file.name);
        const auto probe = output ? output_kind(output->kind).probe : nullptr;
        if (output && !probe) continue;
        const AnyImage sample = sample_of_output(output);
        io::WriteOptions how = this->how();
        how.is_sample = true;
        outputs_.probe(file.name, [&](const fs::path& path) {
            if (output)
                probe(*output, sample, file.pixel_type, path, how);
            else if (file.name == outlines)
                probe_outlines(sample, path);
            else
                io::write_image(Image<std::uint8_t>({1, 1, 1, 1, 3}), path, how);
        });
    }
}

void OperationJob::pick_devices() {
    const std::string& list = settings_.job.device;
    if (operation_.device.on_host) {
        devices_ = {{Device::parse("cpu"), {}}};
    } else if (operation_.device.queues != Queues::none) {
        devices_ = devices_of(list);
    } else if (!operation_.device.choose) {
        devices_ = {first_device(list)};
    } else {
        devices_ = {operation_.device.choose(
            settings_.options,
            names_several(list) ? choose_devices(list).front().device.id() : list)};
        explain("device {}: {} ({})", devices_.front().device.id(),
                devices_.front().device.properties().name, devices_.front().reason);
    }
}

void OperationJob::read() {
    clock_.start("read");
    reading_.report(0, "read");
    const DisposableWork reading;
    reader_.read();
    clock_.finish();
    reading_.report(1, "read");
}

operations::Call OperationJob::call() const {
    return {.inputs = reader_.values(),
            .options = settings_.options,
            .wanted = wanted_,
            .names = reader_.names(),
            .made_labels = reader_.made_names(),
            .parts = parts_,
            .threads = settings_.job.threads};
}

// What `work` gives. An error about an input names its file.
template <class Work>
auto OperationJob::naming_inputs(const Work& work) const {
    try {
        return work();
    } catch (const operations::InvalidInput& error) {
        throw InvalidArgument(call().name_of(error.input()) + ": " + error.what());
    }
}

void OperationJob::compute(std::int64_t max_memory) {
    const DisposableWork computing;
    {
        std::vector<Queue> queues = open_queues(devices_, operation_.device.queues,
                                                queue_options(settings_.job, max_memory));
        with_parts(0, [&] { run_on(queues); });
        progress_.part(computed_fraction, 1).throw_if_cancelled();
        counters_ = queues.front().counters();
        for (std::size_t i = 1; i < queues.size(); ++i)
            counters_.peak_bytes_in_use += queues[i].counters().peak_bytes_in_use;
        for (const Queue& queue : queues) transfers_.add(queue.counters());
        if (settings_.job.profile) kernels_ = queues.front().profile();
    }  // the memory of the queues is free for what comes
    if (operation_.finish) operation_.finish(call(), results_);
    convert_outputs();
}

void OperationJob::run_on(std::vector<Queue>& queues) {
    operations::Call asked = call();
    if (operation_.device.queues != Queues::none)
        for (Queue& queue : queues) asked.queues.push_back(&queue);
    if (!settings_.snapshots.snapshots.empty()) ask_for_snapshots(asked);
    clock_.start("compute");
    results_ = naming_inputs([&] {
        return operations::compute(operation_, asked, queues.front(),
                                   progress_.part(read_fraction, computed_fraction));
    });
    clock_.finish();
    for (const std::string& warning : results_.warnings) add_warning(warning);
}

// Outputs that are made part by part are opened one in the other; `work` runs when all are open.
void OperationJob::with_parts(std::size_t index, const std::function<void()>& work) {
    if (index == operation_.outputs.size()) return work();
    const operations::Output& output = operation_.outputs[index];
    const auto open = output_kind(output.kind).open;
    const std::string name(output.name);
    if (!open || !wanted_.contains(name)) return with_parts(index + 1, work);
    outputs_.stage(name, [&](const fs::path& path) {
        open(parts_, name, path);
        with_parts(index + 1, work);
    });
}

void OperationJob::open_folders() {
    written_.reserve(outputs_.result_folders().size());  // they are referred to
    for (const Output& folder : outputs_.result_folders()) {
        for (fs::path& made :
             make_result_folder(folder, settings_.job.force, settings_.files_read()))
            made_folders_.push_back(std::move(made));
        written_.push_back({folder.kind, folder.path, 0, 0});
        if (folder.kind != snapshots) open_folder(written_.back());
    }
}

// Its files are there as soon as each is complete.
void OperationJob::open_folder(WrittenFile& folder) {
    const auto write = [&written = folder, mutex = std::make_shared<std::mutex>()](
                           const std::string& name, operations::Kind kind, std::any value) {
        const fs::path path = written.path / name;
        const bool is_written = value.has_value();
        files::write_part(path, kind, std::move(value));
        if (!is_written) return;
        const std::lock_guard lock(*mutex);
        add_to(written, path);
    };
    parts_.set(folder.kind, operations::WriteFile(write));
    parts_.set(
        operations::kept_part(folder.kind),
        operations::ReadKept([path = folder.path](const std::string& name, operations::Kind kind,
                                                  operations::Values& values) {
            return files::read_kept(kind, values, name, path / name);
        }));
}

// These stay, however the job ends.
void OperationJob::ask_for_snapshots(operations::Call& asked) {
    const auto folder = std::find_if(written_.begin(), written_.end(), [](const WrittenFile& file) {
        return file.kind == snapshots;
    });
    asked.snapshot_every = settings_.snapshots.every;
    asked.snapshot = [&written = *folder, this](std::int64_t step, const LabelImage& labels) {
        const std::string name = fmt::format("{:06}", step);
        const char* extension = labels.shape().z > 1 ? ".nii.gz" : ".png";
        const fs::path map = written.path / ("labels" + name + extension);
        const fs::path picture = written.path / ("overlay" + name + ".png");
        io::write_labels(labels, map);
        add_to(written, map);
        add_to(written, io::labels_side_file(map));
        io::write_image(boundary_overlay(reader_.first().image, labels, overlay_), picture);
        add_to(written, picture);
    };
}

// What was asked for in another pixel type.
void OperationJob::convert_outputs() {
    for (const OutputFile& file : settings_.files.files) {
        if (!file.pixel_type || is_left_out(file.name)) continue;
        clock_.start("convert");
        const operations::ImageValue& made = results_.outputs.image(file.name);
        files::Conversion converted = files::convert(made.image(), *file.pixel_type);
        results_.outputs.set(
            file.name,
            operations::ImageValue(std::move(converted.image)).with_labels(made.label_table()));
        if (converted.rounded || converted.saturated)
            add_warning(fmt::format("--{} {}: {} values were rounded, {} saturated", file.type_name,
                                    pixel_type_name(*file.pixel_type), converted.rounded,
                                    converted.saturated));
        clock_.finish();
    }
}

MemoryPlan OperationJob::memory_plan() {
    const Device& device = devices_.front().device;
    operations::Memory memory = naming_inputs([&] { return operation_.memory(call(), device); });
    further_plans_.clear();
    for (std::size_t i = 1; i < devices_.size(); ++i) {  // which share the work
        const operations::Memory more = operation_.memory(call(), devices_[i].device);
        memory.computing += more.computing;
        const MemoryPlan of_device(devices_[i].device, {.device = more.device}, limit());
        if (of_device.is_host())
            memory.computing += of_device.on_device().needed;
        else
            further_plans_.push_back(of_device);
    }
    known_ = memory.known;
    const std::int64_t inputs = reader_.bytes();
    return {device,
            {.reading = inputs + reader_.work_bytes(),
             .held = inputs + memory.held + output_bytes(),
             .computing = memory.computing,
             .device = memory.device,
             .writing = std::max(writing_bytes(), memory.finishing)},
            limit()};
}

// What is known not to fit is refused, also without a limit where no pixels were read.
void OperationJob::require_memory(const MemoryPlan& plan) const {
    if (is_image_) return plan.require();
    require_host_memory(operation_.name, plan.on_host().needed, limit());
    plan.require();
    std::vector<std::pair<MemoryUse, std::string>> uses{{plan.on_host(), "the host"},
                                                        {plan.on_device(), plan.device().id()}};
    for (const MemoryPlan& further : further_plans_) {
        further.require();
        uses.emplace_back(further.on_device(), further.device().id());
    }
    for (auto& [use, where] : uses)
        if (use.needed -= reader_.bytes(); !use.fits())
            throw OutOfMemory(
                fmt::format("{} needs {} on {}, which has {} free; give it less to do",
                            operation_.name, readable_bytes(use.needed), where,
                            readable_bytes(use.available)),
                use.needed, use.available);
}

// Of operations on images; others tell them.
std::int64_t OperationJob::output_bytes() const {
    if (!is_image_) return 0;
    std::int64_t bytes = 0;
    for (const operations::Output& output : operation_.outputs)
        if (const auto bytes_of_kind = output_kind(output.kind).bytes;
            bytes_of_kind && (output.always || wanted_.contains(output.name)))
            bytes += bytes_of_kind(output, reader_.first().image,
                                   settings_.files.find(output.name)->pixel_type);
    return bytes;
}

// One output after the other: labels in another width, then their counts; a picture of three
// channels, and the values that its brightness is chosen by.
std::int64_t OperationJob::writing_bytes() const {
    if (!is_image_) return 0;
    constexpr std::int64_t label = 4, colors = 3, value = 8, most_values = 1 << 23;
    const Shape& shape = shape_of(reader_.first().image);
    const std::int64_t points = shape.points();
    std::int64_t most = outputs_.has("labels") ? label * points : 0;
    if (outputs_.has("outlines")) most = std::max(most, label * points);
    if (outputs_.has("colored")) most = std::max(most, colors * points);
    if (outputs_.has("overlay"))
        most = std::max(most, colors * points + value * std::min(most_values, points) *
                                                    std::min(shape.channels, 3));
    return most;
}

const operations::ImageValue& OperationJob::labels() const {
    for (const operations::Output& output : operation_.outputs)
        if (output.kind == kinds::labels) return results_.outputs.image(output.name);
    throw InvalidArgument(operation_.name + " makes no labels");
}

std::vector<std::string> OperationJob::write_output(const OutputFile& file, const fs::path& path,
                                                    const Progress& progress) const {
    if (const operations::Output* output = operation_.output(file.name))
        return output_kind(output->kind).write(results_.outputs, file.name, path, how(*output));
    const SharedLabelTable& table = labels().label_table();
    const auto& map = labels().image_of<std::uint32_t>();
    if (file.name == outlines) {
        write_outlines(map, table ? *table : LabelTable{}, path, progress);
        return {};
    }
    OverlayOptions shown = overlay_;
    shown.color_of = [&](std::uint32_t label) { return color_of(table.get(), label); };
    if (file.name == overlay)
        return io::write_image(boundary_overlay(reader_.first().image, map, shown, progress), path,
                               how());
    return io::write_image(label_picture(map, shown.color_of, shown.slices), path, how());
}

void OperationJob::write() {
    const Progress progress = progress_.part(computed_fraction, 1);
    clock_.start("write");
    progress.report(0, "write");
    {
        const DisposableWork staging;
        double done = 0;
        for (const OutputFile& file : settings_.files.files) {
            const operations::Output* output = operation_.output(file.name);
            if (is_left_out(file.name)) continue;
            if (!output || !output_kind(output->kind).open)
                outputs_.stage(file.name, [&](const fs::path& path) {
                    for (const std::string& warning : write_output(file, path, progress))
                        add_warning(warning);
                });
            progress.report(++done / static_cast<double>(settings_.files.files.size()), "write");
        }
    }
    for (WrittenFile& file : outputs_.commit()) {
        if (file.kind == settings_.streamed)
            file.path = "standard output";
        else
            keep_files(folder_of(file.path));
        const bool beside_streamed = file.kind == settings_.streamed && !written_.empty() &&
                                     written_.back().kind == file.kind;
        if (!beside_streamed) written_.push_back(std::move(file));
    }
    clock_.finish();
}

void OperationJob::add_warning(const std::string& warning) {
    progress_.finish();
    warn(warning);
    warnings_.push_back(warning);
}

Json OperationJob::begin_json(const Json& parameters) const {
    Json json = begin_report(operation_.name);
    if (!operation_.device.on_host) json["device"] = json_of(devices_.front());
    json["parameters"] = parameters;
    json.update(json_of(known_));
    if (!is_image_) return json;
    const auto files = file_inputs(operation_);
    if (files.size() > 1) {
        for (const operations::Input* input : files) {
            Json file{{"path", call().name_of(input->name)}};
            file.update(json_of(reader_.values().view(input->name)));
            json["inputs"].push_back(std::move(file));
        }
        return json;
    }
    const io::ReadResult& first = reader_.first();
    json["input"] = {{"path", settings_.input().string()}, {"format", first.format}};
    json["input"].update(json_of(first.image));
    if (!first.spacing_source.empty()) json["input"]["spacing_source"] = first.spacing_source;
    for (const fs::path& path : settings_.seeds.files())
        json["further_inputs"].push_back(path.string());
    return json;
}

void OperationJob::report() {
    // Those of reading, computing and writing in the order in which they ran.
    std::vector<StageTime> stages = clock_.take();
    if (!results_.stages.empty()) {
        const auto computing = stages.erase(stages.begin() + 1);
        stages.insert(computing, results_.stages.begin(), results_.stages.end());
    }
    if (!results_.summary.empty()) say("{}", results_.summary);
    for (const StageLoad& load : results_.loads)
        explain("{}: {} threads, {:.2f} s at work, {:.2f} s waiting", load.name, load.threads,
                load.busy_seconds, load.waited_seconds);
    if (results_.shared.size() > 1) say("{}", devices_text(results_.shared, results_.shared_thing));
    if (!operation_.device.on_host) explain("times: {}", stages_text(stages));
    if (is_image_)
        explain("peak memory: {} (host), {} (device)", readable_bytes(peak_host_bytes()),
                readable_bytes(counters_.peak_bytes_in_use));
    for (const WrittenFile& file : written_) say("wrote {}", written_text(file));
    if (settings_.messages.json) return report_json(stages);
    if (!settings_.messages.quiet && !results_.text.empty()) tell(results_.text);
    const std::string whose =
        settings_.one_of_several ? settings_.input().string() + "\n" : std::string();
    if (!results_.data.empty()) print(whose + results_.data);
    if (settings_.job.profile) tell(profile_text(kernels_, counters_));
}

void OperationJob::report_json(const std::vector<StageTime>& stages) const {
    Json parameters = parameters_;
    for (const auto& [name, value] : results_.used) parameters[name] = json_of(value);
    Json json = begin_json(parameters);
    if (!operation_.outputs.empty()) json["outputs"] = json_of(written_);
    if (is_image_ || !results_.figures.empty()) json["statistics"] = json_of(results_.figures);
    json["stages"] = results_.loads.empty() ? json_of(stages) : json_of(results_.loads);
    if (!results_.shared.empty()) json["shared"] = json_of(results_.shared);
    json.update(json_of(results_.details));
    json["peak_memory"] = {{"host", peak_host_bytes()}, {"device", counters_.peak_bytes_in_use}};
    json["transfers"] = json_of(transfers_);
    if (settings_.job.profile) {
        json["kernels"] = json_of(kernels_);
        json["counters"] = json_of(counters_);
    }
    json["warnings"] = warnings_;
    print_report(std::move(json));
}

}  // namespace tesela::cli
