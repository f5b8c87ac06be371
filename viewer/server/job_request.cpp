#include "viewer/server/job.h"

#include <algorithm>

#include "operations/kinds/files.h"
#include "operations/kinds/parts.h"
#include "tesela/error.h"
#include "viewer/server/job_inputs.h"
#include "viewer/server/message.h"

namespace tesela::viewer {
namespace {

namespace kinds = operations::kinds;
using operations::Input;
using operations::Operation;
using operations::Option;
using operations::OptionKind;
using operations::OptionValue;

void require_input(const Operation& operation, const std::string& name) {
    for (const auto* inputs : {&operation.inputs, &operation.named})
        for (const Input& input : *inputs)
            if (input.name == name) return;
    throw Refused(400, "'" + operation.name + "' has no input '" + name + "'", name);
}

// `in_boxes`: also a slide that does not fit into memory.
JobInput input_of(const std::string& name, const Json& json, bool in_boxes, Images& images) {
    JobInput input{name};
    const Json list = json.is_array() ? json : Json::array({json});
    for (const Json& given : list) {
        if (!given.is_object() || given.size() != 1)
            throw Refused(400, "an input is {\"image\": N} or {\"text\": \"...\"}", name);
        if (given.contains("image")) {
            const auto id = static_cast<int>(whole_in(given, "image", 1, 1 << 30));
            input.images.push_back(in_boxes ? images.open_for_boxes(id) : images.open(id));
            continue;
        }
        const char* key = given.contains("seeds") ? "seeds" : "text";
        input.text = string_in(given, key);
    }
    if (input.images.empty() ? list.size() != 1 : input.images.size() != list.size())
        throw Refused(400, "an input is images, or one text", name);
    return input;
}

// Whether it has a form that reads each of its images part by part.
bool goes_in_parts(const Operation& operation) {
    const auto& in_tiles = operation.slides.in_tiles;
    return in_tiles && in_tiles->inputs.front().kind == kinds::parts &&
           operation.inputs.front().kind != kinds::parts &&
           std::all_of(in_tiles->named.begin(), in_tiles->named.end(), [](const Input& input) {
               return input.kind == kinds::parts || takes_text(input.kind);
           });
}

// In the order in which the operation has them.
void set_inputs(Job& job, const Json& given, Images& images) {
    for (const auto& [name, value] : given.items()) require_input(*job.operation, name);
    const Operation& operation = *job.operation;
    for (const auto* inputs : {&operation.inputs, &operation.named})
        for (const Input& input : *inputs) {
            const bool in_boxes = goes_in_parts(operation) ||
                                  (operation.slides.halo && &input == &operation.inputs.front());
            if (const auto found = given.find(std::string(input.name)); found != given.end())
                job.inputs.push_back(input_of(std::string(input.name), *found, in_boxes, images));
        }
}

OptionValue option_value(const Option& option, const Json& json) {
    const auto expected = [&](const char* what) {
        return InvalidArgument("--" + std::string(option.name) + ": " + what + " is expected");
    };
    switch (option.kind) {
        case OptionKind::flag:
            if (!json.is_boolean()) throw expected("true or false");
            return json.get<bool>();
        case OptionKind::integer:
            // Numbers of JavaScript are whole without saying so.
            if (json.is_number_float()) return json.get<double>();
            if (!json.is_number()) throw expected("a whole number");
            return json.get<std::int64_t>();
        case OptionKind::number:
            if (!json.is_number()) throw expected("a number");
            return json.get<double>();
        case OptionKind::length:
            if (json.is_number()) return Length(json.get<double>());
            if (!json.is_string()) throw expected("a length, such as 3 or \"2.5mm\"");
            return Length::parse(json.get<std::string>());
        default:
            if (!json.is_string()) throw expected("a text");
            return json.get<std::string>();
    }
}

void set_options(Job& job, const Json& given) {
    for (const auto& [name, value] : given.items()) {
        if (value.is_null()) continue;
        const auto& described = job.options.described();
        const auto found = std::find_if(
            described.begin(), described.end(),
            [&, key = std::string_view(name)](const Option& option) { return option.name == key; });
        if (found == described.end())
            throw Refused(400, "'" + job.operation->name + "' has no option '" + name + "'", name);
        try {
            job.options.set(name, option_value(*found, value));
        } catch (const InvalidArgument& error) {
            throw Refused(400, error.what(), name);
        }
    }
}

void set_wanted(Job& job, const Json& request) {
    const Operation& operation = *job.operation;
    if (const auto found = request.find("outputs"); found != request.end() && !found->is_null()) {
        if (!found->is_array()) throw Refused(400, "'outputs' must be a list of names", "outputs");
        for (const Json& name : *found) {
            const auto* output =
                name.is_string() ? operation.output(name.get_ref<const std::string&>()) : nullptr;
            if (!output || operations::is_file_alone(output->kind))
                throw Refused(400, "'" + operation.name + "' has no output " + text_of(name),
                              "outputs");
            job.wanted.emplace(output->name);
        }
    }
    if (job.wanted.empty() && !operation.outputs.empty() &&
        !operations::is_file_alone(operation.outputs.front().kind))
        job.wanted.emplace(operation.outputs.front().name);
}

const Json& object_in(const Json& request, const char* key) {
    static const Json none = Json::object();
    const auto found = request.find(key);
    if (found == request.end() || found->is_null()) return none;
    if (!found->is_object())
        throw Refused(400, std::string("'") + key + "' must be an object", key);
    return *found;
}

operations::Call call_of(const Job& job) {
    return {.inputs = job.values, .options = job.options, .wanted = job.wanted};
}

// What can be told before any work.
void check(const Job& job) {
    for (const std::string& name : job.wanted)
        if (!job.form().output(name))
            throw Refused(400,
                          "'" + name + "' is made of images that have room in memory: '" +
                              job.slide()->name +
                              "' has none, so take a part of it ('tesela slide region')",
                          "outputs");
    try {
        operations::check(job.form(), call_of(job));
    } catch (const operations::InvalidInput& error) {
        throw Refused(400, error.what(), error.input());
    } catch (const InvalidArgument& error) {
        throw Refused(400, error.what(), option_in(*job.operation, error.what()));
    }
}

const Operation& operation_named(const operations::Registry& registry, const std::string& name) {
    try {
        return registry.find(name);
    } catch (const InvalidArgument& error) {
        throw Refused(404, error.what(), "operation");
    }
}

}  // namespace

bool is_offered(const Operation& operation) {
    const auto can_be_given = [](const Input& input) {
        return !input.required || takes_image(input.kind) || takes_text(input.kind);
    };
    const auto is_refused = [](const operations::Output& output) {
        return output.required && operations::is_file_alone(output.kind);
    };
    return !operation.inputs.empty() && takes_image(operation.inputs.front().kind) &&
           std::all_of(operation.inputs.begin(), operation.inputs.end(), can_be_given) &&
           std::all_of(operation.named.begin(), operation.named.end(), can_be_given) &&
           std::none_of(operation.outputs.begin(), operation.outputs.end(), is_refused);
}

std::unique_ptr<Job> parsed_job(const Json& request, const operations::Registry& registry,
                                Images& images) {
    allow_keys(request,
               {"operation", "view", "automatic", "device", "inputs", "options", "outputs"});
    auto job = std::make_unique<Job>();
    job->operation = &operation_named(registry, string_in(request, "operation"));
    job->view = find_string(request, "view").value_or("");
    job->is_automatic = flag_in(request, "automatic", false);
    job->device = find_string(request, "device").value_or("");
    job->options = job->operation->options;
    set_options(*job, object_in(request, "options"));
    set_wanted(*job, request);
    set_inputs(*job, object_in(request, "inputs"), images);
    return job;
}

std::unique_ptr<Job> job_of(const Json& request, const operations::Registry& registry,
                            Images& images) {
    auto job = parsed_job(request, registry, images);
    const Operation& form = goes_in_parts(*job->operation) ? job->form() : *job->operation;
    for (const JobInput& given : job->inputs) set_value(form, given, job->values);
    check(*job);
    return job;
}

Device device_of(const Job& job, const std::string& usual) {
    const std::string& name = job.device.empty() ? usual : job.device;
    const operations::DeviceUse& use = job.operation->device;
    try {
        if (use.on_host) return Device::parse("cpu");
        return use.choose ? use.choose(job.options, name).device : Device::parse(name);
    } catch (const Error& error) {
        throw Refused(400, error.what(), "device");
    }
}

std::string device_to_name(const Job& job, const Device& device) {
    const bool is_usual = job.operation->device.on_host || device.id() == Device::best().id();
    return is_usual ? "" : device.id();
}

std::string option_in(const Operation& operation, std::string_view sentence) {
    if (!sentence.starts_with("--")) return "";
    sentence.remove_prefix(2);
    const std::string name(sentence.substr(0, sentence.find_first_of(" :")));
    for (const Option& option : operation.options.described())
        if (option.name == name) return name;
    for (const auto* inputs : {&operation.inputs, &operation.named})
        for (const Input& input : *inputs)
            if (input.name == name) return name;
    return "";
}

}  // namespace tesela::viewer
