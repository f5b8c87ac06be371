// What the module of OpenSlide gives: its own functions.
#pragma once

#include <openslide.h>

#include "io/module.h"

namespace tesela::io::openslide_module {

struct Table {
    static constexpr ModuleKind kind{"slides", "OpenSlide, which reads slides of scanners,",
                                     "libopenslide0", "tesela", 1};

    ModuleHead head;
    decltype(&openslide_close) close;
    decltype(&openslide_detect_vendor) detect_vendor;
    decltype(&openslide_get_error) get_error;
    decltype(&openslide_get_level_count) get_level_count;
    decltype(&openslide_get_level_dimensions) get_level_dimensions;
    decltype(&openslide_get_level_downsample) get_level_downsample;
    decltype(&openslide_get_property_value) get_property_value;
    decltype(&openslide_open) open;
    decltype(&openslide_read_region) read_region;
};

}  // namespace tesela::io::openslide_module
