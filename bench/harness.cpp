#include "harness.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "tesela/compute/device_list.h"
#include "tesela/error.h"

namespace tesela::bench {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// What is measured, and what comes before each turn of it without being measured, if anything.
struct Turn {
    std::function<void()> run, prepare = nullptr;
};

// Milliseconds of `count` turns, waited for once, or after each that is prepared.
double time_turns(Queue& queue, const Turn& turn, std::int64_t count) {
    const std::int64_t at_once = turn.prepare ? 1 : count;
    double total = 0;
    for (std::int64_t done = 0; done < count; done += at_once) {
        if (turn.prepare) {
            turn.prepare();
            queue.finish();
        }
        const auto start = Clock::now();
        for (std::int64_t i = 0; i < at_once; ++i) turn.run();
        queue.finish();
        total += milliseconds_since(start);
    }
    return total;
}

// Enough turns for the wait at their end not to count.
std::int64_t turns_in_a_batch(Queue& queue, const Turn& turn, bool smoke) {
    time_turns(queue, turn, 1);  // compiles, allocates
    if (smoke) return 1;
    constexpr double batch_milliseconds = 20;
    const double once = std::max(time_turns(queue, turn, 3) / 3, 1e-4);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(batch_milliseconds / once), 1, 5000);
}

// Keeps the times of all repetitions and prints nothing.
class Collector : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs)
            if (run.run_type == Run::RT_Iteration)
                milliseconds.push_back(1000 * run.real_accumulated_time /
                                       static_cast<double>(run.iterations));
    }
    std::vector<double> milliseconds;
};

// Milliseconds of one turn, for each repetition.
std::vector<double> repeat(Queue& queue, const Turn& turn, const Options& options) {
    const std::int64_t batch = turns_in_a_batch(queue, turn, options.smoke);
    Collector collector;
    benchmark::RegisterBenchmark(
        "case",
        [&](benchmark::State& state) {
            while (state.KeepRunningBatch(batch))
                state.SetIterationTime(time_turns(queue, turn, batch) / 1000);
        })
        ->UseManualTime()
        ->MinTime(options.smoke ? 1e-6 : options.seconds)
        ->Repetitions(options.smoke ? 1 : options.repetitions);
    benchmark::RunSpecifiedBenchmarks(&collector);
    benchmark::ClearRegisteredBenchmarks();
    return collector.milliseconds;
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

std::vector<Device> parse_devices(const std::string& list) {
    std::vector<Device> devices;
    for (const Device::Choice& choice : choose_devices(list)) devices.push_back(choice.device);
    return devices;
}

double positive(const std::string& option, const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end || !(value > 0))
        throw InvalidArgument(option + " needs a number above 0, not '" + text + "'");
    return value;
}

std::string csv_text(std::string text) {
    for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2))
        text.insert(at, 1, '"');
    return '"' + text + '"';
}

}  // namespace

Options read_options(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    Options options;
    const char* smoke = std::getenv("TESELA_BENCH_SMOKE");
    options.smoke = smoke && std::string_view(smoke) == "1";
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        const auto value = [&]() -> std::string {
            if (i + 1 == argc) throw InvalidArgument(option + " needs a value");
            return argv[++i];
        };
        if (option == "--smoke")
            options.smoke = true;
        else if (option == "--device")
            options.devices = parse_devices(value());
        else if (option == "--csv")
            options.csv = value();
        else if (option == "--filter")
            options.filter = value();
        else if (option == "--seconds")
            options.seconds = positive(option, value());
        else if (option == "--repetitions")
            options.repetitions = static_cast<int>(std::max(1.0, positive(option, value())));
        else
            throw InvalidArgument("unknown option '" + option +
                                  "'; there are --device LIST, --csv FILE, --filter TEXT, "
                                  "--seconds S, --repetitions N and --smoke");
    }
    if (options.devices.empty()) options.devices = Device::all();
    return options;
}

Table::Table(std::string program, const Options& options)
    : program_(std::move(program)), options_(options), date_(today()) {
    const char* commit = std::getenv("TESELA_COMMIT");
    commit_ = commit && *commit ? commit : TESELA_COMMIT;
    std::printf("%s, commit %s, %s\n", program_.c_str(), commit_.c_str(), date_.c_str());
    for (const Device& device : options_.devices)
        std::printf("%-9s %s; %s\n", device.id().c_str(), device.properties().name.c_str(),
                    device.properties().driver.c_str());
    std::printf("%-9s %-24s %-14s %11s %11s %11s %9s %8s\n", "device", "case", "size", "median ms",
                "lowest", "highest", "GB/s", "of copy");
    if (options_.csv.empty() || std::ifstream(options_.csv)) return;
    std::ofstream csv(options_.csv);
    csv << "date,commit,program,device,name,driver,case,size,repetitions,median_ms,lowest_ms,"
           "highest_ms,bytes,gb_per_s,share_of_copy\n";
}

