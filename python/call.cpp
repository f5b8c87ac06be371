#include "python/call.h"

#include <filesystem>
#include <map>
#include <set>

#include "files/output_files.h"
#include "operations/kinds/folder.h"
#include "operations/kinds/image.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/volume_file.h"
#include "operations/registry.h"
#include "python/arrays.h"
#include "python/files.h"
#include "python/queues.h"
#include "python/stopping.h"
#include "python/values.h"
#include "tesela/compute/device.h"
#include "tesela/progress.h"

namespace tesela::python {
namespace {

using operations::ImageValue;
using operations::Input;
using operations::Operation;
using operations::Option;
using operations::OptionKind;
using operations::Options;
using operations::OptionValue;
using operations::Output;
using operations::Registry;
using operations::Results;
using operations::Values;

std::int64_t whole_of(const Option& option, PyObject* object) {
    PyObject* const whole = PyNumber_Index(object);
    if (!whole) {
        PyErr_Clear();
        throw InvalidArgument("--" + std::string(option.name) + ": a whole number is expected");
    }
    const Object owner(whole);
    const long long value = PyLong_AsLongLong(whole);
    if (value == -1 && PyErr_Occurred()) throw PythonError();
    return value;
}
double number_option(const Option& option, PyObject* object) {
    const double value = PyUnicode_Check(object) ? -1.0 : PyFloat_AsDouble(object);
    if (!PyErr_Occurred() && !PyUnicode_Check(object)) return value;
    PyErr_Clear();
    throw InvalidArgument("--" + std::string(option.name) + ": a number is expected");
}

OptionValue option_of(const Option& option, PyObject* object) {
    switch (option.kind) {
        case OptionKind::flag: {
            const int truth = PyObject_IsTrue(object);
            if (truth < 0) throw PythonError();
            return truth != 0;
        }
        case OptionKind::integer:
            return whole_of(option, object);
        case OptionKind::number:
            return number_option(option, object);
        case OptionKind::length:
            if (PyUnicode_Check(object)) try {
                    return Length::parse(text_of(object));
                } catch (const InvalidArgument& error) {
                    throw InvalidArgument("--" + std::string(option.name) + ": " + error.what());
                }
            return Length(number_option(option, object));
        default:
            if (!PyUnicode_Check(object))
                throw InvalidArgument("--" + std::string(option.name) + ": a text is expected");
            return text_of(object);
    }
}

Options options_of(const Operation& operation, PyObject* dict) {
    Options options = operation.options;
    for_each_item(dict, [&](const std::string& name, PyObject* value) {
        if (value == Py_None) return;
        for (const Option& option : operation.options.described())
            if (option.name == name) return options.set(name, option_of(option, value));
        throw InvalidArgument("there is no option '" + name + "'");
    });
    return options;
}

const Input& input_named(const Operation& operation, std::string_view name) {
    for (const auto* inputs : {&operation.inputs, &operation.named})
        for (const Input& input : *inputs)
            if (input.name == name) return input;
    throw InvalidArgument("there is no input '" + std::string(name) + "'");
}

bool wants_labels(const Options& options) {
    for (const Option& option : options.described())
        if (option.name == "labels" && option.kind == OptionKind::flag)
            return std::get<bool>(options.get("labels"));
    return false;
}

// The values that a call refers to, and what is known of them.
struct Inputs {
    Values values;
    std::vector<Held> held;  // what values refer to
    std::map<std::string, operations::LabelNames, std::less<>> label_names;
    std::int64_t copied_bytes = 0;

    Inputs(const Operation& operation, const Options& options, PyObject* dict) {
        const bool as_labels = wants_labels(options);
        for_each_item(dict, [&](const std::string& name, PyObject* value) {
            const Input& input = input_named(operation, name);
            if (!PyList_Check(value)) return add(input, held_of(value), as_labels);
            std::vector<Held> several;
            for (Py_ssize_t i = 0; i < PyList_Size(value); ++i)
                several.push_back(held_of(PyList_GetItem(value, i)));
            add_several(input, several);
        });
    }

