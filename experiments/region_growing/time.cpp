// The thesis's experiments on time: EXP-1, EXP-7 and EXP-8.
#include <algorithm>
#include <span>

#include "experiments/kernels/region_thesis_experiments.kernel.h"
#include "experiments/region_growing/laboratory.h"
#include "experiments/region_growing/transactions.h"
#include "messages.h"
#include "segmentation/growth/thesis/stages.h"

namespace tesela::experiments {
namespace {

constexpr int percent_40 = 102;  // of 255

std::string us(double value) { return fmt::format("{:.3f}", value); }

std::vector<std::uint8_t> first_plane(const Image<std::uint8_t>& image) {
    std::vector<std::uint8_t> plane;
    for (std::size_t i = 0; i < image.pixels().size(); i += 3) plane.push_back(image.pixels()[i]);
    return plane;
}

std::int64_t groups_over(std::int64_t length, std::int64_t side) {
    return (length + side - 1) / side;
}

// ---- EXP-7 and EXP-8 ---------------------------------------------------------------------------

// Rows as the thesis's tool shows them, and mean times in the order of printed_kernels; NaN where a
// kernel did not run.
using KernelMeans = std::array<double, printed_kernels.size()>;

Table kernel_table(const std::string& setting) {
    return Table({"device", setting, "kernel", "here", "launches", "device_percent", "total_us",
                  "min_us", "avg_us", "max_us", "thesis_us"});
}

KernelMeans add_kernels(Table& table, const std::string& device, const std::string& setting,
                        const std::vector<KernelTime>& times,
                        const std::function<double(const PrintedKernel&)>& thesis) {
    double sum = 0;
    for (const KernelTime& time : times) sum += time.total_ms;
    KernelMeans means{};
    for (std::size_t k = 0; k < printed_kernels.size(); ++k) {
        const PrintedKernel& printed = printed_kernels[k];
        const KernelTime* time = kernel_named(times, printed.here);
        if (!time) throw std::logic_error("no kernel " + std::string(printed.here) + " was run");
        means[k] = mean_us(*time);
        table.add({device, setting, std::string(printed.name), time->name,
                   std::to_string(time->launches), cell(100 * time->total_ms / sum),
                   us(1000 * time->total_ms), us(1000 * time->lowest_ms), us(means[k]),
                   us(1000 * time->highest_ms), us(thesis(printed))});
    }
    return means;
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const PrintedKernel& kernel : printed_kernels) names.emplace_back(kernel.name);
    return names;
}

double sum_of(const KernelMeans& means) {
    double sum = 0;
    for (const double mean : means) sum += mean;
    return sum;
}

void compare_means(RegionLaboratory& laboratory, std::size_t device, Table& table) {
    const std::string id = laboratory.device(device).id();
    std::array<KernelMeans, 3> means{};
    std::vector<Bars> bars;
    std::array<std::vector<std::uint32_t>, 3> labels;
    for (const auto& [value, name] : enum_names(ThesisGrowMeans{})) {
        const ThesisGrowOptions options{.means = value};
        const auto index = static_cast<std::size_t>(value);
        means[index] = add_kernels(
            table, id, std::string(name),
            laboratory.kernel_times(device, laboratory.disc(), options),
            [&, atomics = value == ThesisGrowMeans::atomics](const PrintedKernel& printed) {
                return atomics ? printed.atomics : printed.reduction;
            });
        bars.push_back({std::string(name), {means[index].begin(), means[index].end()}});
        labels[index] = region_grow_thesis(laboratory.disc(), options, laboratory.queue(device))
                            .labels.pixels();
    }
    std::string file = "EXP-7-" + id + ".svg";
    std::replace(file.begin(), file.end(), ':', '-');
    laboratory.write(file, bar_chart("Kernels by how means are found, 477x350, " + id,
                                     {"microseconds", true}, kernel_names(), bars));
    const KernelMeans& reduction = means[1];
    const KernelMeans& atomics = means[2];
    laboratory.find({"G5", id + ": growth by atomics over growth by reduction", "3.57 (GTX 460)",
                     fmt::format("{:.2f}", atomics[growth_kernel] / reduction[growth_kernel]),
                     std::nullopt});
    laboratory.find({"G5", id + ": growth by reduction over growth with sums kept", "-",
                     fmt::format("{:.2f}", reduction[growth_kernel] / means[0][growth_kernel]),
                     std::nullopt});
    const bool same = labels[0] == labels[1] && labels[0] == labels[2];
    laboratory.find({"G5", id + ": labels are the same", "-", same ? "yes" : "no", same});
    laboratory.find({"G8", id + ": share of growth in the sum of kernels, by reduction", "94.9 %",
                     fmt::format("{:.1f} %", 100 * reduction[growth_kernel] / sum_of(reduction)),
                     std::nullopt});
    laboratory.find({"G5", id + ": sum of kernels, sums kept", "34.110 ms (GTX 460, by reduction)",
                     fmt::format("{:.4f} ms", sum_of(means[0]) / 1000), std::nullopt});
}

void count_reads(RegionLaboratory& laboratory) {
    Table segments({"block", "segments", "columns_before_boundary"});
    int ones = 0, twos = 0;
    for (int k = 0; k <= 25; ++k) {
        segments.add({std::to_string(k), std::to_string(segments_of_block(k, 20, printed_pitch)),
                      std::to_string(columns_before_boundary(k, 20))});
        ++(segments_of_block(k, 20, printed_pitch) == 1 ? ones : twos);
    }
    laboratory.write("EXP-8-segments.csv", segments);
    laboratory.find({"G6", "table 6.1: blocks in one segment, in two", "14, 12",
                     fmt::format("{}, {}", ones, twos), ones == 14 && twos == 12});
    Table counts({"block", "transactions_32", "transactions_64", "bytes", "requests", "sectors",
                  "sectors_per_request", "efficiency_percent"});
    const auto add = [&](const std::string& name, const BlockShape& block,
                         const PlaneReads& reads) {
        const Transactions t = count_transactions(block, reads);
        const Sectors s = count_sectors(block, reads);
        counts.add({name, std::to_string(t.of_32), std::to_string(t.of_64),
                    std::to_string(t.bytes()), std::to_string(s.requests),
                    std::to_string(s.sectors), cell(s.per_request()), cell(100 * s.efficiency())});
        return std::pair(t, s);
    };
    const PlaneReads plane{printed_pitch, printed_height};
    const auto [t20, s20] = add("20x20", {20, 20}, plane);
    const auto [t16, s16] = add("16x16", {16, 16}, plane);
    const auto [t32, s32] = add("32x8", {32, 8}, plane);
    PlaneReads shifted = plane, interleaved = plane;
    shifted.shift = 1;
    interleaved.step = 3;
    const auto [t_shifted, s_shifted] = add("20x20 shifted by one", {20, 20}, shifted);
    const auto [t_aos, s_aos] = add("16x16 interleaved", {16, 16}, interleaved);
    laboratory.write("EXP-8-reads.csv", counts);
    say("20x20: {} x 64 B + {} x 32 B; 16x16: {} x 32 B", t20.of_64, t20.of_32, t16.of_32);
    laboratory.find({"G6", "transactions of 20x20 blocks", "3,060 x 64 B + 13,940 x 32 B",
                     fmt::format("{} x 64 B + {} x 32 B", t20.of_64, t20.of_32),
                     t20.of_64 == 3060 && t20.of_32 == 13940});
    laboratory.find({"G6", "transactions of 16x16 blocks", "10,752 x 32 B",
                     fmt::format("{} x 32 B", t16.count()), t16.of_32 == 10752 && t16.of_64 == 0});
    laboratory.find(
        {"G6", "sectors of warps: 20x20, 16x16, 32x8, 20x20 shifted",
         "16320, 10752, 5504, 17850 (predicted)",
         fmt::format("{}, {}, {}, {}", s20.sectors, s16.sectors, s32.sectors, s_shifted.sectors),
         s20.sectors == 16320 && s16.sectors == 10752 && s32.sectors == 5504 &&
             s_shifted.sectors == 17850});
    laboratory.find({"G9", "sectors a request: interleaved, in planes", "more where interleaved",
                     fmt::format("{:.2f}, {:.2f}", s_aos.per_request(), s16.per_request()),
                     s_aos.per_request() >= s16.per_request()});
}

// Kernel 0 by blocks, mean microseconds.
struct Conversions {
    double planes_16, planes_20, interleaved_16;
};
Conversions convert_by_blocks(RegionLaboratory& laboratory, std::size_t device) {
    const int pitch = printed_pitch, width = 477, height = printed_height;
    const std::vector<std::uint8_t> rgb(std::size_t{3} * pitch * height, 90);
    const auto times = laboratory.kernel_times(device, [&](Queue& queue) {
        const auto input = queue.lend(std::span<const std::uint8_t>(rgb), "colors");
        auto output = queue.allocate<std::uint8_t>(static_cast<std::int64_t>(rgb.size()), "Y'CbCr");
        const auto run = [&](const auto& kernel, std::int64_t side) {
            queue.launch(kernel, Groups{groups_over(width, side), groups_over(height, side)}, input,
                         output, pitch, width, height);
        };
        run(kernels::region_thesis_planes_by_16, 16);
        run(kernels::region_thesis_planes_by_20, 20);
        run(kernels::region_thesis_interleaved_by_16, 16);
        queue.finish();
    });
    return {mean_us(*kernel_named(times, "region_thesis_planes_by_16")),
            mean_us(*kernel_named(times, "region_thesis_planes_by_20")),
            mean_us(*kernel_named(times, "region_thesis_interleaved_by_16"))};
}

void compare_blocks(RegionLaboratory& laboratory, std::size_t device, Table& table, Table& blocks) {
    const std::string id = laboratory.device(device).id();
    std::array<KernelMeans, 2> means{};
    for (const int block : {16, 20})
        means[block == 16 ? 0 : 1] = add_kernels(
            table, id, fmt::format("{0}x{0}", block),
            laboratory.kernel_times(device, laboratory.disc(),
                                    {.block = block, .means = ThesisGrowMeans::reduction}),
            [&](const PrintedKernel& k) { return block == 16 ? k.by_16 : k.by_20; });
    const Conversions conversions = convert_by_blocks(laboratory, device);
    blocks.add(
        {id, us(conversions.planes_16), us(conversions.planes_20), us(conversions.interleaved_16)});
    means[0][0] = conversions.planes_16;
    means[1][0] = conversions.planes_20;
    // The last kernel does not go by blocks here.
    for (std::size_t k = 0; k + 1 < printed_kernels.size(); ++k) {
        const PrintedKernel& printed = printed_kernels[k];
        const double thesis = printed.by_16 / printed.by_20, here = means[0][k] / means[1][k];
        laboratory.find({"G7", fmt::format("{}: {}, 16x16 over 20x20", id, printed.name),
                         fmt::format("{:.3f} (GeForce 210)", thesis), fmt::format("{:.3f}", here),
                         (here > 1) == (thesis > 1)});
    }
    laboratory.find({"G9", id + ": conversion of interleaved colors over that of planes", "-",
                     fmt::format("{:.2f}", conversions.interleaved_16 / conversions.planes_16),
                     std::nullopt});
}

}  // namespace

