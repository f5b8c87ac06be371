#include "python/call.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "files/input_files.h"
#include "files/output_files.h"
#include "operations/kinds/files.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/transform.h"
#include "operations/kinds/volume_file.h"
#include "operations/kinds/wavelet.h"
#include "operations/registry.h"
#include "python/arrays.h"
#include "python/files.h"
#include "python/queues.h"
#include "python/residents.h"
#include "python/stopping.h"
#include "python/values.h"
#include "tesela/compute/device.h"
#include "tesela/compute/device_list.h"
#include "tesela/progress.h"

namespace tesela::python {
namespace {

using operations::ImageValue;
using operations::Input;
using operations::Kind;
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

void add_work(QueueWork& sum, const QueueWork& more) {
    for (const auto member :
         {&QueueWork::launches, &QueueWork::uploads, &QueueWork::downloads,
          &QueueWork::bytes_uploaded, &QueueWork::bytes_downloaded, &QueueWork::allocations})
        sum.*member += more.*member;
}

// Adds what the queue of a place does meanwhile to the work of a call.
class Counted {
  public:
    Counted(const std::shared_ptr<const Place>& place, QueueWork& sum)
        : queue_(place ? &thread_queue(place->device) : nullptr), sum_(sum) {
        if (queue_) before_ = queue_->counters();
    }
    ~Counted() {
        if (queue_) add_work(sum_, queue_->counters() - before_);
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

  private:
    Queue* queue_;
    QueueWork& sum_;
    QueueWork before_;
};

// The values that a call refers to, and what is known of them.
struct Inputs {
    Values values;
    std::vector<Held> held;  // what values refer to
    std::int64_t copied_bytes = 0;
    QueueWork work;  // that brought them where they are
    // Of the first image that is on a device, and its name.
    std::shared_ptr<const Place> place;
    std::string placed_name;
    bool is_first_placed = false;  // the first image is on a device, and so will be results

    Inputs(const Operation& operation, const Options& options, PyObject* dict,
           const SharedLabelTable& names) {
        const bool as_labels = wants_labels(options);
        std::vector<std::pair<std::string, std::vector<Held>>> all;
        std::vector<bool> are_lists;
        for_each_item(dict, [&](const std::string& name, PyObject* value) {
            const bool is_list = PyList_Check(value) != 0;
            auto& several = all.emplace_back(name, std::vector<Held>{}).second;
            for (Py_ssize_t i = 0; i < (is_list ? PyList_Size(value) : 1); ++i)
                several.push_back(held_of(is_list ? PyList_GetItem(value, i) : value));
            for (const Held& one : several) look_for_place(name, one);
            are_lists.push_back(is_list);
        });
        const Counted counted(place, work);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Input& input = input_named(operation, all[i].first);
            if (are_lists[i])
                add_several(input, all[i].second);
            else
                add(input, all[i].second.front(), as_labels, names);
        }
    }

    // All has been given to the device that reads them, before `has_read` was recorded.
    void end_reading(const std::optional<Event>& has_read) const {
        if (place) return_to(lenders_, place->device, has_read);
    }

    // Images that belong to another queue than the one that works come to the host.
    void follow(const Operation& operation, const Queue& queue) {
        if (!place) return;
        const Counted counted(place, work);
        // Coefficients are values of the host.
        const bool is_for_host = std::ranges::any_of(operation.outputs, [](const Output& output) {
            return output.kind == operations::kinds::coefficients;
        });
        const Queue* const working = is_for_host ? nullptr : &queue;
        const auto followed = [&](const ImageValue& image) {
            if (!image.is_resident() || find_queue_of(image) == working) return image;
            return on_host(image);
        };
        for (const auto* inputs : {&operation.inputs, &operation.named})
            for (const Input& input : *inputs) {
                if (const auto* image = values.find<ImageValue>(input.name))
                    values.set(input.name, followed(*image));
                if (const auto* several = values.find<std::vector<ImageValue>>(input.name)) {
                    auto images = *several;
                    std::ranges::transform(images, images.begin(), followed);
                    values.set(input.name, std::move(images));
                }
            }
    }

