// What share of a device's copy rate kernels of the dialect reach: a copy, a stencil, the sums of
// tiles, and several steps of the stencil on tiles in local memory.
//
// The rate compared with is the faster of the driver's own copy and the dialect's, of an image of
// the same size in the same run. Bytes are the compulsory ones: 8 a pixel, whatever the number of
// steps, and 4 for the sums. Before anything is timed, all results are compared with host loops,
// bit by bit.
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "harness.h"
#include "kernels/rows.kernel.h"
#include "kernels/sweeps.kernel.h"
#include "tesela/error.h"

namespace tesela::bench {
namespace {

using Pixels = std::vector<float>;

constexpr std::int64_t rows_of_item = 4;
constexpr std::int64_t tile = 64;

struct Size {
    std::int32_t width, height;
    std::int64_t pixels() const { return std::int64_t{width} * height; }
    std::string text() const { return std::to_string(width) + "x" + std::to_string(height); }
};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
Range bands(Size size) { return {size.width, ceil_div(size.height, rows_of_item)}; }
Groups tiles(Size size) { return {ceil_div(size.width, tile), ceil_div(size.height, tile)}; }
Groups sweep_groups(Size size, int sweeps) {
    constexpr std::int64_t tiles_of_group = 4;
    return {ceil_div(size.width, 128 - 2 * sweeps),
            ceil_div(size.height, tiles_of_group * (32 - 2 * sweeps))};
}

// Numbers of no pattern in [0, 1).
Pixels noise(Size size) {
    Pixels pixels(static_cast<std::size_t>(size.pixels()));
    std::uint32_t state = 12345;
    for (float& pixel : pixels) {
        state = state * 1664525u + 1013904223u;
        pixel = static_cast<float>(state >> 8) / 16777216.0f;
    }
    return pixels;
}

// ---- Host loops --------------------------------------------------------------------------------

Pixels host_step(const Pixels& source, Size size) {
    Pixels target = source;
    const auto at = [&](std::int64_t x, std::int64_t y) {
        return source[static_cast<std::size_t>(y * size.width + x)];
    };
    for (std::int64_t y = 1; y < size.height - 1; ++y)
        for (std::int64_t x = 1; x < size.width - 1; ++x) {
            const float sum = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
            target[static_cast<std::size_t>(y * size.width + x)] = 0.5f * at(x, y) + 0.125f * sum;
        }
    return target;
}

// The additions of one tile in the order of the kernel's 256 items.
float host_tile_sum(const Pixels& source, Size size, std::int64_t left, std::int64_t top) {
    float partial[256] = {};
    for (std::int64_t item = 0; item < 256; ++item)
        for (std::int64_t k = 0; k < 16; ++k) {
            const std::int64_t x = left + item % 64, y = top + k * 4 + item / 64;
            if (x < size.width && y < size.height)
                partial[item] += source[static_cast<std::size_t>(y * size.width + x)];
        }
    float total = 0;
    for (int item = 0; item < 16; ++item) {
        float sum = 0;
        for (int k = 0; k < 16; ++k) sum += partial[item + 16 * k];
        total += sum;
    }
    return total;
}

Pixels host_tile_sums(const Pixels& source, Size size) {
    Pixels sums;
    for (std::int64_t y = 0; y < size.height; y += tile)
        for (std::int64_t x = 0; x < size.width; x += tile)
            sums.push_back(host_tile_sum(source, size, x, y));
    return sums;
}

void compare(const Queue& queue, const std::string& name, const Pixels& found,
             const Pixels& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (std::memcmp(&found[i], &expected[i], sizeof(float)) != 0)
            throw Error(ErrorCode::device_unavailable,
                        name + " on " + queue.device().id() + " gives " + std::to_string(found[i]) +
                            " at " + std::to_string(i) + ", a host loop gives " +
                            std::to_string(expected[i]));
}

// ---- Device ------------------------------------------------------------------------------------

// One image to read and one to write.
struct Images {
    Buffer<float> source, target;

    Images(Queue& queue, Size size)
        : source(queue.upload<float>(noise(size), "source")),
          target(queue.allocate_filled<float>(size.pixels(), NAN, "target")) {}
};

using SweepKernel = decltype(kernels::bench_sweeps_2);
struct Sweeps {
    int count;
    SweepKernel kernel;
};
const Sweeps all_sweeps[] = {
    {2, kernels::bench_sweeps_2}, {3, kernels::bench_sweeps_3}, {4, kernels::bench_sweeps_4}};

void check(Queue& queue, Size size) {
    const Pixels source = noise(size);
    Images images(queue, size);
    const auto result = [&] {
        Pixels found = queue.download(images.target);
        queue.fill(images.target, NAN);
        return found;
    };
    queue.launch(kernels::bench_copy, bands(size), images.source, images.target, size.width,
                 size.height);
    compare(queue, "copy", result(), source);
    queue.launch(kernels::bench_stencil, bands(size), images.source, images.target, size.width,
                 size.height);
    Pixels expected = host_step(source, size);
    compare(queue, "stencil", result(), expected);
    for (const Sweeps& sweeps : all_sweeps) {
        queue.launch(sweeps.kernel, sweep_groups(size, sweeps.count), images.source, images.target,
                     size.width, size.height);
        expected = host_step(expected, size);
        compare(queue, std::to_string(sweeps.count) + " steps on tiles", result(), expected);
    }
    queue.launch(kernels::bench_tile_sum, tiles(size), images.source, images.target, size.width,
                 size.height);
    compare(queue, "tile sum", result(), host_tile_sums(source, size));
}

void measure(Table& table, Queue& queue, Size size) {
    Images images(queue, size);
    const std::string text = size.text();
    const auto pixels = static_cast<double>(size.pixels());
    const auto item_case = [&](const char* name, const auto& kernel, bool is_copy) {
        const auto enqueue = [&images, &queue, &kernel, size] {
            queue.launch(kernel, bands(size), images.source, images.target, size.width,
                         size.height);
        };
        return Case{name, text, 8 * pixels, enqueue, nullptr, is_copy};
    };
    std::vector<Case> cases;
    cases.push_back({"copy, driver", text, 8 * pixels,
                     [&] { queue.copy(images.source, images.target); }, nullptr, true});
    cases.push_back(item_case("copy, dialect", kernels::bench_copy, true));
    cases.push_back(item_case("stencil", kernels::bench_stencil, false));
    cases.push_back({"tile sum", text, 4 * pixels, [&, size] {
                         queue.launch(kernels::bench_tile_sum, tiles(size), images.source,
                                      images.target, size.width, size.height);
                     }});
    for (const Sweeps& sweeps : all_sweeps)
        cases.push_back({std::to_string(sweeps.count) + " steps on tiles", text, 8 * pixels,
                         [&queue, &images, &sweeps, size] {
                             queue.launch(sweeps.kernel, sweep_groups(size, sweeps.count),
                                          images.source, images.target, size.width, size.height);
                         }});
    table.measure(queue, cases);
}

std::vector<Size> sizes_for(const Device& device, bool smoke) {
    if (smoke) return {{256, 256}};
    if (!device.properties().is_gpu) return {{4096, 4096}};
    return {{8192, 8192}, {16384, 16384}};
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_stencil",
                       [](Table& table, const Options& options) {
                           for (const tesela::Device& device : options.devices) {
                               tesela::Queue queue(device);
                               for (const Size size : {Size{3, 3}, Size{517, 389}, Size{64, 1030}})
                                   check(queue, size);
                               for (const Size size : sizes_for(device, options.smoke))
                                   measure(table, queue, size);
                           }
                       });
}
