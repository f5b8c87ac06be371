// What a call through a description (operations::run) costs beyond the functions of the library, of
// images that are on the device: small ones, where nothing else counts, and a mask, its components
// and their table. "NAME, host" is a small call with an image of the host, on a CPU by one thread,
// beside which bench/peers/python puts the same from Python.
#include <set>
#include <string>

#include "harness.h"
#include "inputs.h"
#include "operations/kinds/table.h"
#include "operations/registry.h"
#include "tesela/components.h"
#include "tesela/edges.h"
#include "tesela/image_view.h"
#include "tesela/threshold.h"

namespace tesela::bench {
namespace {

using operations::ImageValue;
using operations::Operation;
using operations::Registry;
using operations::Results;
using operations::Values;
using Wanted = std::set<std::string, std::less<>>;

DeviceImage<const std::uint8_t> uploaded(const Image<std::uint8_t>& image, Queue& queue) {
    return {queue.upload(std::span(image.pixels()), "image"), image.shape(), image.geometry};
}

Results call(const char* name, const Values& inputs, const Wanted& wanted, Queue& queue,
             int threads = 0) {
    const Operation& operation = Registry::all().find(name);
    return run(
        operation,
        {.inputs = inputs, .options = operation.options, .wanted = wanted, .threads = threads},
        queue);
}

void measure_on_host(Table& table, const Device& device, const Image<std::uint8_t>& gray) {
    Queue queue(device, {.threads = 1});
    Values inputs;
    inputs.set("input", AnyImageView(gray));
    std::vector<Case> cases;
    for (const char* name : {"threshold otsu", "edges sobel", "image flip"}) {
        Wanted wanted;
        for (const operations::Output& output : Registry::all().find(name).outputs)
            wanted.emplace(output.name);
        cases.push_back(
            {name + std::string(", host"), size_text(gray.shape()), 0,
             [name, wanted, &inputs, &queue] { call(name, inputs, wanted, queue, 1); }});
    }
    table.measure(queue, cases);
}

void measure(Table& table, const Device& device, const Image<std::uint8_t>& gray) {
    Queue queue(device);
    const std::string size = size_text(gray.shape());
    const auto points = static_cast<double>(gray.shape().points());
    const auto image = uploaded(gray, queue);
    Values inputs;
    inputs.set("input", ImageValue(uploaded(gray, queue)));
    const Wanted edges_wanted{"edges"}, mask_wanted{"mask"}, table_wanted{"labels", "table"};
    const auto by_library = [&] {
        auto found = otsu_threshold(image, queue);
        const DeviceImage<const std::uint8_t> mask = std::move(found.mask);
        const DeviceComponents labeled = components(mask, 0, {}, queue);
        component_table(labeled, PixelType::u8, queue);
    };
    const auto by_run = [&] {
        Values next;
        next.set("input", call("threshold otsu", inputs, mask_wanted, queue).outputs.image("mask"));
        call("components", next, table_wanted, queue);
    };
    table.measure(queue, {{"edges sobel", size, 2 * points,
                           [&] { edges(image, EdgeOperator::sobel, {}, queue); }},
                          {"edges sobel, run", size, 2 * points,
                           [&] { call("edges sobel", inputs, edges_wanted, queue); }},
                          {"mask, components, table", size, 6 * points, by_library},
                          {"mask, components, table, run", size, 6 * points, by_run}});
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(
        argc, argv, "tesela_bench_operations", [](Table& table, const Options& options) {
            const tesela::Image<std::uint8_t> photo = load_pictures().photo.image;
            tesela::Image<std::uint8_t> gray({photo.shape().x, photo.shape().y});
            for (std::size_t i = 0; i < gray.pixels().size(); ++i)
                gray.pixels()[i] =
                    photo.pixels()[i * static_cast<std::size_t>(photo.shape().channels)];
            for (const tesela::Device& device : options.devices) {
                for (const std::int64_t side : {64, 4096})
                    if (!options.smoke || side == 64)
                        measure(table, device, repeated(gray, {side, side}));
                measure_on_host(table, device, repeated(gray, {64, 64}));
            }
            table.print_ratios();
        });
}
