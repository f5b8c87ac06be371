#include "python/strided.h"

#include <limits>

#include "tesela/error.h"

namespace tesela::python {
namespace {

constexpr std::string_view axis_order = "tzyxc";

std::size_t axis_named(char letter) { return axis_order.find(letter); }

}  // namespace

void throw_type_error(const std::string& sentence) {
    PyErr_SetString(PyExc_TypeError, sentence.c_str());
    throw PythonError();
}

std::string Element::name() const {
    constexpr std::array names{"bool", "uint", "int", "float"};
    const std::string base = names[static_cast<std::size_t>(numbers)];
    return numbers == Numbers::logical ? base : base + std::to_string(8 * bytes);
}

Element element_of(PixelType type) {
    const bool is_floating = type == PixelType::f32 || type == PixelType::f64;
    const bool is_natural =
        type == PixelType::u8 || type == PixelType::u16 || type == PixelType::u32;
    return {is_floating  ? Numbers::floating
            : is_natural ? Numbers::natural
                         : Numbers::whole,
            pixel_type_bytes(type)};
}

PixelType pixel_type_of(const Element& element) {
    if (element.numbers == Numbers::logical) return PixelType::u8;
    for (const PixelType type : {PixelType::u8, PixelType::i8, PixelType::u16, PixelType::i16,
                                 PixelType::u32, PixelType::i32, PixelType::f32, PixelType::f64})
        if (pixel_type_name(type) == element.name()) return type;
    throw_type_error("pixels of " + element.name() +
                     " are not taken: convert them to uint8, int8, uint16, int16, uint32, int32, "
                     "float32 or float64, such as by array.astype(\"float32\")");
}

bool Strided::is_in_place() const {
    std::int64_t next = element.bytes;
    for (std::size_t axis = lengths.size(); axis-- > 0;) {
        if (lengths[axis] > 1 && strides[axis] != next) return false;
        next *= lengths[axis];
    }
    return !element.is_foreign &&
           reinterpret_cast<std::uintptr_t>(first) % static_cast<std::size_t>(element.bytes) == 0;
}

Strided strided(const void* first, const Element& element, int ndim, const std::int64_t* shape,
                const std::int64_t* strides, std::string_view axes) {
    const std::string quoted = "'" + std::string(axes) + "'";
    if (static_cast<std::size_t>(ndim) != axes.size())
        throw InvalidArgument("the array has " + std::to_string(ndim) + " axes, not the " +
                              std::to_string(axes.size()) + " of " + quoted);
    Strided all{static_cast<const char*>(first), {1, 1, 1, 1, 1}, {}, element};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = axis_named(axes[i]);
        if (axis == std::string_view::npos || axes.find(axes[i]) != i)
            throw InvalidArgument(quoted + " does not name axes: each is t, z, y, x or c, once");
        all.lengths[axis] = shape[i];
        all.strides[axis] = strides[i];
    }
    if (axes.find('y') == std::string_view::npos || axes.find('x') == std::string_view::npos)
        throw InvalidArgument(quoted + " lacks the axis y or x");
    if (all.lengths[4] > std::numeric_limits<int>::max())
        throw InvalidArgument("the array has " + std::to_string(all.lengths[4]) + " channels");
    return all;
}

Layout layout_of(const Shape& shape, std::string_view axes) {
    const std::array<std::int64_t, 5> lengths{shape.t, shape.z, shape.y, shape.x, shape.channels};
    Layout layout;
    for (std::size_t i = 0; i < axes.size() && i < lengths.size(); ++i) {
        const std::size_t axis = axis_named(axes[i]);
        layout.shape[i] = lengths.at(axis);
        layout.strides[i] = 1;
        for (std::size_t inner = axis + 1; inner < lengths.size(); ++inner)
            layout.strides[i] *= lengths[inner];
    }
    return layout;
}

}  // namespace tesela::python
