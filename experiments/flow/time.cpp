// The thesis's experiments on the time of optical flow: X4 to X7.
#include <algorithm>
#include <limits>

#include "experiments/flow/laboratory.h"
#include "messages.h"

namespace tesela::experiments {
namespace {

constexpr LucasKanadeSizes usual_sizes{15, 5};
constexpr std::array all_forms{LucasKanadeVariant::thesis_basic, LucasKanadeVariant::thesis_local,
                               LucasKanadeVariant::thesis};

std::string milliseconds(double seconds) { return cell(1000 * seconds); }

// Frames a second by size and worker.
struct Rates {
    std::vector<FrameSize> sizes;
    std::vector<Curve> curves;  // one a worker

    double at(std::size_t worker, std::string_view size) const {
        for (std::size_t i = 0; i < sizes.size(); ++i)
            if (sizes[i].text() == size) return curves[worker].y[i];
        return std::numeric_limits<double>::quiet_NaN();
    }
};

// Adds a row for each to `table`: name, size, worker, seconds, frames a second, ratio to one
// thread.
template <class Options>
Rates measure_rates(FlowLaboratory& laboratory, const std::string& name, const Options& options,
                    Table& table) {
    Rates rates{frame_sizes(laboratory.quick()), {}};
    for (const Worker& worker : laboratory.workers()) rates.curves.push_back({worker.name, {}, {}});
    for (const FrameSize& size : rates.sizes) {
        const std::vector<Image<float>> frames = frames_of_size(size.width, size.height);
        double sequential = 0;
        for (std::size_t w = 0; w < rates.curves.size(); ++w) {
            const Worker& worker = laboratory.workers()[w];
            const double seconds = laboratory.seconds(worker, frames, options);
            if (w == 0) sequential = seconds;
            say("{}, {}, {}: {:.2f} ms", name, size.text(), worker.name, 1000 * seconds);
            rates.curves[w].x.push_back(static_cast<double>(size.width * size.height) / 1e6);
            rates.curves[w].y.push_back(1 / seconds);
            table.add({name, size.text(), worker.name, milliseconds(seconds), cell(1 / seconds),
                       cell(sequential / seconds)});
        }
    }
    return rates;
}

Table rate_table() {
    return Table(
        {"setting", "size", "device", "milliseconds", "frames_per_second", "ratio_to_one_thread"});
}

std::string rate_chart(const std::string& title, const Rates& rates) {
    return curve_chart(title, {"megapixels", true}, {"frames a second", true}, rates.curves);
}

// Rates of the main device. The claims are about GPUs.
void tell_real_time(FlowLaboratory& laboratory, const std::string& row, const std::string& claim,
                    const std::string& thesis, const Rates& rates,
                    const std::vector<std::string_view>& sizes) {
    std::string here;
    bool reached = true;
    for (const std::string_view size : sizes) {
        const double rate = rates.at(rates.curves.size() - 1, size);
        here += fmt::format("{}{} at {}", here.empty() ? "" : ", ",
                            rate > 0 ? fmt::format("{:.4g}", rate) : "not measured", size);
        reached = reached && rate >= real_time;
    }
    const bool tested = laboratory.has_gpu() && !laboratory.quick();
    laboratory.find({row, claim + ", here on " + rates.curves.back().name, thesis, here,
                     tested ? std::optional(reached) : std::nullopt});
}

void tell_against_one_thread(FlowLaboratory& laboratory, const std::string& what,
                             const Rates& rates) {
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rates.sizes.size(); ++i)
        if (rates.sizes[i].width >= 300)
            lowest = std::min(lowest, rates.curves.back().y[i] / rates.curves.front().y[i]);
    const bool tested = laboratory.has_gpu() && !laboratory.quick();
    laboratory.find({"F-35", what + ": a GPU is faster than one thread from 300x300 on",
                     "yes, all but the FPGA",
                     tested ? fmt::format("{:.1f} times at least", lowest) : "no GPU, or quick",
                     tested ? std::optional(lowest > 1) : std::nullopt});
}

// ---- X7 ----------------------------------------------------------------------------------------

void compare_forms(FlowLaboratory& laboratory) {
    Table table({"device", "block", "thesis_basic_ms", "thesis_local_ms", "thesis_ms", "local_gain",
                 "sums_gain"});
    const FrameSize size = frame_sizes(laboratory.quick()).back();
    const std::vector<Image<float>> frames = frames_of_size(size.width, size.height);
    std::vector<Curve> curves;
    for (const auto form : all_forms) curves.push_back({std::string(enum_name(form)), {}, {}});
    const Worker& worker = laboratory.main_worker();
    std::string gains;
    bool gained = true;
    for (const int block : flow_blocks) {
        std::array<double, all_forms.size()> seconds{};
        for (std::size_t f = 0; f < all_forms.size(); ++f) {
            seconds[f] = laboratory.seconds(
                worker, frames, lucas_kanade_options({block, usual_sizes.filter}, all_forms[f]));
            curves[f].x.push_back(block);
            curves[f].y.push_back(1000 * seconds[f]);
        }
        const double gain = seconds[0] / seconds[1];
        table.add({worker.name, std::to_string(block), milliseconds(seconds[0]),
                   milliseconds(seconds[1]), milliseconds(seconds[2]), cell(gain),
                   cell(seconds[0] / seconds[2])});
        if (block < usual_sizes.block) continue;
        gains += fmt::format("{}{:.2f} at {}", gains.empty() ? "" : ", ", gain, block);
        gained = gained && gain >= 1;
    }
    laboratory.write("X7-blocks.csv", table);
    laboratory.write("X7-blocks.svg",
                     curve_chart(fmt::format("Lucas-Kanade, {}, {}", size.text(), worker.name),
                                 {"side of the block, pixels"}, {"milliseconds", true}, curves));
    laboratory.find({"F-37", "local memory gains time for blocks of 15 and more, on " + worker.name,
                     "yes; not tabulated", gains + " times", gained});
}

// Time a pair of N frames in one call, N - 1 pairs.
void compare_batches(FlowLaboratory& laboratory) {
    Table table({"device", "frames", "milliseconds", "milliseconds_a_pair"});
    const Worker& worker = laboratory.main_worker();
    for (int count = 2; count <= 8; ++count) {
        const std::vector<Image<float>> frames = frames_of_size(150, 150, count);
        const double seconds =
            laboratory.seconds(worker, frames, lucas_kanade_options(usual_sizes));
        table.add({worker.name, std::to_string(count), milliseconds(seconds),
                   milliseconds(seconds / (count - 1))});
    }
    laboratory.write("X7-batches.csv", table);
}

// What the thesis's last step took out: transfers within the loops.
void count_transfers(FlowLaboratory& laboratory) {
    Table table({"method", "launches", "uploads", "downloads", "allocations_of_a_second_call"});
    Queue& queue = *laboratory.main_worker().queue;
    bool one_way = true;
    const auto count = [&](const std::string& name, const auto& options) {
        const std::vector<Image<float>> frames = frames_of_size(150, 150);
        (void)flow_of(frames, options, queue, laboratory.progress());
        const QueueCounters before = queue.counters();
        (void)flow_of(frames, options, queue, laboratory.progress());
        const QueueWork work = queue.counters() - before;
        one_way = one_way && work.uploads <= 2 && work.downloads == 1;
        table.add({name, std::to_string(work.launches + work.graphs), std::to_string(work.uploads),
                   std::to_string(work.downloads), std::to_string(work.allocations)});
    };
    for (const auto form : all_forms)
        count("Lucas-Kanade " + std::string(enum_name(form)),
              lucas_kanade_options(usual_sizes, form));
    count("Horn-Schunck thesis", horn_schunck_options(3, 2, 16));
    laboratory.write("X7-transfers.csv", table);
    laboratory.find({"F-27", "frames go up once and the field comes down once",
                     "in the last version", one_way ? "yes" : "no", one_way});
}

}  // namespace