  private:
    void look_for_place(const std::string& name, const Held& one) {
        is_first_placed |= is_first_ && one.place;
        is_first_ &= !one.place && !pixels_of(one);
        if (!one.place) return;
        if (one.place->lender) lenders_.push_back(*one.place->lender);
        if (place && !(place->device == one.place->device))
            throw_type_error(name + " is on " + one.place->device.id() + ", and " + placed_name +
                             " on " + place->device.id() + ": bring them to one device");
        if (place) return;
        place = one.place;
        placed_name = name;
    }
    void count(const Held& value) {
        copied_bytes += value.copied_bytes;
        add_work(work, value.work);
        held.push_back(value);
    }
    void add(const Input& input, const Held& value, bool as_labels, const SharedLabelTable& names) {
        try {
            const Held taken = adapted(value, input.kind, as_labels);
            count(input.names_labels ? with_names(taken, names) : taken);
        } catch (const InvalidArgument& error) {
            throw operations::InvalidInput(std::string(input.name), error.what());
        }
        held.back().put(held.back(), values, input.name);
    }
    void add_several(const Input& input, const std::vector<Held>& several) {
        if (input.kind == operations::kinds::slide)
            return values.set(input.name, opened_in_turn(several));
        if (input.kind == operations::kinds::transform) return add_list<Transform>(input, several);
        if (input.kind == operations::kinds::parts)
            return add_list<operations::ImageParts>(input, several);
        add_list<ImageValue>(input, several);
    }
    template <class T>
    void add_list(const Input& input, const std::vector<Held>& several) {
        std::vector<T> all;
        for (const Held& one : several) {
            count(adapted(one, input.kind, false));
            all.push_back(held.back().as<T>());
        }
        values.set(input.name, std::move(all));
    }

