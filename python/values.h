// Values of operations as an object of Python: images, which have the buffer protocol, and whatever
// else an operation takes or makes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "operations/kind.h"
#include "operations/operation.h"
#include "python/objects.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/io.h"

namespace tesela::python {

// Whose array an image is, which may be written to once it has been read.
struct Lender {
    void* stream = nullptr;  // that its work is given to; null where that is not known
};

// Where pixels on a device are, for others to use them.
struct Place {
    Device device;
    Event ready = {};  // they are complete
    std::optional<Lender> lender = {};
};

// A value of any of the kinds, which copies share.
struct Held {
    operations::Kind kind;
    std::shared_ptr<const void> value = {};
    // Sets the value in `values`, which may refer to it.
    void (*put)(const Held& held, operations::Values& values, std::string_view name) = nullptr;
    // Where Python may write to the pixels: nobody else has them.
    bool is_own = false;
    std::int64_t copied_bytes = 0;            // of an array that could not be used in place
    std::shared_ptr<const Place> place = {};  // of an image on a device
    QueueWork work = {};                      // that brought it there

    template <class T>
    const T& as() const {
        return *static_cast<const T*>(value.get());
    }
};

template <class T>
Held held(operations::Kind kind, T value) {
    return {kind, std::make_shared<const T>(std::move(value)),
            [](const Held& from, operations::Values& values, std::string_view name) {
                values.refer(name, from.as<T>());
            }};
}
// That of a name, of a type that a kind has. Throws std::logic_error where there is none.
Held held_in(const operations::Values& values, std::string_view name, operations::Kind kind);

// The pixels of images, and of values that are made of one; nothing of others.
std::optional<operations::ImageValue> pixels_of(const Held& held);
// The memory of an image on a device: an address, or a cl_mem.
const void* memory_of(const operations::ImageValue& image);

// The type, made once; a new object of it; what it holds, or null for another object.
PyObject* value_type();
Object to_python(Held held);
const Held* find_held(PyObject* object);
// Throws PythonError for another object.
const Held& held_of(PyObject* object);

// The kind of an input or output of any operation, by its name. Throws InvalidArgument.
operations::Kind kind_named(std::string_view name);

}  // namespace tesela::python
