#include "python/program.h"

#include "cli/entry.h"

namespace tesela::python {

Object run_program(PyObject* arguments) {
    PyObject* list = nullptr;
    parse(arguments, "O!", &PyList_Type, &list);
    std::vector<std::string> words;
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i)
        words.push_back(path_of(PyList_GetItem(list, i)));
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    int status = 0;
    {
        const WithoutLock unlocked;
        status = tesela_program(static_cast<int>(words.size()), pointers.data());
    }
    return to_python(std::int64_t{status});
}

}  // namespace tesela::python
