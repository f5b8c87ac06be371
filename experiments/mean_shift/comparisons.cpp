// The thesis's experiments that compare with something: E5 (sorts), E6 and E9 (EDISON), E8 and E10
// (labels).
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <random>
#include <sstream>

#include "experiments/mean_shift/laboratory.h"
#include "messages.h"
#include "segmentation/mean_shift/thesis/bitonic_sort.h"
#include "tesela/error.h"
#include "tesela/io.h"
#include "tesela/overlay.h"

namespace tesela::experiments {
namespace {

namespace fs = std::filesystem;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// ---- Sorts
// ---------------------------------------------------------------------------------------

// Milliseconds of one sort of random pairs that are on the device; the shortest of three.
double sort_milliseconds(Queue& queue, std::int64_t count, bool on_device) {
    std::mt19937 generator(static_cast<unsigned>(count));
    std::vector<std::uint32_t> random(static_cast<std::size_t>(count));
    for (std::uint32_t& key : random) key = static_cast<std::uint32_t>(generator());
    double shortest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
        auto keys = queue.upload(std::span<const std::uint32_t>(random), "keys");
        auto values = queue.upload(std::span<const std::uint32_t>(random), "values");
        queue.finish();
        const auto started = std::chrono::steady_clock::now();
        if (on_device)
            (void)thesis::sort_on_device(queue, keys, values, count);
        else
            thesis::sort_on_host(queue, keys, values, count);
        queue.finish();
        const std::chrono::duration<double, std::milli> taken =
            std::chrono::steady_clock::now() - started;
        shortest = std::min(shortest, taken.count());
    }
    return shortest;
}

// ---- EDISON
// --------------------------------------------------------------------------------------

struct EdisonRun {
    double seconds = none;
    std::int64_t regions = -1;
};

std::string quoted(const std::string& word) {
    std::string result = "'";
    for (const char c : word) result += c == '\'' ? "'\\''" : std::string(1, c);
    return result + "'";
}

// Calls the user's program on a PNG of the image. Throws UnreadableInput where it fails or prints
// something else than a number of seconds.
EdisonRun run_edison(MeanShiftLaboratory& laboratory, const TestImage& image, const Bandwidths& h,
                     const std::string& level) {
    const fs::path& program = laboratory.edison();
    if (program.empty()) return {};
    laboratory.progress().throw_if_cancelled();
    const fs::path input = laboratory.path_of(image.name + ".png");
    if (!fs::exists(input)) laboratory.write(input.filename().string(), image.image);
    const std::string command = fmt::format("{} {} {:g} {:g} {}", quoted(program.string()),
                                            quoted(input.string()), h.spatial, h.range, level);
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string output;
    std::array<char, 256> part{};
    while (pipe && std::fgets(part.data(), static_cast<int>(part.size()), pipe.get()))
        output += part.data();
    EdisonRun run;
    std::istringstream words(output);
    if (!(words >> run.seconds))
        throw UnreadableInput("--edison: '" + command +
                              "' printed no number of seconds; it must print seconds and regions");
    words >> run.regions;
    say("EDISON {}, {}, {}: {:.3f} s", level, image.name, text_of(h), run.seconds);
    return run;
}

// E6b: EDISON's conditions: no gamma, its gray scale of 255, and its absolute stop of 0.1 pixels or
// units of color, taken by the wider of the two windows, which is the stricter reading.
MeanShiftOptions matched_options(const TestImage& image, const Bandwidths& h) {
    MeanShiftOptions options = MeanShiftLaboratory::options_for(image, h);
    options.gamma = Gamma::none;
    options.epsilon = 0.1 / std::max(h.spatial, h.range);
    if (shape_of(image.image).channels < 3) options.range_bandwidth = h.range * 100 / 255;
    return options;
}

const std::array<PrintedTimes, 8>* printed_for(const TestImage& image) {
    return image.role == Role::lenna    ? &printed_lenna
           : image.role == Role::mri_2d ? &printed_mri_2d
                                        : nullptr;
}

struct Comparison {
    int faster_than_none = 0, faster_than_medium = 0, cells = 0;
    double lowest_none = none, highest_none = none, lowest_medium = none, highest_medium = none;

