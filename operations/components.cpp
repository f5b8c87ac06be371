#include "tesela/components.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <string>

#include "operations/all.h"
#include "operations/coverage.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/table.h"
#include "operations/regions.h"
#include "operations/registry.h"
#include "tesela/align.h"
#include "tesela/region_size.h"

namespace tesela::operations {
namespace {

using Cell = Table::Cell;
using Column = std::function<Cell(const Component&, std::int64_t label)>;

// The same options, with a size as people write it.
struct ComponentChoice : ComponentOptions {
    std::string smallest = "0";
};
template <class V>
void describe(V&& v, ComponentChoice& o) {
    const auto but_for_size = [&](std::string_view name, auto& member, std::string_view help,
                                  const OptionRange& range = {}) {
        if (name != "min-size")
            v(name, member, help, range);
        else
            v(name, o.smallest, help, OptionRange{.unit = "pixels, or with um, mm2, mm3, ml, ..."});
    };
    describe(but_for_size, static_cast<ComponentOptions&>(o));
}

// What `work` gives; an error names the option.
template <class Work>
auto naming_size(const Work& work) {
    try {
        return work();
    } catch (const InvalidArgument& error) {
        throw InvalidArgument(std::string("--min-size: ") + error.what());
    }
}

// What options, columns and names depend on, of an image or of one that is read in parts.
struct ComponentInput {
    Shape shape;
    Geometry geometry;
    SharedLabelTable values;  // what they stand for
};
ComponentInput input_of(const ImageValue& image) {
    return {image.shape(), image.geometry(), image.label_table()};
}
ComponentInput input_of(const ImageParts& parts) {
    return {parts.shape(), parts.geometry, parts.labels};
}
ComponentInput input_of(const Call& call) {
    const auto* parts = call.inputs.find<ImageParts>("input");
    return parts ? input_of(*parts) : input_of(call.inputs.image("input"));
}

ComponentOptions options_of(const Call& call) {
    const auto& choice = call.options.as<ComponentChoice>();
    const ComponentInput input = input_of(call);
    ComponentOptions options = choice;
    options.min_size = naming_size(
        [&] { return RegionSize::parse(choice.smallest).points(input.shape, input.geometry); });
    return options;
}

// Columns of one row a component, in the image's unit of length where it is known.
class TableColumns {
  public:
    // `names`: of the components.
    TableColumns(const Shape& shape, const Geometry& geometry, const LabelTable& names) {
        const auto axes = static_cast<std::size_t>(shape.dimensions());
        add("label", [](const Component&, std::int64_t label) -> Cell { return label; });
        add("value", [](const Component& c, std::int64_t) -> Cell { return c.value; });
        if (has_names(names))
            add("name", [names](const Component&, std::int64_t label) -> Cell {
                return label_name(names, static_cast<std::uint32_t>(label));
            });
        add("area_px", [](const Component& c, std::int64_t) -> Cell { return c.area; });
        const std::string unit(unit_symbol(geometry.unit));
        if (geometry.known()) {
            const auto& spacing = geometry.spacing;
            const double point = spacing[0] * spacing[1] * (axes > 2 ? spacing[2] : 1);
            add(axes > 2 ? "volume_" + unit + "3" : "area_" + unit + "2",
                [point](const Component& c, std::int64_t) -> Cell {
                    return static_cast<double>(c.area) * point;
                });
        }
        constexpr std::array<char, 4> axis_names{'x', 'y', 'z', 't'};
        for (std::size_t a = 0; a < axes; ++a)
            add(std::string("first_") + axis_names[a] + "_px",
                [a](const Component& c, std::int64_t) -> Cell { return std::int64_t{c.first[a]}; });
        for (std::size_t a = 0; a < axes; ++a)
            add(std::string("last_") + axis_names[a] + "_px",
                [a](const Component& c, std::int64_t) -> Cell { return std::int64_t{c.last[a]}; });
        for (std::size_t a = 0; a < axes; ++a)
            add(std::string("centroid_") + axis_names[a] + "_px",
                [a](const Component& c, std::int64_t) -> Cell { return c.centroid[a]; });
        if (!geometry.known()) return;
        const double of_millimeter = geometry.unit == Unit::micrometer ? 1000 : 1;
        for (std::size_t a = 0; a < 3; ++a)
            add(std::string("centroid_") + axis_names[a] + "_" + unit,
                [a, geometry, of_millimeter](const Component& c, std::int64_t) -> Cell {
                    return of_millimeter * physical_point(geometry, {c.centroid[0], c.centroid[1],
                                                                     c.centroid[2]})[a];
                });
    }

