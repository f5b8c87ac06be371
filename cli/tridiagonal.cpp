// tesela tridiagonal INPUT, or --random ROWSxSYSTEMS
#include "tesela/tridiagonal.h"

#include <fmt/format.h>

#include <cmath>

#include "interrupt.h"
#include "messages.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "tridiagonal_file.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

enum class Precision { single, twofold };
constexpr auto enum_names(Precision) {
    return std::array{EnumNames<Precision>{Precision::single, "float"},
                      EnumNames<Precision>{Precision::twofold, "double"}};
}

struct TridiagonalChoice {
    std::string random;
    TridiagonalKind kind = TridiagonalKind::dominant;
    std::uint64_t seed = 1;
    Precision precision = Precision::twofold;
    fs::path solution;
};
template <class V>
void describe(V&& v, TridiagonalChoice& o) {
    v("solution", o.solution, "solutions as text, an empty line between systems");
    v("precision", o.precision, "precision of the arithmetic");
    v("random", o.random, "solve random systems: ROWSxSYSTEMS");
    v("kind", o.kind, "matrices of the random systems");
    v("seed", o.seed, "number that random systems are made from");
}

struct Settings {
    TridiagonalChoice choice;
    JobOptions job;
    MemoryOptions memory;
    MessageOptions messages;
    std::vector<fs::path> inputs;

    bool in_float() const { return choice.precision == Precision::single; }
};

struct Solution {
    std::vector<double> x;
    TridiagonalQuality quality;
    QueueCounters counters;
    std::vector<KernelTime> kernels;
};

template <class T>
Solution solve_as(const Settings& settings, const Device& device, std::int64_t memory,
                  const TridiagonalSystems& systems) {
    const auto as = [](const std::vector<double>& values) {
        std::vector<T> made;
        made.reserve(values.size());
        for (const double value : values) made.push_back(static_cast<T>(value));
        return made;
    };
    const DisposableWork computing;
    Queue queue(device, queue_options(settings.job, memory));
    Solution solution;
    const std::vector<T> x =
        solve_tridiagonal<T>(queue, systems.lines, as(systems.a), as(systems.b), as(systems.c),
                             as(systems.d), &solution.quality);
    solution.x.assign(x.begin(), x.end());
    solution.counters = queue.counters();
    if (settings.job.profile) solution.kernels = queue.profile();
    return solution;
}

MemoryPlan plan_of(const Settings& settings, const Device& device, const TridiagonalLines& lines) {
    // Text and solutions are held in double precision, what is solved in that asked for. A device
    // takes the systems, and at most half as much again.
    const std::int64_t value = settings.in_float() ? 4 : 8;
    const double rows = static_cast<double>(lines.rows) * static_cast<double>(lines.systems());
    const auto bytes = [&](std::int64_t of_row) {
        return static_cast<std::int64_t>(std::min(rows * static_cast<double>(of_row), 0x1p60));
    };
    MemoryPlan plan(device,
                    {.reading = bytes(4 * 8),
                     .held = bytes(5 * 8),
                     .computing = bytes(5 * value),
                     .device = bytes(6 * value)},
                    settings.memory.max_memory.bytes);
    return plan;
}

void require_fit(const MemoryPlan& plan) {
    plan.require();
    for (const auto& [use, where] : {std::pair{plan.on_host(), std::string("the host")},
                                     std::pair{plan.on_device(), plan.device().id()}})
        if (!use.fits())
            throw OutOfMemory(
                fmt::format("the systems need {} on {}, which has {} free; give fewer of them",
                            readable_bytes(use.needed), where, readable_bytes(use.available)),
                use.needed, use.available);
}

std::string size_text(const TridiagonalLines& lines) {
    return fmt::format("{} system{} of {} row{}", lines.systems(), lines.systems() == 1 ? "" : "s",
                       lines.rows, lines.rows == 1 ? "" : "s");
}

// One run of the verb.
class Job {
  public:
    Job(const Settings& settings, Json parameters, const CancelToken& token)
        : settings_(settings),
          parameters_(std::move(parameters)),
          progress_(settings.job.progress, settings.messages.quiet, token),
          outputs_(settings.job.force) {}

