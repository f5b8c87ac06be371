// From a pixel type known at run time to the C++ type.
#pragma once

#include <cstdint>

#include "tesela/image.h"

namespace tesela::detail {

// `work` with a value of the C++ type.
template <class Work>
decltype(auto) with_type(PixelType type, const Work& work) {
    switch (type) {
        case PixelType::i8:
            return work(std::int8_t{});
        case PixelType::u16:
            return work(std::uint16_t{});
        case PixelType::i16:
            return work(std::int16_t{});
        case PixelType::u32:
            return work(std::uint32_t{});
        case PixelType::i32:
            return work(std::int32_t{});
        case PixelType::f32:
            return work(float{});
        case PixelType::f64:
            return work(double{});
        default:
            return work(std::uint8_t{});
    }
}

}  // namespace tesela::detail
