// Options that the methods of optical flow share.
#pragma once

#include <array>

#include "tesela/options.h"

namespace tesela {

// Of the arithmetic on the device; fields are single precision.
enum class Precision { single_, double_ };
constexpr auto enum_names(Precision) {
    return std::array{EnumNames<Precision>{Precision::single_, "single"},
                      EnumNames<Precision>{Precision::double_, "double"}};
}

}  // namespace tesela
