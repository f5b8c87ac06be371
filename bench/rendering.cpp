// Pictures of volumes from bricks on the device: every sample of 512^3 without light, and vessels
// of a CT with light and skipping, the mean of 32 views around them. And of a compressed volume
// whose bricks are decoded when they are needed: the first picture, and the mean of 32 views around
// it, of small volumes in two viewports too.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "harness.h"
#include "inputs.h"
#include "tesela/render.h"
#include "tesela/synthetic_volume.h"
#include "tesela/volume_codec.h"

namespace tesela::bench {
namespace {

// Nothing is opaque, so that no ray ends early, and no block is without opacity.
TransferFunction thin() {
    return {.name = "thin",
            .color = {{0, {0.2, 0.3, 0.9}}, {255, {1, 0.9, 0.6}}},
            .opacity = {{0, 0.0005}, {255, 0.005}},
            .gradient_opacity = {},
            .reference_length = 1};
}

// The preset in units of stored numbers, of which each is 2.2 Hounsfield units.
TransferFunction vessels_of_stored_numbers() {
    TransferFunction transfer = *transfer_preset("ct-vessel");
    for (ColorPoint& point : transfer.color) point.value /= 2.2;
    for (OpacityPoint& point : transfer.opacity) point.value /= 2.2;
    return transfer;
}

// Trilinear between the voxels of the image; its physical size stays.
Image<std::uint8_t> resampled(const Image<std::uint8_t>& image, const Shape& shape) {
    Image<std::uint8_t> made(shape);
    const Shape& from = image.shape();
    const auto place = [](std::int64_t at, std::int64_t to, std::int64_t length) {
        const double x = (double(at) + 0.5) * double(length) / double(to) - 0.5;
        return std::clamp(x, 0.0, double(length - 1));
    };
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const double p[]{place(x, shape.x, from.x), place(y, shape.y, from.y),
                                 place(z, shape.z, from.z)};
                double sum = 0;
                for (int corner = 0; corner < 8; ++corner) {
                    double weight = 1;
                    std::int64_t at[3];
                    for (int a = 0; a < 3; ++a) {
                        const auto low = static_cast<std::int64_t>(p[a]);
                        const double share = p[a] - double(low);
                        const bool up = corner >> a & 1;
                        weight *= up ? share : 1 - share;
                        at[a] = low + (up && share > 0);
                    }
                    if (weight > 0) sum += weight * image(at[0], at[1], at[2]);
                }
                made(x, y, z) = static_cast<std::uint8_t>(std::lround(sum));
            }
    return made;
}

// CT_AVM where it is in the folder of inputs.
Picture vessels(std::int64_t side) {
    const auto folder = input_folder();
    if (!std::filesystem::exists(folder / "CT_AVM.txt"))
        return {"made vessels",
                synthetic_volume(
                    {.scene = VolumeScene::vessels, .shape = {side, side, side}, .noise = 0.02})
                    .image};
    const Picture ct = load_picture(folder, "CT_AVM", {});
    return {ct.name, resampled(ct.image, {side, side, side})};
}

void measure_thin(Table& table, const Device& device, std::int64_t side, std::int64_t pixels,
                  const std::string& limit) {
    Queue queue(device);
    Renderer renderer(made_picture({side, side, side}), queue);
    renderer.set_transfer(thin());
    const RenderSettings settings{
        .width = pixels, .height = pixels, .shading = false, .skipping = false};
    const Camera camera = turned(renderer.camera(CameraView::anterior),
                                 {.azimuth = 30, .elevation = 20, .zoom = 1.4});
    table.measure(queue,
                  {{"every sample, no light" + limit,
                    std::to_string(side) + "^3 to " + std::to_string(pixels) + "^2",
                    double(side * side * side), [&] { renderer.render_only(camera, settings); }}});
}

void measure_vessels(Table& table, const Device& device, const Picture& volume, std::int64_t pixels,
                     const std::string& limit) {
    Queue queue(device);
    Renderer renderer(volume.image, queue);
    renderer.set_transfer(vessels_of_stored_numbers());
    const RenderSettings settings{.width = pixels, .height = pixels};
    const Camera camera = renderer.camera(CameraView::anterior);
    int view = 0;
    table.measure(
        queue, {{volume.name + ", light, mean of 32 views" + limit,
                 size_text(volume.image.shape()) + " to " + std::to_string(pixels) + "^2", 0, [&] {
                     const double angle = 360.0 * (view++ % 32) / 32;
                     renderer.render_only(turned(camera, {.azimuth = angle}), settings);
                 }}});
}

// A compressed volume repeated along all axes, so that a large one is made at once. `length` is a
// multiple of its side.
class Repeated : public BrickSource {
  public:
    Repeated(const AnyImage& tile, std::int64_t length) : tile_(compressed_volume(tile)) {
        facts_ = tile_->facts();
        facts_.levels.clear();
        facts_.geometries.clear();
        facts_.set_levels({length, length, length}, {});
        const auto blocks = tile_->blocks();
        for (std::int64_t i = 0; i < blocks[0] * blocks[1] * blocks[2]; ++i)
            ranges_.push_back(range_around(
                {i % blocks[0], i / blocks[0] % blocks[1], i / blocks[0] / blocks[1]}));
    }

