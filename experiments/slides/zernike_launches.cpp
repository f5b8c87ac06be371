// The thesis's experiments on groups and launches of Zernike moments: E14 and E15.
#include <chrono>
#include <limits>

#include "experiments/kernels/slide_experiments.kernel.h"
#include "experiments/slides/laboratory.h"

namespace tesela::experiments {
namespace {

using Launch = ThesisZernikeLaunch;

struct LaunchCost {
    double enqueued = 0, one = 0;  // microseconds: in a row of launches, and with a wait after it
};

LaunchCost launch_cost(Queue& queue, int count) {
    const auto microseconds = [&](int launches, const auto& between) {
        auto value = queue.allocate_filled<std::uint32_t>(1, 0u, "launches");
        queue.launch(kernels::slide_experiments_count, Range{1}, value);
        queue.finish();
        const auto started = std::chrono::steady_clock::now();
        for (int i = 0; i < launches; ++i) {
            queue.launch(kernels::slide_experiments_count, Range{1}, value);
            between();
        }
        queue.finish();
        const std::chrono::duration<double, std::micro> time =
            std::chrono::steady_clock::now() - started;
        return time.count() / launches;
    };
    return {microseconds(count, [] {}), microseconds(count / 10, [&] { queue.finish(); })};
}

}  // namespace

void run_group_sizes(SlideLaboratory& laboratory) {
    const int order = 34;
    const std::vector<int> sides =
        laboratory.quick() ? std::vector<int>{64} : std::vector<int>{64, 512, 2048};
    Table table({"size", "device", "group_size", "milliseconds", "thesis_best"});
    std::vector<std::string> categories;
    std::vector<Bars> bars;
    for (const int size : {32, 64, 128, 256}) categories.push_back(std::to_string(size));
    for (std::size_t device = 0; device < laboratory.device_count(); ++device)
        for (const int side : sides) {
            const Image<float> image = noise_picture(side);
            bars.push_back(
                {fmt::format("{0}, {1} x {1}", laboratory.device(device).id(), side), {}});
            double best = std::numeric_limits<double>::infinity();
            int best_size = 0;
            for (const int size : {32, 64, 128, 256}) {
                const double time =
                    laboratory.milliseconds(device, image, {.order = order, .group_size = size});
                table.add({std::to_string(side), laboratory.device(device).id(),
                           std::to_string(size), cell(time),
                           size == printed_best_group ? "yes" : ""});
                bars.back().values.push_back(time);
                if (time < best) {
                    best = time;
                    best_size = size;
                }
            }
            laboratory.find({"F51", "best group, " + bars.back().name,
                             std::to_string(printed_best_group), std::to_string(best_size),
                             std::nullopt});
        }
    laboratory.write("E14.csv", table);
    laboratory.write("E14.svg", bar_chart("Order 34 by the items of a group",
                                          {"milliseconds", true}, categories, bars));
}

void run_launches(SlideLaboratory& laboratory) {
    Table table({"order", "size", "device", "each_ms", "sequence_ms", "queues_ms", "ratio_sequence",
                 "ratio_queues"});
    const std::size_t main = laboratory.main_device();
    std::vector<int> sides = laboratory.sides();
    sides.insert(sides.begin(), 16);
    double smallest = 0, largest = 0, as_one = 0;
    for (std::size_t device = 0; device < laboratory.device_count(); ++device)
        for (const int side : sides) {
            const Image<float> image = noise_picture(side);
            for (const int order : laboratory.orders()) {
                std::array<double, 3> times{};
                for (const Launch launch : {Launch::each, Launch::sequence, Launch::queues})
                    times[static_cast<std::size_t>(launch)] =
                        laboratory.milliseconds(device, image, {.order = order, .launch = launch});
                const double sequence = times[0] / times[1], queues = times[0] / times[2];
                table.add({std::to_string(order), std::to_string(side),
                           laboratory.device(device).id(), cell(times[0]), cell(times[1]),
                           cell(times[2]), cell(sequence), cell(queues)});
                if (device != main || order != 34) continue;
                if (side == 64) {
                    smallest = queues;
                    as_one = sequence;
                }
                largest = queues;
            }
        }
    laboratory.write("E15.csv", table);
    const std::string id = laboratory.device(main).id();
    laboratory.find({"F49", "a queue for each repetition, order 34, 64 x 64, on " + id,
                     "2.2 (Kepler)", fmt::format("{:.2f}", smallest), smallest >= 1.3});
    laboratory.find({"F49", fmt::format("the same, {0} x {0}", sides.back()), "1.0",
                     fmt::format("{:.2f}", largest), largest >= 0.95});
    laboratory.find({"F50", "all kernels as one launch, order 34, 64 x 64, on " + id,
                     "0.46 to 0.96 (kernels that launch kernels)", fmt::format("{:.2f}", as_one),
                     std::nullopt});
    Table costs({"device", "microseconds_in_a_row", "microseconds_with_a_wait"});
    for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
        const LaunchCost cost =
            launch_cost(laboratory.queue(device), laboratory.quick() ? 200 : 5000);
        costs.add({laboratory.device(device).id(), cell(cost.enqueued), cell(cost.one)});
        laboratory.find(
            {"F50", "a launch on " + laboratory.device(device).id(),
             "3 us from the host, 5 to 16 us from the GPU",
             fmt::format("{:.1f} us in a row, {:.1f} us with a wait", cost.enqueued, cost.one),
             std::nullopt});
    }
    laboratory.write("E15-launch.csv", costs);
}

}  // namespace tesela::experiments
