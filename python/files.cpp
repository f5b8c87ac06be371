#include "python/files.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "files/input_files.h"
#include "files/output_files.h"
#include "operations/kinds/annotations.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/render.h"
#include "operations/kinds/seeds.h"
#include "operations/kinds/table.h"
#include "operations/kinds/tissue.h"
#include "operations/kinds/transform.h"
#include "operations/kinds/wavelet.h"
#include "python/queues.h"
#include "python/residents.h"
#include "tesela/io.h"
#include "tesela/slide_io.h"
#include "tesela/warnings.h"
#include "tesela/wavelet_io.h"

namespace tesela::python {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::ImageValue;
using operations::Kind;
using operations::Table;
using operations::Values;

constexpr std::string_view own = "value";

struct ReadFile {
    Held held;
    std::string format;
    std::vector<std::string> warnings, channel_names;
    bool separate_channels = false;
};

ReadFile read_as(const fs::path& path, bool as_labels, const io::ReadOptions& options) {
    ReadFile file;
    if (as_labels) {
        io::LabelMap map = io::read_label_map(path, options);
        file.warnings = std::move(map.warnings);
        file.held = held(kinds::labels, ImageValue(std::move(map.labels)).with_labels(map.table));
    } else {
        io::ReadResult read = io::read_image(path, options);
        file.warnings = std::move(read.warnings);
        file.format = std::move(read.format);
        file.channel_names = std::move(read.channel_names);
        file.separate_channels = read.separate_channels;
        file.held =
            held(kinds::image, ImageValue(std::move(read.image)).with_labels(read.label_table));
    }
    file.held.is_own = true;
    return file;
}

// Labels where the caller or a file beside them says so.
Held read_warpable(const fs::path& path, bool as_labels) {
    using operations::Warpable;
    if (auto points = files::read_points(path, {}))
        return held(kinds::warpable, std::move(*points));
    as_labels |= io::is_label_map(path);
    const ReadFile file = read_as(path, as_labels, {});
    const auto& image = file.held.as<ImageValue>();
    return held(kinds::warpable,
                as_labels ? Warpable(operations::WarpableLabels{image}) : Warpable(image));
}

// 255 where the image is not 0.
Held read_mask(const fs::path& path) {
    const AnyImage image = io::read_image(path).image;
    if (shape_of(image).channels != 1)
        throw InvalidArgument("'" + path.string() + "': a mask has one channel, this image has " +
                              std::to_string(shape_of(image).channels));
    return std::visit(
        [](const auto& typed) {
            Image<std::uint8_t> mask(typed.shape(), typed.geometry);
            std::transform(typed.pixels().begin(), typed.pixels().end(), mask.pixels().begin(),
                           [](auto value) { return value != 0 ? std::uint8_t{255} : 0; });
            return held(kinds::mask, ImageValue(AnyImage(std::move(mask))));
        },
        image);
}

std::optional<std::int64_t> number_or_none(PyObject* object) {
    if (object == Py_None) return {};
    const long long value = PyLong_AsLongLong(object);
    if (value == -1 && PyErr_Occurred()) throw PythonError();
    return value;
}

Held read_slide(const fs::path& path, double micrometers) {
    io::SlideReadOptions options;
    if (micrometers > 0) options.micrometers_per_pixel = {micrometers, micrometers};
    return held(kinds::slide, operations::OpenSlide([path, options]() -> operations::Slide {
                    return io::open_slide(path, options);
                }));
}
// Where one slide is taken, it is opened with the call.
void put_slide(const Held& from, Values& values, std::string_view name) {
    values.set(name, from.as<operations::OpenSlide>()());
}

// What can be read part by part, of one channel where there is no other use of more.
std::optional<Held> open_parts(const fs::path& path, bool any_channels) {
    std::vector<std::string> warnings;
    std::optional<operations::ImageParts> parts;
    try {
        parts = files::open_parts(
            path, [&] { return operations::Slide(io::open_slide(path)); }, warnings);
    } catch (const Error&) {
        return {};  // reading it as a whole tells why
    }
    if (!parts || parts->shape().t > 1 || (parts->shape().channels > 1 && !any_channels)) return {};
    for (const std::string& warning : warnings)
        detail::warn_once("'" + path.string() + "': " + warning);
    return held(kinds::parts, std::move(*parts));
}

const Table* table_of(const Held& held) {
    if (held.kind == kinds::table) return &held.as<Table>();
    if (held.kind == kinds::outlines) return &held.as<operations::Outlines>().table;
    return nullptr;
}

enum class ColumnType { whole, number, text };

ColumnType type_of(const Table& table, std::size_t column) {
    ColumnType type = ColumnType::whole;
    for (std::int64_t row = 0; row < table.rows; ++row) {
        const Table::Cell cell = table.cell(row, column);
        if (std::holds_alternative<std::string>(cell)) return ColumnType::text;
        if (std::holds_alternative<double>(cell)) type = ColumnType::number;
    }
    return type;
}

// ("q" or "d", the numbers as they lie in memory)
template <class T>
Object number_column(const Table& table, std::size_t column, const char* code) {
    std::vector<T> numbers(static_cast<std::size_t>(table.rows));
    for (std::int64_t row = 0; row < table.rows; ++row)
        numbers[static_cast<std::size_t>(row)] = std::visit(
            [](const auto& value) {
                if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
                    return static_cast<T>(value);
                else
                    return T{};
            },
            table.cell(row, column));
    const Object bytes(
        PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(numbers.data()),
                                      static_cast<Py_ssize_t>(numbers.size() * sizeof(T))));
    return Object(Py_BuildValue("(sO)", code, bytes.get()));
}

