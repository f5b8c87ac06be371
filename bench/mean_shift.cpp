// Mean shift of a photograph and of a head scan: time of a whole call, image in, image and labels
// out, and what it asks of the device. Inputs are NAME.raw and NAME.txt of --inputs or
// $TESELA_IMAGES, made by tesela_decode_inputs; without them a made picture is taken, and said so.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "harness.h"
#include "tesela/error.h"
#include "tesela/mean_shift.h"

namespace tesela::bench {
namespace {

struct Input {
    std::string name;
    AnyImage image;
};

// The header names type and axes: "uint8 512 512 1 3". Empty where there is no such file.
std::optional<Image<std::uint8_t>> read_raw(const std::filesystem::path& folder,
                                            const std::string& name) {
    std::ifstream header(folder / (name + ".txt"));
    std::string type;
    Shape shape;
    if (!(header >> type >> shape.x >> shape.y >> shape.z >> shape.channels)) return std::nullopt;
    if (type != "uint8") throw UnsupportedFormat(name + ".txt: pixels are not uint8");
    Image<std::uint8_t> image(shape);
    std::ifstream raw(folder / (name + ".raw"), std::ios::binary);
    if (!raw.read(reinterpret_cast<char*>(image.data()), shape.elements()))
        throw UnreadableInput((folder / (name + ".raw")).string() +
                              " is shorter than its header says");
    return image;
}

// Patches of color with a little noise.
Image<std::uint8_t> made_picture(const Shape& shape) {
    Image<std::uint8_t> image(shape);
    std::uint32_t state = 12345;
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
        const std::int64_t point = i / shape.channels;
        const std::int64_t x = point % shape.x, y = point / shape.x % shape.y;
        const std::int64_t patch = x / 40 * 7 + y / 40 * 13 + i % shape.channels * 5;
        state = state * 1664525u + 1013904223u;
        image.pixels()[static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(patch * 29 % 200 + (state >> 24) % 16);
    }
    return image;
}

Input load(const std::filesystem::path& folder, const std::string& name, const Shape& otherwise) {
    if (auto image = read_raw(folder, name)) return {name, std::move(*image)};
    std::printf("%s: not in '%s', a made picture of its size instead\n", name.c_str(),
                folder.string().c_str());
    return {name + " (made)", made_picture(otherwise)};
}

struct Job {
    const Input* input;
    double spatial, range;

    MeanShiftOptions options() const {
        return {.spatial_bandwidth = spatial, .range_bandwidth = range};
    }
    std::string text() const {
        char bandwidths[48];
        std::snprintf(bandwidths, sizeof bandwidths, " (%g, %g)", spatial, range);
        return input->name + bandwidths;
    }
    std::string size() const {
        const Shape& shape = shape_of(input->image);
        return std::to_string(shape.x) + "x" + std::to_string(shape.y) +
               (shape.z > 1 ? "x" + std::to_string(shape.z) : "");
    }
};

struct Counts {
    long long launches, bulk_transfers, small_transfers, allocations;
};
Counts operator-(const QueueCounters& after, const QueueCounters& before) {
    return {
        static_cast<long long>(after.launches - before.launches),
        static_cast<long long>(after.uploads + after.downloads - before.uploads - before.downloads),
        static_cast<long long>(after.small_transfers - before.small_transfers),
        static_cast<long long>(after.allocations - before.allocations)};
}

// The first and the second call on a fresh queue, with the kernels that took longest.
void print_costs(const Device& device, const Job& job) {
    Queue queue(device, {.profile = true});
    for (const char* call : {"first", "second"}) {
        const QueueCounters before = queue.counters();
        const MeanShiftResult result = mean_shift(job.input->image, job.options(), queue);
        const Counts counts = queue.counters() - before;
        std::printf(
            "  %-6s call: %lld launches, %lld bulk and %lld small transfers, %lld "
            "allocations; %u regions, %.2f rounds a point;",
            call, counts.launches, counts.bulk_transfers, counts.small_transfers,
            counts.allocations, result.region_count,
            static_cast<double>(result.iterations) /
                static_cast<double>(shape_of(job.input->image).points()));
        for (const StageTime& stage : result.stages)
            std::printf(" %s %.2f ms", stage.name.c_str(), stage.milliseconds);
        std::printf("\n");
    }
    constexpr std::size_t most = 6;
    std::printf("  both calls, kernels:");
    const std::vector<KernelTime> times = queue.profile();
    for (std::size_t i = 0; i < times.size() && i < most; ++i)
        std::printf(" %s %lld x %.3f ms", times[i].name.c_str(),
                    static_cast<long long>(times[i].launches),
                    times[i].total_ms / static_cast<double>(times[i].launches));
    std::printf("\n");
}

void measure(Table& table, const Device& device, const std::vector<Job>& jobs) {
    Queue queue(device);
    for (const Job& job : jobs) {
        const auto call = [&] { mean_shift(job.input->image, job.options(), queue); };
        table.measure(queue, {{job.text(), job.size(), 0, call}});
        print_costs(device, job);
    }
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program([&] {
        const Options options = read_options(argc, argv);
        const char* images = std::getenv("TESELA_IMAGES");
        const std::filesystem::path folder = images ? images : ".";
        Table table("tesela_bench_mean_shift", options);
        std::vector<Input> inputs;
        if (options.smoke) {
            inputs.push_back({"made", made_picture({48, 40, 1, 1, 3})});
            inputs.push_back({"made", made_picture({20, 18, 12})});
        } else {
            inputs.push_back(load(folder, "astronaut", {512, 512, 1, 1, 3}));
            inputs.push_back(load(folder, "ch2bet", {181, 217, 181}));
        }
        for (const tesela::Device& device : options.devices) {
            std::vector<Job> jobs{{&inputs[0], 8, 8}, {&inputs[0], 16, 16}, {&inputs[1], 2, 6}};
            // Minutes on a processor.
            if (device.properties().is_gpu) jobs.push_back({&inputs[1], 5, 10});
            measure(table, device, jobs);
        }
    });
}