void run_brightness(RegionLaboratory& laboratory) {
    const auto& image = laboratory.pictures().front().image;
    const std::vector<std::uint8_t> plane = first_plane(image);
    const auto width = static_cast<int>(image.shape().x),
               height = static_cast<int>(image.shape().y);
    Table table({"device", "pixels_an_item", "microseconds", "lowest_us", "same_picture"});
    std::vector<Bars> bars{{"one", {}}, {"several", {}}};
    std::vector<std::string> names;
    for (std::size_t d = 0; d < laboratory.device_count(); ++d) {
        std::array<std::vector<std::uint8_t>, 2> results;
        const auto times = laboratory.kernel_times(d, [&](Queue& queue) {
            const auto input = queue.lend(std::span<const std::uint8_t>(plane), "picture");
            auto output = queue.allocate<std::uint8_t>(static_cast<std::int64_t>(plane.size()),
                                                       "brighter picture");
            const auto run = [&](const auto& kernel, std::int64_t side) {
                queue.launch(kernel, Groups{groups_over(width, side), groups_over(height, side)},
                             input, output, width, width, height, percent_40);
                return queue.download(output);
            };
            results[0] =
                run(kernels::region_thesis_brighten_one, kernels::region_thesis_bright_side);
            results[1] =
                run(kernels::region_thesis_brighten_several, kernels::region_thesis_bright_region);
        });
        const std::string id = laboratory.device(d).id();
        const bool same = results[0] == results[1];
        names.push_back(id);
        std::array<double, 2> means{};
        for (std::size_t p = 0; p < 2; ++p) {
            const KernelTime& time = *kernel_named(
                times, p == 0 ? "region_thesis_brighten_one" : "region_thesis_brighten_several");
            means[p] = mean_us(time);
            bars[p].values.push_back(means[p]);
            table.add(
                {id, bars[p].name, us(means[p]), us(1000 * time.lowest_ms), same ? "yes" : "no"});
        }
        laboratory.find(
            {"G1", id + ": both make the same picture", "-", same ? "yes" : "no", same});
        laboratory.find({"G1", id + ": time of several pixels an item over one", "about the same",
                         fmt::format("{:.2f}", means[1] / means[0]), std::nullopt});
    }
    laboratory.write("EXP-1.csv", table);
    laboratory.write("EXP-1.svg", bar_chart(fmt::format("Brightness, {}x{}", width, height),
                                            {"microseconds", true}, names, bars));
}

