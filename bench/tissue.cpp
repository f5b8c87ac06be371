// Slides of JPEG tiles in the sizes that the thesis had (Ruiz Sanchez 2015, table 4.10), to their
// maps: wall time, time a tile, the bare loop of libjpeg over the same tiles beside it, and the
// most memory (rows F29 and F33). The file lies in the system's cache. Tiles of 1024 x 1024 pixels,
// none of them background; default vector and SVM on a GPU, thesis's vector and nearest neighbors
// on a CPU.
//
//   --filter small, medium or large runs that slide alone
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "harness.h"
#include "jpeg_tiles.h"
#include "tesela/slide_io.h"
#include "tesela/synthetic_slide.h"
#include "tesela/tissue_slides.h"

namespace tesela::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Size {
    const char* name;
    std::int64_t width, height;
};
constexpr Size sizes[] = {
    {"small", 32980, 66426}, {"medium", 76543, 63024}, {"large", 109110, 80828}};
constexpr std::int64_t stored_tile = 1024;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

int threads() { return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 16u)); }

// Taught the tissues of the section, for tiles of `side` pixels.
TissueModel trained(const SyntheticSection& section, const std::string& features,
                    ClassifierKind kind, Queue& queue, const fs::path& path, int side) {
    const auto slide = io::open_slide(path);
    TissueModel model;
    model.features = features;
    TissueSamples samples;
    Annotations tissues;
    tissues.list = section.tissues;
    constexpr int training_tile = 128;
    add_annotated_tiles(*slide, tissues, "section", tissue_grid(*slide, 0, training_tile), {},
                        FeatureSet(features), queue, samples);
    model.classes = samples.classes;
    model.colors.resize(model.classes.size());
    model.classifier = train_classifier(samples, {.classifier = kind});
    model.tile = side;
    return model;
}

double bare_loop(const JpegTiles& tiles) {
    std::atomic<std::int64_t> next{0};
    const Clock::time_point begin = Clock::now();
    std::vector<std::thread> running;
    for (int i = 0; i < threads(); ++i)
        running.emplace_back([&] {
            std::vector<std::uint8_t> pixels;
            for (std::int64_t t = next++; t < tiles.count(); t = next++) tiles.decode(t, pixels);
        });
    for (std::thread& thread : running) thread.join();
    return seconds_since(begin);
}

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The same for the same labels and probabilities, whatever computed them (row F30).
std::uint64_t fingerprint(const TissueMap& map) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
    const auto add = [&](const void* data, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; ++i)
            hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3ULL;
    };
    add(map.labels.data(), map.labels.size());
    add(map.probabilities.data(), map.probabilities.size() * sizeof(float));
    return hash;
}

double peak_megabytes() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) / 1024;
}

void measure(const Device& device, const TissueModel& model, const char* name,
             const fs::path& path) {
    TileCache::global().set_capacity(0);
    TileCache::global().set_capacity(TileCache::default_capacity);
    const auto slide = io::open_slide(path);
    const double bare = bare_loop(JpegTiles(path));
    Queue first(device), second(device);
    std::vector<Queue*> queues{&first};
    if (device.properties().is_gpu) queues.push_back(&second);
    const double work_before = processor_seconds();
    const Clock::time_point begin = Clock::now();
    const TissueMap map = classify_slide(*slide, model, queues, {.threads = threads()});
    const double wall = seconds_since(begin);
    const double work = (processor_seconds() - work_before) / threads();
    // Threads that read and those that describe share the cores: one stage.
    const double reading = map.stages[0].busy_seconds / threads();
    const double describing = map.stages[2].busy_seconds / threads();
    const double computing = map.devices[0].busy_seconds / map.devices[0].threads;
    const double slowest = std::max(reading + describing, computing);
    std::printf(
        "%-9s %-7s %5lld tiles %8.2f s  %7.3f ms a tile  libjpeg alone %7.2f s (%.2f of it)\n",
        device.id().c_str(), name, static_cast<long long>(map.grid.cells()), wall,
        1e3 * wall / static_cast<double>(map.grid.cells()), bare, wall / bare);
    std::printf(
        "%17s read %.2f s, count %.2f s, describe %.2f s; wall %.2f of the slowest stage, %.2f of "
        "the work over %d threads; peak %.0f MiB with a cache of %lld; map %016llx\n",
        "", reading, computing, describing, wall / slowest, wall / work, threads(),
        peak_megabytes(), static_cast<long long>(TileCache::default_capacity >> 20),
        static_cast<unsigned long long>(fingerprint(map)));
}

int run(const Options& options) {
    const fs::path path = fs::temp_directory_path() / "tesela-bench-tissue.ome.tif";
    const std::int64_t side = options.smoke ? 1024 : 4096;
    const SyntheticSection section = synthetic_section(side);
    for (const Device& device : options.devices) {
        const bool gpu = device.properties().is_gpu;
        Queue queue(device);
        io::write_repeated_slide(section.picture, side, side, path,
                                 {.tile = options.smoke ? 256 : stored_tile});
        const TissueModel model = trained(
            section, gpu ? "default" : "thesis", gpu ? ClassifierKind::svm : ClassifierKind::knn,
            queue, path, options.smoke ? 256 : static_cast<int>(stored_tile));
        if (options.smoke) {
            measure(device, model, "smoke", path);
            continue;
        }
        for (const Size& size : sizes) {
            if (std::string(size.name).find(options.filter) == std::string::npos) continue;
            io::write_repeated_slide(section.picture, size.width, size.height, path,
                                     {.tile = stored_tile});
            measure(device, model, size.name, path);
        }
    }
    fs::remove(path);
    return 0;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    try {
        return tesela::bench::run(tesela::bench::read_options(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tesela_bench_tissue: %s\n", error.what());
        return 1;
    }
}