Table::Row Table::time(Queue& queue, const Case& one) {
    double restoring = 0;
    Turn turn{one.enqueue};
    if (one.restore && one.restores_apart) {
        turn.prepare = one.restore;
    } else if (one.restore) {
        restoring = median(repeat(queue, {one.restore}, options_));
        turn.run = [&one] {
            one.restore();
            one.enqueue();
        };
    }
    const std::vector<double> times = repeat(queue, turn, options_);
    if (times.empty())
        throw InvalidArgument("no times were taken: leave --benchmark_filter out, use --filter");
    const auto [lowest, highest] = std::minmax_element(times.begin(), times.end());
    return {*lowest - restoring, median(times) - restoring, *highest - restoring};
}

void Table::measure(Queue& queue, const std::vector<Case>& cases) {
    double copy_rate = 0;
    for (const bool copies : {true, false})
        for (const Case& one : cases) {
            if (one.is_copy != copies) continue;
            // Shares need the copies whatever the filter says.
            if (!copies && one.name.find(options_.filter) == std::string::npos) continue;
            const Row row = time(queue, one);
            if (copies) copy_rate = std::max(copy_rate, one.bytes / row.median);
            print(queue.device(), one, row, copies ? 0 : copy_rate);
            measured_.push_back({queue.device().id(), one.name, one.size, row.median});
        }
}

void Table::print_ratios() const {
    for (auto one = measured_.begin(); one != measured_.end(); ++one) {
        const auto first = std::find_if(measured_.begin(), one, [&](const Measured& other) {
            return other.name == one->name && other.size == one->size;
        });
        if (first != one && first->device != one->device)
            std::printf("%-9s %-24s %-14s %6.2f of the rate of %s\n", one->device.c_str(),
                        one->name.c_str(), one->size.c_str(), first->median / one->median,
                        first->device.c_str());
    }
}

void Table::print(const Device& device, const Case& one, const Row& row, double copy_rate) {
    const double rate = one.bytes / row.median;  // bytes a millisecond
    const double share = copy_rate > 0 ? rate / copy_rate : 0;
    char share_text[16] = "";
    if (share > 0) std::snprintf(share_text, sizeof share_text, "%.1f %%", 100 * share);
    char rate_text[16] = "";
    if (one.bytes > 0) std::snprintf(rate_text, sizeof rate_text, "%.1f", rate / 1e6);
    std::printf("%-9s %-24s %-14s %11.4f %11.4f %11.4f %9s %8s\n", device.id().c_str(),
                one.name.c_str(), one.size.c_str(), row.median, row.lowest, row.highest, rate_text,
                share_text);
    std::fflush(stdout);
    if (options_.csv.empty()) return;
    std::ofstream csv(options_.csv, std::ios::app);
    csv << date_ << ',' << commit_ << ',' << program_ << ',' << device.id() << ','
        << csv_text(device.properties().name) << ',' << csv_text(device.properties().driver) << ','
        << csv_text(one.name) << ',' << csv_text(one.size) << ','
        << (options_.smoke ? 1 : options_.repetitions) << ',' << row.median << ',' << row.lowest
        << ',' << row.highest << ',' << one.bytes << ',' << rate / 1e6 << ',' << share << '\n';
    if (!csv) throw UnwritableOutput("cannot write '" + options_.csv + "'");
}

void print_kernels(const std::string& title, Queue& queue, std::size_t most) {
    const std::vector<KernelTime> times = queue.profile();
    std::printf("  %s:", title.c_str());
    for (std::size_t i = 0; i < std::min(times.size(), most); ++i)
        std::printf(" %s %lld x %.4f ms", times[i].name.c_str(),
                    static_cast<long long>(times[i].launches),
                    times[i].total_ms / static_cast<double>(times[i].launches));
    std::printf("\n");
}

int run_program(int argc, char** argv, const std::string& program,
                const std::function<void(Table& table, const Options& options)>& body) {
    try {
        const Options options = read_options(argc, argv);
        Table table(program, options);
        body(table, options);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

}  // namespace tesela::bench
