#include "sequence_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "messages.h"
#include "operations/sequence.h"
#include "progress.h"
#include "report.h"
#include "sequence_outputs.h"
#include "verb.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

// The names that pictures lend to the files of their fields; none where two would be the same.
std::vector<std::string> field_names(const std::vector<fs::path>& pictures) {
    std::vector<std::string> names;
    for (const fs::path& picture : pictures) names.push_back(picture.stem().string());
    const std::set<std::string> different(names.begin(), names.end());
    return different.size() == names.size() ? names : std::vector<std::string>();
}

// A reader whose first frame was taken already, and is given again.
class BegunReader : public FrameReader {
  public:
    BegunReader(FrameReader& reader, std::optional<AnyImage> first)
        : reader_(reader), first_(std::move(first)) {}

    const FrameStreamFacts& facts() const override { return reader_.facts(); }
    std::string frame_name(std::int64_t index) const override { return reader_.frame_name(index); }
    std::vector<std::string> warnings() const override { return reader_.warnings(); }
    std::optional<AnyImage> next() override {
        return first_ ? std::exchange(first_, std::nullopt) : reader_.next();
    }

  private:
    FrameReader& reader_;
    std::optional<AnyImage> first_;
};

class Job {
  public:
    Job(const operations::Operation& operation, const OperationSettings& settings,
        const Json& parameters, const CancelToken& token)
        : operation_(operation),
          method_(*operation.sequence),
          settings_(settings),
          parameters_(parameters),
          token_(token),
          outputs_(settings.job.force, settings.writing.how()),
          progress_(settings.job.progress, settings.messages.quiet, token) {
        const fs::path& field = settings.files.find("flow")->path;
        const bool colors = io::is_video_name(field);
        for (const OutputFile& file : settings.files.files) {
            if (file.name == "confidence" && !file.path.empty())
                throw InvalidArgument(
                    "--confidence is a map of two pictures; for a sequence leave it out "
                    "(--min-confidence works for both)");
            if (file.name == "color" && colors && !file.path.empty())
                throw InvalidArgument(
                    "--flow with the name of a video is --color, which was given too; name a "
                    "folder for the fields");
            if (file.name == "flow" && colors)
                outputs_.add("color", file.path);
            else
                outputs_.add(file.name, file.path);
        }
    }

    int run() {
        if (outputs_.empty() && !settings_.messages.json && !settings_.job.dry_run)
            throw InvalidArgument(
                "no output was named: give --flow (-o), --color, --arrows or --warped, or --json "
                "for figures only");
        if (outputs_.has_standard_output() && settings_.messages.json)
            throw InvalidArgument("standard output takes either '-' or the report of --json");
        find_pictures();
        std::vector<fs::path> inputs = pictures_;
        const fs::path& first = settings_.inputs.front();  // the folder of them, or a video
        inputs.push_back(first == "-" ? "/dev/stdin" : first);
        outputs_.check(inputs);
        devices_ = devices_of(settings_.job.device);
        open_input();
        plan_memory();
        if (settings_.job.dry_run) return plan();
        keep_freed_memory(settings_.memory.max_memory.bytes);
        queues_ = open_queues(devices_, operations::Queues::of_devices,
                              queue_options(settings_.job, settings_.memory.max_memory.bytes));
        // Of files with several frames each names are missing.
        const bool is_one_each = reader_->facts().frames == std::ssize(pictures_);
        outputs_.open(is_one_each ? field_names(pictures_) : std::vector<std::string>(), rate_);
        return compute() ? report() : exit_cancelled;
    }

  private:
    void find_pictures() {
        std::error_code ignored;
        if (settings_.inputs.size() > 1)
            pictures_ = settings_.inputs;
        else if (fs::is_directory(settings_.inputs.front(), ignored))
            pictures_ = io::frame_files(settings_.inputs.front(), !settings_.raw.raw.empty());
    }

    void open_input() {
        const io::FrameReadOptions options{
            settings_.memory.max_memory.bytes, &token_, settings_.geometry.ignore_geometry,
            settings_.planes.choice(), read_options(settings_.memory, settings_.raw).raw};
        if (options.raw && options.choice.given())
            throw InvalidArgument(
                "--channel, --slice and --time choose from pictures: leave them out with --raw");
        if (pictures_.empty() && options.choice.given())
            throw InvalidArgument(
                "--channel, --slice and --time choose from pictures: leave them out for a video");
        reader_ = pictures_.empty() ? io::open_frames(settings_.inputs.front(), options)
                                    : io::open_pictures(pictures_, options);
        constexpr double thousand = 1000;
        if (settings_.sequence.frame_rate > 0)
            rate_ = {std::llround(settings_.sequence.frame_rate * thousand), 1000};
        else
            rate_ = reader_->facts().rate.value_or(FrameRate{});
        first_ = reader_->next();
        if (!first_) throw InvalidArgument("flow needs two frames at least; there is none");
    }

