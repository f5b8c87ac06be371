// tesela flow METHOD FRAME0 FRAME1, and of sequences by flow_sequence.h
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "flow_files.h"
#include "flow_sequence.h"
#include "interrupt.h"
#include "messages.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "second_image.h"
#include "tesela/brightness.h"
#include "tesela/flow_io.h"
#include "tesela/flow_picture.h"
#include "tesela/horn_schunck.h"
#include "tesela/io.h"
#include "tesela/lucas_kanade.h"
#include "tesela/tv_l1.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

// Of methods that know how reliable their vectors are.
struct ConfidenceFile {
    fs::path confidence;
};

template <class V>
void describe(V&& v, ConfidenceFile& o) {
    v("confidence", o.confidence,
      "how reliable the flow is, a picture of float: squared gray levels, 0 for not at all");
}

template <class Options>
constexpr bool has_confidence = requires(Options o) {
    o.confidence;
};

template <class Options>
struct Settings {
    Options method;
    FlowFiles files;
    ConfidenceFile confidence;
    SequenceOptions sequence;
    GeometryOptions geometry;
    JobOptions job;
    MemoryOptions memory;
    MessageOptions messages;
    std::vector<fs::path> frames;
};

// A method of the verb: its name, what its help says, the call, and the memory that it takes.
template <class Options>
struct Method {
    const char *name, *summary, *group;
    FlowResult (*compute)(std::span<const Image<float>>, const Options&, Queue&, const Progress&);
    std::int64_t (*device_bytes)(const Shape&, const Options&, const Device&);
    Image<float> (*values)(const AnyImage&) = brightness;  // what it takes of a frame
};

// The job from the frames to the report. Its members are in the order in which they come to be.
template <class Options>
class FlowJob {
  public:
    FlowJob(const Method<Options>& method, const Settings<Options>& settings, Json parameters,
            const CancelToken& token)
        : method_(method),
          settings_(settings),
          parameters_(std::move(parameters)),
          outputs_(settings.job.force),
          progress_(settings.job.progress, settings.messages.quiet, token) {
        return_freed_memory(settings.memory.max_memory.bytes);
        const FlowFiles& files = settings_.files;
        outputs_.add("flow", files.flow);
        outputs_.add("color", files.color);
        outputs_.add("arrows", files.arrows);
        outputs_.add("warped", files.warped);
        outputs_.add("confidence", settings_.confidence.confidence);
    }

    int run() {
        if (outputs_.empty() && !settings_.messages.json && !settings_.job.dry_run)
            throw InvalidArgument(
                "no output was named: give --flow (-o), --color, --arrows or --warped, or --json "
                "for figures only");
        outputs_.check(settings_.frames);
        const Device::Choice choice = Device::choose(settings_.job.device);
        say("device {}: {} ({})", choice.device.id(), choice.device.properties().name,
            choice.reason);
        read();
        probe_outputs();
        if (settings_.job.dry_run) return report_dry_run(choice, memory_plan(choice.device));
        std::int64_t for_queue = 0;
        if (settings_.memory.max_memory.bytes > 0) {
            const MemoryPlan plan = memory_plan(choice.device);
            plan.require();
            for_queue = plan.for_queue();
        }
        compute_on(choice.device, for_queue);
        for (const std::string& warning : result_.warnings) {
            progress_.finish();
            warn(warning);
            warnings_.push_back(warning);
        }
        write();
        progress_.finish();
        report(choice);
        return exit_done;
    }

  private:
    // The queue and the values of the frames end here, so that their memory is free for what comes.
    void compute_on(const Device& device, std::int64_t max_memory) {
        Queue queue(device, queue_options(settings_.job, max_memory));
        const std::vector<Image<float>> values{values_of_frame(0), values_of_frame(1)};
        result_ = method_.compute(values, settings_.method, queue, progress_.part(0.05, 0.95));
        counters_ = queue.counters();
        if (settings_.job.profile) kernels_ = queue.profile();
    }

    void read() {
        clock_.start("read");
        const DisposableWork reading;
        for (const fs::path& path : settings_.frames) {
            progress_.part(0, 0.05).report(0, "read");
            io::ReadResult read =
                io::read_image(path, read_options(settings_.memory, input_bytes_));
            reading_bytes_ =
                std::max(reading_bytes_, input_bytes_ + bytes_of(read.image) + read.work_bytes);
            input_bytes_ += bytes_of(read.image);
            for (const std::string& warning : read.warnings) warn(warning);
            frames_.push_back(std::move(read.image));
        }
        if (geometry_of(frames_[0]).known() && geometry_of(frames_[1]).known())
            frames_[1] = fit_to({settings_.frames[0], grid_of(frames_[0])}, settings_.frames[1],
                                std::move(frames_[1]), settings_.geometry, warnings_);
        for (const std::string& warning : warnings_) warn(warning);
        clock_.finish();
    }