    static void widen(double& lowest, double& highest, double ratio) {
        lowest = std::isnan(lowest) ? ratio : std::min(lowest, ratio);
        highest = std::isnan(highest) ? ratio : std::max(highest, ratio);
    }
    void add(double ratio_none, double ratio_medium) {
        ++cells;
        faster_than_none += ratio_none > 1;
        faster_than_medium += ratio_medium > 1;
        widen(lowest_none, highest_none, ratio_none);
        widen(lowest_medium, highest_medium, ratio_medium);
    }
};

void tell_comparison(MeanShiftLaboratory& laboratory, const Comparison& found) {
    const bool measured = !laboratory.edison().empty();
    const auto text = [&](int faster, double lowest, double highest) {
        return measured ? fmt::format("{} of {} cells, {:.2f} to {:.2f} times", faster, found.cells,
                                      lowest, highest)
                        : std::string("EDISON absent (--edison)");
    };
    const auto verdict = [&](bool holds) { return measured ? std::optional(holds) : std::nullopt; };
    laboratory.find({"F39", "faster than EDISON None in every cell",
                     "16 of 16 cells, 1.32 to 184.79 times",
                     text(found.faster_than_none, found.lowest_none, found.highest_none),
                     verdict(found.faster_than_none == found.cells)});
    laboratory.find({"F40", "faster than EDISON Medium in at least 14 of 16 cells",
                     "14 of 16 cells, 0.67 to 8.93 times",
                     text(found.faster_than_medium, found.lowest_medium, found.highest_medium),
                     verdict(8 * found.faster_than_medium >= 7 * found.cells)});
}

// ---- Labels
// --------------------------------------------------------------------------------------

struct LabelCase {
    const TestImage* image;
    Bandwidths bandwidths;
    std::vector<double> epsilons;
};

std::vector<LabelCase> label_cases(const MeanShiftLaboratory& laboratory) {
    std::vector<LabelCase> cases;
    for (const TestImage* image : laboratory.pictures())
        cases.push_back(
            {image, {16, 16}, {picture_label_epsilons.begin(), picture_label_epsilons.end()}});
    for (const TestImage* image : laboratory.volumes())
        cases.push_back(
            {image, {8, 8}, {volume_label_epsilons.begin(), volume_label_epsilons.end()}});
    return cases;
}

const Run& run_labels(MeanShiftLaboratory& laboratory, const LabelCase& one, double epsilon) {
    MeanShiftOptions options = MeanShiftLaboratory::options_for(*one.image, one.bandwidths);
    options.label_epsilon = epsilon;
    return laboratory.run(laboratory.main_device(), *one.image, options,
                          MeanShiftOutput::filtered_and_labels);
}

}  // namespace

void run_sorts(MeanShiftLaboratory& laboratory) {
    Table table({"device", "pairs", "launches", "device_ms", "host_ms", "device_is_faster"});
    Queue& queue = laboratory.queue(laboratory.main_device());
    const int last = laboratory.quick() ? 13 : 20;
    Curve device{"device", {}, {}}, host{"host, one thread, with transfers", {}, {}};
    std::int64_t crossover = 0;  // the first length from which on the device is faster
    bool fast_when_long = true;
    (void)sort_milliseconds(queue, 1 << 10, true);
    for (int stages = 10; stages <= last; ++stages) {
        laboratory.progress().throw_if_cancelled();
        const std::int64_t count = std::int64_t{1} << stages;
        const double device_ms = sort_milliseconds(queue, count, true);
        const double host_ms = sort_milliseconds(queue, count, false);
        const bool faster = device_ms < host_ms;
        if (!faster) crossover = 0;
        if (faster && crossover == 0) crossover = count;
        if (stages >= 16) fast_when_long = fast_when_long && faster;
        for (Curve* curve : {&device, &host}) curve->x.push_back(static_cast<double>(count));
        device.y.push_back(device_ms);
        host.y.push_back(host_ms);
        table.add({queue.device().id(), std::to_string(count),
                   std::to_string(stages * (stages + 1) / 2), cell(device_ms), cell(host_ms),
                   faster ? "yes" : "no"});
    }
    laboratory.write("E5.csv", table);
    laboratory.write(
        "E5.svg", curve_chart("Bitonic sort of random pairs, " + queue.device().properties().name,
                              {"pairs", true}, {"milliseconds", true}, {device, host}));
    laboratory.find({"F38", "the device's sort is faster from 2^16 pairs on",
                     fmt::format("yes; from {} on", printed_sort_crossover),
                     crossover > 0 ? fmt::format("from {} on", crossover) : "nowhere",
                     last >= 16 ? std::optional(fast_when_long) : std::nullopt});
}

