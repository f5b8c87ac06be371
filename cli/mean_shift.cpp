// tesela mean-shift INPUT
#include "tesela/mean_shift.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "convert.h"
#include "messages.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "tesela/io.h"
#include "tesela/overlay.h"
#include "verb.h"
#include "verb_parser.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct MeanShiftFiles {
    fs::path filtered, labels, segmented, overlay, random_colors;
    std::optional<PixelType> filtered_type;
};

template <class V>
void describe(V&& v, MeanShiftFiles& o) {
    v("filtered", o.filtered, "filtered image, in the input's type");
    v("labels", o.labels, "label map: regions 1..N, numbered in raster order; with a side file");
    v("segmented", o.segmented,
      "image of the regions, each in its mean color; in the input's type");
    v("overlay", o.overlay, "picture of the region boundaries on the input");
    v("random-colors", o.random_colors, "picture of the regions in random colors");
    v("filtered-type", o.filtered_type,
      "type of the filtered image; values are rounded and saturated",
      OptionRange{.unit = "uint8, int8, uint16, int16, uint32, int32, float32 or float64"});
}

struct Settings {
    MeanShiftOptions algorithm;
    MeanShiftFiles files;
    SpacingOptions spacing;
    JobOptions job;
    MemoryOptions memory;
    MessageOptions messages;
    std::vector<fs::path> inputs;

    const fs::path& input() const { return inputs.front(); }
};

// The job from the input to the report. Its members are in the order in which they come to be.
class MeanShiftJob {
  public:
    MeanShiftJob(const Settings& settings, Json parameters, const CancelToken& token)
        : settings_(settings),
          parameters_(std::move(parameters)),
          outputs_(settings.job.force),
          progress_(settings.job.progress, settings.messages.quiet, token) {
        const MeanShiftFiles& files = settings_.files;
        outputs_.add("filtered", files.filtered);
        if (!files.labels.empty())
            outputs_.add("labels", files.labels, {io::labels_side_file(files.labels)});
        outputs_.add("segmented", files.segmented);
        outputs_.add("overlay", files.overlay);
        outputs_.add("random-colors", files.random_colors);
    }

    int run() {
        require_outputs();
        outputs_.check(settings_.inputs);
        probe_outputs(Image<std::uint8_t>({1}));  // any format holds this one
        const Device::Choice choice = Device::choose(settings_.job.device);
        say("device {}: {} ({})", choice.device.id(), choice.device.properties().name,
            choice.reason);
        explain("parameters: {}", parameters_.dump());
        read();
        probe_outputs(sample_of(input_.image));
        if (settings_.job.dry_run) return report_plan(choice);
        Queue queue(choice.device, queue_options(settings_.job, settings_.memory));
        compute(queue);
        write();
        progress_.finish();
        report(choice, queue);
        return exit_done;
    }

  private:
    void require_outputs() const {
        if (!outputs_.empty() || settings_.messages.json || settings_.job.dry_run) return;
        throw InvalidArgument(
            "no output was named: give --filtered (-o), --labels, --segmented, --overlay or "
            "--random-colors, or --json for figures only");
    }

    bool wants_labels() const {
        // With no file at all the report counts the regions.
        return outputs_.has("labels") || outputs_.has("segmented") || outputs_.has("overlay") ||
               outputs_.has("random-colors") || outputs_.empty();
    }
    MeanShiftOutput wanted() const {
        if (outputs_.has("segmented")) return MeanShiftOutput::with_segmented;
        return wants_labels() ? MeanShiftOutput::filtered_and_labels
                              : MeanShiftOutput::filtered_only;
    }

    void read() {
        clock_.start("read");
        progress_.part(0, 0.02).report(0, "read");
        input_ = io::read_image(settings_.input(), {settings_.memory.max_memory.bytes});
        for (const std::string& warning : input_.warnings) add_warning(warning);
        apply_spacing(settings_.spacing.spacing, input_.image);
        progress_.finish();
        say("read {}: {}, {}, spacing {}", settings_.input().string(), input_.format,
            image_text(input_.image),
            spacing_text(geometry_of(input_.image), shape_of(input_.image).dimensions()));
        clock_.finish();
        progress_.part(0, 0.02).report(1, "read");
    }

