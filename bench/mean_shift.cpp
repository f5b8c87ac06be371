// Mean shift of a photograph and of a head scan: time of a whole call, image in, image and labels
// out, and what it asks of the device; then of the filtered image alone, with the images on the
// device, also by the fast preset, with the Gaussian kernel, in 4-D, and of the photograph cut or
// repeated to other sizes. Inputs are NAME.raw and NAME.txt of $TESELA_IMAGES, made by
// tesela_decode_inputs; without them a made picture is taken, and said so.
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness.h"
#include "inputs.h"
#include "tesela/error.h"
#include "tesela/mean_shift.h"

namespace tesela::bench {
namespace {

struct Input {
    std::string name;
    Image<std::uint8_t> image;
};

Input load(const std::filesystem::path& folder, const std::string& name, const Shape& otherwise) {
    Picture picture = load_picture(folder, name, otherwise);
    return {picture.name, std::move(picture.image)};
}

// Adds noise of which hardly two neighbors are alike, as a worst case for regions.
Input with_noise(const Input& input) {
    constexpr std::uint32_t most = 128;
    Input noisy{input.name + " and noise", input.image};
    std::uint64_t state = 88172645463325252u;
    for (std::uint8_t& value : noisy.image.pixels()) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value = static_cast<std::uint8_t>(value / 2 + (state >> 40) % most);
    }
    return noisy;
}

// A photograph, a head scan, a film, the photograph with noise; the photograph in other sizes, and
// the scan in that of the volume of the thesis's experiments.
struct Inputs {
    Input photograph, scan, film, noisy;
    std::vector<Input> sizes;
    Input volume;
};

Inputs small_inputs() {
    const Image<std::uint8_t> picture = made_picture({48, 40, 1, 1, 3});
    return {{"made", picture},
            {"made", made_picture({20, 18, 12})},
            {"made film", made_picture({12, 10, 4, 3})},
            with_noise({"made", picture}),
            {{"made", repeated(picture, {32, 32, 1, 1, 3})}},
            {"made", made_picture({16, 16, 10})}};
}

Inputs full_inputs(const std::filesystem::path& folder) {
    Inputs inputs{load(folder, "astronaut", {512, 512, 1, 1, 3}),
                  load(folder, "ch2", {181, 217, 181}),
                  {"made film", made_picture({64, 64, 16, 6})},
                  {},
                  {},
                  {}};
    inputs.noisy = with_noise(inputs.photograph);
    for (const int side : {256, 1024, 2048, 4096, 8192})
        inputs.sizes.push_back(
            {inputs.photograph.name, repeated(inputs.photograph.image, {side, side, 1, 1, 3})});
    inputs.volume = {inputs.scan.name, repeated(inputs.scan.image, {192, 192, 160})};
    return inputs;
}

// From host memory to host memory; or images stay on the device, without or with labels.
enum class Call { whole, filtered, labeled };

struct Job {
    const Input* input;
    MeanShiftOptions options;
    Call call = Call::whole;