    Shape prepared_shape() const {
        try {
            return method_.prepare(*first_, used_range(*first_)).shape();
        } catch (const Error& error) {
            throw Error(error.code(), reader_->frame_name(0) + ": " + error.what());
        }
    }

    // What device and host need, of which frames and fields under way may have the rest of
    // --max-memory.
    void plan_memory() {
        options_ = {.batch = settings_.sequence.batch, .prepare = method_.prepare};
        // How many frames a video says that it has is not certain.
        if (!pictures_.empty())
            options_.batch =
                std::min(options_.batch, std::max(2, static_cast<int>(pictures_.size())));
        const std::int64_t points = shape_of(*first_).points();
        for (const char* picture : {"color", "arrows"})
            if (outputs_.wants(picture)) options_.sink_bytes += 3 * points;
        if (outputs_.wants("warped")) options_.sink_bytes += bytes_of(*first_);
        Shape frames = prepared_shape();
        frames.t = options_.batch;
        const std::int64_t limit = settings_.memory.max_memory.bytes;
        std::int64_t rest = limit;
        int queues = 0;
        for (const Device::Choice& choice : devices_) {
            const Device& device = choice.device;
            queues += queues_on(device);
            device_bytes_.push_back(queues_on(device) *
                                    method_.device_bytes(frames, settings_.options, device));
            const MemoryPlan on_device(device, {.device = device_bytes_.back()}, limit);
            if (on_device.is_host()) rest -= on_device.on_device().needed;
        }
        if (limit > 0) options_.max_bytes = std::max<std::int64_t>(rest, 1);
        host_bytes_ = flow_sequence_host_bytes(*first_, queues, options_);
        if (limit == 0 || host_bytes_ <= rest || settings_.job.dry_run) return;
        const auto most = std::max_element(device_bytes_.begin(), device_bytes_.end());
        const auto& at = devices_[static_cast<std::size_t>(most - device_bytes_.begin())].device;
        throw OutOfMemory(
            fmt::format("the sequence needs up to {} on {} and {} for frames and fields under way, "
                        "more than the {} of --max-memory; allow more, or use a smaller --batch",
                        readable_bytes(*most), at.id(), readable_bytes(host_bytes_),
                        readable_bytes(limit)),
            host_bytes_, rest);
    }

    // False where the user interrupted.
    bool compute() {
        try {
            BegunReader reader(*reader_, std::move(first_));
            report_ = flow_sequence(
                reader,
                [this](auto frames, Queue& queue, const Progress& progress) {
                    return method_.compute(frames, settings_.options, queue, progress);
                },
                [this](FlowStep&& step) { return take(std::move(step)); }, queues_, options_,
                progress_.part(0, 1));
            if (settings_.geometry.ignore_geometry && !pictures_.empty())
                report_.warnings.push_back(
                    "--ignore-geometry: frames are matched pixel by pixel; spacing, origin and "
                    "direction are not compared");
            outputs_.finish();
            return true;
        } catch (const Cancelled&) {
            const std::string kept = keep();
            complain("cancelled; " + (kept.empty() ? "no file was written" : kept));
            return false;
        } catch (const Error& error) {
            const std::string kept = keep();
            if (kept.empty()) throw;
            throw Error(error.code(), error.what() + ("; " + kept));
        }
    }

    // Completes what there is after a failure, and says what it is: "2 fields are kept in 'a', 1 in
    // 'b.mp4'".
    std::string keep() {
        progress_.finish();
        std::string text;
        for (const auto& [path, fields] : outputs_.keep())
            text += text.empty()
                        ? fmt::format("{} {} kept in '{}'", operations::counted(fields, "field"),
                                      fields == 1 ? "is" : "are", path.string())
                        : fmt::format(", {} in '{}'", fields, path.string());
        return text;
    }

    // The results of one field. The scale of all comes from the first field, which is taken before
    // any other.
    std::function<void()> take(FlowStep&& step) {
        if (step.index == 0) scale_ = method_.scale(step.field, settings_.options);
        std::vector<std::function<void()>> places;
        for (const OutputFile& file : settings_.files.files)
            if (file.name != "flow" && outputs_.has(file.name))
                places.push_back(outputs_.of(file.name).take(
                    step.index, method_.picture(file.name, step, scale_)));
        if (outputs_.has("flow"))
            places.push_back(outputs_.of("flow").take(step.index, AnyImage(std::move(step.field))));
        return [places = std::move(places)] {
            for (const auto& place : places) place();
        };
    }

