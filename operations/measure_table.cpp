#include "operations/measure_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace tesela::operations {
namespace {

constexpr std::string_view usual_properties =
    "label,area,equivalent_diameter_area,touches_border,centroid,perimeter_crofton,circularity,"
    "surface,sphericity,eccentricity,solidity,feret_diameter_max,intensity_mean,intensity_std,"
    "intensity_min,intensity_max";

std::vector<std::string> words_of(std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        if (end > 0) words.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return words;
}

bool is_meant(const MeasureColumn& column, const std::string& word) {
    return column.property == word || column.name == word;
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

// What the columns of each channel end in, where there are several.
std::vector<Figures> channels_by_column(const std::vector<MeasuredImage>& images) {
    std::vector<Figures> list;
    for (const MeasuredImage& image : images)
        for (std::int64_t channel = 0; channel < image.channels; ++channel)
            list.push_back({{"columns", "-" + std::to_string(list.size())},
                            {"path", image.name},
                            {"channel", channel}});
    return list;
}
// "-0 dapi.tif, -1 gfp.tif"
std::string images_by_column(const std::vector<MeasuredImage>& images) {
    std::string text;
    std::int64_t column = 0;
    for (const MeasuredImage& image : images) {
        text += fmt::format(
            "{}-{}{} {}", text.empty() ? "" : ", ", column,
            image.channels > 1 ? fmt::format(" to -{}", column + image.channels - 1) : "",
            image.name);
        column += image.channels;
    }
    return text;
}

}  // namespace

MeasureSelection::MeasureSelection(const MeasureChoice& choice, const Shape& shape,
                                   const Geometry& geometry, std::int64_t channels)
    : asked_(choice.properties) {
    empty_.shape = shape;
    empty_.geometry = geometry;
    empty_.intensities.resize(static_cast<std::size_t>(channels));
    empty_.options.hulls = empty_.shape.z == 1;
    known_ = measure_columns(empty_);
    require_known();
}

bool MeasureSelection::has(const MeasureColumn& column) const {
    if (asked_ == "all") return true;
    const auto words = words_of(asked_ == "usual" ? usual_properties : asked_);
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return is_meant(column, word); });
}

MeasureOptions MeasureSelection::options() const {
    MeasureOptions needed;
    needed.boundaries = needs(&MeasureOptions::boundaries);
    needed.hulls = needs(&MeasureOptions::hulls);
    needed.percentiles = needs(&MeasureOptions::percentiles);
    return needed;
}

void MeasureSelection::require_known() const {
    if (asked_ == "all" || asked_ == "usual") return;
    const std::vector<std::string> words = words_of(asked_);
    if (words.empty())
        throw InvalidArgument("--properties names none: give usual, all, or names with commas");
    for (const std::string& word : words)
        if (std::none_of(known_.begin(), known_.end(),
                         [&](const MeasureColumn& c) { return is_meant(c, word); }))
            throw InvalidArgument(
                fmt::format("--properties: '{}' is no property of {}{}; there are {}", word,
                            empty_.shape.z > 1 ? "a volume" : "a picture",
                            empty_.intensities.empty() ? " without --on" : "", known_properties()));
}

std::string MeasureSelection::known_properties() const {
    std::vector<std::string> names;
    for (const MeasureColumn& column : known_)
        if (std::find(names.begin(), names.end(), column.property) == names.end())
            names.push_back(column.property);
    return fmt::format("{}", fmt::join(names, ", "));
}

bool MeasureSelection::needs(bool MeasureOptions::*part) const {
    Measurements without = empty_;
    without.options.*part = false;
    std::set<std::string> left;
    for (const MeasureColumn& column : measure_columns(without)) left.insert(column.name);
    return std::any_of(known_.begin(), known_.end(), [&](const MeasureColumn& column) {
        return !left.contains(column.name) && has(column);
    });
}

Table table_of(std::shared_ptr<const Measured> measured, const MeasureSelection& selection,
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

Results report_of(const Call& call, const Measured& measured, const Table& table,
                  const std::vector<MeasuredImage>& images) {
    const Measurements& measurements = measured.measurements;
    Results results;
    const std::int64_t count = std::ssize(measurements.objects);
    std::int64_t points = 0;
    for (const MeasuredObject& object : measurements.objects) points += object.points;
    results.summary = counted(count, "object");
    if (count > 0)
        results.summary += printed(", mean area %.6g pixels",
                                   static_cast<double>(points) / static_cast<double>(count));
    if (images.size() > 1) results.summary += "; intensities " + images_by_column(images);
    results.figures = {{"object_count", count},
                       {"object_points", points},
                       {"points", measurements.shape.points()},
                       {"channels", std::int64_t{std::ssize(measurements.intensities)}}};
    results.stages = measurements.stages;
    results.warnings = measurements.warnings;
    if (count == 0)
        results.warnings.push_back(
            "the label map has no objects: all of it is 0; label the objects of a mask with "
            "'components'");
    results.details = {{"columns", summary_of(table)}};
    if (std::vector<Figures> channels = channels_by_column(images); channels.size() > 1)
        results.details.push_back({"channels", std::move(channels)});
    if (call.wants("table"))
        results.outputs.set("table", table);
    else
        results.data = text_of(table);
    return results;
}

}  // namespace tesela::operations
