// The thesis's experiments on the time of texture: E6, E8 and E9.
#include <algorithm>

#include "experiments/slides/laboratory.h"

namespace tesela::experiments {
namespace {

using Color = ThesisColorWay;
using Matrix = ThesisMatrixWay;
using Pattern = ThesisPatternWay;
using Histogram = ThesisHistogramWay;

constexpr ThesisTextureOptions base{.color = Color::floats,
                                    .matrices = Matrix::global,
                                    .patterns = Pattern::halo,
                                    .histogram = Histogram::global};

// Versions of a stage as table 4.8 lists them.
struct Version {
    std::string_view stage, name;
    ThesisTextureOptions options;
    double TextureTimes::*time;
    double thesis;  // of computing
};
constexpr std::array versions{
    Version{"color", "floats", {.color = Color::floats}, &TextureTimes::color, 3.71},
    Version{"color", "padded", {.color = Color::padded}, &TextureTimes::color, 2.44},
    Version{"color", "bytes", {.color = Color::bytes}, &TextureTimes::color, 2.77},
    Version{"color", "staged", {.color = Color::staged}, &TextureTimes::color, 2.32},
    Version{"matrices",
            "predicate",
            {.matrices = Matrix::predicate},
            &TextureTimes::matrices,
            not_printed},
    Version{"matrices", "global", {.matrices = Matrix::global}, &TextureTimes::matrices, 15.40},
    Version{"matrices", "shared", {.matrices = Matrix::shared}, &TextureTimes::matrices, 4.48},
    Version{"matrices", "spread", {.matrices = Matrix::spread}, &TextureTimes::matrices, 2.58},
    Version{"patterns", "halo", {.patterns = Pattern::halo}, &TextureTimes::patterns, 2.29},
    Version{"patterns", "blocks of 16", {}, &TextureTimes::patterns, 1.82},
    Version{"patterns", "blocks of 8", {.block = 8}, &TextureTimes::patterns, 2.31},
    Version{
        "histogram", "global", {.histogram = Histogram::global}, &TextureTimes::histogram, 2.08},
    Version{"histogram", "local", {.histogram = Histogram::local}, &TextureTimes::histogram, 0.61},
    Version{"histogram", "warps", {}, &TextureTimes::histogram, 0.59},
};

}  // namespace

void run_sizes(SlideLaboratory& laboratory) {
    Queue one_thread(Device::parse("cpu"), {.threads = 1});
    Table table({"tile", "levels", "device", "prepare", "upload", "color", "matrices", "predicates",
                 "patterns", "histogram", "features", "total", "tile_features", "one_thread",
                 "ratio", "ratio_of_tile_features", "thesis_ratio"});
    const std::size_t main = laboratory.main_device();
    double in_its_way = 0, of_features = 0;
    std::vector<double> predicates;
    for (const PrintedTile& printed : printed_tiles) {
        if (laboratory.quick() && printed.side > 256) continue;
        const AnyImage tile = section_picture(printed.side);
        for (const int levels : {4, 8, 16}) {
            if (levels != 4 && printed.side != laboratory.tile_side()) continue;
            const double alone = laboratory.milliseconds_of_features(one_thread, tile, levels);
            for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
                const TextureTimes times = laboratory.times(device, tile, {.levels = levels});
                const double features =
                    laboratory.milliseconds_of_features(laboratory.queue(device), tile, levels);
                // A pass for each element, of one size: it is slow.
                const bool is_tile = printed.side == laboratory.tile_side();
                const double by_predicates =
                    is_tile ? laboratory
                                  .times(device, tile,
                                         {.levels = levels, .matrices = Matrix::predicate})
                                  .matrices
                            : not_printed;
                table.add({std::to_string(printed.side), std::to_string(levels),
                           laboratory.device(device).id(), cell(times.prepare), cell(times.upload),
                           cell(times.color), cell(times.matrices), cell(by_predicates),
                           cell(times.patterns), cell(times.histogram), cell(times.features),
                           cell(times.total()), cell(features), cell(alone),
                           cell(alone / times.total()), cell(alone / features),
                           cell(levels == 4 ? printed.ratio : not_printed)});
                if (device != main || !is_tile) continue;
                predicates.push_back(by_predicates);
                if (levels != 4) continue;
                in_its_way = alone / times.total();
                of_features = alone / features;
            }
        }
    }
    laboratory.write("E6.csv", table);
    const std::string id = laboratory.device(main).id();
    laboratory.find(
        {"F25",
         fmt::format("a tile of {0} x {0} with transfers, {1} against one thread",
                     laboratory.tile_side(), id),
         "39.4 (shaders), 102.6 (CUDA)",
         fmt::format("{:.1f} in its way, {:.1f} by tile_features", in_its_way, of_features),
         in_its_way >= 40});
    laboratory.find(
        {"F21", "a pass for each element, 4, 8 and 16 levels, on " + id, "13.6, 44.2, 160.8 ms",
         fmt::format("{:.2f}, {:.2f}, {:.2f} ms", predicates[0], predicates[1], predicates[2]),
         std::nullopt});
}

