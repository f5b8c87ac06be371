#include "python/arrays.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "files/input_files.h"
#include "operations/kinds/image.h"
#include "operations/kinds/render.h"
#include "operations/kinds/seeds.h"
#include "operations/kinds/tissue.h"
#include "operations/kinds/transform.h"
#include "operations/kinds/volume_file.h"
#include "tesela/error.h"
#include "tesela/volume_io.h"

namespace tesela::python {
namespace {

using operations::ImageValue;
using operations::Kind;
namespace kinds = operations::kinds;

// A buffer of Python, given back at the end of the last image on it, in whatever thread that is.
class Lent {
  public:
    explicit Lent(PyObject* object) {
        if (PyObject_GetBuffer(object, &view_, PyBUF_FULL_RO) != 0) throw PythonError();
    }
    ~Lent() {
        if (!Py_IsInitialized()) return;
        const WithLock lock;
        PyBuffer_Release(&view_);
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

    const Py_buffer& view() const { return view_; }

  private:
    Py_buffer view_{};
};

[[noreturn]] void throw_type_error(const std::string& sentence) {
    PyErr_SetString(PyExc_TypeError, sentence.c_str());
    throw PythonError();
}

enum class Numbers { logical, natural, whole, floating };

struct Element {
    Numbers numbers = Numbers::natural;
    Py_ssize_t bytes = 1;
    bool is_foreign = false;  // of the other byte order

