// Python's objects in C++: owners of references, the interpreter's lock, and the way of numbers and
// texts to Python and back. CPython's limited API alone, so that one file serves Python 3.11 and
// later.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operations/operation.h"

namespace tesela::python {

// Python's error is set.
struct PythonError {};

// A reference of its own.
class Object {
  public:
    Object() = default;
    // Takes a new reference over. Throws PythonError for null.
    explicit Object(PyObject* fresh) : object_(fresh) {
        if (!fresh) throw PythonError();
    }
    static Object of(PyObject* borrowed) {
        Py_XINCREF(borrowed);
        return Object(borrowed);
    }
    Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Object& operator=(Object&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Object() { Py_XDECREF(object_); }

    PyObject* get() const { return object_; }
    PyObject* release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

  private:
    PyObject* object_ = nullptr;
};

inline Object none() { return Object::of(Py_None); }

// Other threads of Python run while it lives.
class WithoutLock {
  public:
    WithoutLock() : state_(PyEval_SaveThread()) {}
    ~WithoutLock() { PyEval_RestoreThread(state_); }
    WithoutLock(const WithoutLock&) = delete;
    WithoutLock& operator=(const WithoutLock&) = delete;

  private:
    PyThreadState* state_;
};
// The lock in any thread.
class WithLock {
  public:
    WithLock() : state_(PyGILState_Ensure()) {}
    ~WithLock() { PyGILState_Release(state_); }
    WithLock(const WithLock&) = delete;
    WithLock& operator=(const WithLock&) = delete;

  private:
    PyGILState_STATE state_;
};

Object to_python(bool value);
Object to_python(std::int64_t value);
Object to_python(double value);
Object to_python(std::string_view text);
inline Object to_python(const std::string& text) { return to_python(std::string_view(text)); }
Object to_python(const operations::Figures& record);
// A whole number of pixels is a number, another length a text such as "2mm".
Object to_python(const operations::OptionValue& value);
template <class T>
Object to_python(const std::vector<T>& values) {
    Object list(PyList_New(0));
    for (const auto& value : values) {
        const Object item = to_python(value);
        if (PyList_Append(list.get(), item.get()) != 0) throw PythonError();
    }
    return list;
}

void set_item(const Object& dict, const char* name, const Object& value);

// Throw PythonError for an object of another type.
std::string text_of(PyObject* object);
double number_of(PyObject* object);
// As text_of, of what names a file.
std::string path_of(PyObject* object);
// Calls `work` with the name and the object of each item.
template <class Work>
void for_each_item(PyObject* dict, const Work& work) {
    PyObject *name = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &name, &value)) work(text_of(name), value);
}

// Of a call by positions, as PyArg_ParseTuple takes them. Throws PythonError.
template <class... Targets>
void parse(PyObject* arguments, const char* format, Targets... targets) {
    if (!PyArg_ParseTuple(arguments, format, targets...)) throw PythonError();
}

// Sets Python's error for the exception that is being handled.
void set_error() noexcept;
// What `work` gives, an Object; null with Python's error set where it throws.
template <class Work>
PyObject* guarded(const Work& work) noexcept {
    try {
        return work().release();
    } catch (...) {
        set_error();
        return nullptr;
    }
}

}  // namespace tesela::python
