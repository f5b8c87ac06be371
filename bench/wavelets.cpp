// Wavelet transforms of float images and volumes, and denoising of a volume, data on the device.
// Times of PyWavelets and scikit-image on the same sizes: bench/peers/wavelets.py.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "harness.h"
#include "tesela/wavelet_denoise.h"
#include "tesela/wavelet_packet.h"

namespace tesela::bench {
namespace {

std::vector<float> noise(std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    std::mt19937 generator(3);
    std::uniform_real_distribution<float> any(0, 255);
    for (float& value : values) value = any(generator);
    return values;
}

std::string text_of(const Shape& shape) {
    return std::to_string(shape.x) + (shape.z > 1 ? "^3" : shape.y > 1 ? "^2" : "");
}

void measure_transform(Table& table, const Device& device, const Shape& shape, Wavelet wavelet,
                       int levels) {
    Queue queue(device);
    const WaveletOptions options{wavelet, levels};
    const std::vector<float> values = noise(shape.elements());
    const auto samples = queue.lend(std::span<const float>(values), "samples");
    auto kept = queue.allocate<float>(shape.elements(), "coefficients");
    auto coefficients = queue.allocate<float>(shape.elements(), "coefficients to use up");
    auto again = queue.allocate<float>(shape.elements(), "samples again");
    wavelet_forward(queue, shape, options, samples, kept);
    const std::string name(enum_name(wavelet));
    const double bytes = 8 * static_cast<double>(shape.elements());
    table.measure(queue, {{"copy", text_of(shape), bytes, [&] { queue.copy(kept, coefficients); },
                           nullptr, true},
                          {name + " forward", text_of(shape), bytes,
                           [&] { wavelet_forward(queue, shape, options, samples, coefficients); }},
                          {name + " inverse", text_of(shape), bytes,
                           [&] { wavelet_inverse(queue, shape, options, coefficients, again); },
                           [&] { queue.copy(kept, coefficients); }}});
    Queue profiled(device, {.profile = true});
    const auto lent = profiled.lend(std::span<const float>(values), "samples");
    auto found = profiled.allocate<float>(shape.elements(), "coefficients");
    for (int turn = 0; turn < 3; ++turn) wavelet_forward(profiled, shape, options, lent, found);
    print_kernels(name + " forward", profiled);
}

void measure_packets(Table& table, const Device& device, const Shape& shape, int levels) {
    Queue queue(device);
    const WaveletOptions options{Wavelet::bior4_4, levels};
    const std::vector<float> values = noise(shape.elements());
    const auto samples = queue.lend(std::span<const float>(values), "samples");
    auto coefficients = queue.allocate<float>(shape.elements(), "coefficients");
    double norm = 0;
    for (const float value : values) norm += double(value) * double(value);
    norm = std::sqrt(norm);
    const double bytes = 8 * static_cast<double>(shape.elements());
    const auto best = [&](PacketBasis basis) {
        packet_forward_best<float>(queue, shape, options, basis, norm, samples, coefficients);
    };
    table.measure(
        queue, {{"packets, full", text_of(shape), bytes,
                 [&] { packet_forward<float>(queue, shape, options, samples, coefficients); }},
                {"packets, l1", text_of(shape), bytes, [&] { best(PacketBasis::l1); }},
                {"packets, entropy", text_of(shape), bytes, [&] { best(PacketBasis::entropy); }}});
}

void measure_denoising(Table& table, const Device& device, const Shape& shape) {
    Queue queue(device);
    const std::vector<float> values = noise(shape.elements());
    const auto samples = queue.lend(std::span<const float>(values), "samples");
    auto clean = queue.allocate<float>(shape.elements(), "clean");
    WaveletDenoiseOptions options;
    options.sigma = 20;
    table.measure(queue,
                  {{"denoise, 8 shifts", text_of(shape), 8 * static_cast<double>(shape.elements()),
                    [&] { wavelet_denoise(queue, shape, options, samples, clean); }}});
    Queue profiled(device, {.profile = true});
    const auto lent = profiled.lend(std::span<const float>(values), "samples");
    auto found = profiled.allocate<float>(shape.elements(), "clean");
    wavelet_denoise(profiled, shape, options, lent, found);
    print_kernels("denoise", profiled);
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    using tesela::Wavelet;
    return run_program(
        argc, argv, "tesela_bench_wavelets", [](Table& table, const Options& options) {
            for (const tesela::Device& device : options.devices) {
                if (std::string("packets").find(options.filter) != std::string::npos) {
                    const std::int64_t side = options.smoke ? 64 : 1024;
                    measure_packets(table, device, {side, side}, 4);
                    if (!options.filter.empty()) continue;
                }
                const bool gpu = device.properties().is_gpu;
                const std::int64_t wide = options.smoke ? 64 : gpu ? 8192 : 4096;
                const std::int64_t deep = options.smoke ? 16 : gpu ? 512 : 256;
                const std::int64_t head = options.smoke ? 16 : 256;
                for (const Wavelet wavelet : {Wavelet::bior4_4, Wavelet::db2})
                    measure_transform(table, device, {options.smoke ? 1 << 10 : 1 << 20}, wavelet,
                                      8);
                for (const Wavelet wavelet : {Wavelet::bior4_4, Wavelet::db2, Wavelet::haar})
                    measure_transform(table, device, {wide, wide}, wavelet, options.smoke ? 3 : 5);
                measure_transform(table, device, {deep, deep, deep}, Wavelet::bior4_4, 3);
                measure_denoising(table, device, {head, head, head});
            }
            table.print_ratios();
        });
}