    int run() {
        check();
        const Device::Choice choice = first_device(settings_.job.device);
        clock_.start("read");
        progress_.part(0, 0.3).report(0, "read");
        const bool is_random = settings_.inputs.empty();
        if (is_random)
            systems_.lines = parse_tridiagonal_size(settings_.choice.random);
        else
            systems_ = read_tridiagonal(settings_.inputs.front(), progress_.part(0, 0.3));
        const MemoryPlan plan = plan_of(settings_, choice.device, systems_.lines);
        if (settings_.job.dry_run) {
            progress_.finish();
            return report_plan(plan, outputs_.outputs(), begin_json(choice),
                               settings_.messages.json);
        }
        require_fit(plan);
        if (is_random)
            systems_ =
                random_tridiagonal(systems_.lines, settings_.choice.kind, settings_.choice.seed);
        progress_.part(0.3, 0.7).report(0, "solve");
        clock_.start("solve");
        solution_ = settings_.in_float()
                        ? solve_as<float>(settings_, choice.device, plan.for_queue(), systems_)
                        : solve_as<double>(settings_, choice.device, plan.for_queue(), systems_);
        write();
        progress_.finish();
        report(choice);
        return exit_done;
    }

  private:
    void check() {
        const TridiagonalChoice& choice = settings_.choice;
        if (settings_.inputs.empty() == choice.random.empty())
            throw InvalidArgument("give one of the two: a text file, or --random ROWSxSYSTEMS");
        outputs_.add("solution", choice.solution);
        outputs_.check(settings_.inputs);
    }

    void write() {
        progress_.part(0.7, 1).report(0, "write");
        clock_.start("write");
        const int digits = settings_.in_float() ? 9 : 17;
        outputs_.stage("solution", [&](const fs::path& path) {
            write_solutions(path, systems_.lines, solution_.x, digits);
        });
        progress_.part(0.7, 1).report(1, "write");
        written_ = outputs_.commit();
        clock_.finish();
    }

    Json begin_json(const Device::Choice& choice) const {
        Json json = begin_report("tridiagonal");
        json["device"] = json_of(choice);
        json["parameters"] = parameters_;
        json["rows"] = systems_.lines.rows;
        json["systems"] = systems_.lines.systems();
        return json;
    }

    void report(const Device::Choice& choice) {
        const std::vector<StageTime> stages = clock_.take();
        const TridiagonalQuality& quality = solution_.quality;
        const std::string warning = quality.warning();
        if (!warning.empty()) warn(warning);
        say("times: {}", stages_text(stages));
        for (const WrittenFile& file : written_)
            say("wrote {} ({})", file.path.string(), readable_bytes(file.bytes));
        if (!settings_.messages.json) {
            print(
                fmt::format("solved          {}\ndominance       {:.6g}\nbackward error  {:.3g}\n",
                            size_text(systems_.lines), quality.dominance, quality.backward_error));
            if (settings_.job.profile) tell(profile_text(solution_.kernels, solution_.counters));
            return;
        }
        Json json = begin_json(choice);
        json["outputs"] = json_of(written_);
        json["dominance"] = std::isfinite(quality.dominance) ? Json(quality.dominance) : Json();
        json["backward_error"] = quality.backward_error;
        json["stages"] = json_of(stages);
        if (settings_.job.profile) {
            json["kernels"] = json_of(solution_.kernels);
            json["counters"] = json_of(solution_.counters);
        }
        json["warnings"] = warning.empty() ? Json::array() : Json::array({warning});
        print(json_text(std::move(json)));
    }

    const Settings& settings_;
    Json parameters_;
    ProgressReporter progress_;
    OutputSet outputs_;
    StageClock clock_;
    TridiagonalSystems systems_;
    Solution solution_;
    std::vector<WrittenFile> written_;
};

}  // namespace

int run_tridiagonal(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser("tridiagonal", "Solves tridiagonal systems of linear equations.");
    parser.add_inputs(settings.inputs, "INPUT", 0, 1, "text with the columns a, b, c and d");
    parser.add(settings.choice, "Systems", {{"solution", "-o,--output"}});
    parser.add(settings.job, "Computing");
    parser.add(settings.memory, "Computing");
    parser.add(settings.messages, "Messages", message_aliases());
    parser.add_examples(
        {"tridiagonal systems.csv -o x.csv", "tridiagonal --random 512x65536 --precision float"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    return_freed_memory(settings.memory.max_memory.bytes);
    return Job(settings, parser.values(), token).run();
}

}  // namespace tesela::cli