    Json input_json() const {
        const FrameStreamFacts& facts = reader_->facts();
        Json json{{"path", settings_.inputs.front().string()}, {"format", facts.format}};
        if (settings_.inputs.size() > 1)
            for (const fs::path& path : settings_.inputs) json["paths"].push_back(path.string());
        if (!facts.codec.empty()) json["codec"] = facts.codec;
        if (facts.frame.x > 0) json["size"] = {facts.frame.x, facts.frame.y};
        json["frame_rate"] = facts.rate ? Json(facts.rate->per_second()) : Json();
        json["frames"] = facts.frames ? Json(*facts.frames) : Json();
        return json;
    }

    Json begin_json() const {
        Json json = begin_report(operation_.name);
        json["device"] = json_of(devices_.front());
        for (std::size_t i = 1; i < devices_.size(); ++i)
            json["further_devices"].push_back(json_of(devices_[i]));
        json["parameters"] = parameters_;
        json["inputs"] = Json::array({input_json()});
        return json;
    }

    // Of the first device on which it does not fit, else of the first.
    int plan() {
        progress_.finish();
        std::vector<MemoryPlan> plans;
        for (std::size_t i = 0; i < devices_.size(); ++i)
            plans.push_back({devices_[i].device,
                             {.held = host_bytes_, .device = device_bytes_[i]},
                             settings_.memory.max_memory.bytes});
        const auto tight = std::find_if(plans.begin(), plans.end(), [](const MemoryPlan& plan) {
            return !plan.on_host().fits() || !plan.on_device().fits();
        });
        return report_plan(tight == plans.end() ? plans.front() : *tight, outputs_.wanted(),
                           begin_json(), settings_.messages.json);
    }

    int report() {
        progress_.finish();
        for (const std::string& warning : report_.warnings) warn(warning);
        const double rate = static_cast<double>(report_.fields) / report_.seconds;
        say("{}: {} fields of {} frames in {:.2f} s, {:.1f} fields per second", operation_.name,
            report_.fields, report_.frames, report_.seconds, rate);
        for (const StageLoad& stage : report_.stages)
            explain("{}: busy {:.2f} s, waited {:.2f} s, {} thread{}", stage.name,
                    stage.busy_seconds, stage.waited_seconds, stage.threads,
                    stage.threads == 1 ? "" : "s");
        if (report_.devices.size() > 1) say("{}", devices_text(report_.devices, "field"));
        if (given_scale() == 0 && (outputs_.wants("color") || outputs_.wants("arrows")))
            say("full color and length: {:.3g} pixels, from the first field; --max-motion sets it",
                scale_);
        for (const WrittenFile& file : outputs_.written()) say("wrote {}", written_text(file));
        if (settings_.job.profile && !settings_.messages.json)
            for (Queue& queue : queues_) tell(profile_text(queue.profile(), queue.counters()));
        if (settings_.messages.json) print(json_text(report_json()));
        return exit_done;
    }

    Json report_json() {
        Json json = begin_json();
        json["outputs"] = json_of(outputs_.written());
        json["levels"] = report_.levels;
        json["range"] = {report_.range.lowest, report_.range.highest};
        json["frames"] = report_.frames;
        json["fields"] = report_.fields;
        json["seconds"] = report_.seconds;
        json["fields_per_second"] = static_cast<double>(report_.fields) / report_.seconds;
        json["max_motion"] = scale_;
        json["stages"] = json_of(report_.stages);
        json["shared"] = json_of(report_.devices);
        std::int64_t device_bytes = 0;
        Transfers transfers;
        for (Queue& queue : queues_) {
            device_bytes += queue.counters().peak_bytes_in_use;
            transfers.add(queue.counters());
            if (settings_.job.profile)
                json["queues"].push_back({{"kernels", json_of(queue.profile())},
                                          {"counters", json_of(queue.counters())}});
        }
        json["peak_memory"] = {{"host", peak_host_bytes()}, {"device", device_bytes}};
        json["transfers"] = json_of(transfers);
        json["warnings"] = report_.warnings;
        return json;
    }

    double given_scale() const { return std::get<double>(settings_.options.get("max-motion")); }

    const operations::Operation& operation_;
    const operations::SequenceMethod& method_;
    const OperationSettings& settings_;
    const Json& parameters_;
    const CancelToken& token_;
    SequenceOutputs outputs_;
    ProgressReporter progress_;
    std::vector<fs::path> pictures_;  // empty for a video
    std::unique_ptr<FrameReader> reader_;
    std::optional<AnyImage> first_;  // the first frame, until the work begins
    FrameRate rate_;
    FlowSequenceOptions options_;
    std::vector<Device::Choice> devices_;
    std::vector<std::int64_t> device_bytes_;  // of each
    std::int64_t host_bytes_ = 0;
    std::vector<Queue> queues_;
    double scale_ = 0;
    FlowSequenceReport report_;
};

}  // namespace

int run_sequence(const operations::Operation& operation, const OperationSettings& settings,
                 const Json& parameters, const CancelToken& token) {
    return Job(operation, settings, parameters, token).run();
}

}  // namespace tesela::cli
