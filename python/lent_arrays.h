// Arrays that lie on a device, as other libraries and this one lend them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "python/objects.h"
#include "python/strided.h"
#include "python/values.h"
#include "tesela/compute/queue.h"

namespace tesela::python {

// An array in the memory of the device of `queue`, for which that queue waits.
struct LentArray {
    Queue* queue = nullptr;
    Strided pixels;                     // of OpenCL `first` is a cl_mem
    std::shared_ptr<const void> owner;  // may end in any thread
    std::optional<Lender> lender = {};  // none of an array of our own, which nobody writes to
};

// Whether it is to be used on its device: it has no memory of the host to lend.
bool is_lent_by_device(PyObject* array);

// CUDA's kernels take addresses that are multiples of this; a part of an array may begin behind
// one, in the same allocation.
constexpr std::uintptr_t cuda_alignment = 16;
inline const void* aligned_for_cuda(const void* memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    return reinterpret_cast<const void*>(address / cuda_alignment * cuda_alignment);
}

// By `__dlpack__`, or `__cuda_array_interface__` where there is no other, and of CuPy; of a
// tesela.DeviceArray as it is. TypeError for devices and elements that are not taken;
// DeviceUnavailable where the device cannot be used; InvalidArgument for a capsule that was used,
// and while the lender's stream records a graph.
LentArray lent_array(PyObject* array, std::string_view axes);

}  // namespace tesela::python