    bool is_first_ = true;
    std::vector<Lender> lenders_;
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
                      files::write_part(std::filesystem::path(path) / file, kind, std::move(value));
                  }));
        parts.set(
            operations::kept_part(name),
            operations::ReadKept(
                [path = path](const std::string& file, operations::Kind kind, Values& values) {
                    return files::read_kept(kind, values, file, std::filesystem::path(path) / file);
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

Object numbers_of(const QueueWork& work, std::int64_t copied_bytes) {
    return python::to_python(std::vector<std::int64_t>{work.launches, work.uploads, work.downloads,
                                                       work.bytes_uploaded, work.bytes_downloaded,
                                                       work.allocations, copied_bytes});
}

// An image of the results where the first input is: on its device, or on the host. `computed` is
// recorded with the first that is on the device.
Held beside_input(const ImageValue& image, Kind kind, const Inputs& inputs,
                  std::optional<Event>& computed) {
    if (kind == operations::kinds::warpable) kind = operations::kinds::image;
    if (!inputs.is_first_placed) {
        const WithoutLock unlocked;
        Held made = held(kind, on_host(image));
        made.is_own = image.is_resident();  // it is a copy
        return made;
    }
    if (image.is_resident()) {
        if (!computed) computed = find_queue_of(image)->record();
        return lent_out(image, kind, *computed);
    }
    Queue& queue = thread_queue(inputs.place->device);
    const ImageValue moved = [&] {
        const WithoutLock unlocked;
        return upload(image, queue);
    }();
    return lent_out(moved, kind, queue.record());
}

const void* pixels_at(const ImageValue& image) {
    if (image.is_resident()) return memory_of(image);
    return image.view().visit(
        [](const auto& typed) { return static_cast<const void*>(typed.data()); });
}

// Whether Python may write to the pixels of an output: they are its own, and on the host whole.
bool is_own_image(const ImageValue& image) {
    if (image.is_resident()) return true;
    try {
        image.image();
        return true;
    } catch (const InvalidArgument&) {
        return false;
    }
}

Object outputs_of(const Operation& operation, const Results& results, const Inputs& inputs,
                  std::optional<Event>& computed) {
    Object outputs(PyDict_New());
    std::set<const void*> seen;
    for (const Held& input : inputs.held)
        if (input.kind.value == &typeid(ImageValue)) seen.insert(pixels_at(input.as<ImageValue>()));
    for (const Output& output : operation.outputs) {
        if (!results.outputs.has(output.name) || operations::is_file_alone(output.kind)) continue;
        Held held = held_in(results.outputs, output.name, output.kind);
        const auto image = pixels_of(held);
        const bool is_image = held.kind.value == &typeid(ImageValue);
        if (image && (inputs.is_first_placed || image->is_resident()) &&
            (is_image || held.kind == operations::kinds::warpable))
            held = beside_input(*image, held.kind, inputs, computed);
        // Its own pixels, and not those of an input or of another output.
        const bool is_copy = held.is_own;
        held.is_own = image.has_value();
        if (held.kind.value == &typeid(ImageValue)) {
            const auto& made = held.as<ImageValue>();
            held.is_own = seen.insert(pixels_at(made)).second && (is_copy || is_own_image(made));
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

Object to_python(const Operation& operation, const Results& results, Inputs& inputs) {
    std::optional<Event> has_computed;
    const Object outputs = [&] {
        const Counted counted(inputs.place, inputs.work);
        return outputs_of(operation, results, inputs, has_computed);
    }();
    inputs.end_reading(has_computed);
    QueueWork work = results.work;
    add_work(work, inputs.work);
    const Object figures = python::to_python(results.figures),
                 details = python::to_python(results.details),
                 summary = python::to_python(results.summary),
                 text = python::to_python(results.text), data = python::to_python(results.data),
                 used = used_of(results), warnings = python::to_python(results.warnings),
                 numbers = numbers_of(work, inputs.copied_bytes);
    return Object(PyTuple_Pack(9, outputs.get(), figures.get(), details.get(), summary.get(),
                               text.get(), data.get(), used.get(), numbers.get(), warnings.get()));
}

struct Settings {
    std::string device;
    int threads = 0;
    PyObject* progress = Py_None;
    bool is_interruptible = false;
};

// The operation on images of any size where those that are given are read part by part.
const Operation& form_for(const Operation& operation, PyObject* inputs) {
    bool any = false;
    for_each_item(inputs, [&](const std::string&, PyObject* value) {
        const Held* held = find_held(value);
        any |= held && held->kind == operations::kinds::parts;
    });
    return any ? *operation.slides.in_tiles : operation;
}

// Images on a device are worked on there.
std::string device_for(const Inputs& inputs, const std::string& wanted) {
    if (!inputs.place) return wanted;
    const Device& device = inputs.place->device;
    if (wanted == "auto") return device.id();
    for (const Device::Choice& choice : choose_devices(wanted))
        if (choice.device == device) return wanted;
    throw_type_error(inputs.placed_name + " is on " + device.id() + ", and device=\"" + wanted +
                     "\" was given: bring it there first, or leave device out");
}

Results computed(const Operation& operation, operations::Call call, Inputs& inputs,
                 const Settings& settings, const Paths& files, Callback& callback,
                 CancelToken& token) {
    const Progress progress = callback.progress();
    const WithoutLock unlocked;
    operations::check(operation, call);
    const BusyQueues queues(operation, call.options, settings.device,
                            inputs.place ? 0 : settings.threads);
    inputs.follow(operation, queues.first());
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
             *file_dict = nullptr, *name_dict = nullptr;
    Settings settings;
    int interruptible_now = 0;
    parse(arguments, "sOOOOsiOpO", &name, &input_dict, &option_dict, &output_list, &file_dict,
          &device, &settings.threads, &settings.progress, &interruptible_now, &name_dict);
    settings.device = device;
    settings.is_interruptible = interruptible_now != 0;
    const Operation& operation = form_for(Registry::all().find(name), input_dict);
    const Options options = options_of(operation, option_dict);
    const SharedLabelTable names = label_table_of(name_dict);
    Inputs inputs(operation, options, input_dict, names);
    settings.device = device_for(inputs, settings.device);
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
                                .made_labels = names,
                                .threads = settings.threads};
    CancelToken token;
    Callback callback(settings.progress, token);
    try {
        const Results results = computed(operation, call, inputs, settings, files, callback, token);
        if (!results.failure.empty()) throw std::runtime_error(results.failure);
        return to_python(operation, results, inputs);
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
    {
        const WithoutLock unlocked;  // owners of memory take it to let go of theirs
        trim_thread_queues();
        trim_images();
    }
    return none();
}
Object close_queues(PyObject*) {
    close_thread_queues();
    return none();
}

}  // namespace tesela::python