    Image<float> values_of_frame(std::size_t index) const {
        try {
            return method_.values(frames_[index]);
        } catch (const InvalidArgument& error) {
            throw InvalidArgument(settings_.frames[index].string() + ": " + error.what());
        }
    }

    // Finds outputs that cannot hold what is to come.
    void probe_outputs() const {
        outputs_.probe("flow", [](const fs::path& path) {
            io::write_flow(FlowField({1, 1, 1, 1, 2}), path);
        });
        for (const char* picture : {"color", "arrows"})
            outputs_.probe(picture, [](const fs::path& path) {
                io::write_image(Image<std::uint8_t>({1, 1, 1, 1, 3}), path);
            });
        outputs_.probe("warped", [&](const fs::path& path) { io::write_image(frames_[1], path); });
        outputs_.probe("confidence", [](const fs::path& path) {
            io::write_image(Image<float>({1, 1}), path);
        });
    }

    void write() {
        const FlowField& field = result_.fields.front();
        const double max_motion = settings_.files.max_motion;
        clock_.start("write");
        progress_.part(0.95, 1).report(0, "write");
        outputs_.stage("flow", [&](const fs::path& path) { io::write_flow(field, path); });
        outputs_.stage("color", [&](const fs::path& path) {
            io::write_image(flow_colors(field, max_motion).picture, path);
        });
        outputs_.stage("arrows", [&](const fs::path& path) {
            ArrowOptions options;
            options.max_motion = max_motion;
            io::write_image(flow_arrows(frames_[0], field, options).picture, path);
        });
        outputs_.stage("warped", [&](const fs::path& path) {
            io::write_image(warped_back(frames_[1], field), path);
        });
        outputs_.stage("confidence", [&](const fs::path& path) {
            io::write_image(result_.confidence.front(), path);
        });
        written_ = outputs_.commit();
        clock_.finish();
    }

    Json begin_json(const Device::Choice& choice) const {
        Json json = begin_report(std::string("flow ") + method_.name);
        json["device"] = json_of(choice);
        json["parameters"] = parameters_;
        for (std::size_t i = 0; i < frames_.size(); ++i) {
            Json frame{{"path", settings_.frames[i].string()}};
            frame.update(json_of(frames_[i]));
            json["inputs"].push_back(std::move(frame));
        }
        return json;
    }

    MemoryPlan memory_plan(const Device& device) const {
        Shape frames = values_of_frame(0).shape();
        const Shape second = values_of_frame(1).shape();
        if (!(frames == second) || frames.t != 1)
            throw InvalidArgument("frames " + settings_.frames[0].string() + " and " +
                                  settings_.frames[1].string() +
                                  " are no pair: they need one size, and no axis of time");
        frames.t = static_cast<std::int64_t>(frames_.size());
        const std::int64_t points = frames.x * frames.y * frames.z;
        constexpr std::int64_t vector = 8, confidence = 4, colors = 3, shown_values = 8;
        const std::int64_t results =
            points * (vector + (outputs_.has("confidence") ? confidence : 0));
        const std::int64_t picture = outputs_.has("arrows")  ? colors + shown_values
                                     : outputs_.has("color") ? colors
                                                             : 0;
        const MemoryNeeds needs{
            .reading = reading_bytes_,
            .held = input_bytes_ + results,
            .computing = 4 * frames.elements(),
            .device = method_.device_bytes(frames, settings_.method, device),
            .writing = std::max(picture * points,
                                outputs_.has("warped") ? bytes_of(frames_[1]) : std::int64_t{0})};
        return {device, needs, settings_.memory.max_memory.bytes};
    }

    int report_dry_run(const Device::Choice& choice, const MemoryPlan& plan) {
        progress_.finish();
        return report_plan(plan, outputs_.outputs(), begin_json(choice), settings_.messages.json);
    }

