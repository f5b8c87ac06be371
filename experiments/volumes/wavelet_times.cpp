// The thesis's experiments on wavelets of lines: E6, E7 and E8.
#include <algorithm>
#include <limits>
#include <random>

#include "experiments/volumes/laboratory.h"
#include "experiments/volumes/wavelet_figures.h"

namespace tesela::experiments {
namespace {

using Form = ThesisWaveletForm;

std::vector<float> noise(std::int64_t samples) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<float> any(-1, 1);
    std::vector<float> line(static_cast<std::size_t>(samples));
    for (float& value : line) value = any(generator);
    return line;
}

double milliseconds(VolumeLaboratory& laboratory, Queue& queue, const std::vector<float>& line,
                    const ThesisWaveletOptions& options) {
    ThesisWaveletWork work(line, options, queue);
    return laboratory.milliseconds_of([&] { work.load(); }, [&] { work.transform(); });
}

std::vector<float> longest_line(const VolumeLaboratory& laboratory) {
    return noise(laboratory.lengths(6).back());
}

}  // namespace

void run_wavelet_times(VolumeLaboratory& laboratory) {
    Table table({"wavelet", "samples", "device", "direct_ms", "split_ms", "ratio", "one_core_ms",
                 "one_core_ratio", "thesis_direct_ms", "thesis_split_ms"});
    std::vector<Curve> curves;
    const std::vector<std::int64_t> lengths = laboratory.lengths(6);
    for (const PrintedWavelet& printed : printed_wavelets) {
        const std::string name(enum_name(printed.wavelet));
        for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
            const bool is_main = device == laboratory.main_device();
            const std::string id = laboratory.device(device).id();
            if (is_main) curves.push_back({name, {}, {}});
            for (std::size_t i = 0; i < lengths.size(); ++i) {
                const std::vector<float> line = noise(lengths[i]);
                ThesisWaveletOptions options{.wavelet = printed.wavelet, .levels = printed.levels};
                const double alone = laboratory.milliseconds_of(
                    [&] { (void)wavelet_thesis_on_host(line, options); });
                const double split =
                    milliseconds(laboratory, laboratory.queue(device), line, options);
                options.form = Form::direct;
                const double direct =
                    milliseconds(laboratory, laboratory.queue(device), line, options);
                table.add({name, std::to_string(lengths[i]), id, cell(direct), cell(split),
                           cell(direct / split), cell(alone), cell(alone / split),
                           cell(printed.direct[i]), cell(printed.split[i])});
                if (!is_main) continue;
                curves.back().x.push_back(static_cast<double>(lengths[i]));
                curves.back().y.push_back(direct / split);
                if (i + 1 < lengths.size()) continue;
                const double thesis = printed.direct.back() / printed.split.back();
                laboratory.find({"F17",
                                 fmt::format("{}, split against direct, {} samples, on {}", name,
                                             lengths[i], id),
                                 fmt::format("{:.1f} (must 1.3)", thesis),
                                 fmt::format("{:.2f}", direct / split), direct / split >= 1.3});
                laboratory.find({"F20",
                                 fmt::format("{}, split against one core, {} samples, on {}", name,
                                             lengths[i], id),
                                 fmt::format("{:g} (must 25)", printed.against_one_core),
                                 fmt::format("{:.1f}", alone / split), alone / split >= 25});
            }
        }
    }
    laboratory.write("E6.csv", table);
    laboratory.write("E6.svg", curve_chart("Splitting and merging against a launch a level",
                                           {"samples", true}, {"times as fast"}, curves));
}

void run_wavelet_tuning(VolumeLaboratory& laboratory) {
    Table table({"device", "phase_levels", "merge", "items_a_sample", "milliseconds", "speedup",
                 "thesis_ms", "thesis_speedup"});
    const std::vector<float> line = longest_line(laboratory);
    for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
        double first = 0, best = std::numeric_limits<double>::infinity();
        std::string best_name;
        for (const PrintedTuning& printed : printed_tunings) {
            const bool is_direct = printed.phase_levels == 0;
            ThesisWaveletOptions options{.form = is_direct ? Form::direct : Form::split,
                                         .merge = printed.merge,
                                         .item_each = printed.item_each};
            if (!is_direct) options.phase_levels = printed.phase_levels;
            const double time = milliseconds(laboratory, laboratory.queue(device), line, options);
            if (first == 0) first = time;
            const std::string merge = is_direct ? "" : std::string(enum_name(printed.merge));
            table.add({laboratory.device(device).id(),
                       is_direct ? "direct" : std::to_string(printed.phase_levels), merge,
                       printed.item_each ? "1" : "1/2", cell(time), cell(first / time),
                       cell(printed.milliseconds),
                       cell(printed_tunings.front().milliseconds / printed.milliseconds)});
            if (time >= best) continue;
            best = time;
            best_name = is_direct ? "direct"
                                  : fmt::format("N = {}, H = {}, merge in the {}'s memory",
                                                printed.phase_levels,
                                                printed.item_each ? "1" : "1/2", merge);
        }
        laboratory.find({"F18", "best setting of cdf9/7 on " + laboratory.device(device).id(),
                         "N = 2, H = 1/2, merge in the group's memory", best_name, std::nullopt});
    }
    laboratory.write("E7.csv", table);
}

void run_wavelet_widening(VolumeLaboratory& laboratory) {
    Table table({"device", "widening", "milliseconds", "thesis_ms"});
    const std::vector<float> line = longest_line(laboratory);
    std::vector<Curve> curves;
    for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
        curves.push_back({laboratory.device(device).id(), {}, {}});
        for (const PrintedWidening& printed : printed_widenings) {
            const double time = milliseconds(laboratory, laboratory.queue(device), line,
                                             {.widening = printed.widening});
            table.add({laboratory.device(device).id(), std::to_string(printed.widening), cell(time),
                       cell(printed.milliseconds)});
            curves.back().x.push_back(printed.widening);
            curves.back().y.push_back(time);
        }
        const auto [least, most] =
            std::minmax_element(curves.back().y.begin(), curves.back().y.end());
        laboratory.find({"F18", "widest against narrowest time over A, on " + curves.back().name,
                         "1.13", fmt::format("{:.2f}", *most / *least), std::nullopt});
    }
    laboratory.write("E8.csv", table);
    laboratory.write("E8.svg", curve_chart("Samples that blocks leave to their borders", {"A"},
                                           {"milliseconds"}, curves));
}

}  // namespace tesela::experiments
