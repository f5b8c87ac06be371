// Files as values, and values as files.
#pragma once

#include <any>
#include <filesystem>
#include <vector>

#include "operations/kinds/slide.h"
#include "python/objects.h"
#include "python/values.h"

namespace tesela::python {

// read(path, role, channel, slice, time, raw): (value, record of what the file is). `role` is
// "image" or "labels"; "" where the other arguments choose nothing.
Object read_file(PyObject* arguments);
// load(kind, path, micrometers, as_labels): a value of a kind that is no image; of a slide whose
// pixels are of that size, or 0 where its file tells. `as_labels`: the file holds labels where the
// kind takes either, which a side file of labels says as well.
Object load_value(PyObject* arguments);
// (path, any channels): an image that is read part by part, or None of a file that cannot be.
Object open_in_parts(PyObject* arguments);
// by_text(kind, text): the value that a text stands for, or None.
Object value_by_text(PyObject* arguments);
// write(value, path, kind): sentences about what the file does not hold. As a value of another
// kind, such as "labels", or "".
Object write_file(PyObject* arguments);
// columns(value): the columns of a table: whole numbers and others as bytearrays, texts as lists.
Object columns_of(PyObject* arguments);

// Slides that are opened when it is their turn.
std::vector<operations::OpenSlide> opened_in_turn(const std::vector<Held>& slides);

}  // namespace tesela::python
