#include "circle_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

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
        throw UnreadableInput(fmt::format("'{}', line {}: column {} holds '{}', which is no number",
                                          path.string(), line, column + 1, cell));
    return value;
}

}  // namespace

std::vector<Circle> read_circles(const fs::path& path, bool in_millimeters) {
    std::ifstream in(path, std::ios::binary);
    std::string text;
    if (!in || !std::getline(in, text))
        throw UnreadableInput("cannot read '" + path.string() + "': it is missing or empty");
    const std::string header_text = text;
    const auto header = cells_of(header_text);
    const std::string suffix = in_millimeters ? "_mm" : "";
    const std::array<std::string, 3> names{"x" + suffix, "y" + suffix, "radius" + suffix};
    std::array<std::size_t, 3> columns{};
    for (std::size_t k = 0; k < 3; ++k) {
        columns[k] = column_of(header, names[k]);
        if (columns[k] == none)
            throw UnreadableInput(
                fmt::format("'{}' has no column '{}'; its first line has to name x, y and radius{}",
                            path.string(), names[k], in_millimeters ? ", each with _mm" : ""));
    }
    const std::size_t z = column_of(header, "z");
    std::vector<Circle> circles;
    for (std::int64_t line = 2; std::getline(in, text); ++line) {
        if (text.empty() || text == "\r") continue;
        const auto cells = cells_of(text);
        Circle circle;
        circle.x = number_at(cells, columns[0], path, line);
        circle.y = number_at(cells, columns[1], path, line);
        circle.radius = number_at(cells, columns[2], path, line);
        if (z != none) circle.slice = std::llround(number_at(cells, z, path, line));
        circles.push_back(circle);
    }
    return circles;
}

void write_circles(std::span<const Circle> circles, const fs::path& path) {
    std::ofstream out(path, std::ios::binary);
    out << "x,y,radius\n";
    for (const Circle& c : circles) out << fmt::format("{},{},{}\n", c.x, c.y, c.radius);
    out.close();
    if (!out) throw UnwritableOutput("cannot write '" + path.string() + "': is the disk full?");
}

}  // namespace tesela::cli
