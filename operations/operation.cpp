#include "operations/operation.h"

#include <cstdarg>
#include <cstdio>

#include "tesela/error.h"

namespace tesela::operations {

void Values::throw_no_value(std::string_view name) {
    throw InvalidArgument("there is no '" + std::string(name) +
                          "', or it is of a kind that is not taken there");
}

std::string Call::name_of(std::string_view input, std::size_t index) const {
    const auto found = names.find(input);
    return found != names.end() && index < found->second.size() ? found->second[index]
                                                                : std::string(input);
}

void check(const Operation& operation, const Call& call) {
    const auto sentence = [&](const std::string& reason) {
        return InvalidArgument(operation.name + ": " + reason);
    };
    for (const Input& input : operation.inputs)
        if (input.required && !call.inputs.has(input.name))
            throw sentence("the input '" + std::string(input.name) + "' is missing");
    for (const std::string& wanted : call.wanted) {
        bool known = false;
        for (const Output& output : operation.outputs) known |= output.name == wanted;
        if (!known) throw sentence("there is no output '" + wanted + "'");
    }
    call.options.validate();
    if (operation.check) operation.check(call.options);
}

Results run(const Operation& operation, const Call& call, Queue& queue, const Progress& progress) {
    check(operation, call);
    Results results = operation.run(call, queue, progress);
    if (operation.finish) operation.finish(call, results);
    return results;
}

std::string counted(std::int64_t number, std::string_view thing) {
    return std::to_string(number) + " " + std::string(thing) + (number == 1 ? "" : "s");
}

std::string printed(const char* format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, arguments);
    va_end(arguments);
    std::string text(static_cast<std::size_t>(length), '\0');
    std::vsnprintf(text.data(), text.size() + 1, format, again);
    va_end(again);
    return text;
}

}  // namespace tesela::operations