void run_means(RegionLaboratory& laboratory) {
    Table table = kernel_table("means"), whole({"device", "means", "milliseconds"});
    std::vector<double> first;
    for (std::size_t d = 0; d < laboratory.device_count(); ++d) {
        compare_means(laboratory, d, table);
        const double here = laboratory.milliseconds(d, laboratory.disc(), {});
        first.push_back(here);
        whole.add({laboratory.device(d).id(), "running", cell(here)});
    }
    laboratory.write("EXP-7.csv", table);
    laboratory.write("EXP-7-whole.csv", whole);
    say_lines(table);
    if (laboratory.device_count() > 1)
        laboratory.find({"H7",
                         "whole call with transfers: " + laboratory.device(0).id() + " over " +
                             laboratory.device(laboratory.main_device()).id(),
                         "not measured", fmt::format("{:.2f}", first.front() / first.back()),
                         std::nullopt});
}

void run_blocks(RegionLaboratory& laboratory) {
    count_reads(laboratory);
    Table table = kernel_table("block");
    Table blocks({"device", "planes_16x16_us", "planes_20x20_us", "interleaved_16x16_us"});
    for (std::size_t d = 0; d < laboratory.device_count(); ++d)
        compare_blocks(laboratory, d, table, blocks);
    laboratory.write("EXP-8.csv", table);
    laboratory.write("EXP-8-conversion.csv", blocks);
    say_lines(table);
}

}  // namespace tesela::experiments
