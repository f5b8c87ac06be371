// The extension module tesela._tesela. The package beside it is what people call.
#include <mutex>
#include <string>
#include <vector>

#include "python/arrays.h"
#include "python/call.h"
#include "python/files.h"
#include "python/objects.h"
#include "python/program.h"
#include "python/queues.h"
#include "python/residents.h"
#include "python/stopping.h"
#include "python/values.h"
#include "tesela/warnings.h"

namespace tesela::python {
namespace {

// Sentences of the library about the machine, until Python asks for them.
std::mutex sentences_mutex;
std::vector<std::string> sentences;

Object take_sentences(PyObject*) {
    std::vector<std::string> taken;
    {
        const std::lock_guard lock(sentences_mutex);
        taken.swap(sentences);
    }
    return to_python(taken);  // which may let another thread of Python run
}

PyObject* end_module(PyObject*, PyObject*) {
    return guarded([] {
        end_calls();
        close_thread_queues();
        return none();
    });
}

template <Object (*work)(PyObject* arguments)>
PyObject* entry(PyObject*, PyObject* arguments) {
    return guarded([&] {
        const RunningCall running;
        return work(arguments);
    });
}

PyMethodDef methods[] = {
    {"operations", entry<list_operations>, METH_VARARGS, "All operations and their families."},
    {"describe", entry<describe_operation>, METH_VARARGS, "What an operation takes and makes."},
    {"call", entry<call_operation>, METH_VARARGS, "Calls an operation."},
    {"cancel", entry<cancel_calls>, METH_VARARGS, "Stops all calls that run now."},
    {"image", entry<image_of>, METH_VARARGS, "An array as an image."},
    {"place", entry<placed>, METH_VARARGS, "An image on a device, or on the host."},
    {"dlpack", entry<dlpack_of>, METH_VARARGS, "An image on a device as a capsule of DLPack."},
    {"lend", entry<lend>, METH_VARARGS, "Where an image with CUDA lies, for work of a stream."},
    {"interface", entry<interface_of>, METH_VARARGS, "The same as __cuda_array_interface__."},
    {"facts", entry<facts_of>, METH_VARARGS, "Axes, type and geometry of an image."},
    {"columns", entry<columns_of>, METH_VARARGS, "The columns of a table."},
    {"read", entry<read_file>, METH_VARARGS, "Reads an image."},
    {"load", entry<load_value>, METH_VARARGS, "Reads a value of another kind."},
    {"open_in_parts", entry<open_in_parts>, METH_VARARGS,
     "Opens an image that is read part by part, or gives None."},
    {"by_text", entry<value_by_text>, METH_VARARGS, "The value that a text stands for."},
    {"write", entry<write_file>, METH_VARARGS, "Writes a value."},
    {"devices", entry<list_devices>, METH_VARARGS, "What this machine has."},
    {"warnings", entry<take_sentences>, METH_VARARGS, "What the library has to say."},
    {"trim", entry<trim_queues>, METH_VARARGS, "Gives kept memory back."},
    {"close", entry<close_queues>, METH_VARARGS, "Ends the queues of this thread."},
    {"program", entry<run_program>, METH_VARARGS, "The command line."},
    {"end", end_module, METH_VARARGS, "Stops all calls, waits for them, and ends the queues."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "tesela._tesela",
                          "Operations of Tesela and their values.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

// Calls in daemon threads, and queues, end before Python does.
void end_before_python(const Object& module) {
    const Object end(PyObject_GetAttrString(module.get(), "end"));
    const Object atexit(PyImport_ImportModule("atexit"));
    const Object done(PyObject_CallMethod(atexit.get(), "register", "O", end.get()));
}

}  // namespace
}  // namespace tesela::python

PyMODINIT_FUNC PyInit__tesela() {
    using namespace tesela::python;
    return guarded([] {
        forget_calls_in_children();
        Object module(PyModule_Create(&definition));
        if (PyModule_AddObjectRef(module.get(), "Value", value_type()) != 0) throw PythonError();
        if (PyModule_AddStringConstant(module.get(), "version", TESELA_VERSION) != 0)
            throw PythonError();
        end_before_python(module);
        tesela::set_warning_handler([](const std::string& sentence) {
            const std::lock_guard lock(sentences_mutex);
            sentences.push_back(sentence);
        });
        return module;
    });
}
