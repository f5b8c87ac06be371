#include <array>
#include <cmath>

#include "io/text_table.h"
#include "tesela/circles_io.h"

namespace tesela::io {
namespace {

constexpr std::size_t none = TextTable::npos;

// x, y, radius and z, `none` where the header lacks it.
using Columns = std::array<std::size_t, 4>;

Columns columns_of(const TextTable& table, const std::string& suffix) {
    return {table.column("x" + suffix), table.column("y" + suffix), table.column("radius" + suffix),
            table.column("z")};
}

bool has_circles(const Columns& columns) {
    return columns[0] != none && columns[1] != none && columns[2] != none;
}

Circle circle_of(const TextTable& table, const Columns& columns) {
    const auto number = [&](std::size_t column) {
        constexpr double farthest = 1e12;
        const double value = table.number(column);
        if (std::abs(value) > farthest)
            table.refuse("column " + std::to_string(column + 1) + " holds " + table.at(column) +
                         ", which is too far away");
        return value;
    };
    Circle circle;
    circle.x = number(columns[0]);
    circle.y = number(columns[1]);
    circle.radius = number(columns[2]);
    if (circle.radius < 0) table.refuse("the radius " + table.at(columns[2]) + " is negative");
    if (columns[3] != none) circle.slice = std::llround(number(columns[3]));
    return circle;
}

CircleLists read_list(const fs::path& path, std::int64_t max_bytes) {
    TextTable table(path);
    const Columns pixels = columns_of(table, ""), millimeters = columns_of(table, "_mm");
    CircleLists lists;
    if (has_circles(pixels)) lists.pixels.emplace();
    if (has_circles(millimeters)) lists.millimeters.emplace();
    if (!lists.pixels && !lists.millimeters)
        throw unreadable(path,
                         "its first row does not name columns 'x', 'y' and 'radius', nor 'x_mm', "
                         "'y_mm' and 'radius_mm'");
    // Lists double as they grow.
    const std::int64_t of_row =
        2 * std::int64_t{sizeof(Circle)} *
        (int{lists.pixels.has_value()} + int{lists.millimeters.has_value()});
    for (std::int64_t rows = 1; table.next(); ++rows) {
        table.lines().require_list(rows * of_row, max_bytes);
        if (lists.pixels) lists.pixels->push_back(circle_of(table, pixels));
        if (lists.millimeters) lists.millimeters->push_back(circle_of(table, millimeters));
    }
    return lists;
}

}  // namespace

CircleLists read_circles(const fs::path& path, const ReadOptions& options) {
    CircleLists lists;
    with_memory_guard(path, [&] { lists = read_list(path, options.max_bytes); });
    return lists;
}

void write_circles(std::span<const Circle> circles, const fs::path& path) {
    std::string text = "x,y,radius\n";
    for (const Circle& circle : circles) {
        append_number(text, circle.x);
        append_number(text += ',', circle.y);
        append_number(text += ',', circle.radius);
        text += '\n';
    }
    write_text(text, path, true);
}

}  // namespace tesela::io