    // One point, or two slices and frames of one point, with the image's type, channels and
    // geometry.
    static AnyImage sample_of(const AnyImage& image) {
        Shape shape = shape_of(image);
        shape.x = shape.y = 1;
        shape.z = std::min<std::int64_t>(shape.z, 2);
        shape.t = std::min<std::int64_t>(shape.t, 2);
        Image<double> sample(shape, geometry_of(image));
        sample.has_alpha = has_alpha(image);
        return convert(sample, pixel_type_of(image)).image;
    }

    // Finds outputs that cannot hold images like `sample`.
    void probe_outputs(const AnyImage& sample) const {
        const PixelType type = settings_.files.filtered_type.value_or(pixel_type_of(sample));
        outputs_.probe("filtered", [&](const fs::path& path) {
            io::write_image(convert(sample, type).image, path);
        });
        outputs_.probe("segmented", [&](const fs::path& path) { io::write_image(sample, path); });
        outputs_.probe("labels", [&](const fs::path& path) {
            Shape shape = shape_of(sample);
            shape.channels = 1;
            io::write_labels(LabelImage(shape, geometry_of(sample)), path);
        });
        for (const char* picture : {"overlay", "random-colors"})
            outputs_.probe(picture, [](const fs::path& path) {
                io::write_image(Image<std::uint8_t>({1, 1, 1, 1, 3}), path);
            });
    }

    void compute(Queue& queue) {
        result_ = mean_shift(input_.image, settings_.algorithm, queue, wanted(),
                             progress_.part(0.02, 0.95));
        for (const std::string& warning : result_.warnings) add_warning(warning);
        if (!settings_.files.filtered_type) return;
        clock_.start("convert");
        Conversion conversion = convert(result_.filtered, *settings_.files.filtered_type);
        result_.filtered = std::move(conversion.image);
        if (conversion.rounded || conversion.saturated)
            add_warning(fmt::format("--filtered-type {}: {} values were rounded, {} saturated",
                                    pixel_type_name(*settings_.files.filtered_type),
                                    conversion.rounded, conversion.saturated));
        clock_.finish();
    }

    void write() {
        const Progress progress = progress_.part(0.95, 1);
        clock_.start("write");
        progress.report(0, "write");
        outputs_.stage("filtered",
                       [&](const fs::path& path) { io::write_image(result_.filtered, path); });
        progress.report(0.4, "write");
        outputs_.stage("labels",
                       [&](const fs::path& path) { io::write_labels(result_.labels, path); });
        outputs_.stage("segmented",
                       [&](const fs::path& path) { io::write_image(result_.segmented, path); });
        progress.report(0.6, "write");
        outputs_.stage("overlay", [&](const fs::path& path) {
            io::write_image(boundary_overlay(input_.image, result_.labels), path);
        });
        progress.report(0.8, "write");
        outputs_.stage("random-colors", [&](const fs::path& path) {
            io::write_image(label_picture(result_.labels, io::label_color), path);
        });
        progress.report(1, "write");
        written_ = outputs_.commit();
        clock_.finish();
    }

    void add_warning(const std::string& warning) {
        progress_.finish();
        warn(warning);
        warnings_.push_back(warning);
    }

    double iterations_per_point() const {
        return static_cast<double>(result_.iterations) /
               static_cast<double>(shape_of(input_.image).points());
    }

    // The stages of reading, computing and writing in the order in which they ran.
    std::vector<StageTime> all_stages() {
        std::vector<StageTime> stages = clock_.take();
        stages.insert(stages.begin() + 1, result_.stages.begin(), result_.stages.end());
        return stages;
    }

    Json input_json() const {
        Json json{{"path", settings_.input().string()}, {"format", input_.format}};
        json.update(json_of(input_.image));
        return json;
    }

