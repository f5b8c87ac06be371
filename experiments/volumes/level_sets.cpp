// The thesis's experiments on level sets: E11, E13 to E16.
#include "experiments/volumes/level_sets.h"

#include <algorithm>
#include <cmath>

#include "experiments/volumes/level_set_figures.h"

namespace tesela::experiments {
namespace {

struct Run {
    ThesisLevelSetResult result;
    double milliseconds = 0;  // of the stages, without transfers
};

Run run(VolumeLaboratory& laboratory, std::size_t device, const KnownVolume& volume,
        const ThesisLevelSetOptions& options) {
    std::vector<double> taken;
    Run last;
    for (int i = 0; i <= laboratory.repetitions(); ++i) {
        last.result = level_set_thesis(volume.image, volume.seeds, options,
                                       laboratory.queue(device), laboratory.progress());
        double sum = 0;
        for (const StageTime& stage : last.result.stages) sum += stage.milliseconds;
        if (i > 0) taken.push_back(sum);
    }
    last.milliseconds = median(std::move(taken));
    return last;
}

ThesisLevelSetOptions aos_options() {
    ThesisLevelSetOptions options{.method = ThesisLevelSetMethod::aos};
    options.aos.direction = ThesisDirection::contract;
    options.aos.sigma = 0;
    return options;
}

ThesisLevelSetOptions ftc_options(const KnownVolume& volume, const PrintedSuite& printed,
                                  ThesisFtcWay way) {
    const bool is_lists = way == ThesisFtcWay::lists;
    ThesisLevelSetOptions options;
    options.ftc = {.way = way,
                   .lower = volume.lower,
                   .upper = volume.upper,
                   .launches = is_lists ? printed.lists_launches : printed.launches,
                   .data_steps = is_lists ? printed.lists_steps : printed.data_steps,
                   .smoothing_steps = printed.smoothing_steps,
                   .filter = printed.filter,
                   .smoothing = printed.sigma};
    return options;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const auto n = static_cast<double>(a.size());
    double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sa += a[i];
        sb += b[i];
        saa += a[i] * a[i];
        sbb += b[i] * b[i];
        sab += a[i] * b[i];
    }
    return (sab - sa * sb / n) / std::sqrt((saa - sa * sa / n) * (sbb - sb * sb / n));
}

// Time and active voxels of each iteration, and the shares of stages (figure 3.6, table 3.3).
void tell_iterations(VolumeLaboratory& laboratory, const Run& largest, int side) {
    Table table({"iteration", "voxels", "milliseconds"});
    std::vector<double> voxels, times;
    for (const ThesisFrontUpdate& update : largest.result.updates) {
        table.add({std::to_string(update.round), std::to_string(update.voxels),
                   cell(update.milliseconds)});
        voxels.push_back(static_cast<double>(update.voxels));
        times.push_back(update.milliseconds);
    }
    laboratory.write("E11-iterations.csv", table);
    const double together = correlation(voxels, times);
    const bool varies = std::isfinite(together);  // not where all regions stay active
    laboratory.find(
        {"F30", fmt::format("time and active voxels of an iteration, {}^3", side),
         "strong correlation",
         varies ? fmt::format("correlation {:.2f}", together) : "all regions are active",
         varies ? std::optional(together >= 0.9) : std::nullopt});
    Table stages({"stage", "milliseconds", "percent", "thesis_percent"});
    std::string longest;
    double most = 0;
    for (std::size_t k = 0; k < largest.result.stages.size(); ++k) {
        const StageTime& stage = largest.result.stages[k];
        double sum = 0;
        for (const StageTime& each : largest.result.stages) sum += each.milliseconds;
        stages.add({stage.name, cell(stage.milliseconds), cell(100 * stage.milliseconds / sum),
                    cell(printed_stage_shares[k])});
        if (stage.milliseconds <= most) continue;
        most = stage.milliseconds;
        longest = fmt::format("{}, {:.1f} %", stage.name, 100 * most / sum);
    }
    laboratory.write("E11-stages.csv", stages);
    laboratory.find(
        {"F32", "longest stage", "systems, 62.5 %", longest, longest.starts_with("systems")});
}

constexpr std::array all_ways{ThesisFtcWay::lists, ThesisFtcWay::p1, ThesisFtcWay::p2};

KnownVolume suite_volume(const VolumeLaboratory& laboratory, std::size_t which) {
    if (which == 0) return brain_volume(laboratory);
    return vessel_volume(laboratory.quick() ? Shape{48, 48, 48} : Shape{160, 161, 226});
}

}  // namespace

