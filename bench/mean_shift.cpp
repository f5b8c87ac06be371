// Mean shift of a photograph and of a head scan: time of a whole call, image in, image and labels
// out, and what it asks of the device; then of the filtered image alone, with the images on the
// device, also by the fast preset, with the Gaussian kernel and in 4-D. Inputs are NAME.raw and
// NAME.txt of --inputs or $TESELA_IMAGES, made by tesela_decode_inputs; without them a made picture
// is taken, and said so.
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "harness.h"
#include "inputs.h"
#include "tesela/error.h"
#include "tesela/mean_shift.h"

namespace tesela::bench {
namespace {

struct Input {
    std::string name;
    AnyImage image;
};

Input load(const std::filesystem::path& folder, const std::string& name, const Shape& otherwise) {
    Picture picture = load_picture(folder, name, otherwise);
    return {picture.name, std::move(picture.image)};
}

struct Job {
    const Input* input;
    MeanShiftOptions options;
    bool resident = false;  // images stay on the device, and there are no labels

    std::string text() const {
        std::string text = input->name;
        char bandwidths[48];
        std::snprintf(bandwidths, sizeof bandwidths, " (%g, %g)", options.spatial_bandwidth.value,
                      options.range_bandwidth);
        text += bandwidths;
        if (options.fast) text += " fast";
        if (options.kernel == MeanShiftKernel::gaussian) text += " gaussian";
        return text + (resident ? " resident" : "");
    }
    std::string size() const {
        const Shape& shape = shape_of(input->image);
        return std::to_string(shape.x) + "x" + std::to_string(shape.y) +
               (shape.z > 1 ? "x" + std::to_string(shape.z) : "") +
               (shape.t > 1 ? "x" + std::to_string(shape.t) : "");
    }
};

// The first and the second call on a fresh queue, with the kernels that took longest.
void print_costs(const Device& device, const Job& job) {
    Queue queue(device, {.profile = true});
    for (const char* call : {"first", "second"}) {
        const QueueCounters before = queue.counters();
        const MeanShiftResult result = mean_shift(job.input->image, job.options, queue);
        const QueueWork work = queue.counters() - before;
        std::printf("  %-6s call: %" PRId64 " launches, %" PRId64 " tuned primitives, %" PRId64
                    " fills and copies, %" PRId64 " bulk and %" PRId64 " small transfers, %" PRId64
                    " allocations; %u regions, %.2f rounds a point;",
                    call, work.launches, work.tuned_primitives, work.fills + work.copies,
                    work.uploads + work.downloads, work.small_transfers, work.allocations,
                    result.region_count,
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

void measure_call(Table& table, Queue& queue, const Job& job) {
    table.measure(queue, {{job.text(), job.size(), 0,
                           [&] { mean_shift(job.input->image, job.options, queue); }}});
}

void measure_resident(Table& table, Queue& queue, const Job& job) {
    const auto& image = std::get<Image<std::uint8_t>>(job.input->image);
    const DeviceImage<const std::uint8_t> resident{
        queue.lend(std::span<const std::uint8_t>(image.pixels()), "image"), image.shape(),
        image.geometry, image.has_alpha};
    table.measure(queue, {{job.text(), job.size(), 0, [&] {
                               mean_shift(resident, {}, job.options, queue,
                                          MeanShiftOutput::filtered_only);
                           }}});
}

void measure(Table& table, const Device& device, const std::vector<Job>& jobs) {
    Queue queue(device);
    for (const Job& job : jobs) {
        if (job.resident)
            measure_resident(table, queue, job);
        else
            measure_call(table, queue, job);
        print_costs(device, job);
    }
}

MeanShiftOptions bandwidths(double spatial, double range) {
    return {.spatial_bandwidth = spatial, .range_bandwidth = range};
}
MeanShiftOptions fast(double spatial, double range) {
    MeanShiftOptions options = bandwidths(spatial, range);
    options.fast = true;
    return options;
}

std::vector<Job> jobs_for(const std::vector<Input>& inputs, const Device& device) {
    const Input &photograph = inputs[0], &scan = inputs[1], &film = inputs[2];
    std::vector<Job> jobs{{&photograph, bandwidths(8, 8)},   {&photograph, bandwidths(16, 16)},
                          {&scan, bandwidths(2, 6)},         {&photograph, bandwidths(8, 8), true},
                          {&photograph, fast(8, 8), true},   {&photograph, fast(16, 16), true},
                          {&photograph, fast(32, 32), true}, {&film, fast(2, 16), true}};
    // Minutes on a processor.
    if (device.properties().is_gpu) {
        MeanShiftOptions gaussian = bandwidths(4, 4);
        gaussian.kernel = MeanShiftKernel::gaussian;
        jobs.insert(jobs.end(), {{&scan, bandwidths(5, 10)},
                                 {&scan, fast(5, 10), true},
                                 {&film, bandwidths(2, 16), true},
                                 {&photograph, gaussian, true}});
    }
    return jobs;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_mean_shift",
                       [](Table& table, const Options& options) {
                           const std::filesystem::path folder = input_folder();
                           std::vector<Input> inputs;
                           if (options.smoke) {
                               inputs.push_back({"made", made_picture({48, 40, 1, 1, 3})});
                               inputs.push_back({"made", made_picture({20, 18, 12})});
                               inputs.push_back({"made film", made_picture({12, 10, 4, 3})});
                           } else {
                               inputs.push_back(load(folder, "astronaut", {512, 512, 1, 1, 3}));
                               inputs.push_back(load(folder, "ch2bet", {181, 217, 181}));
                               inputs.push_back({"made film", made_picture({64, 64, 16, 6})});
                           }
                           for (const tesela::Device& device : options.devices)
                               measure(table, device, jobs_for(inputs, device));
                       });
}
