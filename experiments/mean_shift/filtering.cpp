// The thesis's experiments on filtering: E1 to E4, E7 and E11.
#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/mean_shift/laboratory.h"
#include "messages.h"
#include "tesela/error.h"

namespace tesela::experiments {
namespace {

constexpr std::array<std::string_view, 4> phases{"pre-processing", "grid", "mean-shift loop",
                                                 "post-processing"};

std::vector<std::string> categories(const MeanShiftLaboratory& laboratory) {
    std::vector<std::string> names;
    for (const std::size_t i : laboratory.picture_settings())
        names.push_back(text_of(picture_bandwidths[i]));
    return names;
}

std::array<double, 4> phase_seconds(const Run& run) {
    std::array<double, 4> seconds{};
    for (std::size_t p = 0; p < phases.size(); ++p) seconds[p] = run.stage_seconds(phases[p]);
    return seconds;
}

double sum_of(const std::array<double, 4>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
}

// Rows and charts of the four phases over several settings; one call for each image.
struct PhaseTable {
    Table table{{"image", "spatial", "range", "pre_processing_s", "grid_s", "loop_s",
                 "post_processing_s", "total_s", "pre_processing_percent", "grid_percent",
                 "loop_percent", "post_processing_percent", "sort", "rounds"}};

    void add(const TestImage& image, const Bandwidths& bandwidths, const Run& run) {
        const std::array<double, 4> seconds = phase_seconds(run);
        const double sum = sum_of(seconds);
        std::vector<std::string> row{image.name, cell(bandwidths.spatial), cell(bandwidths.range)};
        for (const double value : seconds) row.push_back(cell(value));
        row.push_back(cell(run.seconds));
        for (const double value : seconds) row.push_back(cell(100 * value / sum));
        row.emplace_back(enum_name(run.result.thesis->sort));
        row.push_back(std::to_string(run.result.thesis->rounds.size()));
        table.add(std::move(row));
    }
};

void write_phase_charts(MeanShiftLaboratory& laboratory, const std::string& prefix,
                        const TestImage& image, const std::vector<std::string>& names,
                        const std::vector<std::array<double, 4>>& seconds) {
    std::vector<Bars> absolute, percent;
    for (std::size_t p = 0; p < phases.size(); ++p) {
        absolute.push_back({std::string(phases[p]), {}});
        percent.push_back({std::string(phases[p]), {}});
        for (const std::array<double, 4>& one : seconds) {
            absolute.back().values.push_back(one[p]);
            percent.back().values.push_back(100 * one[p] / sum_of(one));
        }
    }
    const std::string device = laboratory.device(laboratory.main_device()).properties().name;
    laboratory.write(fmt::format("{}-{}-seconds.svg", prefix, image.name),
                     bar_chart(fmt::format("Phases, {}, {}", image.name, device), {"seconds"},
                               names, absolute, true));
    laboratory.write(fmt::format("{}-{}-percent.svg", prefix, image.name),
                     bar_chart(fmt::format("Shares of the phases, {}, {}", image.name, device),
                               {"percent"}, names, percent, true));
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

}  // namespace

void run_filtering_pictures(MeanShiftLaboratory& laboratory) {
    Table table({"image", "source", "spatial", "range", "seconds", "rounds", "iterations_per_point",
                 "capped_points", "file"});
    std::vector<const TestImage*> images = laboratory.pictures();
    for (const TestImage* image : laboratory.images_of(Role::mandrill)) images.push_back(image);
    for (const TestImage* image : images)
        for (const std::size_t i : laboratory.picture_settings()) {
            const Bandwidths& h = picture_bandwidths[i];
            const Run& run = laboratory.run(laboratory.main_device(), *image,
                                            MeanShiftLaboratory::options_for(*image, h));
            const std::string file =
                fmt::format("E1-{}-{:g}-{:g}.png", image->name, h.spatial, h.range);
            laboratory.write(file, run.result.filtered);
            table.add({image->name, image->source, cell(h.spatial), cell(h.range),
                       cell(run.seconds), std::to_string(run.result.thesis->rounds.size()),
                       cell(run.iterations_per_point()), std::to_string(run.result.capped_points),
                       file});
        }
    laboratory.write("E1.csv", table);
}

void run_devices_compared(MeanShiftLaboratory& laboratory) {
    Table table({"image", "spatial", "range", "device", "name", "seconds", "iterations_per_point",
                 "ratio_to_first_device"});
    const std::size_t last = laboratory.main_device();
    for (const TestImage* image : laboratory.pictures()) {
        std::vector<Bars> bars;
        for (std::size_t d = 0; d < laboratory.device_count(); ++d)
            bars.push_back({laboratory.device(d).id(), {}});
        std::vector<double> advantage;
        double rounds_16_8 = 0, rounds_16_16 = 0;
        for (const std::size_t i : laboratory.picture_settings()) {
            const Bandwidths& h = picture_bandwidths[i];
            const MeanShiftOptions options = MeanShiftLaboratory::options_for(*image, h);
            const double first = laboratory.run(0, *image, options).seconds;
            for (std::size_t d = 0; d < laboratory.device_count(); ++d) {
                const Run& run = laboratory.run(d, *image, options);
                bars[d].values.push_back(run.seconds);
                table.add({image->name, cell(h.spatial), cell(h.range), laboratory.device(d).id(),
                           laboratory.device(d).properties().name, cell(run.seconds),
                           cell(run.iterations_per_point()), cell(first / run.seconds)});
            }
            const Run& run = laboratory.run(last, *image, options);
            advantage.push_back(first / run.seconds);
            if (h.spatial == 16)
                (h.range == 8 ? rounds_16_8 : rounds_16_16) = run.iterations_per_point();
        }
        laboratory.write(fmt::format("E2-{}.svg", image->name),
                         bar_chart(fmt::format("Whole call, {}, by device", image->name),
                                   {"seconds", true}, categories(laboratory), bars));
        Finding finding{"F35",
                        fmt::format("{}: the GPU's advantage is larger at (32, 32) than at (4, 4)",
                                    image->name),
                        "yes",
                        "one device only",
                        {}};
        if (laboratory.device_count() > 1) {
            finding.here =
                fmt::format("{:.1f} and {:.1f} times", advantage.back(), advantage.front());
            finding.holds = advantage.back() > advantage.front();
        }
        laboratory.find(std::move(finding));
        laboratory.find(
            {"F41", fmt::format("{}: fewer iterations at (16, 16) than at (16, 8)", image->name),
             "yes", fmt::format("{:.2f} and {:.2f} per point", rounds_16_16, rounds_16_8),
             rounds_16_16 < rounds_16_8});
    }
    laboratory.write("E2.csv", table);
}

void run_phases(MeanShiftLaboratory& laboratory) {
    PhaseTable phase_table;
    for (const TestImage* image : laboratory.pictures()) {
        std::vector<std::array<double, 4>> seconds;
        bool loop_largest = true;
        double ends = 0;
        for (const std::size_t i : laboratory.picture_settings()) {
            const Run& run =
                laboratory.run(laboratory.main_device(), *image,
                               MeanShiftLaboratory::options_for(*image, picture_bandwidths[i]));
            phase_table.add(*image, picture_bandwidths[i], run);
            seconds.push_back(phase_seconds(run));
            const auto& [pre, grid, loop, post] = seconds.back();
            loop_largest = loop_largest && loop >= std::max({pre, grid, post});
            ends = std::max(ends, (pre + post) / sum_of(seconds.back()));
        }
        write_phase_charts(laboratory, "E3", *image, categories(laboratory), seconds);
        const bool is_lenna = image->role == Role::lenna;
        laboratory.find(
            {"F36", fmt::format("{}: the loop takes most at every setting", image->name),
             is_lenna ? "yes" : "at large windows; the grid at small ones",
             loop_largest ? "yes" : "no", is_lenna ? std::optional(loop_largest) : std::nullopt});
        laboratory.find({"F36",
                         fmt::format("{}: pre- and post-processing take below 5 %", image->name),
                         "about 0", "at most " + percent_text(ends), ends < 0.05});
    }
    laboratory.write("E3.csv", phase_table.table);
}

void run_rounds(MeanShiftLaboratory& laboratory) {
    Table table({"image", "round", "queue_length", "global_size", "milliseconds"});
    const std::vector<const TestImage*> pictures = laboratory.pictures();
    const TestImage& image = *pictures.front();
    const Run& run =
        laboratory.run(laboratory.main_device(), image,
                       MeanShiftLaboratory::options_for(image, picture_bandwidths.back()));
    const std::vector<ThesisRound>& rounds = run.result.thesis->rounds;
    Curve time{"milliseconds", {}, {}}, length{"points in the queue", {}, {}};
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        table.add({image.name, std::to_string(i + 1), std::to_string(rounds[i].queue_length),
                   std::to_string(rounds[i].global_size), cell(rounds[i].milliseconds)});
        for (Curve* curve : {&time, &length}) curve->x.push_back(static_cast<double>(i + 1));
        time.y.push_back(rounds[i].milliseconds);
        length.y.push_back(static_cast<double>(rounds[i].queue_length));
    }
    laboratory.write("E4.csv", table);
    const std::string subject = fmt::format("{} at (32, 32)", image.name);
    laboratory.write("E4-time.svg", curve_chart("Time of each round, " + subject, {"round"},
                                                {"milliseconds", true}, {time}));
    laboratory.write("E4-queue.svg", curve_chart("Points in the queue, " + subject, {"round"},
                                                 {"points", true}, {length}));
    double tail = 0;
    const std::size_t quarter = std::max<std::size_t>(1, rounds.size() / 4);
    for (std::size_t i = rounds.size() - quarter; i < rounds.size(); ++i)
        tail += rounds[i].milliseconds / static_cast<double>(quarter);
    const double first = rounds.front().milliseconds;
    const double highest = *std::max_element(time.y.begin(), time.y.end());
    laboratory.find({"F37", "the first round takes longest", "yes",
                     fmt::format("{:.3g} ms; the longest {:.3g} ms", first, highest),
                     first >= highest});
    laboratory.find({"F37", "a round of the last quarter takes at most 25 % of the first",
                     "near-constant tail", percent_text(tail / first), tail <= 0.25 * first});
}

void run_volume(MeanShiftLaboratory& laboratory) {
    PhaseTable phase_table;
    for (const TestImage* image : laboratory.volumes()) {
        std::vector<std::array<double, 4>> seconds;
        std::vector<std::string> names;
        bool order = true;
        for (const Bandwidths& h : volume_bandwidths) {
            const Run& run = laboratory.run(laboratory.main_device(), *image,
                                            MeanShiftLaboratory::options_for(*image, h));
            phase_table.add(*image, h, run);
            names.push_back(text_of(h));
            seconds.push_back(phase_seconds(run));
            const auto& [pre, grid, loop, post] = seconds.back();
            order = order && loop >= grid && grid >= std::max(pre, post);
        }
        write_phase_charts(laboratory, "E7", *image, names, seconds);
        laboratory.find(
            {"F42", fmt::format("{}: the loop takes most, the grid follows", image->name), "yes",
             fmt::format("loop {:.3g} and {:.3g} s, grid {:.3g} and {:.3g} s", seconds[0][2],
                         seconds[1][2], seconds[0][1], seconds[1][1]),
             order});
    }
    laboratory.write("E7.csv", phase_table.table);
}

void run_volume_in_time(MeanShiftLaboratory& laboratory) {
    Table table({"image", "points", "spatial", "range", "variant", "seconds",
                 "iterations_per_point", "regions"});
    const std::int64_t size = laboratory.quick() ? 12 : 32;
    const TestImage image{Role::own, "moving-balls", "made up", moving_balls(size, 4)};
    const Bandwidths h{4, 8};
    std::vector<const Run*> runs;
    for (const MeanShiftVariant variant : {MeanShiftVariant::thesis, MeanShiftVariant::standard}) {
        MeanShiftOptions options = MeanShiftLaboratory::options_for(image, h);
        options.variant = variant;
        const Run& run = laboratory.run(laboratory.main_device(), image, options,
                                        MeanShiftOutput::filtered_and_labels);
        runs.push_back(&run);
        table.add({image.name, std::to_string(shape_of(image.image).points()), cell(h.spatial),
                   cell(h.range), std::string(enum_name(variant)), cell(run.seconds),
                   cell(run.iterations_per_point()), std::to_string(run.result.region_count)});
    }
    laboratory.write("E11.csv", table);
    const auto pixels = [](const Run* run) -> const std::vector<std::uint8_t>& {
        return std::get<Image<std::uint8_t>>(run->result.filtered).pixels();
    };
    const bool same = pixels(runs[0]) == pixels(runs[1]) &&
                      runs[0]->result.labels.pixels() == runs[1]->result.labels.pixels();
    laboratory.find(
        {"F07", "volumes in time work in the thesis's variant", "claimed, not run",
         same ? "the bits of the standard variant" : "differs from the standard variant", same});
}

}  // namespace tesela::experiments
