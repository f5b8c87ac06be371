// All tiles of a JPEG slide, read by Tesela beside a bare loop of libjpeg over the same tiles and
// beside OpenSlide, on two threads; tiles from the cache; and gradients of a whole slide beside
// reading and writing alone. Made where Tesela reads files.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#ifdef TESELA_HAS_OPENSLIDE
    #include <openslide.h>
#endif

#include "harness.h"
#include "jpeg_tiles.h"
#include "tesela/edges.h"
#include "tesela/slide_io.h"
#include "tesela/synthetic_slide.h"
#include "tesela/tile_stream.h"

namespace tesela::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int threads = 2;
constexpr std::int64_t side = 256;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Waves with noise, in colors like those of a stain.
void make(const fs::path& path, std::int64_t length) {
    const auto writer = io::create_ome_tiff(
        path, {PixelType::u8, {length, length, 1, 1, 3}, micrometers_per_pixel(0.5, 0.5)},
        {.tile = side});
    std::mt19937 generator(1);
    for (std::int64_t row = 0; row < length / side; ++row)
        for (std::int64_t column = 0; column < length / side; ++column) {
            Image<std::uint8_t> tile({side, side, 1, 1, 3});
            for (std::int64_t y = 0; y < side; ++y)
                for (std::int64_t x = 0; x < side; ++x) {
                    const double wave = std::sin(static_cast<double>(x + column * 37) / 6) *
                                        std::cos(static_cast<double>(y + row * 53) / 9);
                    for (int c = 0; c < 3; ++c)
                        tile(x, y, 0, 0, c) = static_cast<std::uint8_t>(
                            170 - 20 * c + 50 * wave + static_cast<double>(generator() % 24));
                }
            writer->write(column, row, tile);
        }
    writer->finish();
}

// Seconds on the threads; `work` gets the number of a tile.
double time_tiles(std::int64_t count, const std::function<void(std::int64_t)>& work) {
    TileCache::global().set_capacity(0);
    TileCache::global().set_capacity(TileCache::default_capacity);
    std::atomic<std::int64_t> next{0};
    const Clock::time_point begin = Clock::now();
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i)
        running.emplace_back([&] {
            for (std::int64_t t = next++; t < count; t = next++) work(t);
        });
    for (std::thread& thread : running) thread.join();
    return seconds_since(begin);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// Takes turns, so that a busy machine is unfair to all alike: medians of the times, and of their
// ratios to the first of the same turn.
struct Contestant {
    std::string name;
    std::function<double()> seconds;
};
void compare(const std::vector<Contestant>& contestants, int rounds) {
    std::vector<std::vector<double>> times(contestants.size()), ratios(contestants.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            times[i].push_back(contestants[i].seconds());
            ratios[i].push_back(times[i].back() / times[0].back());
        }
    for (std::size_t i = 0; i < contestants.size(); ++i)
        std::printf("%-28s %9.1f ms, %.2f of %s\n", contestants[i].name.c_str(),
                    1e3 * median(times[i]), median(ratios[i]), contestants[0].name.c_str());
}

void print_cache(const TileSource& slide, int repeats) {
    slide.tile(0, 0, 0);
    Clock::time_point begin = Clock::now();
    for (int i = 0; i < repeats; ++i) slide.tile(0, 0, 0);
    const double shared = seconds_since(begin) / repeats;
    begin = Clock::now();
    for (int i = 0; i < repeats; ++i) slide.read(0, {0, 0, side, side});
    std::printf("cached tile of 256 x 256: %.2f us shared, %.2f us copied\n", 1e6 * shared,
                1e6 * seconds_since(begin) / repeats);
}

#ifdef TESELA_HAS_OPENSLIDE
// OpenSlide's own reader, without Tesela.
class PlainOpenSlide {
  public:
    explicit PlainOpenSlide(const fs::path& path) : slide_(openslide_open(path.c_str())) {}
    ~PlainOpenSlide() { openslide_close(slide_); }
    PlainOpenSlide(const PlainOpenSlide&) = delete;
    PlainOpenSlide& operator=(const PlainOpenSlide&) = delete;

    void read(std::int64_t column, std::int64_t row) const {
        thread_local std::vector<std::uint32_t> pixels(side * side);
        openslide_read_region(slide_, pixels.data(), column * side, row * side, 0, side, side);
    }

  private:
    openslide_t* slide_;
};
#endif

