#include "python/objects.h"

#include <exception>
#include <filesystem>
#include <new>

#include "tesela/error.h"

namespace tesela::python {
namespace {

struct FigureObject {
    Object operator()(std::monostate) const { return none(); }
    template <class T>
    Object operator()(const T& value) const {
        return to_python(value);
    }
};

const char* class_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument:
            return "InvalidArgument";
        case ErrorCode::unreadable_input:
            return "UnreadableInput";
        case ErrorCode::unsupported_format:
            return "UnsupportedFormat";
        case ErrorCode::unwritable_output:
            return "UnwritableOutput";
        case ErrorCode::too_narrow:
            return "TooNarrow";
        case ErrorCode::device_unavailable:
            return "DeviceUnavailable";
        case ErrorCode::out_of_memory:
            return "OutOfMemory";
        case ErrorCode::cancelled:
            return "Cancelled";
    }
    return "Error";
}

// The classes are Python's, so that each is a ValueError, OSError and the like as well.
void raise(const char* name, const std::string& sentence, std::int64_t needed = -1,
           std::int64_t free = -1) {
    const Object module(PyImport_ImportModule("tesela._errors"));
    const Object text = to_python(sentence);
    const Object error(PyObject_CallMethod(module.get(), "make", "sOLL", name, text.get(),
                                           static_cast<long long>(needed),
                                           static_cast<long long>(free)));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
}

}  // namespace

Object to_python(bool value) { return Object::of(value ? Py_True : Py_False); }
Object to_python(std::int64_t value) { return Object(PyLong_FromLongLong(value)); }
Object to_python(double value) { return Object(PyFloat_FromDouble(value)); }
Object to_python(std::string_view text) {
    return Object(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}
Object to_python(const operations::Figures& record) {
    Object dict(PyDict_New());
    for (const operations::Figure& figure : record)
        set_item(dict, figure.name.c_str(), std::visit(FigureObject{}, figure.value));
    return dict;
}
Object to_python(const operations::OptionValue& value) {
    if (const auto* length = std::get_if<Length>(&value))
        return length->physical() ? to_python(length->to_string()) : to_python(length->value);
    if (const auto* flag = std::get_if<bool>(&value)) return to_python(*flag);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return to_python(*whole);
    if (const auto* number = std::get_if<double>(&value)) return to_python(*number);
    if (const auto* text = std::get_if<std::string>(&value)) return to_python(*text);
    return none();
}

void set_item(const Object& dict, const char* name, const Object& value) {
    if (PyDict_SetItemString(dict.get(), name, value.get()) != 0) throw PythonError();
}

std::string text_of(PyObject* object) {
    if (!PyUnicode_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "a text is expected");
        throw PythonError();
    }
    const Object bytes(PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape"));
    char* text = nullptr;
    Py_ssize_t length = 0;
    if (PyBytes_AsStringAndSize(bytes.get(), &text, &length) != 0) throw PythonError();
    return {text, static_cast<std::size_t>(length)};
}

double number_of(PyObject* object) {
    const double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) throw PythonError();
    return value;
}

std::string path_of(PyObject* object) {
    PyObject* bytes = nullptr;
    if (!PyUnicode_FSConverter(object, &bytes)) throw PythonError();
    const Object owner(bytes);
    char* text = nullptr;
    Py_ssize_t length = 0;
    if (PyBytes_AsStringAndSize(bytes, &text, &length) != 0) throw PythonError();
    return {text, static_cast<std::size_t>(length)};
}

void set_error() noexcept {
    try {
        try {
            throw;
        } catch (const PythonError&) {
        } catch (const OutOfMemory& error) {
            raise("OutOfMemory", error.what(), error.bytes_needed(), error.bytes_free());
        } catch (const operations::InvalidInput& error) {
            raise("InvalidArgument", error.input() + ": " + error.what());
        } catch (const Error& error) {
            raise(class_of(error.code()), error.what());
        } catch (const std::filesystem::filesystem_error& error) {
            raise("UnwritableOutput",
                  "cannot write '" + error.path1().string() + "': " + error.code().message());
        } catch (const std::bad_alloc&) {
            raise("OutOfMemory", "memory of the host ran out");
        } catch (const std::exception& error) {
            raise("Error", error.what());
        }
    } catch (...) {  // Python's own error is set
    }
}

}  // namespace tesela::python
