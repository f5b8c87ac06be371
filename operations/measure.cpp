#include "tesela/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/annotations.h"
#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "operations/registry.h"
#include "tesela/label_outlines.h"
#include "tesela/overlay.h"

namespace tesela::operations {
namespace {

constexpr std::string_view usual_properties =
    "label,area,equivalent_diameter_area,touches_border,centroid,perimeter_crofton,circularity,"
    "surface,sphericity,eccentricity,solidity,feret_diameter_max,intensity_mean,intensity_std,"
    "intensity_min,intensity_max";

struct MeasureChoice {
    std::string properties = "usual";
};
template <class V>
void describe(V&& v, MeasureChoice& o) {
    v("properties", o.properties, "properties to list, with commas; usual or all");
}

std::vector<std::string> words_of(std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        if (end > 0) words.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return words;
}

// Which columns of a table are asked for.
class Selection {
  public:
    // `channels` of images are measured.
    Selection(const Call& call, std::int64_t channels)
        : asked_(call.options.as<MeasureChoice>().properties) {
        const ImageValue& map = call.inputs.image("input");
        empty_.shape = map.shape();
        empty_.geometry = map.geometry();
        empty_.intensities.resize(static_cast<std::size_t>(channels));
        empty_.options.hulls = empty_.shape.z == 1;
        known_ = measure_columns(empty_);
        require_known();
    }

    bool has(const MeasureColumn& column) const {
        if (asked_ == "all") return true;
        const auto words = words_of(asked_ == "usual" ? usual_properties : asked_);
        return std::any_of(words.begin(), words.end(),
                           [&](const std::string& word) { return is_meant(column, word); });
    }

    // What has to be measured for them.
    MeasureOptions options() const {
        MeasureOptions needed;
        needed.boundaries = needs(&MeasureOptions::boundaries);
        needed.hulls = needs(&MeasureOptions::hulls);
        needed.percentiles = needs(&MeasureOptions::percentiles);
        return needed;
    }

  private:
    static bool is_meant(const MeasureColumn& column, const std::string& word) {
        return column.property == word || column.name == word;
    }
    void require_known() const {
        if (asked_ == "all" || asked_ == "usual") return;
        const std::vector<std::string> words = words_of(asked_);
        if (words.empty())
            throw InvalidArgument("--properties names none: give usual, all, or names with commas");
        for (const std::string& word : words)
            if (std::none_of(known_.begin(), known_.end(),
                             [&](const MeasureColumn& c) { return is_meant(c, word); }))
                throw InvalidArgument(fmt::format(
                    "--properties: '{}' is no property of {}{}; there are {}", word,
                    empty_.shape.z > 1 ? "a volume" : "a picture",
                    empty_.intensities.empty() ? " without --on" : "", known_properties()));
    }
    std::string known_properties() const {
        std::vector<std::string> names;
        for (const MeasureColumn& column : known_)
            if (std::find(names.begin(), names.end(), column.property) == names.end())
                names.push_back(column.property);
        return fmt::format("{}", fmt::join(names, ", "));
    }
    // Whether a column that is asked for goes away without it.
    bool needs(bool MeasureOptions::*part) const {
        Measurements without = empty_;
        without.options.*part = false;
        std::set<std::string> left;
        for (const MeasureColumn& column : measure_columns(without)) left.insert(column.name);
        return std::any_of(known_.begin(), known_.end(), [&](const MeasureColumn& column) {
            return !left.contains(column.name) && has(column);
        });
    }

