#include "operations/operation.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <optional>
#include <thread>

#include "operations/kinds/image.h"
#include "operations/kinds/render.h"
#include "operations/kinds/seeds.h"
#include "tesela/error.h"

namespace tesela::operations {

void Values::throw_no_value(std::string_view name) {
    throw InvalidArgument("there is no '" + std::string(name) + "', or it is of another kind");
}

const std::type_info* Values::type_of(std::string_view name) const {
    const auto found = values_.find(name);
    return found != values_.end() ? found->second.type : nullptr;
}

Figure::Figure(std::string called, Value of) : name(std::move(called)), value(std::move(of)) {}
Figure::Figure(const Figure&) = default;
Figure::Figure(Figure&&) noexcept = default;
Figure& Figure::operator=(const Figure&) = default;
Figure& Figure::operator=(Figure&&) noexcept = default;
Figure::~Figure() = default;

std::string Call::name_of(std::string_view input, std::size_t index) const {
    const auto found = names.find(input);
    return found != names.end() && index < found->second.size() ? found->second[index]
                                                                : std::string(input);
}

LabelNames Call::names_of_labels(std::string_view input) const {
    const auto found = label_names.find(input);
    return found != label_names.end() ? found->second : LabelNames{};
}

namespace {

// Of an input that has points in space.
std::optional<ImageGrid> grid_of_input(const Values& inputs, const Input& input) {
    if (const auto* image = inputs.find<AnyImage>(input.name)) return grid_of(*image);
    if (const auto* labels = inputs.find<LabelImage>(input.name)) return grid_of(*labels);
    if (const auto* colored = inputs.find<ColoredLabels>(input.name))
        return grid_of(colored->labels);
    if (const auto* seeds = inputs.find<Seeds>(input.name))
        if (const auto* labels = std::get_if<LabelImage>(seeds)) return grid_of(*labels);
    return {};
}

void check_grid(const Input& input, const ImageGrid& expected, const ImageGrid& grid) {
    try {
        if (axis_order(expected, grid) == AxisOrder{}) return;
    } catch (const InvalidArgument& error) {
        throw InvalidInput(std::string(input.name), error.what());
    }
    throw InvalidInput(std::string(input.name),
                       "its axes are stored in another order than those of the " +
                           (input.grid_of.empty() ? "first" : std::string(input.grid_of)) +
                           " image: bring them into its order with align_to");
}

// Inputs are matched point by point with the first that has any, or with the one that they name,
// but for those on their own grid.
void check_grids(const Operation& operation, const Values& values) {
    std::optional<ImageGrid> first;
    std::map<std::string_view, ImageGrid> own;
    for (const auto* inputs : {&operation.inputs, &operation.named})
        for (const Input& input : *inputs) {
            const auto grid = grid_of_input(values, input);
            if (!grid) continue;
            if (input.own_grid)
                own.emplace(input.name, *grid);
            else if (const auto other = own.find(input.grid_of); other != own.end())
                check_grid(input, other->second, *grid);
            else if (first)
                check_grid(input, *first, *grid);
            if (!first) first = grid;
        }
}

}  // namespace

void check(const Operation& operation, const Call& call) {
    const auto sentence = [&](const std::string& reason) {
        return InvalidArgument(operation.name + ": " + reason);
    };
    for (const auto* inputs : {&operation.inputs, &operation.named})
        for (const Input& input : *inputs) {
            const std::type_info* type = call.inputs.type_of(input.name);
            if (!type && input.required)
                throw sentence("the input '" + std::string(input.name) + "' is missing");
            if (type && *type != *(input.several ? input.kind.values : input.kind.value))
                throw sentence("the input '" + std::string(input.name) + "' is not of the kind '" +
                               std::string(input.kind.name) + "'");
        }
    for (const std::string& wanted : call.wanted)
        if (!operation.output(wanted)) throw sentence("there is no output '" + wanted + "'");
    check_grids(operation, call.inputs);
    call.options.validate();
    if (operation.check) operation.check(call.options);
}

Results run(const Operation& operation, const Call& call, Queue& queue, const Progress& progress) {
    check(operation, call);
    Results results = operation.run(call, queue, progress);
    if (operation.finish) operation.finish(call, results);
    return results;
}

const Output* Operation::output(std::string_view wanted) const {
    for (const Output& output : outputs)
        if (output.name == wanted) return &output;
    return nullptr;
}

int host_threads(int threads) {
    if (threads > 0) return threads;
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// Two on a GPU, so that one transfers while the other computes.
int queues_for(Queues queues, const Device& device, int threads) {
    if (queues == Queues::none) return 1;
    if (device.properties().is_gpu) return 2;
    return queues == Queues::for_tiles && device.back_end() == BackEnd::cpu ? host_threads(threads)
                                                                            : 1;
}

std::string volume_text(double cubic_millimeters) {
    const bool is_small = cubic_millimeters < 1000;
    const double value = is_small ? cubic_millimeters : cubic_millimeters / 1000;
    return printed(value < 100 ? "%.3g %s" : "%.0f %s", value, is_small ? "mm^3" : "ml");
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
