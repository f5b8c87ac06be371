#include "file_job.h"

#include <fmt/format.h>

#include "interrupt.h"
#include "kinds.h"
#include "messages.h"
#include "operation_job.h"
#include "progress.h"
#include "report.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Input;
using operations::Operation;

class FileJob {
  public:
    FileJob(const Operation& operation, const OperationSettings& settings, Json parameters,
            const CancelToken& token)
        : operation_(operation),
          settings_(settings),
          parameters_(std::move(parameters)),
          outputs_(settings.job.force),
          progress_(operation.on_host ? ProgressStyle::none : settings.job.progress,
                    settings.messages.quiet, token) {
        for (const operations::Output& output : operation.outputs) add(output);
    }

    int run() {
        std::vector<fs::path> files = settings_.inputs;
        files.insert(files.end(), settings_.named_inputs.begin(), settings_.named_inputs.end());
        outputs_.check(files);
        for (const operations::Output& output : operation_.outputs)
            outputs_.probe(std::string(output.name), [&](const fs::path& path) {
                files_of(output.kind).probe(output, Image<std::uint8_t>({1}), {}, path);
            });
        if (!operation_.on_host) choice_ = device_for(operation_, settings_);
        return_freed_memory(limit());
        {
            const DisposableWork reading;
            read();
        }
        const operations::Call call{inputs_, settings_.options, wanted_, {}, 0, names_};
        check(operation_, call);
        const operations::Memory memory = operation_.memory(call, choice_.device);
        const MemoryPlan plan = plan_of(memory);
        if (settings_.job.dry_run) {
            progress_.finish();
            return report_plan(plan, outputs_.outputs(), begin_json(memory.known),
                               settings_.messages.json);
        }
        require_memory(plan);
        compute(call, plan.for_queue());
        write();
        progress_.finish();
        report(memory.known);
        return exit_done;
    }

  private:
    std::int64_t limit() const { return settings_.memory.max_memory.bytes; }

    void add(const operations::Output& output) {
        const fs::path& path = settings_.files.find(output.name)->path;
        if (path.empty() && output.required)
            throw InvalidArgument(
                fmt::format("--{} (-o) is missing: name the {}", output.name, output.help));
        if (path.empty()) return;
        const auto side_files = files_of(output.kind).side_files;
        outputs_.add(std::string(output.name), path,
                     side_files ? side_files(path) : std::vector<fs::path>{},
                     output.kind != kinds::labels);
        wanted_.emplace(output.name);
    }

    void read() {
        clock_.start("read");
        progress_.part(0, read_part).report(0, "read");
        std::size_t next = 0;
        for (const Input* input : file_inputs(operation_)) {
            const std::size_t count = input->several ? settings_.inputs.size() - next
                                      : next < settings_.inputs.size() ? 1
                                                                       : 0;
            read(*input, {settings_.inputs.begin() + static_cast<std::ptrdiff_t>(next),
                          settings_.inputs.begin() + static_cast<std::ptrdiff_t>(next + count)});
            next += count;
        }
        set_named_inputs(
            settings_.named,
            [&](const fs::path& path, ReadAs as, bool own_grid) -> AnyImage {
                if (as == ReadAs::labels) return read_labels(path, own_grid);
                if (as == ReadAs::image) return read_image(path, own_grid);
                return fitted(path, mask_labels(io::read_image(path, reading()).image, path),
                              own_grid);
            },
            inputs_);
        clock_.finish();
    }

    void read(const Input& input, const std::vector<fs::path>& paths) {
        std::vector<std::string>& names = names_[std::string(input.name)];
        for (const fs::path& path : paths) names.push_back(path.string());
        if (paths.empty()) return;
        progress_.part(0, read_part).throw_if_cancelled();
        const fs::path& path = paths.front();
        if (const auto own = files_of(input.kind).read) {
            taken_ += own(inputs_, input.name, path, reading(), settings_.options);
        } else if (input.several) {
            std::vector<LabelImage> all;
            for (const fs::path& one : paths) all.push_back(read_labels(one, input.own_grid));
            inputs_.set(input.name, std::move(all));
        } else if (input.kind == kinds::labels) {
            inputs_.set(input.name, read_labels(path, input.own_grid));
        } else {
            inputs_.set(input.name, read_image(path, input.own_grid));
        }
    }
    io::ReadOptions reading() const { return read_options(settings_.memory, taken_); }

