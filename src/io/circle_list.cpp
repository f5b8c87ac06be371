#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>

#include "io/text_file.h"
#include "tesela/circles_io.h"
#include "tesela/error.h"

namespace tesela::io {
namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::vector<std::string_view> cells;
    for (;;) {
        const std::size_t comma = line.find(',');
        cells.push_back(line.substr(0, comma));
        if (comma == std::string_view::npos) return cells;
        line.remove_prefix(comma + 1);
    }
}

constexpr std::size_t none = ~std::size_t{0};

std::size_t column_of(const std::vector<std::string_view>& header, std::string_view name) {
    const auto found = std::find(header.begin(), header.end(), name);
    return found == header.end() ? none : static_cast<std::size_t>(found - header.begin());
}

double number_at(const std::vector<std::string_view>& cells, std::size_t column,
                 const fs::path& path, std::int64_t line) {
    double value = 0;
    const std::string_view cell = column < cells.size() ? cells[column] : std::string_view{};
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value))
        throw UnreadableInput("'" + path.string() + "', line " + std::to_string(line) +
                              ": column " + std::to_string(column + 1) + " holds '" +
                              std::string(cell) + "', which is no number");
    return value;
}

// x, y, radius and z, `none` where the header lacks it.
using Columns = std::array<std::size_t, 4>;

Columns columns_of(const std::vector<std::string_view>& header, const std::string& suffix) {
    return {column_of(header, "x" + suffix), column_of(header, "y" + suffix),
            column_of(header, "radius" + suffix), column_of(header, "z")};
}

bool has_circles(const Columns& columns) {
    return columns[0] != none && columns[1] != none && columns[2] != none;
}

Circle circle_of(const std::vector<std::string_view>& cells, const Columns& columns,
                 const fs::path& path, std::int64_t line) {
    Circle circle;
    circle.x = number_at(cells, columns[0], path, line);
    circle.y = number_at(cells, columns[1], path, line);
    circle.radius = number_at(cells, columns[2], path, line);
    if (columns[3] != none) circle.slice = std::llround(number_at(cells, columns[3], path, line));
    return circle;
}

}  // namespace

CircleLists read_circles(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::string text;
    if (!in || !std::getline(in, text))
        throw UnreadableInput("cannot read '" + path.string() + "': it is missing or empty");
    const std::string header_text = text;
    const auto header = cells_of(header_text);
    const Columns pixels = columns_of(header, ""), millimeters = columns_of(header, "_mm");
    CircleLists lists;
    if (has_circles(pixels)) lists.pixels.emplace();
    if (has_circles(millimeters)) lists.millimeters.emplace();
    if (!lists.pixels && !lists.millimeters)
        throw UnreadableInput("'" + path.string() +
                              "' has no columns 'x', 'y' and 'radius', nor 'x_mm', 'y_mm' and "
                              "'radius_mm'; its first line has to name them");
    for (std::int64_t line = 2; std::getline(in, text); ++line) {
        if (text.empty() || text == "\r") continue;
        const auto cells = cells_of(text);
        if (lists.pixels) lists.pixels->push_back(circle_of(cells, pixels, path, line));
        if (lists.millimeters)
            lists.millimeters->push_back(circle_of(cells, millimeters, path, line));
    }
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