void run_against_edison(MeanShiftLaboratory& laboratory) {
    Table table({"conditions", "image", "spatial", "range", "thesis_clmeanshift_s",
                 "thesis_edison_none_s", "thesis_edison_medium_s", "thesis_ratio_none",
                 "thesis_ratio_medium", "here_thesis_variant_s", "here_standard_s",
                 "here_edison_none_s", "here_edison_medium_s", "here_ratio_none",
                 "here_ratio_medium", "standard_ratio_none", "standard_ratio_medium"});
    const std::size_t device = laboratory.main_device();
    Comparison found;
    for (const TestImage* image : laboratory.pictures()) {
        const std::array<PrintedTimes, 8>* printed = printed_for(*image);
        std::vector<Bars> bars{{"thesis: clMeanShift, GT 325M", {}}, {"thesis: EDISON None", {}},
                               {"thesis: EDISON Medium", {}},        {"here: thesis's variant", {}},
                               {"here: standard variant", {}},       {"here: EDISON None", {}},
                               {"here: EDISON Medium", {}}};
        std::vector<std::string> names;
        for (const std::size_t i : laboratory.picture_settings()) {
            const Bandwidths& h = picture_bandwidths[i];
            const PrintedTimes times = printed ? (*printed)[i] : PrintedTimes{none, none, none};
            const EdisonRun edison_none = run_edison(laboratory, *image, h, "none"),
                            edison_medium = run_edison(laboratory, *image, h, "medium");
            names.push_back(text_of(h));
            for (const bool matched : {false, true}) {
                MeanShiftOptions options = matched ? matched_options(*image, h)
                                                   : MeanShiftLaboratory::options_for(*image, h);
                const double here = laboratory.run(device, *image, options).seconds;
                options.variant = MeanShiftVariant::standard;
                const double standard = laboratory.run(device, *image, options).seconds;
                const double none_s = edison_none.seconds, medium_s = edison_medium.seconds;
                std::vector<std::string> row{matched ? "matched (E6b)" : "thesis (E6)", image->name,
                                             cell(h.spatial), cell(h.range)};
                for (const double value :
                     {times.clmeanshift, times.edison_none, times.edison_medium,
                      times.edison_none / times.clmeanshift,
                      times.edison_medium / times.clmeanshift, here, standard, none_s, medium_s,
                      none_s / here, medium_s / here, none_s / standard, medium_s / standard})
                    row.push_back(cell(value));
                table.add(std::move(row));
                if (matched) continue;
                found.add(none_s / here, medium_s / here);
                const std::array<double, 7> shown{times.clmeanshift,
                                                  times.edison_none,
                                                  times.edison_medium,
                                                  here,
                                                  standard,
                                                  none_s,
                                                  medium_s};
                for (std::size_t k = 0; k < shown.size(); ++k) bars[k].values.push_back(shown[k]);
            }
        }
        std::erase_if(bars, [](const Bars& one) {
            return std::all_of(one.values.begin(), one.values.end(),
                               [](double value) { return std::isnan(value); });
        });
        laboratory.write(
            fmt::format("E6-{}.svg", image->name),
            bar_chart(fmt::format("Filtering, {}: the thesis's figures and this run", image->name),
                      {"seconds", true}, names, bars));
    }
    laboratory.write("E6.csv", table);
    tell_comparison(laboratory, found);
}

