// Finds what moved between two frames: a kernel of this project gives their difference, and
// Tesela's functions go on from there on the same device.
//
//   $ own_kernel cpu
//   where something moved: 2 regions
//
// Other devices are cuda:0, opencl:0 and the like, and auto.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <utility>

#include "example_frame_difference.kernel.h"
#include "tesela/components.h"
#include "tesela/compute/queue.h"
#include "tesela/threshold.h"

namespace {

using Pixels = tesela::DeviceImage<const std::uint8_t>;

tesela::Image<std::uint8_t> frame_with_square(std::int64_t left) {
    tesela::Image<std::uint8_t> frame(tesela::Shape{320, 240});
    for (std::int64_t y = 100; y < 140; ++y)
        for (std::int64_t x = left; x < left + 60; ++x) frame(x, y) = 200;
    return frame;
}

Pixels difference_of(const tesela::Image<std::uint8_t>& before,
                     const tesela::Image<std::uint8_t>& after, tesela::Queue& queue) {
    const tesela::Shape& shape = before.shape();
    const auto a = queue.upload(std::span(before.pixels()), "frame before");
    const auto b = queue.upload(std::span(after.pixels()), "frame after");
    auto difference = queue.allocate<std::uint8_t>(shape.elements(), "difference");
    queue.launch(tesela::kernels::example_frame_difference, tesela::Range{shape.elements()}, a, b,
                 difference);
    return {std::move(difference), shape, before.geometry};
}

}  // namespace

int main(int argc, char** argv) try {
    tesela::Queue queue(tesela::Device::parse(argc > 1 ? argv[1] : "auto"));
    const Pixels difference = difference_of(frame_with_square(100), frame_with_square(140), queue);
    auto moved = tesela::otsu_threshold(difference, queue);
    const auto regions = tesela::components(
        Pixels{std::move(moved.mask.pixels), moved.mask.shape, moved.mask.geometry}, 0, {}, queue);
    std::printf("where something moved: %u regions\n", regions.count);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "own_kernel: %s\n", error.what());
    return 1;
}
