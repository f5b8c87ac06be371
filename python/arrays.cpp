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
#include "python/lent_arrays.h"
#include "python/residents.h"
#include "python/strided.h"
#include "tesela/error.h"
#include "tesela/io.h"
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

std::uint8_t color_part(PyObject* object) {
    const Object whole(PyNumber_Index(object));
    const long number = PyLong_AsLong(whole.get());
    if (number == -1 && PyErr_Occurred()) PyErr_Clear();
    if (number < 0 || number > 255)
        throw InvalidArgument("colors: each is three whole numbers from 0 to 255");
    return static_cast<std::uint8_t>(number);
}

Rgb color_of_sequence(PyObject* sequence) {
    Rgb color{};
    if (PySequence_Size(sequence) != std::ssize(color)) {
        PyErr_Clear();
        throw InvalidArgument("colors: each is three whole numbers from 0 to 255");
    }
    for (std::size_t c = 0; c < color.size(); ++c)
        color[c] =
            color_part(Object(PySequence_GetItem(sequence, static_cast<Py_ssize_t>(c))).get());
    return color;
}

// Null where there are neither names nor colors.
SharedLabelTable table_of(PyObject* names, PyObject* colors) {
    if (names == Py_None && colors == Py_None) return {};
    LabelTable table;
    PyObject *label = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; names != Py_None && PyDict_Next(names, &at, &label, &value);)
        table[label_of(label)].name = text_of(value);
    for (Py_ssize_t at = 0; colors != Py_None && PyDict_Next(colors, &at, &label, &value);)
        table[label_of(label)].color = color_of_sequence(value);
    return std::make_shared<const LabelTable>(std::move(table));
}

// What the labels of a value stand for.
LabelTable table_of(const Held& held, const ImageValue& image) {
    LabelTable table;
    if (image.label_table()) table = *image.label_table();
    if (held.kind != kinds::classes) return table;
    const auto& map = held.as<operations::ClassMap>();
    for (std::size_t i = 0; i < map.names.size(); ++i)
        table[static_cast<std::uint32_t>(i + 1)] = {map.names[i], map.colors[i]};
    return table;
}

template <class T>
Held changed(const Held& held, Kind kind, T value) {
    Held made = python::held<T>(kind, std::move(value));
    made.copied_bytes = held.copied_bytes;
    made.work = held.work;
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

ImageValue unlocked_on_host(const ImageValue& image) {
    const WithoutLock unlocked;
    return on_host(image);
}

Held host_image(PyObject* array, const ArrayUse& use) {
    const auto lent = std::make_shared<Lent>(array);
    const Py_buffer& view = lent->view();
    const Strided from =
        strided(view.buf, element_of(view), view.ndim, view.shape, view.strides, use.axes);
    if (use.role == "image") pixel_type_of(from.element);
    validate(from.shape());
    const bool may_lend =
        use.role == "image" || (use.role == "labels" && from.element.name() == "uint32");
    if (may_lend)
        if (auto pixels = lent_view(lent, from, use.geometry, use.has_alpha))
            return held(kinds::image, ImageValue(std::move(*pixels)));
    Held made = held(kinds::image, ImageValue(converted(from, use)));
    made.copied_bytes = from.shape().elements() * from.element.bytes;
    return made;
}

}  // namespace

AnyImage converted(const Strided& from, const ArrayUse& use) {
    AnyImage image = use.role == "labels" ? labels_of(from, use.geometry)
                     : use.role == "mask" ? mask_of(from, use.geometry)
                                          : copy_of_image(from, use.geometry);
    std::visit([&](auto& typed) { typed.has_alpha = use.has_alpha; }, image);
    return image;
}

Object image_of(PyObject* arguments) {
    PyObject *array = nullptr, *geometry = nullptr, *names = nullptr, *colors = nullptr;
    const char *role = nullptr, *axes = nullptr;
    int has_alpha = 0;
    parse(arguments, "OssOpOO", &array, &role, &axes, &geometry, &has_alpha, &names, &colors);
    const ArrayUse use{role, axes, geometry_of_dict(geometry), has_alpha != 0};
    Held made = is_lent_by_device(array) ? resident_image(array, use) : host_image(array, use);
    if (SharedLabelTable table = table_of(names, colors))
        made.value =
            std::make_shared<const ImageValue>(made.as<ImageValue>().with_labels(std::move(table)));
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
    operations::Figures names, colors;
    for (const auto& [label, description] : table_of(held, *pixels)) {
        if (!description.name.empty()) names.push_back({std::to_string(label), description.name});
        if (description.color)
            colors.push_back(
                {std::to_string(label),
                 std::vector<std::int64_t>(description.color->begin(), description.color->end())});
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
        {"device", held.place ? held.place->device.id() : std::string()},
        {"names", std::move(names)},
        {"colors", std::move(colors)}});
}

SharedLabelTable label_table_of(PyObject* names) {
    if (!PyUnicode_Check(names)) return table_of(names, Py_None);
    return std::make_shared<const LabelTable>(io::read_label_names(path_of(names)));
}

Held with_names(Held held, const SharedLabelTable& names) {
    if (!names || held.kind.value != &typeid(ImageValue)) return held;
    const auto& image = held.as<ImageValue>();
    LabelTable both;
    if (image.label_table()) both = *image.label_table();
    update(both, *names);
    held.value = std::make_shared<const ImageValue>(
        image.with_labels(std::make_shared<const LabelTable>(std::move(both))));
    return held;
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
    const bool stays =
        kind.value == &typeid(ImageValue) || kind == kinds::warpable || kind == kinds::grid;
    // Those of other kinds than images are kept by the value that is held.
    const ImageValue image =
        held.kind.value != &typeid(ImageValue)
            ? ImageValue(copy_of(pixels->view())).with_labels(pixels->label_table())
        : stays ? *pixels
                : unlocked_on_host(*pixels);
    if (kind.value == &typeid(ImageValue)) return changed(held, kind, image);
    if (kind == kinds::seeds) return changed(held, kind, Seeds(seed_labels(image)));
    if (kind == kinds::grid) return changed(held, kind, ImageGrid{image.shape(), image.geometry()});
    if (kind == kinds::colored_labels)
        return changed(held, kind,
                       files::colored_labels(std::get<LabelImage>(copy_of(image.view())),
                                             image.label_table()));
    if (kind == kinds::background) return changed(held, kind, operations::Background(image));
    if (kind == kinds::stored_volume) return changed(held, kind, stored_volume(image));
    if (kind == kinds::warpable)
        return changed(held, kind,
                       as_labels ? operations::Warpable(operations::WarpableLabels{image})
                                 : operations::Warpable(image));
    throw InvalidArgument("an image is no '" + std::string(kind.name) + "'");
}

}  // namespace tesela::python
