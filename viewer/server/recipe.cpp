#include "viewer/server/recipe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "operations/kinds/annotations.h"
#include "operations/kinds/circles.h"
#include "operations/kinds/flow.h"
#include "operations/kinds/image.h"
#include "operations/kinds/seeds.h"
#include "operations/kinds/surface.h"
#include "operations/kinds/table.h"
#include "operations/kinds/wavelet.h"

namespace tesela::viewer {
namespace {

namespace kinds = operations::kinds;
using operations::Input;
using operations::OptionValue;

// ---- the command line -------------------------------------------------------------------------

std::string quoted_for_shell(const std::string& word) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./,:=+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

std::string text_of_number(double value) { return fmt::format("{}", value); }

struct FlagWords {
    const std::string& name;
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(bool on) const { return (on ? " --" : " --no-") + name; }
    std::string operator()(std::int64_t number) const { return with(std::to_string(number)); }
    std::string operator()(double number) const { return with(text_of_number(number)); }
    std::string operator()(const Length& length) const { return with(length.to_string()); }
    std::string operator()(const std::string& text) const { return with(quoted_for_shell(text)); }
    std::string with(const std::string& value) const { return " --" + name + " " + value; }
};

const Input* find_input(const std::vector<Input>& inputs, std::string_view name) {
    const auto found = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const Input& input) { return input.name == name; });
    return found == inputs.end() ? nullptr : &*found;
}

std::string words_of(const GivenInput& given) {
    std::string words;
    for (const Recipe* image : given.images) words += " " + quoted_for_shell(image->file);
    return given.images.empty() ? " " + quoted_for_shell(given.text) : words;
}

// Of an input that has a flag of its own; empty where it stands without one.
std::string flag_of(const operations::Operation& operation, const std::string& name) {
    const Input* input = find_input(operation.inputs, name);
    if (input && input->kind != kinds::seeds) return "";
    return " --" + name;
}

// Lines of the images that a call needs, each once.
std::vector<std::string> lines_before(const RecipeCall& call,
                                      std::vector<std::string> Recipe::*kind) {
    std::vector<std::string> lines;
    for (const auto& [name, given] : call.inputs)
        for (const Recipe* image : given.images)
            for (const std::string& line : image->*kind)
                if (std::find(lines.begin(), lines.end(), line) == lines.end())
                    lines.push_back(line);
    return lines;
}

// ---- Python -----------------------------------------------------------------------------------

std::string python_name(std::string_view name) {
    constexpr std::array<std::string_view, 35> keywords{
        "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
        "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
        "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
        "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
    std::string own(name);
    std::replace(own.begin(), own.end(), '-', '_');
    return std::find(keywords.begin(), keywords.end(), own) == keywords.end() ? own : own + "_";
}

std::string quoted_for_python(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c == '\n' ? "\\n" : std::string(1, c);
    }
    return quoted + "\"";
}

struct PythonValue {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool on) const { return on ? "True" : "False"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return text_of_number(number); }
    std::string operator()(const Length& length) const {
        return length.physical() ? quoted_for_python(length.to_string())
                                 : text_of_number(length.value);
    }
    std::string operator()(const std::string& text) const { return quoted_for_python(text); }
};

std::string expression_of(const GivenInput& given, bool several) {
    if (given.images.empty()) return quoted_for_python(given.text);
    std::vector<std::string> parts;
    for (const Recipe* image : given.images) parts.push_back(image->expression);
    return several ? fmt::format("[{}]", fmt::join(parts, ", ")) : parts.front();
}

// "grow.tolerance" of "grow tolerance"
std::string function_name(std::string_view operation) {
    std::string name;
    for (std::size_t end = 0; end != std::string_view::npos;) {
        end = operation.find(' ');
        name += (name.empty() ? "" : ".") + python_name(operation.substr(0, end));
        operation.remove_prefix(end == std::string_view::npos ? 0 : end + 1);
    }
    return name;
}

}  // namespace

Recipe recipe_of_file(const std::string& path) {
    // A name that begins with a hyphen is no option.
    const std::string name = path.starts_with('-') ? "./" + path : path;
    return {.file = name, .expression = quoted_for_python(name)};
}

std::string python_output(int number, std::string_view output) {
    return fmt::format("r{}.{}", number, python_name(output));
}

std::vector<std::string> command_lines(const RecipeCall& call) {
    std::string line = "tesela " + call.operation.name, flags;
    for (const auto& [name, given] : call.inputs) {
        const std::string flag = flag_of(call.operation, name);
        (flag.empty() ? line : flags) += flag + words_of(given);
    }
    line += flags;
    for (const operations::Option& option : call.options.described())
        if (call.options.given(option.name))
            line += std::visit(FlagWords{std::string(option.name)}, call.options.get(option.name));
    if (!call.device.empty()) line += " --device " + call.device;
    for (const auto& [name, file] : call.outputs)
        line += (name == call.operation.outputs.front().name ? " -o " : " --" + name + " ") +
                quoted_for_shell(file);
    if (call.outputs.empty()) line += " --json";
    std::vector<std::string> lines = lines_before(call, &Recipe::commands);
    lines.push_back(std::move(line));
    return lines;
}

std::vector<std::string> python_lines(const RecipeCall& call) {
    std::vector<std::string> arguments;
    for (const auto& [name, given] : call.inputs) {
        const Input* input = find_input(call.operation.inputs, name);
        const bool several = (input ? input : find_input(call.operation.named, name))->several;
        const std::string value = expression_of(given, several);
        const bool is_first = input == &call.operation.inputs.front();
        arguments.push_back(is_first ? value : python_name(name) + "=" + value);
    }
    for (const operations::Option& option : call.options.described())
        if (call.options.given(option.name))
            arguments.push_back(python_name(option.name) + "=" +
                                std::visit(PythonValue{}, call.options.get(option.name)));
    if (!call.device.empty()) arguments.push_back("device=" + quoted_for_python(call.device));
    std::vector<std::string> lines = lines_before(call, &Recipe::python);
    lines.push_back(fmt::format("r{} = tesela.{}({})", call.number,
                                function_name(call.operation.name), fmt::join(arguments, ", ")));
    return lines;
}

namespace {

std::string_view suffix_of(const operations::Output& output, const operations::Values& values) {
    if (output.kind == kinds::field) return ".flo";
    if (output.kind == kinds::coefficients) return ".npy";
    if (const auto* image = values.find<operations::ImageValue>(output.name)) {
        const Shape& shape = image->shape();
        if (shape.z > 1 || shape.t > 1) return shape.channels > 1 ? ".nrrd" : ".nii.gz";
        const PixelType type = image->pixel_type();
        const bool fits_png = type == PixelType::u8 || type == PixelType::u16;
        return fits_png && shape.channels <= 4 && shape.channels != 2 ? ".png" : ".tif";
    }
    if (output.kind == kinds::table || output.kind == kinds::circles) return ".csv";
    if (output.kind == kinds::outlines || output.kind == kinds::annotations) return ".geojson";
    if (output.kind == kinds::surfaces) return ".ply";
    return ".json";
}

}  // namespace

std::string file_name(const operations::Output& output, const operations::Values& values,
                      int number) {
    return fmt::format("{}-{}{}", output.name, number, suffix_of(output, values));
}

}  // namespace tesela::viewer