void run_ways(SlideLaboratory& laboratory) {
    Table table(
        {"device", "stage", "version", "prepare", "upload", "milliseconds", "thesis_milliseconds"});
    const AnyImage tile = section_picture(laboratory.tile_side());
    for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
        const std::string id = laboratory.device(device).id();
        std::array<double, 4> matrices{};  // of each way
        for (const Version& version : versions) {
            const TextureTimes times = laboratory.times(device, tile, version.options);
            const bool is_color = version.stage == "color";
            table.add({id, std::string(version.stage), std::string(version.name),
                       is_color ? cell(times.prepare) : "", is_color ? cell(times.upload) : "",
                       cell(times.*version.time), cell(version.thesis)});
            if (version.stage == "matrices")
                matrices[static_cast<std::size_t>(version.options.matrices)] = times.matrices;
        }
        const double first = laboratory.times(device, tile, base).total();
        const double last = laboratory.times(device, tile, {}).total();
        table.add({id, "all", "base", "", "", cell(first), "35.99"});
        table.add({id, "all", "optimal", "", "", cell(last), "10.6"});
        laboratory.find({"F24", "optimal against base, on " + id, "10.60 against 35.99 ms",
                         fmt::format("{:.2f} against {:.2f} ms", last, first), last <= first});
        laboratory.find(
            {"F22", "private matrices: device's memory, group's, without conflicts, on " + id,
             "15.40, 4.48, 2.58 ms",
             fmt::format("{:.3f}, {:.3f}, {:.3f} ms", matrices[1], matrices[2], matrices[3]),
             matrices[3] < matrices[1]});
    }
    laboratory.write("E8.csv", table);
}

void run_blocks(SlideLaboratory& laboratory) {
    Table table({"device", "block", "milliseconds", "thesis_milliseconds"});
    const AnyImage tile = section_picture(laboratory.tile_side());
    std::vector<Curve> curves;
    for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
        const std::string id = laboratory.device(device).id();
        curves.push_back({id, {}, {}});
        for (const PrintedBlock& printed : printed_blocks) {
            const double time = laboratory.times(device, tile, {.block = printed.side}).patterns;
            table.add({id, std::to_string(printed.side), cell(time), cell(printed.milliseconds)});
            curves.back().x.push_back(printed.side);
            curves.back().y.push_back(time);
        }
        const std::vector<double>& times = curves.back().y;
        const auto best = std::min_element(times.begin(), times.end()) - times.begin();
        laboratory.find({"F23", "best side of overlapped blocks, on " + id, "16",
                         std::to_string(printed_blocks[static_cast<std::size_t>(best)].side),
                         std::nullopt});
    }
    laboratory.write("E9.csv", table);
    laboratory.write("E9.svg", curve_chart("Local patterns by the side of a block", {"pixels"},
                                           {"milliseconds"}, curves));
}

}  // namespace tesela::experiments
