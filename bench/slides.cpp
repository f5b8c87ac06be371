// All tiles of a JPEG slide, read by Tesela's readers beside a bare loop of libjpeg over the same
// tiles, on two threads; and tiles from the cache. Made where Tesela reads files.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include <jpeglib.h>
#include <tiffio.h>

#include "harness.h"
#include "tesela/slide_io.h"

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
        {.overwrite = true, .tile = side});
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

std::vector<std::vector<std::uint8_t>> encoded_tiles(const fs::path& path) {
    std::vector<std::vector<std::uint8_t>> tiles;
    TIFF* tiff = TIFFOpen(path.c_str(), "r");
    for (std::uint32_t i = 0; i < TIFFNumberOfTiles(tiff); ++i) {
        tiles.emplace_back(TIFFGetStrileByteCount(tiff, i));
        TIFFReadRawTile(tiff, i, tiles.back().data(), static_cast<tmsize_t>(tiles.back().size()));
    }
    TIFFClose(tiff);
    return tiles;
}

void decode(const std::vector<std::uint8_t>& bytes, std::vector<std::uint8_t>& pixels) {
    jpeg_decompress_struct info;
    jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes.data(), bytes.size());
    jpeg_read_header(&info, TRUE);
    info.jpeg_color_space = JCS_YCbCr;
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = pixels.data() + static_cast<std::int64_t>(info.output_scanline) * side * 3;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
}

// Seconds of the fastest of `rounds`, on the threads; `work` gets the number of a tile.
double time_tiles(std::int64_t count, int rounds, const std::function<void(std::int64_t)>& work) {
    double fastest = 1e9;
    for (int round = 0; round < rounds; ++round) {
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
        fastest = std::min(fastest, seconds_since(begin));
    }
    return fastest;
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

int run(const Options& options) {
    const fs::path path = fs::temp_directory_path() / "tesela-bench-slides.ome.tif";
    const std::int64_t length = options.smoke ? 2 * side : 32 * side;
    const int rounds = options.smoke ? 1 : 5;
    make(path, length);
    const auto tiles = encoded_tiles(path);
    const auto count = static_cast<std::int64_t>(tiles.size());
    std::printf("%lld tiles of 256 x 256, JPEG, %d threads; fastest of %d\n",
                static_cast<long long>(count), threads, rounds);
    const double bare = time_tiles(count, rounds, [&](std::int64_t t) {
        thread_local std::vector<std::uint8_t> pixels(side * side * 3);
        decode(tiles[static_cast<std::size_t>(t)], pixels);
    });
    std::printf("%-22s %8.1f ms\n", "libjpeg alone", 1e3 * bare);
    for (const io::SlideReader reader : {io::SlideReader::tiff, io::SlideReader::openslide}) {
        if (reader == io::SlideReader::openslide && !io::has_openslide()) continue;
        const auto slide = io::open_slide(path, {.reader = reader});
        const std::int64_t columns = slide->facts().levels[0].columns();
        const double time = time_tiles(
            count, rounds, [&](std::int64_t t) { slide->tile(0, t % columns, t / columns); });
        std::printf("%-22s %8.1f ms, %.2f of libjpeg\n",
                    reader == io::SlideReader::tiff ? "Tesela, by libtiff" : "Tesela, by OpenSlide",
                    1e3 * time, time / bare);
        if (reader == io::SlideReader::tiff) print_cache(*slide, 1000);
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
        std::fprintf(stderr, "tesela_bench_slides: %s\n", error.what());
        return 1;
    }
}
