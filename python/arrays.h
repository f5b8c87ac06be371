// Arrays of Python as images, and images as what an input takes.
#pragma once

#include "python/objects.h"
#include "python/strided.h"
#include "python/values.h"

namespace tesela::python {

// What an array is taken as: "image", "labels" or "mask", and the letters of its axes.
struct ArrayUse {
    std::string_view role, axes;
    Geometry geometry = {};
    bool has_alpha = false;
};

// image(array, role, axes, geometry, has_alpha, names): the pixels of an object with the buffer
// protocol, or of one on a device, in place where they are contiguous and in the machine's byte
// order, else in one copy.
// `role` is "image"; "labels" for whole numbers from 0 to 2^32 - 1, which become uint32; "mask" for
// any, which become 0 and 255. `axes` names each axis: t, z, y, x or c. TypeError for pixels that
// no image has; InvalidArgument for labels out of range and a shape that no image has.
Object image_of(PyObject* arguments);

// A copy of pixels on the host as they are used. Throws as image_of does.
AnyImage converted(const Strided& from, const ArrayUse& use);

// What labels stand for by a dict of texts, or by a file; null for None.
SharedLabelTable label_table_of(PyObject* names);
// An image whose labels have further names; others as they are.
Held with_names(Held held, const SharedLabelTable& names);

// facts(value): axes, type and geometry of an image.
Object facts_of(PyObject* arguments);

// The same pixels as an input of the kind takes them: as seeds, as a volume to compress and so on.
// `as_labels`: they are labels where the kind takes either. Throws InvalidArgument for a value that
// is none.
Held adapted(const Held& held, operations::Kind kind, bool as_labels);

}  // namespace tesela::python