Object text_column(const Table& table, std::size_t column) {
    std::vector<std::string> texts;
    for (std::int64_t row = 0; row < table.rows; ++row) {
        const Table::Cell cell = table.cell(row, column);
        const auto* text = std::get_if<std::string>(&cell);
        texts.push_back(text ? *text : std::string());
    }
    const Object list = to_python(texts);
    return Object(Py_BuildValue("(sO)", "s", list.get()));
}

AnyImage own_copy(const AnyImageView& view) {
    return view.visit([]<class T>(const PixelView<T>& pixels) -> AnyImage {
        Image<T> image(pixels.shape(), pixels.geometry);
        image.has_alpha = pixels.has_alpha;
        std::copy(pixels.pixels().begin(), pixels.pixels().end(), image.pixels().begin());
        return image;
    });
}

std::vector<std::string> write(const Held& held, const fs::path& path,
                               const io::WriteOptions& how) {
    if (held.kind.value == &typeid(ImageValue) && held.kind != kinds::view) {
        const auto& value = held.as<ImageValue>();
        Values values;
        values.set(own, ImageValue(own_copy(value.view())).with_labels(value.label_table()));
        return files::output_kind(held.kind).write(values, own, path, how);
    }
    Values values;
    held.put(held, values, own);
    return files::output_kind(held.kind).write(values, own, path, how);
}

}  // namespace

Object read_file(PyObject* arguments) {
    PyObject *path_object = nullptr, *slice = nullptr, *time = nullptr;
    const char *role = nullptr, *channel = nullptr, *raw = nullptr, *series = nullptr;
    parse(arguments, "OssOOss", &path_object, &role, &channel, &slice, &time, &raw, &series);
    refuse_forked();
    const fs::path path = path_of(path_object);
    io::ReadOptions options;
    options.choice = {.channel = channel,
                      .slice = number_or_none(slice),
                      .time = number_or_none(time),
                      .series = series};
    if (*raw) options.raw = io::RawLayout::parse(raw);
    ReadFile file = [&] {
        const WithoutLock unlocked;
        return read_as(path, std::string_view(role) == "labels", options);
    }();
    const Object facts =
        to_python(operations::Figures{{"format", file.format},
                                      {"warnings", std::move(file.warnings)},
                                      {"channel_names", std::move(file.channel_names)},
                                      {"separate_channels", file.separate_channels}});
    const Object value = to_python(std::move(file.held));
    return Object(Py_BuildValue("(OO)", value.get(), facts.get()));
}