    void report(const Device::Choice& choice) {
        std::vector<StageTime> stages = clock_.take();
        stages.insert(stages.begin() + 1, result_.stages.begin(), result_.stages.end());
        say("{}: {} levels; times: {}", method_.name, result_.levels, stages_text(stages));
        for (const WrittenFile& file : written_)
            say("wrote {} ({})", file.path.string(), readable_bytes(file.bytes));
        if (settings_.job.profile && !settings_.messages.json)
            tell(profile_text(kernels_, counters_));
        if (!settings_.messages.json) return;

        Json json = begin_json(choice);
        json["outputs"] = json_of(written_);
        json["levels"] = result_.levels;
        json["stages"] = json_of(stages);
        json["peak_memory"] = {{"host", peak_host_bytes()},
                               {"device", counters_.peak_bytes_in_use}};
        if (settings_.job.profile) {
            json["kernels"] = json_of(kernels_);
            json["counters"] = json_of(counters_);
        }
        json["warnings"] = warnings_;
        print(json_text(std::move(json)));
    }

    const Method<Options>& method_;
    const Settings<Options>& settings_;
    Json parameters_;
    OutputSet outputs_;
    ProgressReporter progress_;
    StageClock clock_;
    std::vector<AnyImage> frames_;
    std::vector<std::string> warnings_;
    std::int64_t input_bytes_ = 0, reading_bytes_ = 0;  // of the frames, and with their decoders
    FlowResult result_;
    QueueCounters counters_;
    std::vector<KernelTime> kernels_;  // with --profile
    std::vector<WrittenFile> written_;
};

template <class Options>
int run_method(const Method<Options>& method, const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings<Options> settings;
    VerbParser parser(std::string("flow ") + method.name, method.summary);
    parser.add_inputs(settings.frames, "FRAME", 1, 1 << 20, sequence_inputs);
    parser.add(settings.files, "Outputs", {{"flow", "-o,--output"}});
    if constexpr (has_confidence<Options>) parser.add(settings.confidence, "Outputs");
    parser.add(settings.method, method.group);
    parser.add(settings.geometry, method.group);
    parser.add(settings.sequence, "Sequences");
    parser.add(settings.job, "Computing");
    parser.add(settings.memory, "Computing");
    parser.add(settings.messages, "Messages", message_aliases());
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    if (settings.frames.size() == 2) {
        if constexpr (has_confidence<Options>)
            settings.method.confidence = !settings.confidence.confidence.empty();
        return FlowJob<Options>(method, settings, parser.values(), token).run();
    }
    if (!settings.confidence.confidence.empty())
        throw InvalidArgument(
            "--confidence is a map of two pictures; for a sequence leave it out "
            "(--min-confidence works for both)");
    const FlowMethod compute = [&](auto frames, Queue& queue, const Progress& progress) {
        return method.compute(frames, settings.method, queue, progress);
    };
    const auto device_bytes = [&](const Shape& frames, const Device& device) {
        return method.device_bytes(frames, settings.method, device);
    };
    return run_flow_sequence({method.name, compute, device_bytes, method.values, settings.frames,
                              settings.files, settings.sequence, settings.geometry, settings.job,
                              settings.memory, settings.messages, parser.values()},
                             token);
}

int run_lucas_kanade(const Arguments& arguments) {
    return run_method<LucasKanadeOptions>(
        {"lucas-kanade",
         "Motion of every pixel between two frames, by Lucas and Kanade, with its confidence.",
         "Lucas-Kanade", lucas_kanade, lucas_kanade_device_bytes},
        arguments);
}

int run_horn_schunck(const Arguments& arguments) {
    return run_method<HornSchunckOptions>(
        {"horn-schunck", "Motion of every pixel between two frames, by Horn and Schunck.",
         "Horn-Schunck", horn_schunck, horn_schunck_device_bytes},
        arguments);
}

int run_tv_l1(const Arguments& arguments) {
    return run_method<TvL1Options>({"tv-l1",
                                    "Motion of every pixel between two frames, by TV-L1: with "
                                    "sharp borders, the most accurate "
                                    "of the methods. Colors are made use of.",
                                    "TV-L1", tv_l1, tv_l1_device_bytes, unit_colors},
                                   arguments);
}

const std::array methods{
    Verb{"lucas-kanade", "one motion for the window around each pixel", run_lucas_kanade},
    Verb{"horn-schunck", "smoothest motion that explains how brightness moves", run_horn_schunck},
    Verb{"tv-l1", "motion with sharp borders, the most accurate", run_tv_l1},
};

}  // namespace

int run_flow(const Arguments& arguments) {
    return dispatch("tesela flow",
                    "Motion of every pixel between frames: two, or those of a sequence or video.",
                    methods, arguments);
}

}  // namespace tesela::cli