void run_cubes(VolumeLaboratory& laboratory) {
    Table table({"side", "device", "milliseconds", "dice", "thesis_cores_s", "thesis_gpu_s"});
    const std::size_t main = laboratory.main_device();
    for (const PrintedCube& printed : printed_cubes) {
        if (laboratory.quick() && printed.side > 32) break;
        const KnownVolume cube = cube_volume(printed.side);
        double first = 0;
        for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
            const Run found = run(laboratory, device, cube, aos_options());
            const double dice = dice_of(found.result.labels, cube);
            table.add({std::to_string(printed.side), laboratory.device(device).id(),
                       cell(found.milliseconds), cell(dice), cell(printed.cores),
                       cell(printed.gpu)});
            if (device == 0) first = found.milliseconds;
            if (device != main) continue;
            laboratory.find({"F29", fmt::format("Dice of the cube of {}^3", printed.side),
                             "not printed (must 0.98)", fmt::format("{:.4f}", dice), dice >= 0.98});
            if (main > 0)
                laboratory.find({"F31", fmt::format("GPU against all cores, {}^3", printed.side),
                                 fmt::format("{:.2f}", printed.cores / printed.gpu),
                                 fmt::format("{:.2f}", first / found.milliseconds), std::nullopt});
            if (printed.side == 128 || laboratory.quick())
                tell_iterations(laboratory, found, printed.side);
        }
    }
    laboratory.write("E11.csv", table);
}

void run_ftc_suite(VolumeLaboratory& laboratory) {
    Table table({"volume", "source", "way", "device", "milliseconds", "rounds", "voxels", "dice",
                 "thesis_s"});
    for (std::size_t which = 0; which < printed_suite.size(); ++which) {
        const PrintedSuite& printed = printed_suite[which];
        const KnownVolume volume = suite_volume(laboratory, which);
        const std::size_t main = laboratory.main_device();
        std::array<double, 3> times{}, dices{};
        for (std::size_t device = 0; device < laboratory.device_count(); ++device)
            for (const ThesisFtcWay way : all_ways) {
                if (way == ThesisFtcWay::lists && device > 0) continue;
                const Run found =
                    run(laboratory, device, volume, ftc_options(volume, printed, way));
                const auto k = static_cast<std::size_t>(way);
                const auto& labels = found.result.labels.pixels();
                if (way == ThesisFtcWay::lists || device == main) {
                    times[k] = found.milliseconds;
                    dices[k] = dice_of(found.result.labels, volume);
                }
                const std::array seconds{printed.lists, printed.p1, printed.p2};
                table.add({volume.name, volume.source, std::string(enum_name(way)),
                           laboratory.device(device).id(), cell(found.milliseconds),
                           std::to_string(found.result.rounds),
                           std::to_string(std::count(labels.begin(), labels.end(), 1u)),
                           cell(dice_of(found.result.labels, volume)), cell(seconds[k])});
            }
        const std::string where = fmt::format("{} ({})", volume.name, volume.source);
        laboratory.find(
            {"F42", where + ": Dice of lists, p1, p2",
             which == 0 ? "0.95, 0.96, 0.96" : "not printed",
             fmt::format("{:.3f}, {:.3f}, {:.3f}", dices[0], dices[1], dices[2]),
             which == 0 ? std::optional(dices[0] >= 0.945 && dices[1] >= 0.95 && dices[2] >= 0.95)
                        : std::nullopt});
        laboratory.find({"F43", where + ": p2 against p1 and against one core's lists",
                         fmt::format("{:.1f}, {:.1f} (four cores)", printed.p1 / printed.p2,
                                     printed.lists / printed.p2),
                         fmt::format("{:.1f}, {:.1f}", times[1] / times[2], times[0] / times[2]),
                         std::nullopt});
    }
    laboratory.write("E13.csv", table);
}