  private:
    void count(const Input& input, const Held& value) {
        copied_bytes += value.copied_bytes;
        if (!value.names.empty()) label_names[std::string(input.name)] = value.names;
        held.push_back(value);
    }
    void add(const Input& input, const Held& value, bool as_labels) {
        try {
            count(input, adapted(value, input.kind, as_labels));
        } catch (const InvalidArgument& error) {
            throw operations::InvalidInput(std::string(input.name), error.what());
        }
        held.back().put(held.back(), values, input.name);
    }
    void add_several(const Input& input, const std::vector<Held>& several) {
        if (input.kind == operations::kinds::slide)
            return values.set(input.name, opened_in_turn(several));
        std::vector<ImageValue> images;
        for (const Held& one : several) {
            count(input, adapted(one, input.kind, false));
            images.push_back(held.back().as<ImageValue>());
        }
        values.set(input.name, std::move(images));
    }
};

using Paths = std::map<std::string, std::string>;

// Where the parts of outputs go that are made part by part.
Values parts_of(const Operation& operation, const Paths& files) {
    Values parts;
    for (const auto& [name, path] : files) {
        const Output* output = operation.output(name);
        if (!output) throw InvalidArgument("there is no output '" + name + "'");
        const auto open = files::output_kind(output->kind).open;
        if (open) open(parts, name, path);
        if (output->kind != operations::kinds::folder) continue;
        std::filesystem::create_directories(path);
        parts.set(name, operations::WriteFile([path = path](const std::string& file,
                                                            operations::Kind kind, std::any value) {
                      write_part(std::filesystem::path(path) / file, kind, std::move(value));
                  }));
    }
    return parts;
}

void write_files(const Operation& operation, const Paths& files, Results& results) {
    for (const auto& [name, path] : files) {
        const auto& kind = files::output_kind(operation.output(name)->kind);
        if (!kind.write || !results.outputs.has(name)) continue;
        for (std::string& warning : kind.write(results.outputs, name, path, {}))
            results.warnings.push_back(std::move(warning));
    }
}

bool is_file(const Output& output) {
    namespace kinds = operations::kinds;
    return output.kind == kinds::tiles || output.kind == kinds::volume_file ||
           output.kind == kinds::folder || output.kind == kinds::repeated_slide;
}

operations::Figures figures_of(const QueueWork& work, std::int64_t copied_bytes) {
    return {{"launches", work.launches},
            {"uploads", work.uploads},
            {"downloads", work.downloads},
            {"bytes_uploaded", work.bytes_uploaded},
            {"bytes_downloaded", work.bytes_downloaded},
            {"allocations", work.allocations},
            {"bytes_copied", copied_bytes}};
}

Object outputs_of(const Operation& operation, const Results& results) {
    Object outputs(PyDict_New());
    std::set<const void*> seen;
    for (const Output& output : operation.outputs) {
        if (!results.outputs.has(output.name) || is_file(output)) continue;
        Held held = held_in(results.outputs, output.name, output.kind);
        if (held.kind.value == &typeid(ImageValue)) {
            const AnyImageView& view = held.as<ImageValue>().view();
            // Its own pixels, and not those of an input or of another output.
            held.is_own = seen.insert(view.visit([](const auto& typed) {
                                  return static_cast<const void*>(typed.data());
                              }))
                              .second;
            try {
                held.as<ImageValue>().image();
            } catch (const InvalidArgument&) {
                held.is_own = false;
            }
        } else {
            held.is_own = pixels_of(held).has_value();
        }
        set_item(outputs, std::string(output.name).c_str(), to_python(std::move(held)));
    }
    return outputs;
}

Object used_of(const Results& results) {
    Object used(PyDict_New());
    for (const auto& [name, value] : results.used) set_item(used, name.c_str(), to_python(value));
    return used;
}

Object to_python(const Operation& operation, const Results& results, std::int64_t copied_bytes) {
    Object made(PyDict_New());
    set_item(made, "outputs", outputs_of(operation, results));
    set_item(made, "figures", python::to_python(results.figures));
    set_item(made, "details", python::to_python(results.details));
    set_item(made, "summary", python::to_python(results.summary));
    set_item(made, "text", python::to_python(results.text));
    set_item(made, "data", python::to_python(results.data));
    set_item(made, "used", used_of(results));
    set_item(made, "warnings", python::to_python(results.warnings));
    set_item(made, "work", python::to_python(figures_of(results.work, copied_bytes)));
    return made;
}

struct Settings {
    std::string device;
    int threads = 0;
    PyObject* progress = Py_None;
    bool is_interruptible = false;
};

Results computed(const Operation& operation, operations::Call call, const Settings& settings,
                 const Paths& files, Callback& callback, CancelToken& token) {
    const Progress progress = callback.progress();
    const WithoutLock unlocked;
    operations::check(operation, call);
    const BusyQueues queues(operation, call.options, settings.device, settings.threads);
    call.queues = queues.all();
    const Stoppable stoppable(token, settings.is_interruptible);
    call.parts = parts_of(operation, files);
    Results results = run(operation, call, queues.first(), progress);
    write_files(operation, files, results);
    return results;
}

}  // namespace

Object call_operation(PyObject* arguments) {
    const char *name = nullptr, *device = nullptr;
    PyObject *input_dict = nullptr, *option_dict = nullptr, *output_list = nullptr,
             *file_dict = nullptr;
    Settings settings;
    int interruptible_now = 0;
    parse(arguments, "sOOOOsiOp", &name, &input_dict, &option_dict, &output_list, &file_dict,
          &device, &settings.threads, &settings.progress, &interruptible_now);
    settings.device = device;
    settings.is_interruptible = interruptible_now != 0;
    const Operation& operation = Registry::all().find(name);
    const Options options = options_of(operation, option_dict);
    const Inputs inputs(operation, options, input_dict);
    std::set<std::string, std::less<>> wanted;
    for (Py_ssize_t i = 0; i < PyList_Size(output_list); ++i)
        wanted.insert(text_of(PyList_GetItem(output_list, i)));
    Paths files;
    for_each_item(file_dict, [&](const std::string& output, PyObject* path) {
        files.emplace(output, path_of(path));
        wanted.insert(output);
    });
    const operations::Call call{.inputs = inputs.values,
                                .options = options,
                                .wanted = wanted,
                                .label_names = inputs.label_names,
                                .threads = settings.threads};
    CancelToken token;
    Callback callback(settings.progress, token);
    try {
        const Results results = computed(operation, call, settings, files, callback, token);
        if (!results.failure.empty()) throw std::runtime_error(results.failure);
        return to_python(operation, results, inputs.copied_bytes);
    } catch (const Cancelled&) {
        if (callback.restore() || PyErr_CheckSignals() != 0) throw PythonError();
        throw;
    }
}

Object cancel_calls(PyObject*) {
    cancel_all();
    return none();
}

Object list_devices(PyObject*) {
    refuse_forked();
    std::vector<operations::Figures> all;
    const auto devices = [] {
        const WithoutLock unlocked;
        return std::pair(Device::all(), Device::rejected());
    }();
    for (const Device& device : devices.first) {
        const DeviceProperties& properties = device.properties();
        all.push_back({{"id", device.id()},
                       {"name", properties.name},
                       {"driver", properties.driver},
                       {"compute_units", std::int64_t{properties.compute_units}},
                       {"global_memory", properties.global_memory},
                       {"has_f64", properties.has_f64},
                       {"is_gpu", properties.is_gpu},
                       {"problem", {}}});
    }
    for (const Device::Rejected& rejected : devices.second)
        all.push_back({{"id", std::string(back_end_name(rejected.back_end))},
                       {"name", rejected.what},
                       {"problem", rejected.why}});
    return python::to_python(all);
}

Object trim_queues(PyObject*) {
    trim_thread_queues();
    return none();
}
Object close_queues(PyObject*) {
    close_thread_queues();
    return none();
}

}  // namespace tesela::python