Object load_value(PyObject* arguments) {
    const char* kind_name = nullptr;
    PyObject* path_object = nullptr;
    double micrometers = 0;
    int as_labels = 0;
    parse(arguments, "sOdp", &kind_name, &path_object, &micrometers, &as_labels);
    refuse_forked();
    const Kind kind = kind_named(kind_name);
    const fs::path path = path_of(path_object);
    return to_python([&] {
        const WithoutLock unlocked;
        if (kind == kinds::slide) {
            Held slide = read_slide(path, micrometers);
            slide.put = put_slide;
            return slide;
        }
        if (kind == kinds::coefficients)
            return held(kind, operations::Coefficients(
                                  io::coefficients_of(io::read_image(path).image, path)));
        if (kind == kinds::warpable) return read_warpable(path, as_labels != 0);
        if (kind == kinds::mask) return read_mask(path);
        if (kind == kinds::colored_labels) {
            io::LabelMap map = io::read_label_map(path);
            return held(kind, files::colored_labels(std::move(map.labels), map.table));
        }
        if (!files::has_input_file(kind))
            return read_as(path, kind == kinds::labels || kind == kinds::seeds, {}).held;
        Values values;
        files::read_input(kind, values, own, path, {});
        return held_in(values, own, kind);
    }());
}

Object open_in_parts(PyObject* arguments) {
    PyObject* path_object = nullptr;
    int any_channels = 0;
    parse(arguments, "Op", &path_object, &any_channels);
    refuse_forked();
    const fs::path path = path_of(path_object);
    std::optional<Held> parts = [&] {
        const WithoutLock unlocked;
        return open_parts(path, any_channels != 0);
    }();
    return parts ? to_python(std::move(*parts)) : none();
}

Object value_by_text(PyObject* arguments) {
    const char* kind_name = nullptr;
    PyObject* text = nullptr;
    parse(arguments, "sO", &kind_name, &text);
    const Kind kind = kind_named(kind_name);
    struct Word {
        Kind kind;
        bool (*set)(std::string_view name, const std::string& text, Values& values);
    };
    const std::array words{Word{kinds::seeds, files::seeds_by_text},
                           Word{kinds::transfer, files::transfer_by_text},
                           Word{kinds::camera, files::camera_by_text},
                           Word{kinds::background, files::background_by_text}};
    Values values;
    for (const Word& word : words)
        if (word.kind == kind && word.set(own, text_of(text), values))
            return to_python(held_in(values, own, kind));
    return none();
}

Object write_file(PyObject* arguments) {
    PyObject *value = nullptr, *path_object = nullptr, *source = nullptr;
    const char* kind = nullptr;
    parse(arguments, "OOsO", &value, &path_object, &kind, &source);
    refuse_forked();
    Held held = on_host(held_of(value));
    if (*kind) held.kind = kind_named(kind);
    const fs::path path = path_of(path_object);
    const io::WriteOptions how{
        .origin = {.source = path_of(source), .process = {}, .keeps_values = false}};
    return to_python([&] {
        const WithoutLock unlocked;
        return write(held, path, how);
    }());
}

Object columns_of(PyObject* arguments) {
    PyObject* value = nullptr;
    parse(arguments, "O", &value);
    const Table* table = table_of(held_of(value));
    if (!table) throw InvalidArgument("the value is no table");
    Object columns(PyDict_New());
    for (std::size_t i = 0; i < table->columns.size(); ++i) {
        const ColumnType type = type_of(*table, i);
        set_item(columns, table->columns[i].c_str(),
                 type == ColumnType::text    ? text_column(*table, i)
                 : type == ColumnType::whole ? number_column<std::int64_t>(*table, i, "q")
                                             : number_column<double>(*table, i, "d"));
    }
    return columns;
}

std::vector<operations::OpenSlide> opened_in_turn(const std::vector<Held>& slides) {
    std::vector<operations::OpenSlide> all;
    for (const Held& held : slides) {
        if (held.kind != kinds::slide)
            throw InvalidArgument("slides are the names of files, or lists of them");
        all.push_back(held.as<operations::OpenSlide>());
    }
    return all;
}

}  // namespace tesela::python