    std::string name() const {
        constexpr std::array names{"bool", "uint", "int", "float"};
        const std::string base = names[static_cast<std::size_t>(numbers)];
        return numbers == Numbers::logical ? base : base + std::to_string(8 * bytes);
    }
};

Element element_of(const Py_buffer& view) {
    const std::string_view format = view.format ? view.format : "B";
    const bool has_order = std::string_view("@=<>!").find(format.front()) != std::string_view::npos;
    const std::string_view type = format.substr(has_order ? 1 : 0);
    constexpr bool is_little = std::endian::native == std::endian::little;
    const char order = has_order ? format.front() : '@';
    Element element;
    element.bytes = view.itemsize;
    element.is_foreign =
        view.itemsize > 1 && (is_little ? order == '>' || order == '!' : order == '<');
    const auto is_one_of = [&](std::string_view letters) {
        return type.size() == 1 && letters.find(type.front()) != std::string_view::npos;
    };
    if (is_one_of("?"))
        element.numbers = Numbers::logical;
    else if (is_one_of("BHILQN"))
        element.numbers = Numbers::natural;
    else if (is_one_of("bhilqn"))
        element.numbers = Numbers::whole;
    else if (is_one_of("efdg"))
        element.numbers = Numbers::floating;
    else
        throw_type_error("an array of " +
                         std::string(type.starts_with("Z") ? "complex numbers"
                                     : type == "O"         ? "objects"
                                                   : "elements '" + std::string(format) + "'") +
                         " is no image: pixels are whole or floating-point numbers");
    return element;
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

// The elements of a buffer by the axes t, z, y, x and channel; strides in bytes.
struct Strided {
    const char* first = nullptr;
    std::array<Py_ssize_t, 5> lengths{1, 1, 1, 1, 1}, strides{};
    Element element;

    Shape shape() const {
        return {lengths[3], lengths[2], lengths[1], lengths[0], static_cast<int>(lengths[4])};
    }
    // Whether they lie one behind the other, as the machine takes them.
    bool is_in_place() const {
        Py_ssize_t next = element.bytes;
        for (std::size_t axis = 5; axis-- > 0;) {
            if (lengths[axis] > 1 && strides[axis] != next) return false;
            next *= lengths[axis];
        }
        return !element.is_foreign && reinterpret_cast<std::uintptr_t>(first) % element.bytes == 0;
    }
};

Strided strided(const Py_buffer& view, const std::string& axes) {
    constexpr std::string_view order = "tzyxc";
    if (static_cast<std::size_t>(view.ndim) != axes.size())
        throw InvalidArgument("the array has " + std::to_string(view.ndim) + " axes, not the " +
                              std::to_string(axes.size()) + " of '" + axes + "'");
    Strided all{static_cast<const char*>(view.buf), {1, 1, 1, 1, 1}, {}, element_of(view)};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = order.find(axes[i]);
        if (axis == std::string_view::npos || axes.find(axes[i]) != i)
            throw InvalidArgument("'" + axes +
                                  "' does not name axes: each is t, z, y, x or c, once");
        all.lengths[axis] = view.shape[i];
        all.strides[axis] = view.strides[i];
    }
    if (axes.find('y') == std::string::npos || axes.find('x') == std::string::npos)
        throw InvalidArgument("'" + axes + "' lacks the axis y or x");
    if (all.lengths[4] > std::numeric_limits<int>::max())
        throw InvalidArgument("the array has " + std::to_string(all.lengths[4]) + " channels");
    return all;
}

template <class T>
T loaded(const char* at, bool is_foreign) {
    std::array<char, sizeof(T)> bytes{};
    std::memcpy(bytes.data(), at, sizeof(T));
    if (is_foreign) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
}

// `convert` gives a pixel for an element.
template <class From, class To, class Convert>
Image<To> copied(const Strided& from, const Geometry& geometry, const Convert& convert) {
    Image<To> image(from.shape(), geometry);
    To* next = image.data();
    const auto& [t, z, y, x, c] = from.lengths;
    const auto& by = from.strides;
    for (Py_ssize_t i = 0; i < t; ++i)
        for (Py_ssize_t j = 0; j < z; ++j)
            for (Py_ssize_t k = 0; k < y; ++k) {
                const char* const row = from.first + i * by[0] + j * by[1] + k * by[2];
                for (Py_ssize_t l = 0; l < x; ++l)
                    for (Py_ssize_t m = 0; m < c; ++m)
                        *next++ = convert(
                            loaded<From>(row + l * by[3] + m * by[4], from.element.is_foreign));
            }
    return image;
}

// Calls `work` with a value of the C++ type of the elements.
template <class Work>
auto with_element(const Element& element, const Work& work) {
    const bool is_signed = element.numbers == Numbers::whole;
    if (element.numbers == Numbers::floating) {
        if (element.bytes == 4) return work(float{});
        if (element.bytes == 8) return work(double{});
    } else {
        switch (element.bytes) {
            case 1:
                return is_signed ? work(std::int8_t{}) : work(std::uint8_t{});
            case 2:
                return is_signed ? work(std::int16_t{}) : work(std::uint16_t{});
            case 4:
                return is_signed ? work(std::int32_t{}) : work(std::uint32_t{});
            case 8:
                return is_signed ? work(std::int64_t{}) : work(std::uint64_t{});
            default:
                break;
        }
    }
    throw_type_error("pixels of " + element.name() + " are not taken: convert them to float32");
}

AnyImage copy_of_image(const Strided& from, const Geometry& geometry) {
    pixel_type_of(from.element);
    return with_element(from.element, [&]<class From>(From) -> AnyImage {
        if constexpr (sizeof(From) == 8 && std::is_integral_v<From>)
            throw std::logic_error("no pixel has 64 bits");
        else
            return copied<From, From>(from, geometry, [](From value) { return value; });
    });
}

AnyImage mask_of(const Strided& from, const Geometry& geometry) {
    return with_element(from.element, [&]<class From>(From) -> AnyImage {
        return copied<From, std::uint8_t>(from, geometry, [](From value) {
            return static_cast<std::uint8_t>(value != 0 ? 255 : 0);
        });
    });
}

AnyImage labels_of(const Strided& from, const Geometry& geometry) {
    if (from.element.numbers == Numbers::floating)
        throw_type_error("labels are whole numbers, and these are " + from.element.name() +
                         ": convert them, such as by array.astype(\"uint32\")");
    return with_element(from.element, [&]<class From>(From) -> AnyImage {
        bool holds = true;
        LabelImage labels = copied<From, std::uint32_t>(from, geometry, [&](From value) {
            if constexpr (std::is_integral_v<From>) {
                if constexpr (std::is_signed_v<From>) holds &= value >= 0;
                if constexpr (sizeof(From) == 8)
                    holds &= value <= From{std::numeric_limits<std::uint32_t>::max()};
            }
            return static_cast<std::uint32_t>(value);
        });
        if (!holds) throw InvalidArgument("labels are whole numbers from 0 to 4294967295");
        return labels;
    });
}

double finite_number(const std::string& name, PyObject* object) {
    const double number = number_of(object);
    if (!std::isfinite(number))
        throw InvalidArgument(name + ": " + std::to_string(number) + " is no finite number");
    return number;
}

template <std::size_t N>
void take_numbers(const std::string& name, PyObject* sequence, std::array<double, N>& numbers) {
    const Py_ssize_t count = PySequence_Size(sequence);
    if (count < 0) throw PythonError();
    if (count != Py_ssize_t{N})
        throw InvalidArgument(name + ": " + std::to_string(N) + " numbers are expected, not " +
                              std::to_string(count));
    for (Py_ssize_t i = 0; i < count; ++i)
        numbers[static_cast<std::size_t>(i)] =
            finite_number(name, Object(PySequence_GetItem(sequence, i)).get());
}

Geometry geometry_of_dict(PyObject* dict) {
    Geometry geometry;
    if (dict == Py_None) return geometry;
    for_each_item(dict, [&](const std::string& name, PyObject* value) {
        if (value == Py_None) return;
        if (name == "spacing") take_numbers(name, value, geometry.spacing);
        if (name == "origin") take_numbers(name, value, geometry.origin);
        if (name == "direction") take_numbers(name, value, geometry.direction);
        if (name == "time_step") geometry.time_step = finite_number(name, value);
        if (name != "unit") return;
        const std::string unit = text_of(value);
        geometry.unit = unit == "mm" ? Unit::millimeter
                        : unit == "um"
                            ? Unit::micrometer
                            : throw InvalidArgument("unit: '" + unit + "' is not one of mm, um");
    });
    for (const double length : geometry.spacing)
        if (!(length > 0))
            throw InvalidArgument("spacing: " + std::to_string(length) +
                                  " is no distance of pixels: it is above 0");
    return geometry;
}

// In place where that is possible.
std::optional<AnyImageView> lent_view(const std::shared_ptr<Lent>& lent, const Strided& from,
                                      const Geometry& geometry, bool has_alpha) {
    if (!from.is_in_place()) return {};
    const Shape shape = from.shape();
    validate(shape);
    return with_element(from.element, [&]<class T>(T) -> std::optional<AnyImageView> {
        if constexpr (sizeof(T) == 8 && std::is_integral_v<T>)
            return {};
        else
            return AnyImageView(
                PixelView<T>(reinterpret_cast<const T*>(from.first), shape, geometry, has_alpha),
                lent);
    });
}

std::uint32_t label_of(PyObject* object) {
    const Object whole(PyNumber_Index(object));
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(whole.get(), &overflow);
    if (number == -1 && PyErr_Occurred()) throw PythonError();
    constexpr long long most = std::numeric_limits<std::uint32_t>::max();
    if (overflow != 0 || number < 0 || number > most)
        throw InvalidArgument("names: labels are whole numbers from 0 to 4294967295");
    return static_cast<std::uint32_t>(number);
}

operations::LabelNames names_of(PyObject* dict) {
    operations::LabelNames names;
    if (dict == Py_None) return names;
    PyObject *label = nullptr, *name = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &label, &name)) names[label_of(label)] = text_of(name);
    return names;
}

template <class T>
Held changed(const Held& held, Kind kind, T value) {
    Held made = python::held<T>(kind, std::move(value));
    made.names = held.names;
    made.copied_bytes = held.copied_bytes;
    return made;
}

SeedLabels seed_labels(const ImageValue& image) {
    return SeedLabels(image.pixels<std::uint32_t>(), std::make_shared<const ImageValue>(image));
}

AnyImage copy_of(const AnyImageView& view) {
    return view.visit([]<class T>(const PixelView<T>& pixels) -> AnyImage {
        Image<T> image(pixels.shape(), pixels.geometry);
        image.has_alpha = pixels.has_alpha;
        std::copy(pixels.pixels().begin(), pixels.pixels().end(), image.pixels().begin());
        return image;
    });
}

// Compressing reads parts of the image, which it keeps.
operations::StoredVolume stored_volume(const ImageValue& image) {
    struct Kept {
        AnyImage image;
        std::unique_ptr<VolumeInput> volume = {};
    };
    const auto kept = std::make_shared<Kept>(Kept{copy_of(image.view())});
    kept->volume = io::volume_input(kept->image);
    return {{kept, kept->volume.get()}, image.geometry()};
}

}  // namespace

