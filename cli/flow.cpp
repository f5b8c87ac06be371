// tesela flow METHOD FRAME0 FRAME1, and of sequences by flow_sequence.h
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <vector>

#include "flow_files.h"
#include "flow_sequence.h"
#include "messages.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "tesela/brightness.h"
#include "tesela/flow_io.h"
#include "tesela/flow_picture.h"
#include "tesela/horn_schunck.h"
#include "tesela/io.h"
#include "tesela/lucas_kanade.h"
#include "tesela/tv_l1.h"
#include "verb.h"
#include "verb_parser.h"

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
        if (settings_.job.dry_run) return plan(choice);
        Queue queue(choice.device, queue_options(settings_.job, settings_.memory));
        const std::vector<Image<float>> values{values_of_frame(0), values_of_frame(1)};
        result_ = method_.compute(values, settings_.method, queue, progress_.part(0.05, 0.95));
        for (const std::string& warning : result_.warnings) {
            progress_.finish();
            warn(warning);
        }
        write();
        progress_.finish();
        report(choice, queue);
        return exit_done;
    }

  private:
    void read() {
        clock_.start("read");
        for (const fs::path& path : settings_.frames) {
            progress_.part(0, 0.05).report(0, "read");
            io::ReadResult read = io::read_image(path, {settings_.memory.max_memory.bytes});
            for (const std::string& warning : read.warnings) warn(warning);
            frames_.push_back(std::move(read.image));
        }
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

    int plan(const Device::Choice& choice) {
        progress_.finish();
        Shape frames = values_of_frame(0).shape();
        const Shape second = values_of_frame(1).shape();
        if (!(frames == second) || frames.t != 1)
            throw InvalidArgument("frames " + settings_.frames[0].string() + " and " +
                                  settings_.frames[1].string() +
                                  " are no pair: they need one size, and no axis of time");
        frames.t = static_cast<std::int64_t>(frames_.size());
        const std::int64_t needed = method_.device_bytes(frames, settings_.method, choice.device);
        return report_plan(
            {choice.device, needed, settings_.memory.max_memory.bytes, outputs_.outputs()},
            begin_json(choice), settings_.messages.json);
    }

    void report(const Device::Choice& choice, Queue& queue) {
        std::vector<StageTime> stages = clock_.take();
        stages.insert(stages.begin() + 1, result_.stages.begin(), result_.stages.end());
        const QueueCounters counters = queue.counters();
        say("{}: {} levels; times: {}", method_.name, result_.levels, stages_text(stages));
        for (const WrittenFile& file : written_)
            say("wrote {} ({})", file.path.string(), readable_bytes(file.bytes));
        std::vector<KernelTime> kernels;
        if (settings_.job.profile) kernels = queue.profile();
        if (settings_.job.profile && !settings_.messages.json)
            tell(profile_text(kernels, counters));
        if (!settings_.messages.json) return;

        Json json = begin_json(choice);
        json["outputs"] = json_of(written_);
        json["levels"] = result_.levels;
        json["stages"] = json_of(stages);
        json["peak_memory"] = {{"host", peak_host_bytes()}, {"device", counters.peak_bytes_in_use}};
        if (settings_.job.profile) {
            json["kernels"] = json_of(kernels);
            json["counters"] = json_of(counters);
        }
        json["warnings"] = result_.warnings;
        print(json.dump(2) + "\n");
    }

    const Method<Options>& method_;
    const Settings<Options>& settings_;
    Json parameters_;
    OutputSet outputs_;
    ProgressReporter progress_;
    StageClock clock_;
    std::vector<AnyImage> frames_;
    FlowResult result_;
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
    return run_flow_sequence(
        {method.name, compute, device_bytes, method.values, settings.frames, settings.files,
         settings.sequence, settings.job, settings.memory, settings.messages, parser.values()},
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

constexpr std::array methods{
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
