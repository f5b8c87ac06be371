// Device levels of operations on the image named "input".
#pragma once

#include <stdexcept>
#include <type_traits>
#include <variant>

#include "operations/operation.h"

namespace tesela::operations {

// Of pixels of the types T. `work` is called with the image, a DeviceImage<const T>, and what an
// operation is run with; it gives the Results.
template <class... T, class Work>
DeviceLevel device_level_of(Work work) {
    const auto run = [work](const Call& call, Queue& queue, const Progress& progress) {
        return std::visit(
            [&]<class Pixel>(const DeviceImage<const Pixel>& image) -> Results {
                if constexpr ((std::is_same_v<Pixel, T> || ...))
                    return work(image, call, queue, progress);
                else
                    throw std::logic_error("the device level was given pixels of another type");
            },
            call.inputs.image("input").resident());
    };
    return {.run = run, .types = {pixel_type_of<T>()...}};
}

// Of the types that most functions take on a device.
template <class Work>
DeviceLevel device_level(Work work) {
    return device_level_of<std::uint8_t, std::uint16_t, std::int16_t, float>(std::move(work));
}

}  // namespace tesela::operations
