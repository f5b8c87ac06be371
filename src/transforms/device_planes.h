// Images on a device as planes, from interleaved pixels and back.
#pragma once

#include <cstdint>

#include "kernels/transforms/planes.kernel.h"
#include "tesela/image.h"

namespace tesela {

template <class T>
struct PlaneKernels;
#define TESELA_PLANE_KERNELS(type, suffix)                               \
    template <>                                                          \
    struct PlaneKernels<type> {                                          \
        static constexpr auto& of = kernels::planes_of_##suffix;         \
        static constexpr auto& to = kernels::planes_to_##suffix;         \
        static constexpr auto& pixels = kernels::planes_pixels_##suffix; \
    }
TESELA_PLANE_KERNELS(std::uint8_t, u8);
TESELA_PLANE_KERNELS(std::uint16_t, u16);
TESELA_PLANE_KERNELS(std::int16_t, i16);
TESELA_PLANE_KERNELS(float, f32);
#undef TESELA_PLANE_KERNELS

// Of a frame of `shape`, whose first `transformed` channels are planes of `padded`.
inline kernels::plane_layout plane_layout_of(const Shape& shape, const Shape& padded,
                                             int transformed) {
    const auto axis = [](std::int64_t length) { return static_cast<std::int32_t>(length); };
    return {0,
            {axis(shape.x), axis(shape.y), axis(shape.z)},
            {axis(padded.x), axis(padded.y), axis(padded.z)},
            shape.channels,
            transformed};
}

}  // namespace tesela
