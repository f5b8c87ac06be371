#include <cmath>
#include <unordered_set>

#include "io/text_table.h"
#include "tesela/transform_io.h"

namespace tesela::io {
namespace {

class LandmarkReader {
  public:
    LandmarkReader(const fs::path& path, std::int64_t max_bytes)
        : table_(path), max_bytes_(max_bytes) {}

    Landmarks read() {
        read_header();
        while (table_.next()) read_row();
        if (landmarks_.list.empty()) throw unreadable(table_.lines().path(), "it has no landmarks");
        return std::move(landmarks_);
    }

  private:
    static constexpr std::size_t none = TextTable::npos;

    void read_header() {
        constexpr std::string_view axes = "xyz";
        const std::vector<std::string>& header = table_.header();
        for (std::size_t i = 0; i < header.size(); ++i) {
            const std::string& cell = header[i];
            const std::size_t axis =
                cell.size() == 1 ? axes.find(static_cast<char>(cell[0] | 0x20)) : axes.npos;
            if (axis != axes.npos && axis_[axis] != none)
                throw unsupported(table_.lines().path(),
                                  "its first row names the column " + printable(cell) + " twice");
            if (axis != axes.npos)
                axis_[axis] = i;
            else if (name_ == none)
                name_ = i;
        }
        if (axis_[0] == none || axis_[1] == none)
            throw unsupported(table_.lines().path(),
                              "its first row does not name columns X and Y; cells are separated "
                              "by commas, semicolons or tabs");
        landmarks_.dimensions = axis_[2] == none ? 2 : 3;
    }

    void read_row() {
        Landmark landmark;
        // Tables without names number their landmarks by the lines below the first.
        landmark.name =
            name_ == none ? std::to_string(table_.lines().number() - 1) : table_.at(name_);
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (axis_[axis] != none) landmark.point[axis] = coordinate(axis_[axis]);
        if (!names_.insert(landmark.name).second)
            table_.refuse("there are two landmarks '" + printable(landmark.name.substr(0, 40)) +
                          "'");
        count_memory(landmark.name);
        landmarks_.list.push_back(std::move(landmark));
    }

    // Twice the list, which doubles as it grows, and a node of the names.
    void count_memory(const std::string& name) {
        constexpr std::int64_t of_one = 2 * sizeof(Landmark) + 96;
        bytes_ += of_one + 2 * std::ssize(name);
        table_.lines().require_list(bytes_, max_bytes_);
    }

    double coordinate(std::size_t column) const {
        const double value = table_.number(column);
        if (!(std::abs(value) <= farthest_coordinate))
            table_.refuse("'" + printable(table_.at(column).substr(0, 40)) + "' is no coordinate");
        return value;
    }

    TextTable table_;
    std::int64_t max_bytes_, bytes_ = 0;
    std::size_t name_ = none;
    std::array<std::size_t, 3> axis_{none, none, none};
    std::unordered_set<std::string> names_;
    Landmarks landmarks_;
};

}  // namespace

Landmarks read_landmarks(const fs::path& path, const ReadOptions& options) {
    Landmarks landmarks;
    with_memory_guard(path, [&] { landmarks = LandmarkReader(path, options.max_bytes).read(); });
    return landmarks;
}

void write_landmarks(const Landmarks& landmarks, const fs::path& path,
                     const WriteOptions& options) {
    std::string text = landmarks.dimensions == 2 ? ",X,Y\n" : ",X,Y,Z\n";
    for (const Landmark& landmark : landmarks.list) {
        text += csv_field(landmark.name);
        for (std::size_t axis = 0; axis < static_cast<std::size_t>(landmarks.dimensions); ++axis) {
            text += ',';
            append_number(text, landmark.point[axis]);
        }
        text += '\n';
    }
    write_text(text, path, options.overwrite);
}

}  // namespace tesela::io