    std::string text() const {
        std::string text = input->name;
        char bandwidths[48];
        std::snprintf(bandwidths, sizeof bandwidths, " (%g, %g)", options.spatial_bandwidth->value,
                      *options.range_bandwidth);
        text += bandwidths;
        if (options.fast) text += " fast";
        if (options.kernel == MeanShiftKernel::gaussian) text += " gaussian";
        return text + (call == Call::whole ? "" : call == Call::filtered ? " resident" : " labels");
    }
    std::string size() const { return size_text(input->image.shape()); }
};

// The first and the second call on a fresh queue, with the kernels that took longest.
void print_costs(const Device& device, const Job& job) {
    const auto points = static_cast<double>(job.input->image.shape().points());
    Queue queue(device, {.profile = true});
    for (const char* call : {"first", "second"}) {
        const QueueCounters before = queue.counters();
        const MeanShiftResult result = mean_shift(job.input->image, job.options, queue);
        const QueueWork work = queue.counters() - before;
        std::printf("  %-6s call: %" PRId64 " launches, %" PRId64 " tuned primitives, %" PRId64
                    " fills and copies, %" PRId64 " bulk and %" PRId64 " small transfers, %" PRId64
                    " allocations; %.1f bytes a point; %u regions of %u components (%.1f %% of the "
                    "points), %.2f rounds a point;",
                    call, work.launches, work.tuned_primitives, work.fills + work.copies,
                    work.uploads + work.downloads, work.small_transfers, work.allocations,
                    static_cast<double>(queue.counters().peak_bytes_in_use) / points,
                    result.region_count, result.component_count,
                    100 * result.component_count / points,
                    static_cast<double>(result.iterations) / points);
        for (const StageTime& stage : result.stages)
            std::printf(" %s %.2f ms", stage.name.c_str(), stage.milliseconds);
        std::printf("\n");
    }
    print_kernels("both calls, kernels", queue, 6);
}

void measure_call(Table& table, Queue& queue, const Job& job) {
    table.measure(queue, {{job.text(), job.size(), 0,
                           [&] { mean_shift(job.input->image, job.options, queue); }}});
}

void measure_resident(Table& table, Queue& queue, const Job& job) {
    const Image<std::uint8_t>& image = job.input->image;
    const DeviceImage<const std::uint8_t> resident{
        queue.lend(std::span<const std::uint8_t>(image.pixels()), "image"), image.shape(),
        image.geometry, image.has_alpha};
    const MeanShiftOutput output = job.call == Call::filtered
                                       ? MeanShiftOutput::filtered_only
                                       : MeanShiftOutput::filtered_and_labels;
    table.measure(queue, {{job.text(), job.size(), 0,
                           [&] { mean_shift(resident, {}, job.options, queue, output); }}});
}

void measure(Table& table, const Device& device, const std::vector<Job>& jobs,
             const std::string& filter) {
    Queue queue(device);
    for (const Job& job : jobs) {
        if (job.text().find(filter) == std::string::npos) continue;
        if (job.call == Call::whole)
            measure_call(table, queue, job);
        else
            measure_resident(table, queue, job);
        if (job.call != Call::labeled) print_costs(device, job);
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

std::vector<Job> jobs_for(const Inputs& inputs, const Device& device) {
    const Input &photograph = inputs.photograph, &scan = inputs.scan, &film = inputs.film;
    std::vector<Job> jobs{{&photograph, bandwidths(8, 8)},
                          {&photograph, bandwidths(16, 16)},
                          {&scan, bandwidths(2, 6)},
                          {&photograph, bandwidths(8, 8), Call::filtered},
                          {&photograph, bandwidths(8, 8), Call::labeled},
                          {&photograph, bandwidths(16, 16), Call::filtered},
                          {&photograph, bandwidths(16, 16), Call::labeled},
                          {&photograph, bandwidths(32, 32), Call::filtered},
                          {&photograph, fast(8, 8), Call::filtered},
                          {&photograph, fast(16, 16), Call::filtered},
                          {&photograph, fast(32, 32), Call::filtered},
                          {&film, fast(2, 16), Call::filtered},
                          {&inputs.noisy, bandwidths(8, 8), Call::filtered},
                          {&inputs.noisy, bandwidths(8, 8), Call::labeled}};
    const bool is_gpu = device.properties().is_gpu;
    for (const Input& input : inputs.sizes)
        if (is_gpu || input.image.shape().x <= 1024)
            jobs.push_back({&input, bandwidths(8, 8), Call::filtered});
    // Minutes on a processor.
    if (is_gpu) {
        MeanShiftOptions gaussian = bandwidths(4, 4);
        gaussian.kernel = MeanShiftKernel::gaussian;
        jobs.insert(jobs.end(), {{&inputs.volume, bandwidths(8, 8), Call::filtered},
                                 {&scan, bandwidths(5, 10)},
                                 {&scan, fast(5, 10), Call::filtered},
                                 {&film, bandwidths(2, 16), Call::filtered},
                                 {&photograph, gaussian, Call::filtered}});
    }
    return jobs;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(
        argc, argv, "tesela_bench_mean_shift", [](Table& table, const Options& options) {
            const Inputs inputs = options.smoke ? small_inputs() : full_inputs(input_folder());
            for (const tesela::Device& device : options.devices)
                measure(table, device, jobs_for(inputs, device), options.filter);
        });
}
