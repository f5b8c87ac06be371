// What a call through a description (operations::run) costs beyond the functions of the library, of
// images that are on the device: small ones, where nothing else counts, and a mask, its components
// and their table.
#include <set>
#include <string>

#include "harness.h"
#include "inputs.h"
#include "operations/kinds/table.h"
#include "operations/registry.h"
#include "tesela/components.h"
#include "tesela/edges.h"
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

Results call(const char* name, const Values& inputs, const Wanted& wanted, Queue& queue) {
    const Operation& operation = Registry::all().find(name);
    return run(operation, {inputs, operation.options, wanted}, queue);
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
            for (const tesela::Device& device : options.devices)
                for (const std::int64_t side : {64, 4096})
                    if (!options.smoke || side == 64)
                        measure(table, device, repeated(gray, {side, side}));
            table.print_ratios();
        });
}
