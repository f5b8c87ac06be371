// Feature vectors of batches of tiles that are on the device, to the vectors on the host: row F26
// of docs/tissue.md. Prints the time of a tile, the rate, and kernel times; with --smoke, small
// batches once.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "harness.h"
#include "tesela/tile_features.h"

namespace tesela::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Colors that change smoothly with noise on them, as stained tissue does.
std::vector<std::uint8_t> tissue_pixels(std::int64_t side, std::int64_t tiles) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(3 * side * side * tiles));
    std::uint32_t state = 1;
    std::size_t at = 0;
    for (std::int64_t y = 0; y < side * tiles; ++y)
        for (std::int64_t x = 0; x < side; ++x) {
            state = 1664525u * state + 1013904223u;
            const double wave =
                std::sin(0.05 * static_cast<double>(x)) + std::sin(0.07 * static_cast<double>(y));
            const int noise = static_cast<int>(state >> 27);
            for (const int base : {190, 130, 170})
                pixels[at++] = static_cast<std::uint8_t>(base + noise + std::lround(20 * wave));
        }
    return pixels;
}

// The features of all tiles, described by all threads of the host.
void compute(Queue& queue, const Buffer<const std::uint8_t>& tiles, std::int32_t side,
             std::int64_t count, const FeatureSet& set, std::vector<double>& features) {
    const TileCounts counts = set.count(queue, tiles, side, side, count, 3);
    const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; ++t)
        running.emplace_back([&, t] {
            for (auto tile = static_cast<std::int64_t>(t); tile < count; tile += threads)
                set.describe(counts, tile,
                             std::span(features).subspan(
                                 static_cast<std::size_t>(tile) * set.size(), set.size()));
        });
    for (std::thread& thread : running) thread.join();
}

void measure(const Device& device, const std::string& groups, std::int32_t side, std::int64_t count,
             const Options& options) {
    Queue queue(device);
    const FeatureSet set(groups);
    const std::vector<std::uint8_t> pixels = tissue_pixels(side, count);
    const auto tiles = queue.lend(std::span<const std::uint8_t>(pixels), "tiles");
    std::vector<double> features(set.size() * static_cast<std::size_t>(count));
    compute(queue, tiles, side, count, set, features);  // compiles and allocates
    std::vector<double> times;
    for (int round = 0; round < (options.smoke ? 1 : options.repetitions); ++round) {
        const auto begin = Clock::now();
        compute(queue, tiles, side, count, set, features);
        times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    std::printf("%-10s %-10s %5d^2 x %4lld  %10.1f us a tile (%.1f to %.1f)  %8.3f Gpx/s\n",
                device.id().c_str(), groups.c_str(), side, static_cast<long long>(count),
                1e6 * median / static_cast<double>(count),
                1e6 * times.front() / static_cast<double>(count),
                1e6 * times.back() / static_cast<double>(count),
                static_cast<double>(side) * side * static_cast<double>(count) / median / 1e9);
    if (options.smoke) return;
    Queue profiled(device, {.profile = true});
    const auto again = profiled.lend(std::span<const std::uint8_t>(pixels), "tiles");
    set.count(profiled, again, side, side, count, 3);
    set.count(profiled, again, side, side, count, 3);
    print_kernels(device.id() + ", " + groups + ", " + std::to_string(side), profiled, 8);
}

int run(const Options& options) {
    for (const Device& device : options.devices)
        for (const char* groups : {"thesis-4", "thesis-16", "default"}) {
            if (std::string(groups).find(options.filter) == std::string::npos) continue;
            const bool gpu = device.properties().is_gpu;
            for (const std::int32_t side : {128, 256, 512, 1024, 2048}) {
                if (options.smoke && side > 128) break;
                const std::int64_t pixels = options.smoke ? 1 << 16 : gpu ? 1 << 26 : 1 << 23;
                measure(device, groups, side, std::max<std::int64_t>(pixels / side / side, 1),
                        options);
            }
        }
    return 0;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    try {
        return tesela::bench::run(tesela::bench::read_options(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tesela_bench_texture: %s\n", error.what());
        return 1;
    }
}
