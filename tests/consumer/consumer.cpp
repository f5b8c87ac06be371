// Smooths two halves of a small picture, and shows that the installed library finds them again.
#include <cstdint>
#include <iostream>

#include "tesela/compute/device.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/mean_shift.h"

int main() {
    tesela::Image<std::uint8_t> image(tesela::Shape{32, 24});
    for (std::int64_t y = 0; y < 24; ++y)
        for (std::int64_t x = 0; x < 32; ++x)
            image(x, y) = static_cast<std::uint8_t>((x < 16 ? 60 : 180) + (x * 7 + y * 5) % 3);

    tesela::Queue queue(tesela::Device::parse("cpu"));
    const auto result =
        tesela::mean_shift(image, {.spatial_bandwidth = 4, .range_bandwidth = 8}, queue);
    std::cout << "regions: " << result.region_count << '\n';
    return result.region_count == 2 ? 0 : 1;
}
