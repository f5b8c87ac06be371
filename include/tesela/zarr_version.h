// Which OME-Zarr is written.
#pragma once

#include <array>
#include <string_view>

#include "tesela/options.h"

namespace tesela {

enum class ZarrVersion { v0_4, v0_5 };
constexpr auto enum_names(ZarrVersion) {
    return std::array{EnumNames<ZarrVersion>{ZarrVersion::v0_4, "0.4"},
                      EnumNames<ZarrVersion>{ZarrVersion::v0_5, "0.5"}};
}
constexpr auto enum_help(ZarrVersion) {
    return std::array<std::string_view, 2>{"in format 2 of Zarr, which all readers take",
                                           "in format 3, with checksums"};
}

}  // namespace tesela
