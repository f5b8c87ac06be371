// How arrays lie in memory by DLPack, in its versions 0 and 1: structures that libraries of any
// make exchange in capsules of Python (https://dmlc.github.io/dlpack/latest).
#pragma once

#include <cstdint>

namespace tesela::python::dlpack {

constexpr std::int32_t on_cpu = 1, on_cuda = 2, on_opencl = 4, on_cuda_managed = 13;
constexpr std::uint8_t whole = 0, natural = 1, floating = 2, complex = 5, logical = 6;
constexpr std::uint32_t newest_major = 1;
constexpr std::uint64_t is_read_only = 1;

struct Place {
    std::int32_t type, number;
};
struct Number {
    std::uint8_t code, bits;
    std::uint16_t lanes;
};
struct Tensor {
    void* data;
    Place place;
    std::int32_t ndim;
    Number number;
    std::int64_t* shape;
    std::int64_t* strides;  // in elements; null of version 0: one behind the other
    std::uint64_t byte_offset;
};

// Of version 0.
struct Managed {
    static constexpr const char *name = "dltensor", *used_name = "used_dltensor";

    Tensor tensor;
    void* context;
    void (*deleter)(Managed*);
};
struct Versioned {
    static constexpr const char *name = "dltensor_versioned",
                                *used_name = "used_dltensor_versioned";

    std::uint32_t major, minor;
    void* context;
    void (*deleter)(Versioned*);
    std::uint64_t flags;
    Tensor tensor;
};

static_assert(sizeof(Tensor) == 48 && sizeof(Managed) == 64 && sizeof(Versioned) == 80);

}  // namespace tesela::python::dlpack