void compare_readers(const fs::path& path, int rounds, [[maybe_unused]] bool with_openslide) {
    const JpegTiles tiles(path);
    const std::int64_t count = tiles.count();
    std::printf("%lld tiles of 256 x 256, JPEG, %d threads; median of %d\n",
                static_cast<long long>(count), threads, rounds);
    const auto by_tiff = io::open_slide(path, {.reader = io::SlideReader::tiff});
    const std::int64_t columns = by_tiff->facts().levels[0].columns();
    const auto all_of = [&](const TileSource& slide) {
        return time_tiles(count, [&](std::int64_t t) { slide.tile(0, t % columns, t / columns); });
    };
    std::vector<Contestant> contestants{{"libjpeg alone",
                                         [&] {
                                             return time_tiles(count, [&](std::int64_t t) {
                                                 thread_local std::vector<std::uint8_t> pixels;
                                                 tiles.decode(t, pixels);
                                             });
                                         }},
                                        {"Tesela, by libtiff", [&] { return all_of(*by_tiff); }}};
#ifdef TESELA_HAS_OPENSLIDE
    std::unique_ptr<TileSource> by_openslide;
    if (with_openslide) {
        by_openslide = io::open_slide(path, {.reader = io::SlideReader::openslide});
        contestants.push_back({"Tesela, by OpenSlide", [&] { return all_of(*by_openslide); }});
        contestants.push_back({"OpenSlide alone", [&] {
                                   const PlainOpenSlide slide(path);  // with an empty cache
                                   return time_tiles(count, [&](std::int64_t t) {
                                       slide.read(t % columns, t / columns);
                                   });
                               }});
    }
#endif
    compare(contestants, rounds);
    print_cache(*by_tiff, 1000);
}

// Gradients of a whole slide, beside reading all of it and writing the same result from memory.
void compare_edges(const fs::path& path, std::int64_t length, int rounds) {
    const SyntheticSection section = synthetic_section(std::min<std::int64_t>(length, 4096));
    io::write_repeated_slide(section.picture, length, length, path, {true});
    const auto slide = io::open_slide(path);
    const fs::path output = path.parent_path() / "tesela-bench-edges.ome.tif";
    const io::SlideForm form{PixelType::u8, {length, length}, {}, false};
    const std::int64_t columns = (length + side - 1) / side;
    AnyImage result = Image<std::uint8_t>(form.shape);
    const auto stream = [&](const TileSink& sink) {
        std::vector<Queue> queues;
        std::vector<TileMethod> methods;
        queues.reserve(threads);
        for (int i = 0; i < threads; ++i) {
            queues.emplace_back(Device::choose("cpu").device, QueueOptions{.threads = 1});
            methods.push_back([&queue = queues.back()](const TileArea& area) -> TileResults {
                return {
                    area.without_halo(edges(area.pixels, EdgeOperator::sobel, {}, queue).edges)};
            });
        }
        stream_tiles(*slide, 0, {4 * side, 4 * side, 1}, methods, sink, threads);
    };
    const auto write_box = [](TileWriter& writer, std::int64_t column, std::int64_t row,
                              const AnyImage& box) {
        const Shape& shape = shape_of(box);
        for (std::int64_t y = 0; y < shape.y; y += side)
            for (std::int64_t x = 0; x < shape.x; x += side)
                writer.write(4 * column + x / side, 4 * row + y / side,
                             part_of(box, {x, y, side, side}));
    };
    std::mutex mutex;
    stream([&](std::int64_t column, std::int64_t row, const TileResults& results) {
        const std::lock_guard lock(mutex);
        const Shape& shape = shape_of(results[0]);
        copy_box(results[0], {0, 0, shape.x, shape.y}, result, column * 4 * side, row * 4 * side);
    });
    std::printf("edges sobel, %lld x %lld pixels, %d threads; median of %d\n",
                static_cast<long long>(length), static_cast<long long>(length), threads, rounds);
    compare({{"reading and writing alone",
              [&] {
                  const double reading = time_tiles(columns * columns, [&](std::int64_t t) {
                      slide->tile(0, t % columns, t / columns);
                  });
                  const auto writer = io::create_ome_tiff(output, form, {true});
                  const double writing = time_tiles(columns * columns, [&](std::int64_t t) {
                      writer->write(
                          t % columns, t / columns,
                          part_of(result, {t % columns * side, t / columns * side, side, side}));
                  });
                  writer->finish();
                  return reading + writing;
              }},
             {"edges sobel",
              [&] {
                  TileCache::global().set_capacity(0);
                  TileCache::global().set_capacity(TileCache::default_capacity);
                  const Clock::time_point begin = Clock::now();
                  const auto writer = io::create_ome_tiff(output, form, {true});
                  stream([&](std::int64_t column, std::int64_t row, const TileResults& results) {
                      write_box(*writer, column, row, results[0]);
                  });
                  writer->finish();
                  return seconds_since(begin);
              }}},
            rounds);
    fs::remove(output);
}

// --filter readers, jpeg (readers without OpenSlide), edges or 20k (edges of 20480 x 20480 pixels)
// runs that alone.
int run(const Options& options) {
    const fs::path path = fs::temp_directory_path() / "tesela-bench-slides.ome.tif";
    const int rounds = options.smoke ? 1 : options.repetitions;
    const bool all = options.filter.empty();
    if (all || options.filter == "readers" || options.filter == "jpeg") {
        make(path, options.smoke ? 2 * side : 32 * side);
        compare_readers(path, rounds, options.filter != "jpeg");
    }
    if (all || options.filter == "edges")
        compare_edges(path, options.smoke ? 2 * side : 32 * side, rounds);
    if (options.filter == "20k") compare_edges(path, 80 * side, rounds);
    fs::remove(path);
    return 0;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    try {
        return tesela::bench::run(tesela::bench::read_options(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tesela_bench_slides: %s\n", error.what());
        return 1;
    }
}
