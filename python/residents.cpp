#include "python/residents.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "operations/kinds/image.h"
#include "python/dlpack.h"
#include "python/lent_arrays.h"
#include "python/queues.h"
#include "tesela/error.h"
#include "tesela/mask.h"
#include "tesela/rearrange.h"

namespace tesela::python {
namespace {

using operations::ImageValue;
using operations::Kind;
namespace kinds = operations::kinds;

// ---- In ----------------------------------------------------------------------------------------

// The memory from the first byte of an array to its last, and where its first element is.
struct Span {
    const void* memory;
    std::int64_t bytes, first;
};

Span span_of(const LentArray& lent) {
    const Strided& pixels = lent.pixels;
    const std::int64_t size = pixels.element.bytes;
    if (lent.queue->device().back_end() == BackEnd::opencl) {
        if (!pixels.is_in_place())
            throw InvalidArgument("these axes of the array are in another order than in memory");
        return {pixels.first, pixels.shape().elements() * size, 0};
    }
    std::int64_t low = 0, high = size;
    for (std::size_t axis = 0; axis < pixels.lengths.size(); ++axis) {
        const std::int64_t way = pixels.strides[axis] * (pixels.lengths[axis] - 1);
        (way < 0 ? low : high) += way;
    }
    const auto* const begin = static_cast<const char*>(aligned_for_cuda(pixels.first + low));
    return {begin, pixels.first + high - begin, pixels.first - begin};
}

template <class Word>
Buffer<Word> gathered(const LentArray& lent) {
    const Strided& pixels = lent.pixels;
    constexpr std::int64_t size = sizeof(Word);
    const Span span = span_of(lent);
    PixelSteps steps{span.first / size, static_cast<int>(pixels.element.bytes / size), {}};
    bool is_even = span.first % size == 0;
    for (std::size_t axis = 0; axis < steps.strides.size(); ++axis) {
        steps.strides[axis] = pixels.strides[axis] / size;
        is_even &= pixels.strides[axis] % size == 0;
    }
    if (!is_even)
        throw InvalidArgument("the array's elements lie between those of its type: copy it");
    const auto memory = lent.queue->adopt<const Word>(span.memory, (span.bytes + size - 1) / size,
                                                      lent.owner, "array");
    return gather(memory, steps, pixels.shape(), *lent.queue);
}

bool is_used_in_place(const LentArray& lent) {
    return lent.pixels.is_in_place() && (lent.queue->device().back_end() != BackEnd::cuda ||
                                         aligned_for_cuda(lent.pixels.first) == lent.pixels.first);
}

// The elements as they are, in the order of an image.
template <class T>
Buffer<const T> elements_of(const LentArray& lent) {
    const std::int64_t count = lent.pixels.shape().elements();
    if (is_used_in_place(lent))
        return lent.queue->adopt<const T>(lent.pixels.first, count, lent.owner, "array");
    const auto typed = [count](auto words) {
        return Buffer<const T>(std::move(words).take_block(), count);
    };
    if constexpr (sizeof(T) == 1) return typed(gathered<std::uint8_t>(lent));
    if constexpr (sizeof(T) == 2) return typed(gathered<std::uint16_t>(lent));
    if constexpr (sizeof(T) >= 4) return typed(gathered<std::uint32_t>(lent));
}

ImageValue image_there(const LentArray& lent, const ArrayUse& use) {
    return with_element(lent.pixels.element, [&]<class T>(T) -> ImageValue {
        if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
            throw std::logic_error("no pixel has 64 bits");
        } else {
            DeviceImage<const T> image{elements_of<T>(lent), lent.pixels.shape(), use.geometry,
                                       use.has_alpha};
            if constexpr (std::is_same_v<T, std::uint8_t>)
                if (use.role == "mask") {  // 0 and 255
                    const DeviceImage<const T> outside = invert_mask(image, *lent.queue);
                    return invert_mask(outside, *lent.queue);
                }
            return image;
        }
    });
}

ImageValue converted_there(const LentArray& lent, const ArrayUse& use) {
    const Span span = span_of(lent);
    const auto bytes = [&] {
        const WithoutLock unlocked;
        return lent.queue->download(
            lent.queue->adopt<const std::uint8_t>(span.memory, span.bytes, lent.owner, "array"));
    }();
    Strided copy = lent.pixels;
    copy.first = reinterpret_cast<const char*>(bytes.data()) + span.first;
    const ImageValue image(converted(copy, use));
    const WithoutLock unlocked;
    return upload(image, *lent.queue);
}

// Whether the elements are what an image on the device takes.
bool is_taken_there(const Element& element, std::string_view role) {
    if (role == "labels") return element.name() == "uint32";
    if (role == "mask") return element.name() == "uint8" || element.numbers == Numbers::logical;
    return true;
}

// ---- Out ---------------------------------------------------------------------------------------

dlpack::Place place_of(const Device& device) {
    switch (device.back_end()) {
        case BackEnd::cpu:
            return {dlpack::on_cpu, 0};
        case BackEnd::cuda:
            return {dlpack::on_cuda, device.index()};
        default:
            break;
    }
    PyErr_SetString(PyExc_BufferError,
                    "an array of OpenCL is lent to nobody: bring it to the host by .numpy()");
    throw PythonError();
}

dlpack::Number number_of(PixelType type) {
    const Element element = element_of(type);
    const std::uint8_t code = element.numbers == Numbers::floating  ? dlpack::floating
                              : element.numbers == Numbers::natural ? dlpack::natural
                                                                    : dlpack::whole;
    return {code, static_cast<std::uint8_t>(8 * element.bytes), 1};
}

// What somebody has borrowed; its end needs nothing of Python.
template <class Managed>
struct Borrowed {
    Managed managed{};
    Layout layout;
    std::shared_ptr<const void> memory;
};

template <class Managed>
void give_back(Managed* managed) {
    delete static_cast<Borrowed<Managed>*>(managed->context);
}

// Of a capsule that nobody took.
template <class Managed>
void end_capsule(PyObject* capsule) {
    if (!PyCapsule_IsValid(capsule, Managed::name)) return;
    give_back(static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name)));
}

