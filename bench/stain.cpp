// Stains of sections, on pixels that are on the device: amounts, and colors of another stain. The
// limit is that of a copy: every pixel read once, every result written once.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "filters/stain.h"
#include "harness.h"

namespace tesela::bench {
namespace {

// Colors between both stains of hematoxylin and eosin and the glass.
template <class T>
std::vector<T> section(std::int64_t points) {
    std::vector<T> pixels(static_cast<std::size_t>(3 * points));
    std::uint32_t state = 12345;
    for (T& value : pixels) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<T>((90 + (state >> 24) * 160 / 255) * (sizeof(T) == 1 ? 1 : 257));
    }
    return pixels;
}

template <class T>
void measure(Table& table, const Device& device, std::int64_t side) {
    Queue queue(device);
    const StainMatrix from = stain_matrix(StainSet::he), to = stain_matrix(StainSet::hdab);
    const std::vector<T> host = section<T>(side * side);
    const auto pixels = queue.lend(std::span<const T>(host), "pixels");
    const auto values = static_cast<std::int64_t>(host.size());
    const auto density = density_table<T>(queue, from.white);
    auto amounts = queue.allocate<float>(values, "amounts of stains");
    auto recolored = queue.allocate<T>(values, "recolored pixels");
    auto copied = queue.allocate<T>(values, "copy");
    const auto read = static_cast<double>(host.size() * sizeof(T));
    const std::string bits = sizeof(T) == 1 ? "8 bits" : "16 bits";
    table.measure(queue, {{"copy", std::to_string(side) + "^2, " + bits, 2 * read,
                           [&] { queue.copy(pixels, copied); }, nullptr, true},
                          {"separate", std::to_string(side) + "^2, " + bits,
                           read + 4.0 * static_cast<double>(values),
                           [&] {
                               stain_amounts<T>(queue, pixels, 3, density,
                                                amounts_of_densities(from), amounts);
                           }},
                          {"normalize", std::to_string(side) + "^2, " + bits, 2 * read, [&] {
                               recolor<T>(queue, pixels, 3, density, normalized_densities(from, to),
                                          to.white, recolored);
                           }}});
}

void run(Table& table, const Options& options) {
    const std::int64_t side = options.smoke ? 256 : 4096;
    for (const Device& device : options.devices) {
        measure<std::uint8_t>(table, device, side);
        measure<std::uint16_t>(table, device, side);
    }
    table.print_ratios();
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    return tesela::bench::run_program(argc, argv, "tesela_bench_stain", tesela::bench::run);
}
