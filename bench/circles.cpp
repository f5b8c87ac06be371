// Votes for circles: of one radius, and of 91 with the list of their maxima, from edges on the
// device; and the whole search, from host to host.
#include <string>

#include "detection/circle_ring.h"
#include "detection/circle_votes.h"
#include "harness.h"
#include "tesela/synthetic_circles.h"

namespace tesela::bench {
namespace {

// 500 circles of radius 50 on 1024^2; as dense on other sizes.
Image<std::uint8_t> contours(std::int64_t size) {
    SyntheticCirclesOptions scene = *circles_scene("c500r50");
    scene.width = scene.height = std::min<std::int64_t>(size, 1024);
    if (size < 1024) scene.count = 4;
    const Image<std::uint8_t> tile = synthetic_circles(scene).image;
    Image<std::uint8_t> image({size, size});
    for (std::int64_t y = 0; y < size; ++y)
        for (std::int64_t x = 0; x < size; ++x)
            image(x, y) = tile(x % tile.shape().x, y % tile.shape().y);
    return image;
}

bool is_wanted(const Options& options, const std::string& name) {
    return name.find(options.filter) != name.npos;
}

void measure_votes(Table& table, const Options& options, const Device& device, std::int64_t size,
                   const std::string& limits) {
    const std::string name = "votes, one radius" + limits;
    if (!is_wanted(options, name)) return;
    Queue queue(device);
    const Image<std::uint8_t> image = contours(size);
    const auto edges = queue.lend(std::span<const std::uint8_t>(image.pixels()), "edges");
    const std::vector<RingPoint> ring = circle_ring(50, 50);
    const CircleVoter sizes(queue, image.shape(), edges, 51, 51, false);
    std::vector<std::uint32_t> words;
    const CircleEntries entries = sizes.add_entries(ring, words);
    const auto list = queue.upload(std::span<const std::uint32_t>(words), "ring");
    auto votes = queue.allocate<std::uint16_t>(sizes.cells(), "votes");
    const double bytes = 3.0 * static_cast<double>(image.shape().points());
    table.measure(queue, {{name, std::to_string(size) + "^2", bytes, [&] {
                               const CircleVoter voter(queue, image.shape(), edges, 51, 51, false);
                               voter.vote(list, entries, votes);
                           }}});
}

void measure_sweep(Table& table, const Options& options, const Device& device, std::int64_t size) {
    const std::string name = "91 radii, maxima (H200 5 ms, two cores 0.8 s)";
    if (!is_wanted(options, name)) return;
    Queue queue(device);
    const Image<std::uint8_t> image = contours(size);
    const auto edges = queue.lend(std::span<const std::uint8_t>(image.pixels()), "edges");
    CircleSweep sweep{.rings = {}, .least_share = 0.5};
    for (int radius = 10; radius <= 100; ++radius)
        sweep.rings.push_back(circle_ring(radius, radius));
    const double bytes = 3.0 * 91 * static_cast<double>(image.shape().points());
    table.measure(queue, {{name, std::to_string(size) + "^2", bytes, [&] {
                               const CircleVoter voter(queue, image.shape(), edges, 101, 101,
                                                       false);
                               circle_maxima(queue, voter, sweep, nullptr);
                           }}});
}

void measure_search(Table& table, const Options& options, const Device& device, std::int64_t size) {
    const std::string name = "circles, 21 radii";
    if (!is_wanted(options, name)) return;
    Queue queue(device);
    const SyntheticCircles made = synthetic_circles({.drawing = CircleDrawing::disks,
                                                     .width = size,
                                                     .height = size,
                                                     .count = size < 1024 ? 4 : 100,
                                                     .min_radius = 16,
                                                     .max_radius = 34});
    table.measure(
        queue,
        {{name, std::to_string(size) + "^2", static_cast<double>(made.image.shape().points()),
          [&] { circles(made.image, {.min_radius = 15, .max_radius = 35}, queue); }}});
}

// A wide range of radii, by each method.
void measure_methods(Table& table, const Options& options, const Device& device,
                     std::int64_t size) {
    Queue queue(device);
    const double largest = static_cast<double>(size) / 10;
    const SyntheticCircles made = synthetic_circles({.drawing = CircleDrawing::disks,
                                                     .width = size,
                                                     .height = size,
                                                     .count = 40,
                                                     .min_radius = 12,
                                                     .max_radius = largest - 5,
                                                     .blur = 1,
                                                     .noise = 0.05});
    for (const auto& [method, name] : {std::pair{CircleMethod::rings, "all radii, rings"},
                                       {CircleMethod::gradient, "all radii, gradient"},
                                       {CircleMethod::pyramid, "all radii, pyramid"}}) {
        if (!is_wanted(options, name)) continue;
        const CircleOptions search{.min_radius = 10, .max_radius = largest, .method = method};
        table.measure(queue, {{name, std::to_string(size) + "^2",
                               static_cast<double>(made.image.shape().points()),
                               [&] { circles(made.image, search, queue); }}});
    }
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(
        argc, argv, "tesela_bench_circles", [](Table& table, const Options& options) {
            for (const tesela::Device& device : options.devices) {
                const bool full = !options.smoke, gpu = device.properties().is_gpu;
                const std::int64_t size = full ? 1024 : 256;
                measure_votes(table, options, device, size, " (H200 150 us, two cores 25 ms)");
                if (full) measure_votes(table, options, device, gpu ? 16384 : 4096, "");
                measure_sweep(table, options, device, size);
                measure_search(table, options, device, size);
                measure_methods(table, options, device, size);
            }
            table.print_ratios();
        });
}