template <class Managed>
Object capsule_of(const Held& held, std::string_view axes) {
    const auto& image = held.as<ImageValue>();
    auto borrowed = std::make_unique<Borrowed<Managed>>();
    borrowed->layout = layout_of(image.shape(), axes);
    borrowed->memory = held.value;
    Managed& managed = borrowed->managed;
    managed.context = borrowed.get();
    managed.deleter = give_back<Managed>;
    managed.tensor = {const_cast<void*>(memory_of(image)),
                      place_of(held.place->device),
                      static_cast<std::int32_t>(axes.size()),
                      number_of(image.pixel_type()),
                      borrowed->layout.shape.data(),
                      borrowed->layout.strides.data(),
                      0};
    if constexpr (std::is_same_v<Managed, dlpack::Versioned>) {
        managed.major = dlpack::newest_major;
        managed.flags = held.is_own ? 0 : dlpack::is_read_only;
    }
    Object capsule(PyCapsule_New(&managed, Managed::name, end_capsule<Managed>));
    borrowed.release();
    return capsule;
}

const Held& resident(PyObject* value) {
    const Held& held = held_of(value);
    if (!held.place) throw InvalidArgument("the value is on the host");
    return held;
}

// Of an image with CUDA: address, bytes, lengths, and strides in bytes.
struct Described {
    Object address, shape, strides;
    Element element;
    std::int64_t bytes;

    Described(const Held& held, std::string_view axes) {
        if (held.place->device.back_end() != BackEnd::cuda)
            throw InvalidArgument("the array is not on a device with CUDA");
        const auto& image = held.as<ImageValue>();
        element = element_of(image.pixel_type());
        bytes = image.shape().elements() * element.bytes;
        const Layout layout = layout_of(image.shape(), axes);
        const auto tuple = [&](const auto& numbers, std::int64_t factor) {
            Object made(PyTuple_New(std::ssize(axes)));
            for (std::size_t i = 0; i < axes.size(); ++i) {
                Object number = to_python(numbers[i] * factor);
                if (PyTuple_SetItem(made.get(), static_cast<Py_ssize_t>(i), number.release()) != 0)
                    throw PythonError();
            }
            return made;
        };
        shape = tuple(layout.shape, 1);
        strides = tuple(layout.strides, element.bytes);
        address = Object(PyLong_FromVoidPtr(const_cast<void*>(memory_of(image))));
    }
};

// What is computed of an image is behind it for a stream: an address.
void make_wait(const Held& held, PyObject* stream) {
    void* const handle = PyLong_AsVoidPtr(stream);
    if (PyErr_Occurred()) throw PythonError();
    idle_queue(held.place->device).make_foreign_wait(handle, held.place->ready);
}

// As one of this thread's queue on the device.
ImageValue here(const Held& held) {
    const auto& image = held.as<ImageValue>();
    Queue& queue = idle_queue(held.place->device);
    if (&queue == find_queue_of(image)) return image;
    queue.wait(held.place->ready);
    return std::visit(
        [&]<class T>(const DeviceImage<const T>& there) {
            return ImageValue(DeviceImage<const T>{
                queue.adopt<const T>(there.pixels.block()->pointer(), there.shape.elements(),
                                     held.value, "array"),
                there.shape, there.geometry, there.has_alpha});
        },
        image.resident());
}

}  // namespace

Held resident_image(PyObject* array, const ArrayUse& use) {
    const LentArray lent = lent_array(array, use.axes);
    {
        const WithoutLock unlocked;
        take_returned(*lent.queue);
    }
    const Element& element = lent.pixels.element;
    if (element.is_foreign)
        throw_type_error("an array of the other byte order is not taken on a device");
    if (use.role == "image") pixel_type_of(element);
    validate(lent.pixels.shape());
    const QueueWork before = lent.queue->counters();
    const bool stays = is_taken_there(element, use.role);
    const ImageValue image = stays ? image_there(lent, use) : converted_there(lent, use);
    Held made = held(kinds::image, image);
    Place place{lent.queue->device()};
    if (stays && is_used_in_place(lent)) {
        place.lender = lent.lender;
    } else {
        made.copied_bytes = lent.pixels.shape().elements() * element.bytes;
        if (lent.lender) return_to({*lent.lender}, place.device);
    }
    made.place = std::make_shared<const Place>(std::move(place));
    made.work = lent.queue->counters() - before;
    return made;
}

