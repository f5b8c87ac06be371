#include "tesela/measure.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/annotations.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/measure_table.h"
#include "operations/registry.h"
#include "tesela/label_outlines.h"
#include "tesela/overlay.h"

namespace tesela::operations {
namespace {

int channels_of(const ImageValue& image) {
    return image.shape().channels - (image.has_alpha() ? 1 : 0);
}
// Images whose values are measured.
const std::vector<ImageValue>& images_of(const Call& call) {
    static const std::vector<ImageValue> none;
    const auto* images = call.inputs.find<std::vector<ImageValue>>("on");
    return images ? *images : none;
}
std::int64_t channels_of(const Call& call) {
    std::int64_t channels = 0;
    for (const ImageValue& image : images_of(call)) channels += channels_of(image);
    return channels;
}
MeasureSelection selection_of(const Call& call) {
    const ImageValue& map = call.inputs.image("input");
    return {call.options.as<MeasureChoice>(), map.shape(), map.geometry(), channels_of(call)};
}

// Outlines with the columns of the table as measurements; `table` has the rows of all labels.
Outlines outlines_of(const Table& table, const LabelView& map, const LabelTable& labels,
                     const Progress& progress) {
    Outlines made{.table = table, .shapes = label_outlines(map, labels, progress)};
    for (std::size_t n = 0; n < made.shapes.list.size(); ++n) {
        auto& measurements = made.shapes.list[n].measurements;
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            const Table::Cell cell = table.cell(static_cast<std::int64_t>(n), column);
            const auto* whole = std::get_if<std::int64_t>(&cell);
            const auto* number = std::get_if<double>(&cell);
            if (table.columns[column] != "label" && (whole || (number && std::isfinite(*number))))
                measurements.emplace_back(table.columns[column],
                                          whole ? static_cast<double>(*whole) : *number);
        }
    }
    return made;
}

// `map` gives the label map on the host.
template <class Map>
Results results_of(const Call& call, const MeasureSelection& selection, Measured made,
                   const Map& map, const Progress& progress) {
    const auto measured = std::make_shared<const Measured>(std::move(made));
    std::vector<MeasuredImage> images;
    for (std::size_t i = 0; i < images_of(call).size(); ++i)
        images.push_back({call.name_of("on", i), channels_of(images_of(call)[i])});
    const LabelTable& labels = call.labels_of("input");
    const Table table = table_of(measured, selection, labels);
    Results results = report_of(call, *measured, table, images);
    if (call.wants("outlines"))
        results.outputs.set("outlines", outlines_of(table, map(), labels, progress));
    return results;
}

void require_picture_for_outlines(const Call& call) {
    if (call.wants("outlines") && (call.shape().z > 1 || call.shape().t > 1))
        throw InvalidArgument(
            "--outlines are of one picture, and this is a volume: take one slice of it");
}

Results run_measure(const Call& call, Queue& queue, const Progress& progress) {
    require_picture_for_outlines(call);
    const MeasureSelection selection = selection_of(call);
    const AnyImageView& map = call.image();
    std::vector<AnyImageView> images;
    for (const ImageValue& image : images_of(call)) images.push_back(image.view());
    Measured measured{.measurements = measure(map, images, selection.options(), queue, progress),
                      .parents = {}};
    if (call.inputs.has("parents"))
        measured.parents = parents_of(label_map_of(map), call.inputs.labels("parents"));
    return results_of(
        call, selection, std::move(measured), [&] { return label_map_of(map); }, progress);
}

Results run_on_device(const DeviceImage<const std::uint32_t>& map, const Call& call, Queue& queue,
                      const Progress& progress) {
    require_picture_for_outlines(call);
    const MeasureSelection selection = selection_of(call);
    std::vector<const AnyDeviceView*> images;
    for (const ImageValue& image : images_of(call)) images.push_back(&image.resident());
    Measured measured{.measurements = measure(map, images, selection.options(), queue, progress),
                      .parents = {}};
    if (call.inputs.has("parents"))
        measured.parents =
            parents_of(download(call.inputs.image("input"), queue).pixels<std::uint32_t>(),
                       download(call.inputs.image("parents"), queue).pixels<std::uint32_t>());
    return results_of(
        call, selection, std::move(measured),
        [&] {
            const ImageValue labels = download(call.inputs.image("input"), queue);
            return labels.image_of<std::uint32_t>();
        },
        progress);
}

// Outlines on the first image that was measured, or on the label map.
void draw_outlines(const Call& call, Results& results) {
    if (!call.wants("overlay")) return;
    const std::vector<ImageValue>& images = images_of(call);
    results.outputs.set(
        "overlay", AnyImage(boundary_overlay(images.empty() ? call.image() : images.front().view(),
                                             label_map_of(call.image()))));
}

// The highest label, and how many there are at most.
struct LabelCount {
    std::int64_t highest = 0, objects = 0;
};
LabelCount count_labels(const AnyImageView& map) {
    return map.visit([]<class T>(const PixelView<T>& typed) {
        LabelCount count;
        if (std::is_floating_point_v<T>) return count;  // is refused
        auto last = typed.pixels().empty() ? 0 : typed.pixels()[0];
        std::int64_t runs = 1;
        for (const auto label : typed.pixels()) {
            count.highest = std::max(count.highest, static_cast<std::int64_t>(label));
            runs += label != last;
            last = label;
        }
        count.objects = std::min(count.highest, runs);
        return count;
    });
}

Memory measure_memory(const Call& call, const Device&) {
    const LabelCount labels = count_labels(call.image());
    const MeasureSelection selection = selection_of(call);
    const std::int64_t points = call.shape().points();
    const bool has_images = channels_of(call) > 0;
    constexpr std::int64_t word = 4;
    std::int64_t on_device = word * points;
    for (const ImageValue& image : images_of(call))
        on_device += image.shape().elements() * pixel_type_bytes(image.pixel_type());
    const auto object = static_cast<std::int64_t>(sizeof(MeasuredObject)) +
                        channels_of(call) * static_cast<std::int64_t>(sizeof(MeasuredIntensity));
    return {
        .device = on_device + measure_device_bytes(call.shape(), labels.objects, labels.highest,
                                                   has_images, selection.options()),
        .held = labels.objects * object,
        .computing = word * points * (call.wants("outlines") ? 3 : 1) + 2 * object * labels.objects,
        .finishing = call.wants("overlay") ? word * points : 0};
}

// ---- Part by part ----

const std::vector<ImageParts>& parts_on(const Call& call) {
    static const std::vector<ImageParts> none;
    const auto* images = call.inputs.find<std::vector<ImageParts>>("on");
    return images ? *images : none;
}
std::vector<const VolumeInput*> inputs_on(const Call& call) {
    std::vector<const VolumeInput*> inputs;
    for (const ImageParts& image : parts_on(call)) inputs.push_back(image.input.get());
    return inputs;
}
std::vector<MeasuredImage> measured_parts(const Call& call) {
    std::vector<MeasuredImage> images;
    for (std::size_t i = 0; i < parts_on(call).size(); ++i) {
        const VolumeInputFacts& facts = parts_on(call)[i].input->facts();
        images.push_back({call.name_of("on", i), facts.shape.channels - (facts.has_alpha ? 1 : 0)});
    }
    return images;
}
MeasureSelection selection_of_parts(const Call& call) {
    const auto& map = call.inputs.get<ImageParts>("input");
    std::int64_t channels = 0;
    for (const MeasuredImage& image : measured_parts(call)) channels += image.channels;
    return {call.options.as<MeasureChoice>(), map.shape(), map.geometry, channels};
}

Results run_in_parts(const Call& call, Queue&, const Progress& progress) {
    const auto& map = call.inputs.get<ImageParts>("input");
    const MeasureSelection selection = selection_of_parts(call);
    const PartSize size = part_size(*map.input);
    const auto* larger = call.inputs.find<ImageParts>("parents");
    Measured made{measure_in_parts(*map.input, map.geometry, inputs_on(call), size,
                                   selection.options(), call.queues, room_of(call.parts),
                                   progress.part(0, larger ? 0.8 : 1))};
    if (larger)
        made.parents =
            parents_in_parts(*map.input, *larger->input, size, call.threads, progress.part(0.8, 1));
    const auto measured = std::make_shared<const Measured>(std::move(made));
    const Table table = table_of(measured, selection, map.labels ? *map.labels : LabelTable{});
    return report_of(call, *measured, table, measured_parts(call));
}

// Beside what is known of the objects, which is bounded while it is found.
Memory memory_in_parts(const Call& call, const Device& device) {
    const PartSource& input = *call.inputs.get<ImageParts>("input").input;
    const VolumeInputFacts& facts = input.facts();
    const PartSize size = part_size(input);
    const MeasurePartBytes part =
        measure_part_bytes(facts, inputs_on(call), size, selection_of_parts(call).options());
    const std::int64_t queues = std::min<std::int64_t>(
        queues_for(Queues::for_tiles, device, call.threads), PartGrid(facts.shape, size).count());
    return {.device = queues * part.device, .computing = queues * part.host};
}

std::shared_ptr<const Operation> in_parts(const Operation& whole) {
    Operation parts = whole;
    for (auto* inputs : {&parts.inputs, &parts.named})
        for (Input& input : *inputs) input.kind = kinds::parts;
    std::erase_if(parts.outputs, [](const Output& output) { return output.name != "table"; });
    parts.run = run_in_parts;
    parts.memory = memory_in_parts;
    parts.finish = nullptr;
    parts.device = {.queues = Queues::for_tiles};
    return std::make_shared<const Operation>(std::move(parts));
}

}  // namespace

