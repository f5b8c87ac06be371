#include "pixels/device_values.h"

#include <cmath>
#include <span>
#include <vector>

#include "kernels/pixels/beyond.kernel.h"
#include "tesela/compute/primitives.h"

namespace tesela {

void require_values(Queue& queue, const DeviceImage<const float>& image, double most,
                    NotFinite not_finite) {
    auto limit = static_cast<float>(most);
    if (static_cast<double>(limit) > most) limit = std::nextafter(limit, 0.0f);
    auto found = queue.allocate_filled<std::uint32_t>(1, 0u, "values beyond a limit");
    queue.launch(kernels::values_beyond, Range{image.shape.elements()}, image.pixels, found, limit,
                 std::int32_t{not_finite == NotFinite::refused});
    if (queue.download(found).front() == 0) return;
    const std::vector<float> values = queue.download(image.pixels);
    require_values(std::span<const float>(values), image.shape, most, not_finite);
}

ValueRange range_of(Queue& queue, const Buffer<float>& values) {
    auto lowest = queue.allocate<float>(1, "lowest value");
    auto highest = queue.allocate<float>(1, "highest value");
    reduce(queue, ReduceOperation::minimum, values, values.size(), lowest);
    reduce(queue, ReduceOperation::maximum, values, values.size(), highest);
    return {queue.download(lowest).front(), queue.download(highest).front()};
}

}  // namespace tesela