void run_label_counts(MeanShiftLaboratory& laboratory) {
    Table table({"image", "spatial", "range", "label_epsilon", "regions", "passes", "file"});
    for (const LabelCase& one : label_cases(laboratory)) {
        std::vector<std::uint32_t> counts;
        for (const double epsilon : one.epsilons) {
            const Run& run = run_labels(laboratory, one, epsilon);
            const std::string file = fmt::format("E8-{}-{:g}.png", one.image->name, epsilon);
            laboratory.write(file, label_picture(run.result.labels, io::label_color));
            counts.push_back(run.result.region_count);
            table.add({one.image->name, cell(one.bandwidths.spatial), cell(one.bandwidths.range),
                       cell(epsilon), std::to_string(counts.back()),
                       std::to_string(run.result.thesis->label_passes), file});
        }
        laboratory.find({"F31",
                         fmt::format("{}: fewer regions with a larger tolerance", one.image->name),
                         "yes, by eye",
                         fmt::format("{} at {:g}, {} at {:g}", counts.front(), one.epsilons.front(),
                                     counts.back(), one.epsilons.back()),
                         std::is_sorted(counts.rbegin(), counts.rend())});
    }
    laboratory.write("E8.csv", table);
}

void run_edison_regions(MeanShiftLaboratory& laboratory) {
    Table table({"image", "spatial", "range", "program", "regions"});
    for (const TestImage* image : laboratory.pictures()) {
        const Bandwidths h{16, 16};
        const LabelCase one{image, h, {1}};
        table.add({image->name, cell(h.spatial), cell(h.range), "thesis's variant, tolerance 1",
                   std::to_string(run_labels(laboratory, one, 1).result.region_count)});
        for (const char* level : {"none", "medium"}) {
            const EdisonRun run = run_edison(laboratory, *image, h, level);
            table.add({image->name, cell(h.spatial), cell(h.range), std::string("EDISON ") + level,
                       run.regions < 0 ? "absent" : std::to_string(run.regions)});
        }
    }
    laboratory.write("E9.csv", table);
}

void run_label_times(MeanShiftLaboratory& laboratory) {
    Table table(
        {"image", "points", "label_epsilon", "labels_s", "filtering_s", "percent", "passes"});
    std::vector<Curve> curves;
    for (const LabelCase& one : label_cases(laboratory)) {
        curves.push_back({one.image->name, {}, {}});
        double highest = 0;
        for (const double epsilon : one.epsilons) {
            const Run& run = run_labels(laboratory, one, epsilon);
            double filtering = 0;
            for (const char* phase :
                 {"pre-processing", "grid", "mean-shift loop", "post-processing"})
                filtering += run.stage_seconds(phase);
            const double labels = run.stage_seconds("labels");
            highest = std::max(highest, labels / filtering);
            curves.back().x.push_back(epsilon);
            curves.back().y.push_back(1000 * labels);
            table.add({one.image->name, std::to_string(shape_of(one.image->image).points()),
                       cell(epsilon), cell(labels), cell(filtering), cell(100 * labels / filtering),
                       std::to_string(run.result.thesis->label_passes)});
        }
        laboratory.find(
            {"F33", fmt::format("{}: labels take at most 5 % of filtering", one.image->name),
             "negligible", fmt::format("at most {:.2f} %", 100 * highest), highest <= 0.05});
    }
    laboratory.write("E10.csv", table);
    laboratory.write("E10.svg",
                     curve_chart("Time of the labels by tolerance", {"label tolerance", true},
                                 {"milliseconds", true}, curves));
}

}  // namespace tesela::experiments