void add_measure(Registry& registry) {
    Operation measure{
        .name = "measure",
        .purpose = "size, shape, boundary and intensities of each object",
        .sentence =
            "Measures each object of a label map: size, place, shape, boundary, convex "
            "hull, and the values of an image in it.",
        .task = tasks::segment,
        .examples = {"measure cells.tif --on dapi.tif --on gfp.tif -o cells.csv",
                     "measure organs.nii.gz --properties area,surface,sphericity"},
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "label map, such as 'components' makes",
                    .axes = 3,
                    .names_labels = true}},
        .named = {{.name = "on",
                   .kind = kinds::image,
                   .help = "image whose values are measured, channel by channel; may be repeated",
                   .required = false,
                   .several = true,
                   .axes = 3,
                   .any_channels = true},
                  {.name = "parents",
                   .kind = kinds::labels,
                   .help = "label map of larger objects: adds the column parent",
                   .required = false,
                   .axes = 3}},
        .outputs = {{.name = "table",
                     .kind = kinds::table,
                     .help = "CSV or JSON: a row for each object; without it, printed"},
                    {.name = "overlay",
                     .kind = kinds::view,
                     .help = "picture of the outlines on the image"},
                    {.name = "outlines",
                     .kind = kinds::outlines,
                     .help = "outlines with the columns as measurements: .geojson, .geojson.gz",
                     .by_name_alone = true}},
        .options = Options::of(MeasureChoice{}),
        .run = run_measure,
        .memory = measure_memory,
        .finish = draw_outlines,
        .device = {.level = device_level_of<std::uint32_t>(run_on_device)},
        .command_line = {.prints = "table"}};
    measure.slides.in_tiles = in_parts(measure);
    registry.add(std::move(measure));
}

}  // namespace tesela::operations
