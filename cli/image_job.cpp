#include "image_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "convert.h"
#include "interrupt.h"
#include "messages.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

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

void add_job_options(VerbParser& parser, ImageJobSettings& settings, const std::string& group) {
    parser.add(settings.spacing, group);
    parser.add(settings.job, "Computing");
    parser.add(settings.memory, "Computing");
    parser.add(settings.messages, "Messages", message_aliases());
}

ImageJob::ImageJob(std::string verb, const ImageJobSettings& settings, Json parameters,
                   const CancelToken& token)
    : settings_(settings),
      parameters_(std::move(parameters)),
      outputs_(settings.job.force),
      verb_(std::move(verb)),
      progress_(settings.job.progress, settings.messages.quiet, token) {
    return_freed_memory(settings.memory.max_memory.bytes);
}

int ImageJob::run() {
    require_outputs();
    std::vector<std::filesystem::path> inputs = settings_.inputs;
    inputs.insert(inputs.end(), settings_.named_inputs.begin(), settings_.named_inputs.end());
    outputs_.check(inputs);
    probe_outputs(Image<std::uint8_t>({1}));  // any format holds this one
    const Device::Choice choice = choose_device();
    say("device {}: {} ({})", choice.device.id(), choice.device.properties().name, choice.reason);
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
    progress_.finish();
    report(choice);
    return exit_done;
}

MemoryNeeds ImageJob::memory_needs(const Device& device) const {
    const std::int64_t inputs = bytes_of(input_.image) + further_input_bytes();
    return {.reading = inputs + input_.work_bytes,
            .held = inputs + result_bytes(),
            .computing = computing_bytes(),
            .device = device_bytes(device),
            .writing = writing_bytes()};
}

MemoryPlan ImageJob::memory_plan(const Device& device) const {
    return {device, memory_needs(device), settings_.memory.max_memory.bytes};
}

// The queue ends here, so that its memory is free for what comes.
void ImageJob::compute_on(const Device& device, std::int64_t max_memory) {
    const DisposableWork computing;
    {
        Queue queue(device, queue_options(settings_.job, max_memory));
        compute(queue, progress_.part(read_fraction, computed_fraction));
        counters_ = queue.counters();
        if (settings_.job.profile) kernels_ = queue.profile();
    }
    finish_results();
}

void ImageJob::require_outputs() const {
    if (!outputs_.empty() || settings_.messages.json || settings_.job.dry_run) return;
    throw InvalidArgument(
        fmt::format("no output was named: give {}, or --json for figures only", output_flags()));
}

void ImageJob::read() {
    clock_.start("read");
    progress_.part(0, read_fraction).report(0, "read");
    const DisposableWork reading;
    input_ = io::read_image(settings_.input(), read_options(settings_.memory));
    add_warnings(input_.warnings);
    input_has_geometry_ = geometry_of(input_.image).known();
    apply_spacing(settings_.spacing.spacing, input_.image);
    progress_.finish();
    say("read {}: {}, {}, spacing {}", settings_.input().string(), input_.format,
        image_text(input_.image),
        spacing_text(geometry_of(input_.image), shape_of(input_.image).dimensions()));
    read_more();
    clock_.finish();
    progress_.part(0, read_fraction).report(1, "read");
}

void ImageJob::write() {
    const Progress progress = progress_.part(computed_fraction, 1);
    clock_.start("write");
    progress.report(0, "write");
    {
        const DisposableWork staging;
        stage_outputs(progress);
    }
    progress.report(1, "write");
    written_ = outputs_.commit();
    clock_.finish();
}

void ImageJob::add_warnings(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) {
        progress_.finish();
        warn(warning);
        warnings_.push_back(warning);
    }
}

// The stages of reading, computing and writing in the order in which they ran.
std::vector<StageTime> ImageJob::all_stages() {
    std::vector<StageTime> stages = clock_.take();
    const std::vector<StageTime>& computed = computed_stages();
    stages.insert(stages.begin() + 1, computed.begin(), computed.end());
    return stages;
}

Json ImageJob::begin_json(const Device::Choice& choice, const Json& parameters) const {
    Json json = begin_report(verb_);
    json["device"] = json_of(choice);
    json["parameters"] = parameters;
    json["input"] = {{"path", settings_.input().string()}, {"format", input_.format}};
    json["input"].update(json_of(input_.image));
    return json;
}

void ImageJob::report(const Device::Choice& choice) {
    const std::vector<StageTime> stages = all_stages();
    say("{}", summary());
    say("times: {}", stages_text(stages));
    say("most memory: {} here, {} on the device", readable_bytes(peak_host_bytes()),
        readable_bytes(counters_.peak_bytes_in_use));
    for (const WrittenFile& file : written_)
        say("wrote {} ({})", file.path.string(), readable_bytes(file.bytes));
    if (!settings_.messages.json) {
        if (!settings_.messages.quiet) tell_more();
        if (settings_.job.profile) tell(profile_text(kernels_, counters_));
        return;
    }
    Json json = begin_json(choice, parameters_as_used());
    json["outputs"] = json_of(written_);
    json["statistics"] = statistics();
    json["stages"] = json_of(stages);
    add_to_report(json);
    json["peak_memory"] = {{"host", peak_host_bytes()}, {"device", counters_.peak_bytes_in_use}};
    if (settings_.job.profile) {
        json["kernels"] = json_of(kernels_);
        json["counters"] = json_of(counters_);
    }
    json["warnings"] = warnings_;
    print(json_text(std::move(json)));
}

int ImageJob::report_dry_run(const Device::Choice& choice, const MemoryPlan& plan) {
    progress_.finish();
    Json json = begin_json(choice, parameters_);
    json["warnings"] = warnings_;
    return report_plan(plan, outputs_.outputs(), std::move(json), settings_.messages.json);
}

}  // namespace tesela::cli
