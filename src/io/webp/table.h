// What the module of libwebp gives: its own functions.
#pragma once

#include <webp/decode.h>

#include "io/module.h"

namespace tesela::io::webp_module {

struct Table {
    static constexpr ModuleKind kind{"webp", "libwebp, which reads WebP pictures,", "libwebp7",
                                     "tesela", 1};

    ModuleHead head;
    decltype(&WebPGetFeaturesInternal) get_features;
    decltype(&WebPDecodeRGBInto) decode_rgb;
    decltype(&WebPDecodeRGBAInto) decode_rgba;
};

}  // namespace tesela::io::webp_module