void run_lucas_kanade_times(FlowLaboratory& laboratory) {
    const FlowSequence& sequence = laboratory.sequence({"diverging"});
    Table table({"sequence", "device", "variant", "milliseconds", "ratio_to_one_thread"});
    Table kernels({"device", "variant", "kernel", "launches_a_call", "mean_ms", "lowest_ms"});
    std::vector<Bars> bars;
    std::vector<std::string> names;
    for (const Worker& worker : laboratory.workers()) names.push_back(worker.name);
    for (const auto form : all_forms) {
        const LucasKanadeOptions options = lucas_kanade_options(usual_sizes, form);
        bars.push_back({std::string(enum_name(form)), {}});
        double sequential = 0;
        for (const Worker& worker : laboratory.workers()) {
            const double seconds = laboratory.seconds(worker, sequence.frames, options);
            if (bars.back().values.empty()) sequential = seconds;
            bars.back().values.push_back(1000 * seconds);
            table.add({sequence.name, worker.name, bars.back().name, milliseconds(seconds),
                       cell(sequential / seconds)});
            const std::vector<KernelTime> times =
                laboratory.kernel_times(worker, sequence.frames, options);
            for (const KernelTime& time : times)
                kernels.add({worker.name, bars.back().name, time.name,
                             cell(static_cast<double>(time.launches) / laboratory.repetitions()),
                             cell(time.total_ms / static_cast<double>(time.launches)),
                             cell(time.lowest_ms)});
        }
    }
    laboratory.write("X4.csv", table);
    laboratory.write("X4-kernels.csv", kernels);
    laboratory.write("X4.svg", bar_chart("Lucas-Kanade, block 15, filter 5, " + sequence.name,
                                         {"milliseconds", true}, names, bars));
    const std::vector<double>& fast = bars.back().values;
    const std::size_t last = fast.size() - 1;
    laboratory.find({"F-30", "whole call: one thread, " + laboratory.main_worker().name,
                     "bars without numbers",
                     fmt::format("{:.2f} ms, {:.2f} ms", fast.front(), fast[last]), std::nullopt});
}

