// Compressed volumes: decoding on the device, coding and decoding on the host. The size column has
// the size of the volume and the share of its bytes that it takes; voxels a second follow the
// table.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "harness.h"
#include "inputs.h"
#include "tesela/synthetic_volume.h"
#include "tesela/volume_codec.h"

namespace tesela::bench {
namespace {

using Volume = Image<std::uint8_t>;

// Noise of the standard deviation `sigma`, the same each time.
class Noise {
  public:
    explicit Noise(double sigma) : table_(1 << 16) {
        std::mt19937 generator(5);
        std::normal_distribution<float> normal(0, static_cast<float>(sigma));
        for (float& value : table_) value = normal(generator);
    }
    float next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return table_[state_ >> 48];
    }

  private:
    std::vector<float> table_;
    std::uint64_t state_ = 1;
};

std::uint8_t byte_of(float value) {
    return static_cast<std::uint8_t>(std::min(255.0f, std::max(0.0f, value + 0.5f)));
}

// Waves of several lengths everywhere, under noise: nothing is flat.
Volume texture(std::int64_t side) {
    Volume volume({side, side, side});
    Noise noise(2);
    std::vector<float> wave(static_cast<std::size_t>(side));
    for (std::size_t i = 0; i < wave.size(); ++i)
        wave[i] = 40 * std::sin(0.06f * static_cast<float>(i)) +
                  10 * std::sin(0.31f * static_cast<float>(i));
    auto at = volume.pixels().begin();
    for (std::size_t z = 0; z < wave.size(); ++z)
        for (std::size_t y = 0; y < wave.size(); ++y)
            for (std::size_t x = 0; x < wave.size(); ++x, ++at)
                *at =
                    byte_of(128 + wave[x] * 0.5f + wave[y] * 0.6f + wave[z] * 0.4f + noise.next());
    return volume;
}

// A body of soft tissue with bone and vessels in air, with the noise of a scanner.
Volume body(std::int64_t side) {
    Volume volume({side, side, side});
    Noise noise(3);
    const auto scale = 2 / static_cast<float>(side);
    auto at = volume.pixels().begin();
    for (std::int64_t iz = 0; iz < side; ++iz) {
        const float z = static_cast<float>(iz) * scale - 1;
        const float vessel_x = 0.2f * std::sin(6 * z), vessel_y = 0.2f * std::cos(5 * z);
        for (std::int64_t iy = 0; iy < side; ++iy)
            for (std::int64_t ix = 0; ix < side; ++ix, ++at) {
                const float x = static_cast<float>(ix) * scale - 1,
                            y = static_cast<float>(iy) * scale - 1;
                const float r = std::sqrt(x * x * 1.3f + y * y + z * z * 0.6f);
                float value = 0;
                if (r < 0.8f) {
                    value = 90 + 20 * (y + x * z);
                    if (r > 0.72f) value = 60;
                    if (r > 0.5f && r < 0.58f) value = 190 - 300 * (r - 0.54f);
                    const float vx = x - vessel_x, vy = y - vessel_y;
                    if (vx * vx + vy * vy < 0.004f) value = 150;
                    value += noise.next();
                }
                *at = byte_of(value);
            }
    }
    return volume;
}

// As `tesela synthesize volume --scene vessels --noise 2%` makes them.
Volume synthesized(std::int64_t side) {
    return synthetic_volume(
               {.scene = VolumeScene::vessels, .shape = {side, side, side}, .noise = 0.02})
        .image;
}

// The image again and again along all axes.
Volume repeated(const Volume& image, std::int64_t side) {
    Volume volume({side, side, side});
    const Shape& tile = image.shape();
    for (std::int64_t z = 0; z < side; ++z)
        for (std::int64_t y = 0; y < side; ++y)
            for (std::int64_t x = 0; x < side; ++x)
                volume(x, y, z) = image(x % tile.x, y % tile.y, z % tile.z);
    return volume;
}

Volume made(const std::string& name, std::int64_t side) {
    if (name == "texture") return texture(side);
    if (name == "body") return body(side);
    if (name == "vessels") return synthesized(side);
    return repeated(load_picture(input_folder(), "CT_AVM", {64, 64, 64}).image, side);
}

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Of all threads together, so that other work on the machine does not count.
double processor_seconds_of(const std::function<void()>& work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

struct Input {
    std::string name;
    std::string size;
    AnyImage volume;
    std::unique_ptr<BrickSource> compressed;
};

std::vector<Input> inputs_of(std::int64_t side, const std::string& filter) {
    std::vector<Input> inputs;
    for (const std::string name : {"texture", "body", "vessels", "CT_AVM repeated"}) {
        if (name.find(filter) == std::string::npos) continue;
        Input input{name, std::to_string(side) + "^3", made(name, side), nullptr};
        const auto voxels = static_cast<double>(side * side * side);
        const double coding =
            processor_seconds_of([&] { input.compressed = compressed_volume(input.volume); });
        const double decoding = processor_seconds_of([&] { input.compressed->read(0); });
        const double share = static_cast<double>(input.compressed->facts().stored_bytes) / voxels;
        std::printf(
            "%s, %s, on two cores of the host: to %.1f %%, coding %.1f M, decoding %.1f M "
            "voxels/s of processor time\n",
            name.c_str(), input.size.c_str(), 100 * share, 2 * voxels / coding / 1e6,
            2 * voxels / decoding / 1e6);
        inputs.push_back(std::move(input));
    }
    return inputs;
}

void measure(Table& table, const Device& device, const Input& input) {
    Queue queue(device);
    VolumeDecoder decoder(*input.compressed, 0, queue);
    const auto& volume = std::get<Volume>(input.volume);
    const auto decoded = std::get<DeviceImage<std::uint8_t>>(decoder.decode());
    if (queue.download(decoded.pixels) != volume.pixels())
        throw UnreadableInput("the decoded volume differs from what was compressed");
    const double bytes =
        static_cast<double>(volume.shape().elements() + input.compressed->facts().stored_bytes);
    std::unique_ptr<VolumeDecoder> again;
    table.measure(queue, {{"decode " + input.name, input.size, bytes, [&] { decoder.decode(); }},
                          {"upload and decode " + input.name, input.size, bytes, [&] {
                               again = std::make_unique<VolumeDecoder>(*input.compressed, 0, queue);
                               again->decode();
                           }}});
    again.reset();
    constexpr int turns = 5;
    const double seconds = seconds_of([&] {
        for (int turn = 0; turn < turns; ++turn) decoder.decode();
        queue.finish();
    });
    std::printf("%s, %s, on %s: decoding %.2f G voxels/s\n", input.name.c_str(), input.size.c_str(),
                device.id().c_str(),
                static_cast<double>(volume.shape().elements()) * turns / seconds / 1e9);
    Queue profiled(device, {.profile = true});
    VolumeDecoder watched(*input.compressed, 0, profiled);
    for (int turn = 0; turn < 3; ++turn) watched.decode();
    print_kernels("decode " + input.name, profiled);
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_volume_codec",
                       [](Table& table, const Options& options) {
                           bool gpu = false;
                           for (const tesela::Device& device : options.devices)
                               gpu = gpu || device.properties().is_gpu;
                           const std::int64_t side = options.smoke ? 70 : gpu ? 1024 : 256;
                           const std::vector<Input> inputs = inputs_of(side, options.filter);
                           for (const tesela::Device& device : options.devices)
                               for (const Input& input : inputs) measure(table, device, input);
                           table.print_ratios();
                       });
}
