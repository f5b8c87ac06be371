#include "python/values.h"

#include <array>
#include <map>
#include <stdexcept>

#include "operations/kinds/annotations.h"
#include "operations/kinds/circles.h"
#include "operations/kinds/image.h"
#include "operations/kinds/mosaic.h"
#include "operations/kinds/render.h"
#include "operations/kinds/sections.h"
#include "operations/kinds/seeds.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/stain.h"
#include "operations/kinds/surface.h"
#include "operations/kinds/table.h"
#include "operations/kinds/tissue.h"
#include "operations/kinds/transform.h"
#include "operations/kinds/tridiagonal.h"
#include "operations/kinds/volume_file.h"
#include "operations/kinds/wavelet.h"
#include "operations/registry.h"

namespace tesela::python {
namespace {

using operations::ImageValue;
using operations::Kind;
using operations::Values;

struct ValueObject {
    PyObject_HEAD Held* held;
};
PyTypeObject* type = nullptr;

template <class T>
bool find_in(const Values& values, std::string_view name, Kind kind, Held& found) {
    const T* value = values.find<T>(name);
    if (value) found = held<T>(kind, *value);
    return value != nullptr;
}
template <class... T>
Held first_of(const Values& values, std::string_view name, Kind kind) {
    Held found{kind};
    if (!(find_in<T>(values, name, kind, found) || ...))
        throw std::logic_error("values of the kind '" + std::string(kind.name) +
                               "' cannot be held");
    return found;
}

// What a buffer of Python is made of, which lives as long as the buffer.
struct Exported {
    std::array<Py_ssize_t, 5> shape{}, strides{};
};

const char* format_of(PixelType pixels) {
    constexpr std::array formats{"B", "b", "H", "h", "I", "i", "f", "d"};
    return formats[static_cast<std::size_t>(pixels)];
}

// Of the axes t, z, y, x, channel.
void fill(Py_buffer& buffer, const AnyImageView& pixels, bool is_own, int flags) {
    const Shape& shape = pixels.shape();
    const Py_ssize_t size = pixel_type_bytes(pixels.pixel_type());
    auto exported = std::make_unique<Exported>();
    exported->shape = {shape.t, shape.z, shape.y, shape.x, shape.channels};
    Py_ssize_t stride = size;
    for (std::size_t axis = exported->shape.size(); axis-- > 0;) {
        exported->strides[axis] = stride;
        stride *= exported->shape[axis];
    }
    buffer.buf = pixels.visit([](const auto& typed) {
        return const_cast<void*>(static_cast<const void*>(typed.data()));
    });
    buffer.len = stride;
    buffer.itemsize = size;
    buffer.readonly = is_own ? 0 : 1;
    buffer.ndim = static_cast<int>(exported->shape.size());
    buffer.format =
        (flags & PyBUF_FORMAT) ? const_cast<char*>(format_of(pixels.pixel_type())) : nullptr;
    buffer.shape = exported->shape.data();
    buffer.strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? exported->strides.data() : nullptr;
    buffer.suboffsets = nullptr;
    buffer.internal = exported.release();
}

int get_buffer(PyObject* object, Py_buffer* buffer, int flags) {
    const Held& held = *reinterpret_cast<ValueObject*>(object)->held;
    const auto pixels = pixels_of(held);
    buffer->obj = nullptr;
    if (!pixels) {
        PyErr_Format(PyExc_BufferError, "a value of the kind '%s' has no pixels",
                     std::string(held.kind.name).c_str());
        return -1;
    }
    if (pixels->is_resident()) {
        PyErr_SetString(PyExc_BufferError, "these pixels are on a device: bring them to the host");
        return -1;
    }
    if ((flags & PyBUF_WRITABLE) && !held.is_own) {
        PyErr_SetString(PyExc_BufferError, "these pixels are somebody else's, to read only");
        return -1;
    }
    fill(*buffer, pixels->view(), held.is_own, flags);
    Py_INCREF(object);
    buffer->obj = object;
    return 0;
}

void release_buffer(PyObject*, Py_buffer* buffer) {
    delete static_cast<Exported*>(buffer->internal);
}

void end(PyObject* object) {
    delete reinterpret_cast<ValueObject*>(object)->held;
    PyTypeObject* const own = Py_TYPE(object);
    reinterpret_cast<freefunc>(PyType_GetSlot(own, Py_tp_free))(object);
    Py_DECREF(own);
}

PyObject* kind_of(PyObject* object, void*) {
    return guarded(
        [&] { return to_python(reinterpret_cast<ValueObject*>(object)->held->kind.name); });
}
PyObject* device_of(PyObject* object, void*) {
    return guarded([&] {
        const auto& place = reinterpret_cast<ValueObject*>(object)->held->place;
        return to_python(place ? place->device.id() : std::string());
    });
}
PyObject* shape_of(PyObject* object, void*) {
    return guarded([&] {
        const auto pixels = pixels_of(*reinterpret_cast<ValueObject*>(object)->held);
        if (!pixels) return none();
        const Shape& shape = pixels->shape();
        return Object(Py_BuildValue(
            "(LLLLi)", static_cast<long long>(shape.t), static_cast<long long>(shape.z),
            static_cast<long long>(shape.y), static_cast<long long>(shape.x), shape.channels));
    });
}
PyObject* dtype_of(PyObject* object, void*) {
    return guarded([&] {
        const auto pixels = pixels_of(*reinterpret_cast<ValueObject*>(object)->held);
        return pixels ? to_python(pixel_type_name(pixels->pixel_type())) : none();
    });
}
PyObject* represented(PyObject* object) {
    return guarded([&] {
        const Held& held = *reinterpret_cast<ValueObject*>(object)->held;
        return to_python("<tesela value: " + std::string(held.kind.name) + ">");
    });
}

}  // namespace

Held held_in(const Values& values, std::string_view name, Kind kind) {
    using namespace operations;
    return first_of<ImageValue, Table, Outlines, Annotations, CircleLists, ImageGrid, ColoredLabels,
                    TransferFunction, CameraChoice, Seeds, StainMatrix, Transform, Landmarks,
                    Warpable, TissueSamples, TissueModel, TilePictures, ClassMap,
                    operations::Background, OfSlides<Annotations>, OfSlides<ImageValue>,
                    TridiagonalSystems, TridiagonalSolutions, LabelSurfaces, CompressedVolume,
                    RepeatedSlide, Coefficients, SectionSeries, MosaicTiles, TilePositions>(
        values, name, kind);
}

std::optional<ImageValue> pixels_of(const Held& held) {
    namespace kinds = operations::kinds;
    const Kind kind = held.kind;
    if (kind.value == &typeid(ImageValue)) return held.as<ImageValue>();
    if (kind == kinds::classes) return AnyImageView(held.as<operations::ClassMap>().labels);
    if (kind == kinds::coefficients)
        return AnyImageView(
            std::get<WaveletCoefficients>(held.as<operations::Coefficients>()).values);
    if (kind == kinds::warpable) {
        const auto& warped = held.as<operations::Warpable>();
        if (const auto* image = std::get_if<ImageValue>(&warped)) return *image;
        if (const auto* labels = std::get_if<operations::WarpableLabels>(&warped))
            return labels->labels;
    }
    return {};
}

const void* memory_of(const ImageValue& image) {
    return std::visit([](const auto& there) { return there.pixels.block()->pointer(); },
                      image.resident());
}

PyObject* value_type() {
    if (type) return reinterpret_cast<PyObject*>(type);
    static PyGetSetDef properties[] = {
        {"kind", kind_of, nullptr, "What it is, such as \"image\" or \"transform\".", nullptr},
        {"device", device_of, nullptr,
         "Where its pixels are, such as \"cuda:0\"; \"\" of the host.", nullptr},
        {"shape", shape_of, nullptr,
         "Lengths of t, z, y, x and channels of an image; None of others.", nullptr},
        {"dtype", dtype_of, nullptr, "Type of the pixels of an image, by name; None of others.",
         nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr}};
    static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(end)},
                                  {Py_tp_repr, reinterpret_cast<void*>(represented)},
                                  {Py_tp_getset, properties},
                                  {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                                  {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                                  {0, nullptr}};
    static PyType_Spec spec = {"tesela._tesela.Value", sizeof(ValueObject), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    type = reinterpret_cast<PyTypeObject*>(Object(PyType_FromSpec(&spec)).release());
    return reinterpret_cast<PyObject*>(type);
}

Object to_python(Held held) {
    auto owned = std::make_unique<Held>(std::move(held));
    auto* const make = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
    Object object(make(type, 0));
    reinterpret_cast<ValueObject*>(object.get())->held = owned.release();
    return object;
}

const Held* find_held(PyObject* object) {
    return Py_TYPE(object) == type ? reinterpret_cast<ValueObject*>(object)->held : nullptr;
}

const Held& held_of(PyObject* object) {
    const Held* held = find_held(object);
    if (held) return *held;
    PyErr_SetString(PyExc_TypeError, "a value of tesela is expected");
    throw PythonError();
}

Kind kind_named(std::string_view name) {
    static const std::map<std::string_view, Kind> all = [] {
        std::map<std::string_view, Kind> found;
        for (const operations::Operation& operation : operations::Registry::all().operations()) {
            for (const auto* inputs : {&operation.inputs, &operation.named})
                for (const operations::Input& input : *inputs)
                    found.emplace(input.kind.name, input.kind);
            for (const operations::Output& output : operation.outputs)
                found.emplace(output.kind.name, output.kind);
        }
        return found;
    }();
    const auto found = all.find(name);
    if (found == all.end())
        throw InvalidArgument("there is no kind '" + std::string(name) + "' of values");
    return found->second;
}

}  // namespace tesela::python
