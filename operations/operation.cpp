#include "operations/operation.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <list>
#include <map>
#include <optional>
#include <thread>

#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/render.h"
#include "operations/kinds/seeds.h"
#include "tesela/compute/stop_scope.h"
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

Call Call::with(const Values& others) const {
    return {others,      options, wanted,  snapshot, snapshot_every, names,
            made_labels, parts,   threads, is_part,  queues};
}

const LabelTable& Call::labels_of(std::string_view input) const {
    static const LabelTable nothing;
    const auto* image = inputs.find<ImageValue>(input);
    return image && image->label_table() ? *image->label_table() : nothing;
}

namespace {

template <class Work>
void for_each_image(const Operation& operation, const Values& values, const Work& work) {
    for (const auto* inputs : {&operation.inputs, &operation.named})
        for (const Input& input : *inputs) {
            if (const auto* image = values.find<ImageValue>(input.name)) work(input, *image);
            if (const auto* several = values.find<std::vector<ImageValue>>(input.name))
                for (const ImageValue& image : *several) work(input, image);
        }
}

ImageGrid grid_of_value(const ImageValue& image) { return {image.shape(), image.geometry()}; }
ImageGrid grid_of(const ImageParts& parts) { return {parts.shape(), parts.geometry}; }

// Of an input that has points in space; several of one of several images.
std::vector<ImageGrid> grids_of_input(const Values& inputs, const Input& input) {
    if (const auto* image = inputs.find<ImageValue>(input.name)) return {grid_of_value(*image)};
    if (const auto* colored = inputs.find<ColoredLabels>(input.name))
        return {grid_of_value(colored->labels)};
    if (const auto* seeds = inputs.find<Seeds>(input.name))
        if (const auto* labels = std::get_if<SeedLabels>(seeds)) return {grid_of(labels->view())};
    std::vector<ImageGrid> grids;
    if (const auto* several = inputs.find<std::vector<ImageValue>>(input.name))
        for (const ImageValue& image : *several) grids.push_back(grid_of_value(image));
    if (const auto* parts = inputs.find<ImageParts>(input.name)) grids.push_back(grid_of(*parts));
    if (const auto* several = inputs.find<std::vector<ImageParts>>(input.name))
        for (const ImageParts& parts : *several) grids.push_back(grid_of(parts));
    return grids;
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
        for (const Input& input : *inputs)
            for (const ImageGrid& grid : grids_of_input(values, input)) {
                if (input.own_grid)
                    own.emplace(input.name, grid);
                else if (const auto other = own.find(input.grid_of); other != own.end())
                    check_grid(input, other->second, grid);
                else if (first)
                    check_grid(input, *first, grid);
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
    for_each_image(operation, call.inputs, [&](const Input& input, const ImageValue& image) {
        if (input.kind.pixels && image.pixel_type() != *input.kind.pixels)
            throw sentence("the input '" + std::string(input.name) + "' has pixels of " +
                           std::string(pixel_type_name(image.pixel_type())) + ", and " +
                           std::string(input.kind.name) + " are " +
                           std::string(pixel_type_name(*input.kind.pixels)));
    });
    for (const std::string& wanted : call.wanted)
        if (!operation.output(wanted)) throw sentence("there is no output '" + wanted + "'");
    check_grids(operation, call.inputs);
    call.options.validate();
    if (operation.check) operation.check(call.options);
}

namespace {

// Lets work of all queues be cancelled. Work within other work keeps the token of that.
std::list<StopScope> stoppable(Queue& queue, const std::vector<Queue*>& others,
                               const CancelToken* token) {
    std::list<StopScope> scopes;
    if (!token) return scopes;
    scopes.emplace_back(queue, token);
    for (Queue* other : others)
        if (other != &queue) scopes.emplace_back(*other, token);
    return scopes;
}

// Whether an image is on the device, where it is in a buffer of the queue.
bool is_any_resident(const Operation& operation, const Values& values, Queue& queue) {
    bool any = false;
    for_each_image(operation, values, [&](const Input& input, const ImageValue& image) {
        if (!image.is_resident()) return;
        any = true;
        const bool is_of_queue = std::visit(
            [&](const auto& pixels) { return pixels.pixels.block()->queue() == &queue.core(); },
            image.resident());
        if (!is_of_queue)
            throw InvalidInput(std::string(input.name),
                               "it is in a buffer of another queue: download it, or adopt its "
                               "memory (Queue::adopt)");
    });
    return any;
}

// The image is there, as the device level takes it.
bool is_of_device_level(const Operation& operation, const Values& values, const Device& device) {
    const DeviceLevel& level = operation.device.level;
    const auto* image = values.find<ImageValue>("input");
    if (!level.run || !image || !image->is_resident()) return false;
    if (level.needs_f64 && !device.properties().has_f64) return false;
    bool fits =
        std::find(level.types.begin(), level.types.end(), image->pixel_type()) != level.types.end();
    if (level.one_type)
        for_each_image(operation, values, [&](const Input&, const ImageValue& other) {
            fits &= other.pixel_type() == image->pixel_type();
        });
    return fits;
}

// The same values with all images on the device, or where its level takes them, or on the host.
Values brought(const Operation& operation, const Values& values, bool to_device, Queue& queue) {
    const auto moved = [&](const Input& input, const ImageValue& image) {
        const bool there =
            to_device && (input.name == "input" || !operation.device.level.others_on_host);
        if (image.is_resident() == there) return image;
        return there ? upload(image, queue) : download(image, queue);
    };
    Values all = values;
    for_each_image(operation, values, [&](const Input& input, const ImageValue& image) {
        if (!input.several) return all.set(input.name, moved(input, image));
        auto several = all.get<std::vector<ImageValue>>(input.name);
        for (ImageValue& one : several) one = moved(input, one);
        all.set(input.name, std::move(several));
    });
    return all;
}

// Of labels that are made: as was given, and as the label map says that they go on from.
SharedLabelTable names_of_made(const Call& call) {
    const auto* from = call.inputs.find<ImageValue>("from");
    if (!from || !from->label_table() || !has_names(*from->label_table())) return call.made_labels;
    if (!call.made_labels) return from->label_table();
    LabelTable both = *from->label_table();
    update(both, *call.made_labels);
    return std::make_shared<const LabelTable>(std::move(both));
}

// Labels that are made get the names that were given for them, and those that come from the input
// keep theirs.
void name_labels(const Operation& operation, const Call& call, Results& results) {
    const auto* input = call.inputs.find<ImageValue>("input");
    for (const Output& output : operation.outputs) {
        const auto* image = results.outputs.find<ImageValue>(output.name);
        if (!image || image->label_table()) continue;
        // Without names, one label may be a mask, whose parts are objects of their own.
        if (output.keeps_labels && input && input->label_table() &&
            has_names(*input->label_table()))
            results.outputs.set(output.name, image->with_labels(input->label_table()));
        else if (output.kind == kinds::labels)
            results.outputs.set(output.name, image->with_labels(names_of_made(call)));
    }
}

Results computed(const Operation& operation, const Call& call, Queue& queue,
                 const Progress& progress) {
    const bool on_device = is_of_device_level(operation, call.inputs, queue.device());
    const auto& work = on_device ? operation.device.level.run : operation.run;
    const auto results_of = [&](const Call& with_inputs) {
        Results results = work(with_inputs, queue, progress);
        name_labels(operation, with_inputs, results);
        for_each_image(operation, call.inputs, [&](const Input&, const ImageValue& image) {
            results.views_copied += image.copied_bytes() > 0;
            results.bytes_copied += image.copied_bytes();
        });
        return results;
    };
    if (!is_any_resident(operation, call.inputs, queue)) return results_of(call);
    const Values inputs = brought(operation, call.inputs, on_device, queue);
    return results_of(call.with(inputs));
}

bool has_all(const Results& results, const Call& call) {
    return std::all_of(call.wanted.begin(), call.wanted.end(),
                       [&](const std::string& output) { return results.outputs.has(output); });
}

// Of results on a device it makes what is missing from copies on the host.
void finish(const Operation& operation, const Call& call, Queue& queue, Results& results) {
    if (!operation.finish || has_all(results, call)) return;
    if (!is_any_resident(operation, call.inputs, queue)) return operation.finish(call, results);
    const Values inputs = brought(operation, call.inputs, false, queue);
    const Values made = results.outputs;
    const auto for_each_resident = [&](const auto& work) {
        for (const Output& output : operation.outputs)
            if (const auto* image = made.find<ImageValue>(output.name);
                image && image->is_resident())
                work(output, *image);
    };
    for_each_resident([&](const Output& output, const ImageValue& image) {
        results.outputs.set(output.name, download(image, queue));
    });
    operation.finish(call.with(inputs), results);
    for_each_resident([&](const Output& output, const ImageValue& image) {
        results.outputs.set(output.name, image);
    });
}

}  // namespace

Results compute(const Operation& operation, const Call& call, Queue& queue,
                const Progress& progress) {
    const auto stops = stoppable(queue, call.queues, progress.token());
    const QueueWork before = queue.counters();
    Results results = computed(operation, call, queue, progress);
    results.work = queue.counters() - before;
    return results;
}

Results run(const Operation& operation, const Call& call, Queue& queue, const Progress& progress) {
    check(operation, call);
    const auto stops = stoppable(queue, call.queues, progress.token());
    const QueueWork before = queue.counters();
    Results results = computed(operation, call, queue, progress);
    finish(operation, call, queue, results);
    results.work = queue.counters() - before;
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