Object image_of(PyObject* arguments) {
    PyObject *array = nullptr, *geometry_dict = nullptr, *names = nullptr;
    const char *role_text = nullptr, *axes = nullptr;
    int has_alpha = 0;
    parse(arguments, "OssOpO", &array, &role_text, &axes, &geometry_dict, &has_alpha, &names);
    const std::string_view role = role_text;
    const auto lent = std::make_shared<Lent>(array);
    const Strided from = strided(lent->view(), axes);
    const Geometry geometry = geometry_of_dict(geometry_dict);
    const bool is_labels = role == "labels", is_mask = role == "mask";
    if (!is_labels && !is_mask) pixel_type_of(from.element);
    validate(from.shape());
    const bool may_lend = !is_mask && (!is_labels || from.element.name() == "uint32");
    std::optional<AnyImageView> view;
    if (may_lend) view = lent_view(lent, from, geometry, has_alpha != 0);
    Held made{};
    if (view) {
        made = held(kinds::image, ImageValue(std::move(*view)));
    } else {
        AnyImage image = is_labels ? labels_of(from, geometry)
                         : is_mask ? mask_of(from, geometry)
                                   : copy_of_image(from, geometry);
        std::visit([&](auto& typed) { typed.has_alpha = has_alpha != 0; }, image);
        const std::int64_t bytes = from.shape().elements() * from.element.bytes;
        made = held(kinds::image, ImageValue(std::move(image)));
        made.copied_bytes = bytes;
    }
    made.names = names_of(names);
    return to_python(std::move(made));
}

