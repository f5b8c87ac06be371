// An image whose pixels are on a device, for steps that follow one another there.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "tesela/compute/buffer.h"
#include "tesela/image.h"

namespace tesela {

// Channels interleaved, x fastest, as in Image. A DeviceImage<const T> can only be read.
template <class T>
struct DeviceImage {
    Buffer<T> pixels;
    Shape shape;
    Geometry geometry;
    bool has_alpha = false;

    // One that can be written becomes one that can only be read.
    operator DeviceImage<const T>() && requires(!std::is_const_v<T>) {
        return {std::move(pixels), shape, geometry, has_alpha};
    }
};

// One whose pixel type is known at run time.
using AnyDeviceImage =
    std::variant<DeviceImage<std::uint8_t>, DeviceImage<std::int8_t>, DeviceImage<std::uint16_t>,
                 DeviceImage<std::int16_t>, DeviceImage<std::uint32_t>, DeviceImage<std::int32_t>,
                 DeviceImage<float>, DeviceImage<double>>;
// The same to read.
using AnyDeviceView =
    std::variant<DeviceImage<const std::uint8_t>, DeviceImage<const std::int8_t>,
                 DeviceImage<const std::uint16_t>, DeviceImage<const std::int16_t>,
                 DeviceImage<const std::uint32_t>, DeviceImage<const std::int32_t>,
                 DeviceImage<const float>, DeviceImage<const double>>;

}  // namespace tesela