    Table table(std::vector<Component> components) && {
        const auto rows = std::make_shared<const std::vector<Component>>(std::move(components));
        return {std::move(names_), static_cast<std::int64_t>(rows->size()),
                [rows, columns = std::move(columns_)](std::int64_t row, std::size_t column) {
                    return columns[column]((*rows)[static_cast<std::size_t>(row)], row + 1);
                }};
    }

  private:
    void add(std::string name, Column column) {
        names_.push_back(std::move(name));
        columns_.push_back(std::move(column));
    }

    std::vector<std::string> names_;
    std::vector<Column> columns_;
};

bool is_binary(const ComponentOptions& options) {
    return options.values == ComponentValues::binary;
}

// Whether components stand for what their values do.
bool are_named_by_value(const Call& call, const ComponentOptions& options) {
    const SharedLabelTable values = input_of(call).values;
    return !is_binary(options) && values && !values->empty();
}

ComponentOutput wanted(const Call& call, const ComponentOptions& options) {
    return call.wants("table") || are_named_by_value(call, options)
               ? ComponentOutput::labels_and_table
               : ComponentOutput::labels_only;
}

// What the components stand for: `rows` of them, in the order of their labels.
SharedLabelTable names_of(const Call& call, const ComponentOptions& options,
                          const std::vector<Component>& rows) {
    if (!are_named_by_value(call, options)) return is_binary(options) ? call.made_labels : nullptr;
    const SharedLabelTable values = input_of(call).values;
    LabelTable names;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double value = rows[i].value;
        if (!(value >= 0 && value <= std::numeric_limits<std::uint32_t>::max())) continue;
        const auto found = values->find(static_cast<std::uint32_t>(value));
        if (found == values->end()) continue;
        LabelDescription& name = names[static_cast<std::uint32_t>(i + 1)] = found->second;
        name.segment.id.clear();  // several components may have the value
    }
    return std::make_shared<const LabelTable>(std::move(names));
}

// What all forms report, and the table of `rows`.
Results report_of(const Call& call, ComponentReport& result, const SharedLabelTable& names,
                  std::vector<Component> rows) {
    const ComponentInput input = input_of(call);
    Results results;
    results.summary = counted(result.count, "component");
    if (result.dropped_count > 0)
        results.summary +=
            printed(", %lld left out as too small", static_cast<long long>(result.dropped_count));
    results.figures = {{"component_count", std::int64_t{result.count}},
                       {"dropped_count", std::int64_t{result.dropped_count}},
                       {"points", input.shape.points()}};
    results.used = {{"connectivity", std::string(enum_name(result.connectivity))}};
    results.stages = std::move(result.stages);
    if (call.wants("table"))
        results.outputs.set("table",
                            TableColumns(input.shape, input.geometry, names ? *names : LabelTable{})
                                .table(std::move(rows)));
    return results;
}
// And the label map.
Results results_of(const Call& call, const ComponentOptions& options, ComponentReport& result,
                   const ImageValue& labels, std::vector<Component> rows) {
    const SharedLabelTable names = names_of(call, options, rows);
    Results results = report_of(call, result, names, std::move(rows));
    results.outputs.set("labels", labels.with_labels(names));
    return results;
}

constexpr std::string_view otherwise = "label equal values with --values equal";

Results run_components(const Call& call, Queue& queue, const Progress& progress) {
    const ComponentOptions options = options_of(call);
    ComponentResult result =
        components(call.image(), options, queue, wanted(call, options), progress);
    const ImageValue labels(std::move(result.labels));
    Results results = results_of(call, options, result, labels, std::move(result.table));
    if (is_binary(options)) warn_of_gray(call.image(), otherwise, results);
    if (is_binary(options) || options.background)
        warn_of_coverage(call, "the label map", labels.image_of<std::uint32_t>(), results);
    return results;
}

template <class T>
Results run_on_device(const DeviceImage<const T>& image, const Call& call, Queue& queue) {
    const ComponentOptions options = options_of(call);
    DeviceComponents found =
        components(image, component_background<T>(options), options, queue, wanted(call, options));
    std::vector<Component> rows;
    if (wanted(call, options) == ComponentOutput::labels_and_table)
        rows =
            component_table(found, is_binary(options) ? PixelType::u8 : pixel_type_of<T>(), queue);
    const ImageValue labels(std::move(found.labels));
    return results_of(call, options, found, labels, std::move(rows));
}

Memory component_memory(const Call& call, const Device& device) {
    const ComponentOptions options = options_of(call);
    const ComponentBytes bytes =
        components_bytes(call.image(), options, device, wanted(call, options));
    return {.device = bytes.device,
            .held = bytes.table,
            .computing = bytes.making,
            .finishing = segmented_bytes(call)};
}

// ---- Part by part ----

Results run_in_parts(const Call& call, Queue&, const Progress& progress) {
    const ComponentOptions options = options_of(call);
    const auto& input = call.inputs.get<ImageParts>("input");
    const bool wants_labels = call.wants("labels");
    JoinedComponents found =
        components_in_parts(*input.input, part_size(*input.input), options, call.queues,
                            room_of(call.parts), progress.part(0, wants_labels ? 0.5 : 1));
    std::vector<std::int64_t> points;
    for (const Component& component : found.table) points.push_back(component.area);
    const SharedLabelTable names = names_of(call, options, found.table);
    if (wants_labels)
        call.parts.get<WriteLabelParts>("labels")({*found.labels, input.geometry, points, names},
                                                  progress.part(0.5, 1));
    Results results = report_of(call, found, names, std::move(found.table));
    if (found.gray_values) warn_of_gray(*found.gray_values, otherwise, results);
    if (is_binary(options) || options.background)
        warn_of_coverage("the label map",
                         std::accumulate(points.begin(), points.end(), std::int64_t{0}),
                         input.shape().points(), results);
    return results;
}

// Beside the records, which --max-memory bounds while they are made.
Memory memory_in_parts(const Call& call, const Device& device) {
    const PartSource& input = *call.inputs.get<ImageParts>("input").input;
    const VolumeInputFacts& facts = input.facts();
    const PartSize size = part_size(input);
    const ComponentBytes part = components_part_bytes(facts, size, device);
    const std::int64_t queues = std::min<std::int64_t>(
        queues_for(Queues::for_tiles, device, call.threads), PartGrid(facts.shape, size).count());
    Memory memory{.device = queues * part.device, .computing = queues * part.making};
    if (!call.wants("labels")) return memory;
    VolumeInputFacts labels = facts;
    labels.type = PixelType::u32;
    memory.computing += std::min(PartLabels::cache_bytes, 4 * facts.shape.points()) +
                        volume_write_bytes(labels, call.threads);
    return memory;
}

std::shared_ptr<const Operation> in_parts(const Operation& whole) {
    Operation parts = whole;
    parts.inputs.front().kind = kinds::parts;
    std::erase_if(parts.outputs, [](const Output& output) { return output.name == "segmented"; });
    parts.outputs.front().kind = kinds::label_parts;
    parts.outputs.front().always = false;
    parts.run = run_in_parts;
    parts.memory = memory_in_parts;
    parts.finish = nullptr;
    parts.device = {.queues = Queues::for_tiles};
    return std::make_shared<const Operation>(std::move(parts));
}

}  // namespace

