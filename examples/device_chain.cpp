// Two steps on a device: the edges of a picture, and the regions that they bound. The pixels go
// there once, the labels come back once, and nothing else moves between the steps.
//
//   $ device_chain cpu
//   device cpu
//   the pixels go there: 2097152 bytes up, 0 bytes down
//   edges, then watershed: 0 bytes up, 68 bytes down
//   the labels come back: 0 bytes up, 4194304 bytes down
//   64 regions
//
// Other devices are cuda:0, opencl:0 and the like, and auto. The 68 bytes are counters.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <utility>

#include "tesela/edges.h"
#include "tesela/watershed.h"

namespace {

// Eight by eight squares, each brighter than its neighbors to the left and above.
tesela::Image<std::uint16_t> picture_of_squares() {
    tesela::Image<std::uint16_t> picture(tesela::Shape{1024, 1024});
    for (std::int64_t y = 0; y < 1024; ++y)
        for (std::int64_t x = 0; x < 1024; ++x)
            picture(x, y) = static_cast<std::uint16_t>(2000 + 500 * (x / 128 + y / 128 * 3));
    return picture;
}

// Shows what moved since the last call.
class Transfers {
  public:
    explicit Transfers(const tesela::Queue& queue) : queue_(queue), before_(queue.counters()) {}
    void show(const char* step) {
        const tesela::QueueWork now = queue_.counters(), work = now - before_;
        std::printf("%s: %lld bytes up, %lld bytes down\n", step,
                    static_cast<long long>(work.bytes_uploaded),
                    static_cast<long long>(work.bytes_downloaded));
        before_ = now;
    }

  private:
    const tesela::Queue& queue_;
    tesela::QueueWork before_;
};

// An image that was written, for a step that reads it.
template <class T>
tesela::DeviceImage<const T> input(tesela::DeviceImage<T> image) {
    return {std::move(image.pixels), image.shape, image.geometry, image.has_alpha};
}

}  // namespace

int main(int argc, char** argv) try {
    const auto chosen = tesela::Device::choose(argc > 1 ? argv[1] : "auto");
    std::printf("device %s\n", chosen.device.id().c_str());
    tesela::Queue queue(chosen.device);
    Transfers transfers(queue);

    const tesela::Image<std::uint16_t> picture = picture_of_squares();
    tesela::DeviceImage<const std::uint16_t> image{
        queue.upload(std::span(picture.pixels()), "picture"), picture.shape(), picture.geometry};
    transfers.show("the pixels go there");

    const auto relief = input(tesela::edges(image, tesela::EdgeOperator::sobel, {}, queue));
    const auto regions =
        tesela::watershed(relief, tesela::AutomaticSeeds{},
                          {.relief = tesela::Relief::values, .sigma = 0, .depth = 0}, queue);
    queue.finish();
    transfers.show("edges, then watershed");

    tesela::LabelImage labels(regions.labels.shape, regions.labels.geometry);
    queue.read(regions.labels.pixels, std::span(labels.pixels()));
    transfers.show("the labels come back");
    std::printf("%u regions\n", regions.count);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "device_chain: %s\n", error.what());
    return 1;
}
