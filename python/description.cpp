// Descriptions of operations as records.
#include "operations/kinds/annotations.h"
#include "operations/kinds/files.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/table.h"
#include "operations/kinds/tissue.h"
#include "operations/kinds/transform.h"
#include "operations/kinds/volume_file.h"
#include "operations/other_names.h"
#include "operations/registry.h"
#include "python/call.h"

namespace tesela::python {
namespace {

using operations::Figures;
using operations::Input;
using operations::Operation;
using operations::Option;
using operations::Output;
using operations::Registry;
namespace kinds = operations::kinds;

std::string text(std::string_view view) { return std::string(view); }

// What an output is in Python.
std::string form_of(const Output& output) {
    const operations::Kind kind = output.kind;
    if (kind.value == &typeid(operations::ImageValue) || kind == kinds::classes) return "array";
    if (kind == kinds::table || kind == kinds::outlines) return "table";
    if (operations::is_file_alone(kind)) return "file";
    return "value";
}

Figures record_of(const Input& input, bool is_named) {
    return {{"name", text(input.name)},
            {"kind", text(input.kind.name)},
            {"is_image", input.kind.value == &typeid(operations::ImageValue)},
            {"help", text(input.help)},
            {"required", input.required},
            {"automatic", text(input.automatic)},
            {"several", input.several},
            {"axes", std::int64_t{input.axes}},
            {"any_channels", input.any_channels},
            {"own_grid", input.own_grid},
            {"names_labels", input.names_labels},
            {"named", is_named}};
}

Figures record_of(const Output& output) {
    return {{"name", text(output.name)},
            {"kind", text(output.kind.name)},
            {"form", form_of(output)},
            {"help", text(output.help)},
            {"required", output.required},
            {"always", output.always},
            {"by_name_alone", output.by_name_alone},
            {"own_grid", output.form != nullptr}};
}

Figures range_of(const Option& option) {
    return {{"lowest", option.range.lowest},
            {"highest", option.range.highest},
            {"text", option.range.to_string()},
            {"unit", text(option.range.unit)},
            {"automatic", text(option.range.automatic)}};
}

std::vector<std::string> texts(const std::vector<std::string_view>& views) {
    return {views.begin(), views.end()};
}

Object record_of(const Option& option) {
    Object record = to_python(Figures{{"name", text(option.name)},
                                      {"kind", text(operations::kind_name(option.kind))},
                                      {"help", text(option.help)},
                                      {"choices", texts(option.choices)},
                                      {"choice_help", texts(option.choice_help)},
                                      {"range", range_of(option)}});
    set_item(record, "default", to_python(option.default_value));
    return record;
}

Object options_of(const Operation& operation) {
    Object list(PyList_New(0));
    for (const Option& option : operation.options.described()) {
        const Object record = record_of(option);
        if (PyList_Append(list.get(), record.get()) != 0) throw PythonError();
    }
    return list;
}

}  // namespace

Object list_operations(PyObject*) {
    std::vector<Figures> all, families;
    for (const Operation& operation : Registry::all().operations())
        all.push_back({{"name", operation.name},
                       {"purpose", operation.purpose},
                       {"alias", std::string(operations::other_name(operation.name))}});
    for (const operations::Family& family : Registry::all().families())
        families.push_back({{"name", family.name},
                            {"purpose", family.purpose},
                            {"sentence", family.sentence},
                            {"default", family.default_operation}});
    Object made(PyDict_New());
    set_item(made, "operations", to_python(all));
    set_item(made, "families", to_python(families));
    return made;
}

Object describe_operation(PyObject* arguments) {
    const char* name = nullptr;
    parse(arguments, "s", &name);
    const Operation& operation = Registry::all().find(name);
    std::vector<Figures> inputs, outputs;
    for (const Input& input : operation.inputs) inputs.push_back(record_of(input, false));
    for (const Input& input : operation.named) inputs.push_back(record_of(input, true));
    for (const Output& output : operation.outputs) outputs.push_back(record_of(output));
    Object made = to_python(
        Figures{{"name", operation.name},
                {"purpose", operation.purpose},
                {"sentence", operation.sentence},
                {"instead_of_input", text(operation.command_line.instead_of_input)},
                {"prints", text(operation.command_line.prints)},
                {"on_host", operation.device.on_host},
                {"several_devices", operation.device.queues == operations::Queues::of_devices},
                {"in_parts", operation.slides.in_tiles &&
                                 operation.slides.in_tiles->inputs.front().kind == kinds::parts},
                {"inputs", std::move(inputs)},
                {"outputs", std::move(outputs)}});
    set_item(made, "options", options_of(operation));
    return made;
}

}  // namespace tesela::python