Object facts_of(PyObject* arguments) {
    PyObject* value = nullptr;
    parse(arguments, "O", &value);
    const Held& held = held_of(value);
    const auto pixels = pixels_of(held);
    if (!pixels) return none();
    const Shape& shape = pixels->shape();
    const Geometry& geometry = pixels->geometry();
    const auto numbers = [](const auto& all) {
        return std::vector<double>(all.begin(), all.end());
    };
    operations::Figures names;
    for (const auto& [label, name] : held.names) names.push_back({std::to_string(label), name});
    if (held.kind == kinds::classes) {
        const auto& classes = held.as<operations::ClassMap>().names;
        for (std::size_t i = 0; i < classes.size(); ++i)
            names.push_back({std::to_string(i + 1), classes[i]});
    }
    return to_python(operations::Figures{
        {"shape", std::vector<std::int64_t>{shape.t, shape.z, shape.y, shape.x, shape.channels}},
        {"dtype", std::string(pixel_type_name(pixels->pixel_type()))},
        {"spacing", numbers(geometry.spacing)},
        {"unit", std::string(unit_symbol(geometry.unit))},
        {"origin", numbers(geometry.origin)},
        {"direction", numbers(geometry.direction)},
        {"time_step", geometry.time_step},
        {"has_alpha", pixels->has_alpha()},
        {"names", std::move(names)}});
}

Held adapted(const Held& held, Kind kind, bool as_labels) {
    if (held.kind == kind || (held.kind.value == kind.value && kind != kinds::warpable)) {
        Held same = held;
        same.kind = kind;
        return same;
    }
    const auto pixels = pixels_of(held);
    if (!pixels)
        throw InvalidArgument("a value of the kind '" + std::string(held.kind.name) + "' is no '" +
                              std::string(kind.name) + "'");
    // Those of other kinds than images are kept by the value that is held.
    const ImageValue image = held.kind.value == &typeid(ImageValue)
                                 ? held.as<ImageValue>()
                                 : ImageValue(AnyImage(copy_of(*pixels)));
    if (kind.value == &typeid(ImageValue)) return changed(held, kind, image);
    if (kind == kinds::seeds) return changed(held, kind, Seeds(seed_labels(image)));
    if (kind == kinds::grid) return changed(held, kind, ImageGrid{image.shape(), image.geometry()});
    if (kind == kinds::colored_labels)
        return changed(held, kind,
                       files::colored_labels(std::get<LabelImage>(copy_of(image.view())), {}));
    if (kind == kinds::background) return changed(held, kind, operations::Background(image));
    if (kind == kinds::stored_volume) return changed(held, kind, stored_volume(image));
    if (kind == kinds::warpable)
        return changed(held, kind,
                       as_labels ? operations::Warpable(operations::WarpableLabels{image})
                                 : operations::Warpable(image));
    throw InvalidArgument("an image is no '" + std::string(kind.name) + "'");
}

}  // namespace tesela::python