void add_components(Registry& registry) {
    Operation components{
        .name = "components",
        .purpose = "label the connected components of a mask or label map",
        .sentence =
            "Labels the connected components of a mask, or of pixels of equal value, and "
            "lists their areas, boxes and centroids.",
        .task = tasks::segment,
        .examples = {"components mask.png -o labels.png --min-size 20",
                     "components atlas.nii.gz --values equal --background 0 --table parts.csv"},
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "mask, label map or other picture or volume of one channel",
                    .names_labels = true}},
        .outputs = {labels_output(),
                    segmented_output(),
                    {.name = "table",
                     .kind = kinds::table,
                     .help = "CSV: label, value, area, box and centroid of each component"}},
        .options = Options::of(ComponentChoice{}),
        .run = run_components,
        .memory = component_memory,
        .check =
            [](const Options& options) {
                naming_size(
                    [&] { return RegionSize::parse(options.as<ComponentChoice>().smallest); });
            },
        .finish = add_segmented,
        .device = {
            .level =
                device_level_of<std::uint8_t, std::uint16_t, std::uint32_t, std::int32_t, float>(
                    [](const auto& image, const Call& call, Queue& queue, const Progress&) {
                        return run_on_device(image, call, queue);
                    })}};
    components.slides.in_tiles = in_parts(components);
    registry.add(std::move(components));
}

}  // namespace tesela::operations
