#include <cmath>
#include <set>
#include <sstream>

#include "io/text_file.h"
#include "tesela/transform_io.h"

namespace tesela::io {
namespace {

std::vector<std::string> cells_of(std::string line) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> cells;
    std::istringstream rest(line + ",");
    for (std::string cell; std::getline(rest, cell, ',');) {
        const std::size_t first = cell.find_first_not_of(" \t\"");
        const std::size_t last = cell.find_last_not_of(" \t\"");
        cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    return cells;
}

// Where a table has what; -1: nowhere.
struct Columns {
    int name = -1;
    std::array<int, 3> axis{-1, -1, -1};
};

class LandmarkReader {
  public:
    explicit LandmarkReader(const fs::path& path) : path_(path) {}

    Landmarks read(const std::string& text) {
        std::istringstream lines(text);
        std::string line;
        std::getline(lines, line);
        read_header(cells_of(line));
        for (row_ = 2; std::getline(lines, line); ++row_)
            if (line.find_first_not_of(" \t\r,") != std::string::npos) read_row(cells_of(line));
        if (landmarks_.list.empty()) throw unreadable(path_, "it has no landmarks");
        return std::move(landmarks_);
    }

  private:
    void read_header(const std::vector<std::string>& cells) {
        constexpr std::string_view axes = "xyz";
        for (int i = 0; i < static_cast<int>(cells.size()); ++i) {
            const std::string& cell = cells[static_cast<std::size_t>(i)];
            const std::size_t axis =
                cell.size() == 1 ? axes.find(static_cast<char>(cell[0] | 0x20)) : axes.npos;
            if (axis != axes.npos)
                columns_.axis[axis] = i;
            else if (columns_.name < 0)
                columns_.name = i;
        }
        if (columns_.axis[0] < 0 || columns_.axis[1] < 0)
            throw unsupported(path_, "its first row does not name columns X and Y");
        landmarks_.dimensions = columns_.axis[2] < 0 ? 2 : 3;
    }

    void read_row(const std::vector<std::string>& cells) {
        Landmark landmark;
        landmark.name = columns_.name < 0 ? std::to_string(row_ - 1) : at(cells, columns_.name);
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (columns_.axis[axis] >= 0)
                landmark.point[axis] = number(at(cells, columns_.axis[axis]));
        if (!names_.insert(landmark.name).second)
            throw unreadable(path_, "row " + std::to_string(row_) + ": there are two landmarks '" +
                                        printable(landmark.name.substr(0, 40)) + "'");
        landmarks_.list.push_back(std::move(landmark));
    }

    std::string at(const std::vector<std::string>& cells, int column) const {
        if (column >= static_cast<int>(cells.size()))
            throw unreadable(path_, "row " + std::to_string(row_) + " is too short");
        return cells[static_cast<std::size_t>(column)];
    }

    double number(const std::string& text) const {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        constexpr double farthest = 1e12;
        if (error != std::errc{} || end != text.data() + text.size() ||
            !(std::abs(value) <= farthest))
            throw unreadable(path_, "row " + std::to_string(row_) + ": '" +
                                        printable(text.substr(0, 40)) + "' is no coordinate");
        return value;
    }

    const fs::path& path_;
    Columns columns_;
    std::int64_t row_ = 1;
    std::set<std::string> names_;
    Landmarks landmarks_;
};

}  // namespace

Landmarks read_landmarks(const fs::path& path, const ReadOptions& options) {
    Landmarks landmarks;
    with_memory_guard(path, [&] {
        landmarks = LandmarkReader(path).read(whole_text(InputFile(path), options.max_bytes));
    });
    return landmarks;
}

void write_landmarks(const Landmarks& landmarks, const fs::path& path,
                     const WriteOptions& options) {
    std::string text = landmarks.dimensions == 2 ? ",X,Y\n" : ",X,Y,Z\n";
    for (const Landmark& landmark : landmarks.list) {
        text += landmark.name;
        for (std::size_t axis = 0; axis < static_cast<std::size_t>(landmarks.dimensions); ++axis) {
            text += ',';
            append_number(text, landmark.point[axis]);
        }
        text += '\n';
    }
    write_text(text, path, options.overwrite);
}

}  // namespace tesela::io