    AnyImage read_image(const fs::path& path, bool own_grid) {
        return fitted(path, io::read_image(path, reading()).image, own_grid);
    }
    LabelImage read_labels(const fs::path& path, bool own_grid) {
        return fitted(path, io::read_labels(path, reading()), own_grid);
    }
    // On the grid of the image that was read first.
    template <class AnyKind>
    AnyKind fitted(const fs::path& path, AnyKind image, bool own_grid) {
        progress_.part(0, read_part).throw_if_cancelled();
        if (!own_grid && first_)
            image = fit_to(*first_, path, std::move(image), settings_.geometry, warnings_);
        else if (!own_grid)
            first_ = PlacedFile{path, grid_of(image)};
        taken_ += bytes_of(image);
        return image;
    }

    MemoryPlan plan_of(const operations::Memory& memory) const {
        return {choice_.device,
                {.reading = taken_,
                 .held = taken_ + memory.held,
                 .computing = memory.computing,
                 .device = memory.device},
                limit()};
    }
    void require_memory(const MemoryPlan& plan) const {
        require_host_memory(operation_.name, plan.on_host().needed, limit());
        plan.require();
        if (operation_.on_host) return;
        for (const auto& [use, where] : {std::pair{plan.on_host(), std::string("the host")},
                                         std::pair{plan.on_device(), plan.device().id()}})
            if (!use.fits())
                throw OutOfMemory(
                    fmt::format("{} needs {} on {}, which has {} free; give it less to do",
                                operation_.name, readable_bytes(use.needed), where,
                                readable_bytes(use.available)),
                    use.needed, use.available);
    }

    void compute(const operations::Call& call, std::int64_t max_memory) {
        const DisposableWork computing;
        Queue queue(choice_.device, queue_options(settings_.job, max_memory));
        results_ = operation_.run(call, queue, progress_.part(read_part, computed_part));
        progress_.part(computed_part, 1).throw_if_cancelled();
        counters_ = queue.counters();
        if (settings_.job.profile) kernels_ = queue.profile();
    }

    void write() {
        clock_.start("write");
        for (const operations::Output& output : operation_.outputs)
            outputs_.stage(std::string(output.name), [&](const fs::path& path) {
                files_of(output.kind).write(results_.outputs, output.name, path);
            });
        progress_.part(computed_part, 1).throw_if_cancelled();
        written_ = outputs_.commit();
        clock_.finish();
        warnings_.insert(warnings_.end(), results_.warnings.begin(), results_.warnings.end());
    }

    Json begin_json(const operations::Figures& known) const {
        Json json = begin_report(operation_.name);
        if (!operation_.on_host) json["device"] = json_of(choice_);
        json["parameters"] = parameters_;
        json.update(json_of(known));
        return json;
    }

    void report(const operations::Figures& known) {
        std::vector<StageTime> stages = clock_.take();
        stages.insert(stages.begin() + 1, results_.stages.begin(), results_.stages.end());
        for (const std::string& warning : warnings_) warn(warning);
        if (!results_.summary.empty()) say("{}", results_.summary);
        if (!operation_.on_host) say("times: {}", stages_text(stages));
        for (const WrittenFile& file : written_)
            say("wrote {} ({})", file.path.string(), readable_bytes(file.bytes));
        if (!settings_.messages.json) {
            if (!results_.data.empty()) print(results_.data);
            if (settings_.job.profile) tell(profile_text(kernels_, counters_));
            return;
        }
        Json json = begin_json(known);
        json.update(json_of(results_.details));
        if (!operation_.outputs.empty()) json["outputs"] = json_of(written_);
        json["stages"] = json_of(stages);
        if (settings_.job.profile) {
            json["kernels"] = json_of(kernels_);
            json["counters"] = json_of(counters_);
        }
        json["warnings"] = warnings_;
        print_report(std::move(json));
    }

    // Progress at the end of reading and of computing.
    static constexpr double read_part = 0.3, computed_part = 0.7;

    const Operation& operation_;
    const OperationSettings& settings_;
    Json parameters_;
    Device::Choice choice_{Device::parse("cpu"), {}};
    OutputSet outputs_;
    ProgressReporter progress_;
    StageClock clock_;
    std::set<std::string, std::less<>> wanted_;
    operations::Values inputs_;
    std::map<std::string, std::vector<std::string>, std::less<>> names_;
    std::optional<PlacedFile> first_;
    std::int64_t taken_ = 0;  // bytes of the inputs
    operations::Results results_;
    QueueCounters counters_;
    std::vector<KernelTime> kernels_;  // with --profile
    std::vector<WrittenFile> written_;
    std::vector<std::string> warnings_;
};

}  // namespace

bool is_file_job(const Operation& operation) {
    if (operation.on_host || operation.inputs.empty()) return true;
    return files_of(operation.inputs.front().kind).read != nullptr;
}

int run_file_job(const Operation& operation, const OperationSettings& settings, Json parameters,
                 const CancelToken& token) {
    return FileJob(operation, settings, std::move(parameters), token).run();
}

}  // namespace tesela::cli