void run_region_traces(VolumeLaboratory& laboratory) {
    Table table({"volume", "way", "update", "stage", "regions", "milliseconds"});
    for (std::size_t which = 0; which < printed_suite.size(); ++which) {
        const KnownVolume volume = suite_volume(laboratory, which);
        std::vector<Curve> curves;
        std::array<double, 2> peaks{}, sums{};
        for (const ThesisFtcWay way : {ThesisFtcWay::p1, ThesisFtcWay::p2}) {
            const Run found = run(laboratory, laboratory.main_device(), volume,
                                  ftc_options(volume, printed_suite[which], way));
            const std::size_t k = way == ThesisFtcWay::p2 ? 1 : 0;
            curves.push_back({std::string(enum_name(way)), {}, {}});
            double number = 0;
            for (const ThesisFrontUpdate& update : found.result.updates) {
                const auto regions = static_cast<double>(update.regions);
                table.add({volume.name, curves.back().name, cell(++number), update.stage,
                           cell(regions), cell(update.milliseconds)});
                curves.back().x.push_back(number);
                curves.back().y.push_back(regions);
                if (update.stage.starts_with("last")) continue;
                peaks[k] = std::max(peaks[k], regions);
                sums[k] += regions;
            }
        }
        laboratory.write(
            "E15-" + volume.name + ".svg",
            curve_chart("Active regions, " + volume.name, {"update"}, {"regions"}, curves));
        laboratory.find({"F44", volume.name + ": peak and sum of active regions, p2 against p1",
                         which == 0 ? "about 1500 of 4000" : "far fewer",
                         fmt::format("{} of {}, {} of {}", peaks[1], peaks[0], sums[1], sums[0]),
                         peaks[1] <= peaks[0] && sums[1] < sums[0]});
    }
    laboratory.write("E15.csv", table);
}

void run_ftc_scales(VolumeLaboratory& laboratory) {
    Table table({"side", "device", "rounds", "milliseconds", "milliseconds_of_round",
                 "thesis_rounds", "thesis_s"});
    std::vector<double> times, sides;
    for (const PrintedScale& printed : printed_scales) {
        if (laboratory.quick() && printed.side > 64) break;
        const KnownVolume volume = vessel_volume({printed.side, printed.side, printed.side});
        for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
            const Run found = run(laboratory, device, volume,
                                  ftc_options(volume, printed_suite[1], ThesisFtcWay::p2));
            const auto rounds = static_cast<double>(found.result.rounds);
            table.add({std::to_string(printed.side), laboratory.device(device).id(), cell(rounds),
                       cell(found.milliseconds), cell(found.milliseconds / rounds),
                       std::to_string(printed.rounds), cell(printed.seconds)});
            if (device != laboratory.main_device()) continue;
            times.push_back(found.milliseconds);
            sides.push_back(printed.side);
        }
    }
    laboratory.write("E16.csv", table);
    const double growth = times.back() / times.front();
    const double voxels = std::pow(sides.back() / sides.front(), 3);
    laboratory.find({"F47", fmt::format("time from {}^3 to {}^3", sides.front(), sides.back()),
                     "60 times for 4096 times the voxels",
                     fmt::format("{:.1f} times for {:.0f} times", growth, voxels),
                     growth < voxels});
}

}  // namespace tesela::experiments