    std::string asked_;
    Measurements empty_;
    std::vector<MeasureColumn> known_;  // without values
};

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

// What the columns of each channel end in, where there are several.
std::vector<Figures> channels_by_column(const Call& call) {
    std::vector<Figures> list;
    const std::vector<ImageValue>& images = images_of(call);
    for (std::size_t i = 0; i < images.size(); ++i)
        for (std::int64_t channel = 0; channel < channels_of(images[i]); ++channel)
            list.push_back({{"columns", "-" + std::to_string(list.size())},
                            {"path", call.name_of("on", i)},
                            {"channel", channel}});
    return list;
}
// "-0 dapi.tif, -1 gfp.tif"
std::string images_by_column(const Call& call) {
    std::string text;
    std::int64_t column = 0;
    const std::vector<ImageValue>& images = images_of(call);
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::int64_t channels = channels_of(images[i]);
        text += fmt::format("{}-{}{} {}", i > 0 ? ", " : "", column,
                            channels > 1 ? fmt::format(" to -{}", column + channels - 1) : "",
                            call.name_of("on", i));
        column += channels;
    }
    return text;
}

// What the columns are made of.
struct Measured {
    Measurements measurements;
    std::vector<std::uint32_t> parents;  // where they were given
};

Table table_of(std::shared_ptr<const Measured> measured, const Selection& selection,
               const LabelTable& labels) {
    using Column = std::function<Table::Cell(std::size_t)>;
    Table table{.columns = {}, .rows = std::ssize(measured->measurements.objects), .cell = {}};
    std::vector<Column> columns;
    const auto add = [&](const std::string& name, Column column) {
        table.columns.push_back(name);
        columns.push_back(std::move(column));
    };
    for (const MeasureColumn& column : measure_columns(measured->measurements)) {
        if (!selection.has(column)) continue;
        add(column.name, [value = column.value](std::size_t n) {
            return std::visit([](auto number) -> Table::Cell { return number; }, value(n));
        });
        if (column.property != "label") continue;
        if (has_names(labels))
            add("name", [labels, measured](std::size_t n) -> Table::Cell {
                return label_name(labels, measured->measurements.objects[n].label);
            });
        if (!measured->parents.empty())
            add("parent", [measured](std::size_t n) -> Table::Cell {
                return std::int64_t{measured->parents[n]};
            });
    }
    table.cell = [measured, columns = std::move(columns)](std::int64_t row, std::size_t column) {
        return columns[column](static_cast<std::size_t>(row));
    };
    return table;
}

std::string text_of(const Table::Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
    return fmt::format("{:.6g}", std::get<double>(cell));
}

// The table for people: columns as wide as their longest cells.
std::string text_of(const Table& table) {
    std::vector<std::vector<std::string>> rows{table.columns};
    for (std::int64_t row = 0; row < table.rows; ++row) {
        rows.emplace_back();
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            rows.back().push_back(text_of(table.cell(row, column)));
    }
    std::vector<std::size_t> widths(table.columns.size());
    for (const auto& row : rows)
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], row[column].size());
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column)
            text += fmt::format("{:>{}}", row[column], widths[column] + (column > 0 ? 2 : 0));
        text += "\n";
    }
    return text;
}

// Mean, lowest and highest of each column of numbers.
std::vector<Figures> summary_of(const Table& table) {
    std::vector<Figures> list;
    for (std::size_t column = 0; column < table.columns.size() && table.rows > 0; ++column) {
        if (std::holds_alternative<std::string>(table.cell(0, column))) continue;
        double sum = 0, lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
        for (std::int64_t row = 0; row < table.rows; ++row) {
            const Table::Cell cell = table.cell(row, column);
            const auto* whole = std::get_if<std::int64_t>(&cell);
            const double value = whole ? static_cast<double>(*whole) : std::get<double>(cell);
            sum += value;
            lowest = std::min(lowest, value);
            highest = std::max(highest, value);
        }
        list.push_back({{"name", table.columns[column]},
                        {"mean", sum / static_cast<double>(table.rows)},
                        {"lowest", lowest},
                        {"highest", highest}});
    }
    return list;
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
Results results_of(const Call& call, const Selection& selection, Measured made, const Map& map,
                   const Progress& progress) {
    const auto measured = std::make_shared<const Measured>(std::move(made));
    const Measurements& measurements = measured->measurements;
    Results results;
    const std::int64_t count = std::ssize(measurements.objects);
    std::int64_t points = 0;
    for (const MeasuredObject& object : measurements.objects) points += object.points;
    results.summary = counted(count, "object");
    if (count > 0)
        results.summary += printed(", mean area %.6g pixels",
                                   static_cast<double>(points) / static_cast<double>(count));
    if (images_of(call).size() > 1) results.summary += "; intensities " + images_by_column(call);
    results.figures = {{"object_count", count},
                       {"object_points", points},
                       {"points", call.shape().points()},
                       {"channels", std::int64_t{std::ssize(measurements.intensities)}}};
    results.stages = measurements.stages;
    results.warnings = measurements.warnings;
    if (count == 0)
        results.warnings.push_back(
            "the label map has no objects: all of it is 0; label the objects of a mask with "
            "'components'");
    const LabelTable& labels = call.labels_of("input");
    const Table table = table_of(measured, selection, labels);
    results.details = {{"columns", summary_of(table)}};
    if (channels_of(call) > 1) results.details.push_back({"channels", channels_by_column(call)});
    if (call.wants("outlines"))
        results.outputs.set("outlines", outlines_of(table, map(), labels, progress));
    if (call.wants("table"))
        results.outputs.set("table", table);
    else
        results.data = text_of(table);
    return results;
}

void require_picture_for_outlines(const Call& call) {
    if (call.wants("outlines") && (call.shape().z > 1 || call.shape().t > 1))
        throw InvalidArgument(
            "--outlines are of one picture, and this is a volume: take one slice of it");
}

Results run_measure(const Call& call, Queue& queue, const Progress& progress) {
    require_picture_for_outlines(call);
    const Selection selection(call, channels_of(call));
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
    const Selection selection(call, channels_of(call));
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
    const Selection selection(call, channels_of(call));
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

}  // namespace

void add_measure(Registry& registry) {
    registry.add(Operation{
        .name = "measure",
        .purpose = "size, shape, boundary and intensities of each object",
        .sentence = "Measures each object of a label map: size, place, shape, boundary, convex "
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
        .command_line = {.prints = "table"}});
}

}  // namespace tesela::operations
