// What the module of Blosc gives: its own functions.
#pragma once

#include <blosc.h>

#include "io/module.h"

namespace tesela::io::blosc_module {

struct Table {
    static constexpr ModuleKind kind{"blosc", "Blosc, which packs the chunks of OME-Zarr,",
                                     "libblosc1", "tesela", 1};

    ModuleHead head;
    decltype(&blosc_cbuffer_validate) validate;
    decltype(&blosc_compress_ctx) compress;
    decltype(&blosc_decompress_ctx) decompress;
};

}  // namespace tesela::io::blosc_module
