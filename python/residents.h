// Images on a device: arrays that lie there as inputs, and results as arrays for others.
#pragma once

#include <optional>
#include <vector>

#include "python/arrays.h"
#include "python/objects.h"
#include "python/values.h"

namespace tesela::python {

// An array that lies on a device (is_lent_by_device) as an image there, in place where it is dense,
// else in one copy on the device. Masks of one byte and labels of uint32 stay there, others are
// converted on the host and brought back. The device is not waited for. Throws as lent_array does.
Held resident_image(PyObject* array, const ArrayUse& use);

// Behind the last use of images of lenders on a device: work that these give it from now on begins
// when they have been read, by events, or else the host waits.
// `has_read`: recorded behind that last use already.
void return_to(const std::vector<Lender>& lenders, const Device& device,
               std::optional<Event> has_read = {});

// A copy on the host of an image on a device of this thread's queues; any other image as it is.
operations::ImageValue on_host(const operations::ImageValue& image);
Held on_host(const Held& held);
// An image on a device of this thread's queues, as a value that others may use in any thread. It is
// complete when `ready` has passed. `lender`: whose pixels they are, where they are somebody's.
Held lent_out(const operations::ImageValue& image, operations::Kind kind, const Event& ready,
              std::optional<Lender> lender = {});

// place(value, device): an image on another place; "" is the host.
Object placed(PyObject* arguments);
// dlpack(value, axes, stream, versioned): a capsule of DLPack, for work of a stream: an address, or
// None where there is nothing to wait for. BufferError for an image to be read only, which version
// 0 cannot say.
Object dlpack_of(PyObject* arguments);
// lend(value, axes, stream): of an image with CUDA its address, bytes, and lengths and strides in
// bytes, for work that a stream is given from now on, and whether the memory is the image's own.
Object lend(PyObject* arguments);
// interface(value, axes): __cuda_array_interface__ of an image with CUDA, complete when it is
// given: not all who take it wait for a stream.
Object interface_of(PyObject* arguments);

}  // namespace tesela::python
