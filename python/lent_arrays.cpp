#include "python/lent_arrays.h"

#include <bit>
#include <cstdlib>
#include <utility>
#include <vector>

#include "operations/kinds/image.h"
#include "python/dlpack.h"
#include "python/queues.h"
#include "python/residents.h"
#include "python/values.h"
#include "tesela/compute/find_device.h"
#include "tesela/error.h"

namespace tesela::python {
namespace {

bool has(PyObject* object, const char* name) { return PyObject_HasAttrString(object, name) != 0; }
Object attribute(PyObject* object, const char* name) {
    return Object(PyObject_GetAttrString(object, name));
}

// That of a device, by its name where it has not been found yet.
Queue& queue_on(const std::string& name, const std::optional<Device>& device = {}) {
    try {
        return idle_queue(device ? *device : Device::parse(name));
    } catch (const DeviceUnavailable& error) {
        throw DeviceUnavailable(
            "the array cannot be used where it lies: " + std::string(error.what()) +
            "; or bring it to the host, such as by .get() or .cpu()");
    }
}

// ---- DLPack ------------------------------------------------------------------------------------

std::string device_of(const dlpack::Place& place) {
    const std::string number = std::to_string(place.number);
    switch (place.type) {
        case dlpack::on_cpu:
            return "cpu";
        case dlpack::on_cuda:
        case dlpack::on_cuda_managed:
            return "cuda:" + number;
        default:
            throw_type_error("an array on device " + std::to_string(place.type) + ":" + number +
                             " of DLPack is not taken: bring it to the host");
    }
}

// Work that the queue is given from now on begins when that of the lender's stream has ended.
// Throws InvalidArgument for a stream that records a graph, before anything becomes part of that.
void wait_for(Queue& queue, const Lender& lender) {
    queue.wait(queue.record_foreign(lender.stream));
}

// Who lends an array on the device of the queue.
Lender lender_of(PyObject* array, const Queue& queue) {
    if (!queue.native_stream()) return {};
    static PyObject* module = nullptr;  // kept
    if (!module) module = Object(PyImport_ImportModule("tesela._devices")).release();
    const Object stream(PyObject_CallMethod(module, "stream_of", "O", array));
    if (stream.get() == Py_None) return {};
    void* const handle = PyLong_AsVoidPtr(stream.get());
    if (PyErr_Occurred()) throw PythonError();
    return {handle};
}

// In version 1 where the library of the array has that. It gives the array to the stream of the
// queue, unless that waits already.
Object capsule_of(PyObject* array, const Queue& queue, bool waits_already) {
    constexpr std::int64_t nothing_to_wait_for = -1;
    void* const own = queue.native_stream();
    const Object stream = waits_already ? to_python(nothing_to_wait_for)
                          : own         ? Object(PyLong_FromVoidPtr(own))
                                        : none();
    const Object method = attribute(array, "__dlpack__"), none_given(PyTuple_New(0));
    const Object keywords(PyDict_New());
    set_item(keywords, "stream", stream);
    set_item(keywords, "max_version", Object(Py_BuildValue("(ii)", 1, 0)));
    PyObject* capsule = PyObject_Call(method.get(), none_given.get(), keywords.get());
    if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        if (PyDict_DelItemString(keywords.get(), "max_version") != 0) throw PythonError();
        capsule = PyObject_Call(method.get(), none_given.get(), keywords.get());
    }
    return Object(capsule);
}

Element element_of(const dlpack::Number& number) {
    Element element{.bytes = number.bits / 8};
    if (number.lanes != 1 || number.bits % 8 != 0)
        throw_type_error("an array of vectors or parts of bytes is no image");
    switch (number.code) {
        case dlpack::whole:
            element.numbers = Numbers::whole;
            break;
        case dlpack::natural:
            element.numbers = Numbers::natural;
            break;
        case dlpack::floating:
            element.numbers = Numbers::floating;
            break;
        case dlpack::logical:
            element.numbers = Numbers::logical;
            break;
        default:
            throw_type_error(
                "an array of " +
                std::string(number.code == dlpack::complex
                                ? "complex numbers"
                                : "numbers of DLPack's type " + std::to_string(number.code)) +
                " is no image: pixels are whole or floating-point numbers");
    }
    return element;
}

Strided pixels_of(const dlpack::Tensor& tensor, std::string_view axes) {
    const Element element = element_of(tensor.number);
    std::vector<std::int64_t> strides(static_cast<std::size_t>(tensor.ndim));
    std::int64_t next = element.bytes;
    for (std::size_t i = strides.size(); i-- > 0;) {
        strides[i] = tensor.strides ? tensor.strides[i] * element.bytes : next;
        next *= tensor.shape[i];
    }
    return strided(static_cast<const char*>(tensor.data) + tensor.byte_offset, element, tensor.ndim,
                   tensor.shape, strides.data(), axes);
}

// Takes what a capsule holds, which it does once; null for a capsule of the other version.
template <class T>
std::shared_ptr<T> taken_from(PyObject* capsule) {
    if (!PyCapsule_IsValid(capsule, T::name)) return {};
    auto* const managed = static_cast<T*>(PyCapsule_GetPointer(capsule, T::name));
    if (!managed || PyCapsule_SetName(capsule, T::used_name) != 0) throw PythonError();
    return {managed, [](T* ended) {
                // Deleters of libraries in Python may need it, which at its end is not to be had.
                if (!ended->deleter || !Py_IsInitialized()) return;
                const WithLock lock;
                ended->deleter(ended);
            }};
}

LentArray lent_by_dlpack(PyObject* array, std::string_view axes) {
    const Object where(PyObject_CallMethod(array, "__dlpack_device__", nullptr));
    dlpack::Place place{};
    parse(where.get(), "ii", &place.type, &place.number);
    Queue& queue = queue_on(device_of(place));
    const Lender lender = lender_of(array, queue);
    if (lender.stream) wait_for(queue, lender);
    const Object capsule = capsule_of(array, queue, lender.stream != nullptr);
    if (const auto versioned = taken_from<dlpack::Versioned>(capsule.get())) {
        if (versioned->major > dlpack::newest_major)
            throw InvalidArgument("the array is lent by DLPack " +
                                  std::to_string(versioned->major) +
                                  ", and at most version 1 is known");
        return {&queue, pixels_of(versioned->tensor, axes), versioned, lender};
    }
    if (const auto managed = taken_from<dlpack::Managed>(capsule.get()))
        return {&queue, pixels_of(managed->tensor, axes), managed, lender};
    throw InvalidArgument(
        "the array does not lend its memory by DLPack, which a capsule does once");
}

// ---- __cuda_array_interface__ ------------------------------------------------------------------

Object item(const Object& dict, const char* name) {
    PyObject* const found = PyDict_GetItemString(dict.get(), name);
    return found ? Object::of(found) : none();
}

std::vector<std::int64_t> whole_numbers(const Object& sequence, const char* name) {
    const Py_ssize_t count = PySequence_Size(sequence.get());
    if (count < 0) throw PythonError();
    std::vector<std::int64_t> numbers;
    for (Py_ssize_t i = 0; i < count; ++i) {
        const Object one(PySequence_GetItem(sequence.get(), i));
        const long long number = PyLong_AsLongLong(one.get());
        if (number == -1 && PyErr_Occurred()) throw PythonError();
        numbers.push_back(number);
    }
    if (numbers.empty() || numbers.size() > 6)
        throw InvalidArgument(std::string("the '") + name +
                              "' of the array's interface has no 1 to 6 numbers");
    return numbers;
}

Element element_of(const std::string& typestr) {
    constexpr std::string_view letters = "buif";
    const std::size_t numbers =
        typestr.size() < 3 ? std::string_view::npos : letters.find(typestr[1]);
    if (numbers == std::string_view::npos)
        throw_type_error("an array of elements '" + typestr +
                         "' is no image: pixels are whole or floating-point numbers");
    constexpr char foreign = std::endian::native == std::endian::little ? '>' : '<';
    return {static_cast<Numbers>(numbers), std::atoi(typestr.c_str() + 2), typestr[0] == foreign};
}

// The interface does not tell the device: the driver knows whose the memory is. No other device is
// made ready for it.
Queue& queue_of(const void* memory) { return queue_on("cuda", find_device(memory)); }

// Nothing of an interface without a stream: there is nothing to wait for.
Lender lender_of(const Object& stream) {
    if (stream.get() == Py_None) return {};
    void* const handle = PyLong_AsVoidPtr(stream.get());
    if (!handle && PyErr_Occurred()) throw PythonError();
    if (!handle)
        throw InvalidArgument(
            "the array's interface has stream 0, which stands for several: 1 is the default one");
    return {handle};
}

LentArray lent_by_interface(PyObject* array, std::string_view axes) {
    const Object face = attribute(array, "__cuda_array_interface__");
    if (!PyDict_Check(face.get())) throw_type_error("the array's interface is no dict");
    if (item(face, "mask").get() != Py_None)
        throw_type_error("an array with a mask of its own is not taken");
    const Element element = element_of(text_of(item(face, "typestr").get()));
    const auto shape = whole_numbers(item(face, "shape"), "shape");
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t next = element.bytes;
    for (std::size_t i = shape.size(); i-- > 0; next *= shape[i]) strides[i] = next;
    if (const Object given = item(face, "strides"); given.get() != Py_None)
        strides = whole_numbers(given, "strides");
    const Object data = item(face, "data");
    const Object address(PySequence_GetItem(data.get(), 0));
    const void* const first = PyLong_AsVoidPtr(address.get());
    if (PyErr_Occurred()) throw PythonError();
    if (strides.size() != shape.size())
        throw InvalidArgument("the array's interface has another number of strides than of axes");
    const Strided pixels =
        strided(first, element, static_cast<int>(shape.size()), shape.data(), strides.data(), axes);
    Queue& queue = queue_of(first);
    // That of the interface is of the device that is current, where the array may not be.
    Lender lender = lender_of(array, queue);
    if (!lender.stream) lender = lender_of(item(face, "stream"));
    if (lender.stream) wait_for(queue, lender);
    Py_INCREF(array);
    const std::shared_ptr<const void> owner(array, [](PyObject* ended) {
        if (!Py_IsInitialized()) return;
        const WithLock lock;
        Py_DECREF(ended);
    });
    return {&queue, pixels, owner, lender};
}

// ---- Arrays of this module ---------------------------------------------------------------------

LentArray lent_by_us(PyObject* array, std::string_view axes) {
    const Object value = attribute(array, "_held");
    const Held& held = held_of(value.get());
    const auto& image = held.as<operations::ImageValue>();
    Queue& queue = idle_queue(held.place->device);
    queue.wait(held.place->ready);
    const std::string own_axes = text_of(attribute(array, "_axes").get());
    const Element element = python::element_of(image.pixel_type());
    Layout layout = layout_of(image.shape(), own_axes);
    for (std::int64_t& stride : layout.strides) stride *= element.bytes;
    return {&queue,
            strided(memory_of(image), element, static_cast<int>(own_axes.size()),
                    layout.shape.data(), layout.strides.data(), axes),
            held.value, held.place->lender};
}

bool is_ours(PyObject* array) {
    if (!has(array, "_held")) return false;
    return find_held(attribute(array, "_held").get()) != nullptr;
}

}  // namespace

bool is_lent_by_device(PyObject* array) {
    if (PyObject_CheckBuffer(array)) {
        // CuPy's arrays refuse to give theirs, which takes them longer than all that follows.
        static PyObject* refusing = nullptr;  // the type that did so last, kept
        auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(array));
        if (type == refusing) return true;
        Py_buffer view;
        if (PyObject_GetBuffer(array, &view, PyBUF_FULL_RO) == 0) {
            PyBuffer_Release(&view);
            return false;
        }
        PyErr_Clear();
        if (!has(array, "__cuda_array_interface__")) return false;
        Py_INCREF(type);
        Py_XDECREF(std::exchange(refusing, type));
        return true;
    }
    return is_ours(array) || has(array, "__dlpack_device__") ||
           has(array, "__cuda_array_interface__");
}

LentArray lent_array(PyObject* array, std::string_view axes) {
    if (is_ours(array)) return lent_by_us(array, axes);
    // CuPy's tell all in one dict, and by DLPack in three calls.
    const bool by_dlpack = !PyObject_CheckBuffer(array) && has(array, "__dlpack_device__");
    return by_dlpack ? lent_by_dlpack(array, axes) : lent_by_interface(array, axes);
}

}  // namespace tesela::python