void run_lucas_kanade_rates(FlowLaboratory& laboratory) {
    Table table = rate_table();
    const Rates rates =
        measure_rates(laboratory, "Lucas-Kanade 15/5", lucas_kanade_options(usual_sizes), table);
    laboratory.write("X5.csv", table);
    laboratory.write("X5.svg", rate_chart("Lucas-Kanade, block 15, filter 5", rates));
    tell_real_time(laboratory, "F-31", "24 frames a second at 1920x1080", "yes, on a GPU", rates,
                   {"1920x1080"});
    tell_against_one_thread(laboratory, "Lucas-Kanade", rates);
    const bool tested = laboratory.has_gpu() && laboratory.device_count() > 1;
    laboratory.find({"F-32", "a GPU against all threads of the CPU, largest frames",
                     "OpenCL 1.45 times OpenACC on one GPU, and much faster than OpenMP",
                     tested ? fmt::format("{:.1f} times {}",
                                          rates.curves.back().y.back() / rates.curves[1].y.back(),
                                          rates.curves[1].name)
                            : "no GPU beside the CPU",
                     tested ? std::optional(rates.curves.back().y.back() > rates.curves[1].y.back())
                            : std::nullopt});
}

void run_horn_schunck_rates(FlowLaboratory& laboratory) {
    // The thesis states neither: A is light, B heavy.
    const HornSchunckOptions light = horn_schunck_options(3, 1, 8),
                             heavy = horn_schunck_options(5, 3, 128);
    Table table = rate_table();
    const Rates a =
        measure_rates(laboratory, "Horn-Schunck A: 3 levels, 1 warp, 8 steps", light, table);
    const Rates b =
        measure_rates(laboratory, "Horn-Schunck B: 5 levels, 3 warps, 128 steps", heavy, table);
    laboratory.write("X6.csv", table);
    laboratory.write("X6-A.svg", rate_chart("Horn-Schunck A: 3 levels, 1 warp, 8 steps", a));
    laboratory.write("X6-B.svg", rate_chart("Horn-Schunck B: 5 levels, 3 warps, 128 steps", b));
    tell_real_time(laboratory, "F-33", "A: 24 frames a second", "yes, on a GPU", a,
                   {"1600x1600", "1920x1080"});
    tell_real_time(laboratory, "F-34", "B: 24 frames a second", "yes, on a GPU, and no larger", b,
                   {"150x150"});
    tell_against_one_thread(laboratory, "Horn-Schunck A", a);
    tell_against_one_thread(laboratory, "Horn-Schunck B", b);
}

void run_optimizations(FlowLaboratory& laboratory) {
    compare_forms(laboratory);
    compare_batches(laboratory);
    count_transfers(laboratory);
}

}  // namespace tesela::experiments