void return_to(const std::vector<Lender>& lenders, const Device& device,
               std::optional<Event> has_read) {
    if (lenders.empty()) return;
    const WithoutLock unlocked;
    Queue& queue = thread_queue(device);
    if (!has_read) has_read = queue.record();
    for (const Lender& lender : lenders)
        if (lender.stream)
            queue.make_foreign_wait(lender.stream, *has_read);
        else
            has_read->wait();
}

ImageValue on_host(const ImageValue& image) {
    if (!image.is_resident()) return image;
    Queue* const queue = find_queue_of(image);
    if (!queue) throw InvalidArgument("the image is on a device of another thread");
    return operations::download(image, *queue);
}

Held on_host(const Held& held) {
    if (!held.place) return held;
    const ImageValue image = here(held);
    const WithoutLock unlocked;
    Held made = python::held(held.kind, on_host(image));
    made.is_own = true;
    return made;
}

Held lent_out(const ImageValue& image, Kind kind, const Event& ready,
              std::optional<Lender> lender) {
    Queue& queue = *find_queue_of(image);
    Held made = held(kind, image);
    made.place = std::make_shared<const Place>(Place{queue.device(), ready, lender});
    const void* const value = made.value.get();
    made.value = std::shared_ptr<const void>(
        value, [memory = made.value, returned = returned_to(queue)](const void*) mutable {
            returned->put(std::move(memory));
        });
    return made;
}

Object placed(PyObject* arguments) {
    PyObject* value = nullptr;
    const char* device = nullptr;
    parse(arguments, "Os", &value, &device);
    const Held& held = held_of(value);
    if (!*device) return to_python(on_host(held));
    const Device wanted = [&] {
        const WithoutLock unlocked;
        return Device::parse(
            std::string_view(device) == "auto" && held.place ? held.place->device.id() : device);
    }();
    if (held.place && !(held.place->device == wanted))
        throw_type_error("the array is on " + held.place->device.id() + ", and device=\"" +
                         wanted.id() + "\" was given: bring it to the host first");
    Queue& queue = idle_queue(wanted);
    const ImageValue image = [&] {
        const WithoutLock unlocked;
        take_returned(queue);
        return held.place ? here(held) : upload(held.as<ImageValue>(), queue);
    }();
    // Its stream may have ended when the array is used.
    const bool is_lent = held.place && held.place->lender;
    Held made = lent_out(image, held.kind, queue.record(),
                         is_lent ? std::optional(Lender{}) : std::nullopt);
    made.is_own = !held.place;
    return to_python(std::move(made));
}

Object dlpack_of(PyObject* arguments) {
    PyObject *value = nullptr, *stream = nullptr;
    const char* axes = nullptr;
    int is_versioned = 0;
    parse(arguments, "OsOp", &value, &axes, &stream, &is_versioned);
    const Held& held = resident(value);
    place_of(held.place->device);
    if (!is_versioned && !held.is_own) {
        PyErr_SetString(
            PyExc_BufferError,
            "the array is to be read only, which DLPack says from version 1 on: take it "
            "by max_version=(1, 0), or a copy of it");
        throw PythonError();
    }
    if (stream != Py_None) make_wait(held, stream);
    return is_versioned ? capsule_of<dlpack::Versioned>(held, axes)
                        : capsule_of<dlpack::Managed>(held, axes);
}

Object lend(PyObject* arguments) {
    PyObject *value = nullptr, *stream = nullptr;
    const char* axes = nullptr;
    parse(arguments, "OsO", &value, &axes, &stream);
    const Held& held = resident(value);
    const Described described(held, axes);
    make_wait(held, stream);
    return Object(Py_BuildValue("(OLOOi)", described.address.get(),
                                static_cast<long long>(described.bytes), described.shape.get(),
                                described.strides.get(), held.is_own ? 1 : 0));
}

Object interface_of(PyObject* arguments) {
    PyObject* value = nullptr;
    const char* axes = nullptr;
    parse(arguments, "Os", &value, &axes);
    const Held& held = resident(value);
    const Described described(held, axes);
    {
        const WithoutLock unlocked;
        held.place->ready.wait();
    }
    constexpr std::string_view letters = "buif";
    const Element& element = described.element;
    const char letter = letters[static_cast<std::size_t>(element.numbers)];
    Object face(PyDict_New());
    set_item(face, "version", to_python(std::int64_t{3}));
    set_item(face, "shape", described.shape);
    set_item(face, "strides", described.strides);
    set_item(face, "typestr",
             to_python((element.bytes == 1 ? "|" : "<") + std::string(1, letter) +
                       std::to_string(element.bytes)));
    set_item(
        face, "data",
        Object(Py_BuildValue("(OO)", described.address.get(), held.is_own ? Py_False : Py_True)));
    set_item(face, "stream", none());
    return face;
}

}  // namespace tesela::python