    void report(const Device::Choice& choice, Queue& queue) {
        const std::vector<StageTime> stages = all_stages();
        const QueueCounters counters = queue.counters();
        std::vector<KernelTime> kernels;
        if (settings_.job.profile) kernels = queue.profile();

        const std::string regions = wants_labels()
                                        ? fmt::format("{} regions of {} components, ",
                                                      result_.region_count, result_.component_count)
                                        : "";
        say("mean shift in {} space: {}{:.2f} iterations per pixel, {} pixels stopped at "
            "--max-iterations",
            enum_name(result_.color_space), regions, iterations_per_point(), result_.capped_points);
        say("times: {}", stages_text(stages));
        say("most memory: {} here, {} on the device", readable_bytes(peak_host_bytes()),
            readable_bytes(counters.peak_bytes_in_use));
        for (const WrittenFile& file : written_)
            say("wrote {} ({})", file.path.string(), readable_bytes(file.bytes));
        if (result_.thesis && !settings_.messages.json && !settings_.messages.quiet)
            tell(thesis_text(*result_.thesis));
        if (settings_.job.profile && !settings_.messages.json)
            tell(profile_text(kernels, counters));
        if (!settings_.messages.json) return;

        Json json = begin_report("mean-shift");
        json["device"] = json_of(choice);
        json["parameters"] = parameters_as_used();
        json["input"] = input_json();
        json["outputs"] = json_of(written_);
        json["statistics"] = {
            {"region_count", wants_labels() ? Json(result_.region_count) : Json()},
            {"component_count", wants_labels() ? Json(result_.component_count) : Json()},
            {"fusion_rounds", result_.fusion_rounds},
            {"merging_rounds", result_.merging_rounds},
            {"pruning_rounds", result_.pruning_rounds},
            {"points", shape_of(input_.image).points()},
            {"iterations", result_.iterations},
            {"iterations_per_point", iterations_per_point()},
            {"capped_points", result_.capped_points}};
        json["stages"] = json_of(stages);
        if (result_.thesis) json["thesis"] = json_of(*result_.thesis);
        json["peak_memory"] = {{"host", peak_host_bytes()}, {"device", counters.peak_bytes_in_use}};
        if (settings_.job.profile) {
            json["kernels"] = json_of(kernels);
            json["counters"] = json_of(counters);
        }
        json["warnings"] = warnings_;
        print(json.dump(2) + "\n");
    }

    Json parameters_as_used() const {
        Json parameters = parameters_;
        parameters["color-space"] = enum_name(result_.color_space);
        parameters["connectivity"] = enum_name(result_.connectivity);
        if (result_.temporal_bandwidth > 0) parameters["time"] = result_.temporal_bandwidth;
        return parameters;
    }

    // Gives the exit code that the job itself would end with for want of memory.
    int report_plan(const Device::Choice& choice) {
        const std::int64_t needed =
            mean_shift_device_bytes(input_.image, settings_.algorithm, wanted());
        std::int64_t available = choice.device.free_memory();
        const std::int64_t limit = settings_.memory.max_memory.bytes;
        if (limit > 0) available = available < 0 ? limit : std::min(available, limit);
        const bool fits = available < 0 || needed <= available;
        progress_.finish();

        Json outputs = Json::array();
        std::string text = fmt::format(
            "device memory needed: at most {}\ndevice memory available: {}\n",
            readable_bytes(needed), available < 0 ? "unknown" : readable_bytes(available));
        for (const Output& output : outputs_.outputs()) {
            outputs.push_back({{"kind", output.kind}, {"path", output.path.string()}});
            text += fmt::format("would write {} {}\n", output.kind, output.path.string());
        }
        if (settings_.messages.json) {
            Json json = begin_report("mean-shift");
            json["dry_run"] = true;
            json["device"] = json_of(choice);
            json["parameters"] = parameters_;
            json["input"] = input_json();
            json["outputs"] = std::move(outputs);
            json["device_bytes"] = {{"needed", needed},
                                    {"available", available < 0 ? Json() : Json(available)},
                                    {"fits", fits}};
            json["warnings"] = warnings_;
            print(json.dump(2) + "\n");
        } else {
            print(text);
        }
        if (fits) return exit_done;
        complain(
            fmt::format("the job needs up to {} on {}, and {} are available; use a smaller "
                        "image or another device",
                        readable_bytes(needed), choice.device.id(), readable_bytes(available)));
        return exit_memory;
    }

    const Settings& settings_;
    Json parameters_;
    OutputSet outputs_;
    ProgressReporter progress_;
    StageClock clock_;
    io::ReadResult input_;
    MeanShiftResult result_;
    std::vector<WrittenFile> written_;
    std::vector<std::string> warnings_;
};

}  // namespace

int run_mean_shift(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser("mean-shift",
                      "Filters and segments an image by mean shift in the joint spatial-range "
                      "domain.");
    parser.add_inputs(settings.inputs, "INPUT", 1, 1,
                      "picture, volume, or folder of one DICOM series");
    parser.add(settings.files, "Outputs", {{"filtered", "-o,--output"}});
    parser.add(settings.algorithm, "Mean shift");
    parser.add(settings.spacing, "Mean shift");
    parser.add(settings.job, "Computing");
    parser.add(settings.memory, "Computing");
    parser.add(settings.messages, "Messages", message_aliases());
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    return MeanShiftJob(settings, parser.values(), token).run();
}

}  // namespace tesela::cli
