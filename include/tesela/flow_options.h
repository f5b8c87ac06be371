// Options that methods of optical flow share.
#pragma once

#include <array>

#include "tesela/options.h"

namespace tesela {

// In which a method computes. `double_` needs a device that has it, and about twice the memory.
// Frames and fields are in single precision in any case.
enum class Precision { single_, double_ };
constexpr auto enum_names(Precision) {
    return std::array{EnumNames<Precision>{Precision::single_, "single"},
                      EnumNames<Precision>{Precision::double_, "double"}};
}
constexpr auto enum_help(Precision) {
    return std::array<std::string_view, 2>{"32 bits", "64 bits"};
}

}  // namespace tesela
