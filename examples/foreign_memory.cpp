// Works on memory of a device that another library allocated, in the order of that library's
// stream, and gives it the result: nothing is copied, and the host never waits.
//
//   $ foreign_memory
//   edge of 500 gray values a pixel
//   the other library's pixels are released with the result: yes
//
// It runs on the CPU, where a vector stands for the other library; with a queue of cuda:0 the same
// function takes a pointer of cudaMalloc and a cudaStream_t.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "tesela/edges.h"

namespace {

// As much of the other library as Tesela has to know.
struct TheirImage {
    std::shared_ptr<void> pixels;  // on the device, 16 bits each; released with the last owner
    tesela::Shape shape;
    void* stream = nullptr;  // cudaStream_t or cl_command_queue, in which the pixels are written
};

tesela::SharedMemory edges_of(const TheirImage& image, tesela::Queue& queue) {
    queue.wait(queue.record_foreign(image.stream));  // begin when their work so far has ended
    tesela::DeviceImage<const std::uint16_t> input{
        queue.adopt<const std::uint16_t>(image.pixels.get(), image.shape.elements(), image.pixels,
                                         "image"),
        image.shape, tesela::Geometry{}};
    auto edges = tesela::edges(input, tesela::EdgeOperator::sobel, {}, queue);
    queue.make_foreign_wait(image.stream, queue.record());  // their next work begins after ours
    return tesela::share(std::move(edges.pixels));
}

TheirImage picture_of_a_step() {
    const tesela::Shape shape{64, 32};
    auto pixels = std::make_shared<std::vector<std::uint16_t>>(shape.elements());
    for (std::int64_t i = 0; i < shape.elements(); ++i) (*pixels)[i] = i % 64 < 32 ? 0 : 707;
    return {{pixels, pixels->data()}, shape};
}

}  // namespace

int main() try {
    std::weak_ptr<void> their_pixels;
    tesela::SharedMemory result;
    {
        const TheirImage image = picture_of_a_step();
        their_pixels = image.pixels;
        tesela::Queue queue(tesela::Device::parse("cpu"));
        result = edges_of(image, queue);
    }
    // The result outlives the queue.
    const auto* edges = static_cast<const std::uint16_t*>(result.memory);
    std::printf("edge of %d gray values a pixel\n", edges[10 * 64 + 32]);
    result = {};
    std::printf("the other library's pixels are released with the result: %s\n",
                their_pixels.expired() ? "yes" : "no");
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "foreign_memory: %s\n", error.what());
    return 1;
}