    const BrickSourceFacts& facts() const override { return facts_; }
    AnyImage brick(int level, const BrickPlace& place) const override {
        return tile_->brick(level, within(place, tile_->bricks()));
    }
    BrickCoding coding(const BrickPlace& place) const override {
        return tile_->coding(within(place, tile_->bricks()));
    }
    std::vector<std::uint8_t> chunk(int level, const BrickPlace& place) const override {
        return tile_->chunk(level, within(place, tile_->bricks()));
    }
    BlockRange block_range(const BrickPlace& place) const override {
        const auto blocks = tile_->blocks();
        const BrickPlace at = within(place, blocks);
        return ranges_[static_cast<std::size_t>((at.z * blocks[1] + at.y) * blocks[0] + at.x)];
    }

  private:
    static BrickPlace within(const BrickPlace& place, const std::array<std::int64_t, 3>& counts) {
        return {place.x % counts[0], place.y % counts[1], place.z % counts[2]};
    }
    // Ranges of the tile leave out what lies beyond its border, so that those of neighbors are
    // added.
    BlockRange range_around(const BrickPlace& block) const {
        const auto blocks = tile_->blocks();
        BlockRange range{255, 0};
        for (int i = 0; i < 27; ++i) {
            const BlockRange own = tile_->block_range(
                within({block.x + i % 3 + blocks[0] - 1, block.y + i / 3 % 3 + blocks[1] - 1,
                        block.z + i / 9 + blocks[2] - 1},
                       blocks));
            range = {std::min(range.lowest, own.lowest), std::max(range.highest, own.highest)};
        }
        return range;
    }

    std::unique_ptr<BrickSource> tile_;
    BrickSourceFacts facts_;
    std::vector<BlockRange> ranges_;
};

void print_counts(const std::string& what, const Renderer& renderer) {
    const BrickCounts counts = renderer.counts();
    std::printf(
        "%s: level %d, %lld bricks decoded for %lld of the pool, %lld of %lld blocks skipped, %lld "
        "tiles; waiting for bricks %.1f ms, decoding %.1f ms, copying %.1f ms\n",
        what.c_str(), renderer.level(), static_cast<long long>(counts.decoded),
        static_cast<long long>(counts.pages), static_cast<long long>(counts.skipped_blocks),
        static_cast<long long>(counts.blocks), static_cast<long long>(counts.tiles), counts.read_ms,
        counts.decode_ms, counts.copy_ms);
}

void measure_bricks(Table& table, const Device& device, const Picture& tile, std::int64_t side,
                    std::int64_t pixels, std::int64_t max_bytes) {
    Queue queue(device);
    const auto volume = std::make_shared<const Repeated>(tile.image, side);
    const auto made = [&] {
        Renderer renderer(volume, queue, {.max_bytes = max_bytes});
        renderer.set_transfer(vessels_of_stored_numbers());
        return renderer;
    };
    const RenderSettings settings{.width = pixels, .height = pixels};
    Renderer renderer = made();
    const Camera camera = renderer.camera(CameraView::anterior);
    const std::string size = std::to_string(side) + "^3 to " + std::to_string(pixels) + "^2";
    renderer.render_only(camera, settings);
    print_counts(size + ", first picture", renderer);
    int view = 0;
    table.measure(queue, {{tile.name + " in bricks, first picture", size, 0,
                           [&] { made().render_only(camera, settings); }},
                          {tile.name + " in bricks, mean of 32 views", size, 0, [&] {
                               const double angle = 360.0 * (view++ % 32) / 32;
                               renderer.render_only(turned(camera, {.azimuth = angle}), settings);
                           }}});
    print_counts(size + ", last view", renderer);
}

// Spec 004, row F64: volumes of 256^3 and 512^3 in bricks, in two viewports.
void measure_viewports(Table& table, const Device& device, const Picture& tile, bool full) {
    for (const std::int64_t side : {full ? 256 : 64, full ? 512 : 64})
        for (const std::int64_t pixels : {full ? 512 : 32, full ? 1024 : 48})
            measure_bricks(table, device, {tile.name, resampled(tile.image, {side, side, side})},
                           side, pixels, 0);
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_rendering",
                       [](Table& table, const Options& options) {
                           const bool full = !options.smoke;
                           const Picture volume = vessels(full ? 512 : 64);
                           for (const tesela::Device& device : options.devices) {
                               const bool gpu = device.properties().is_gpu;
                               measure_thin(table, device, full ? 512 : 32,
                                            !full ? 32
                                            : gpu ? 1024
                                                  : 256,
                                            gpu ? " (12 ms)" : "");
                               measure_vessels(table, device, volume,
                                               !full ? 32
                                               : gpu ? 1024
                                                     : 512,
                                               gpu ? " (3 ms)" : "");
                               const std::int64_t gib = std::int64_t{1} << 30;
                               measure_bricks(table, device, volume, full ? 2048 : 64,
                                              !full ? 32
                                              : gpu ? 1024
                                                    : 512,
                                              gpu ? 4 * gib : 2 * gib);
                               measure_viewports(table, device, volume, full);
                           }
                           table.print_ratios();
                       });
}
