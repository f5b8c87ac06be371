// Names and colors of labels in files of text.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "io/text_file.h"
#include "io/text_header.h"
#include "io/text_table.h"
#include "tesela/io.h"

namespace tesela::io {
namespace {

template <class T>
std::optional<T> whole_number(const std::string& text) {
    T value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return {};
    return value;
}

constexpr std::size_t longest_shown = 40;
std::string shown(const std::string& text) {
    return "'" + printable(text.substr(0, longest_shown)) + "'";
}

// Adds entries one by one. `Lines` names the line of an error.
template <class Lines>
class TableMaker {
  public:
    explicit TableMaker(const Lines& lines) : lines_(lines) {}

    std::uint32_t label(const std::string& text) const {
        const auto value = whole_number<std::uint32_t>(text);
        if (!value)
            lines_.refuse(shown(text) +
                          " is no label: labels are whole numbers from 0 to "
                          "4294967295");
        return *value;
    }
    std::uint8_t color(const std::string& text) const {
        const auto value = whole_number<std::uint8_t>(text);
        if (!value)
            lines_.refuse(shown(text) +
                          " is no part of a color: these are whole numbers from 0 to "
                          "255");
        return *value;
    }
    void add(std::uint32_t label, LabelDescription description) {
        if (!table_.emplace(label, std::move(description)).second)
            lines_.refuse("label " + std::to_string(label) + " is listed twice");
    }
    LabelTable take() { return std::move(table_); }

  private:
    const Lines& lines_;
    LabelTable table_;
};

// ---- tables of columns ------------------------------------------------------------------------

class ColumnReader {
  public:
    explicit ColumnReader(const fs::path& path) : table_(path), maker_(table_) {
        label_ = find({"labelvalue", "label value", "value", "index", "id", "label"});
        name_ = find({"name", "label"});
        if (name_ == label_) name_ = TextTable::npos;
        color_ = find({"color", "colour"});
        parts_ = {find({"red", "r", "color_r"}), find({"green", "g", "color_g"}),
                  find({"blue", "b", "color_b"})};
        const bool has_parts = std::count(parts_.begin(), parts_.end(), TextTable::npos) == 0;
        if (!has_parts) parts_.fill(TextTable::npos);
        if (label_ == TextTable::npos ||
            (name_ == TextTable::npos && color_ == TextTable::npos && !has_parts))
            throw unsupported(path,
                              "it lists no names of labels: its first row names the columns, such "
                              "as label,name,color");
    }

    LabelTable read() {
        while (table_.next()) {
            LabelDescription description;
            if (has(name_)) description.name = table_.at(name_);
            if (has(color_)) description.color = from_hex(table_.at(color_));
            if (has(parts_[0]))
                for (std::size_t c = 0; c < parts_.size(); ++c) {
                    if (!description.color) description.color.emplace();
                    (*description.color)[c] = maker_.color(table_.at(parts_[c]));
                }
            maker_.add(maker_.label(table_.at(label_)), std::move(description));
        }
        return maker_.take();
    }

  private:
    std::size_t find(std::initializer_list<std::string_view> names) const {
        for (const std::string_view name : names)
            for (std::size_t i = 0; i < table_.header().size(); ++i)
                if (lower(table_.header()[i]) == name) return i;
        return TextTable::npos;
    }
    // Whether the row has something in the column.
    bool has(std::size_t column) const {
        return column < table_.cells().size() && !table_.cells()[column].empty();
    }
    Rgb from_hex(const std::string& text) const {
        std::uint32_t number = 0;
        const char *begin = text.data() + 1, *end = text.data() + text.size();
        constexpr std::size_t length = 7;
        if (text.size() != length || text[0] != '#' ||
            std::from_chars(begin, end, number, 16).ptr != end)
            table_.refuse(shown(text) + " is no color like #a0b1c2");
        return {static_cast<std::uint8_t>(number >> 16), static_cast<std::uint8_t>(number >> 8),
                static_cast<std::uint8_t>(number)};
    }

    TextTable table_;
    TableMaker<TextTable> maker_;
    std::size_t label_ = 0, name_ = 0, color_ = 0;
    std::array<std::size_t, 3> parts_{};
};

// ---- lists separated by blanks ----------------------------------------------------------------

// INDEX NAME R G B A of 3D Slicer and FreeSurfer. Slicer writes blanks in names as underscores.
template <class Maker>
void add_color_table_row(const TextLines& lines, const std::string& line, bool is_of_slicer,
                         Maker& maker) {
    const std::vector<std::string> parts = words(line);
    constexpr std::size_t fewest = 6, behind_name = 4;
    if (parts.size() < fewest)
        lines.refuse("it is no row of a color table: label, name, red, green, blue and opacity");
    LabelDescription description;
    const std::size_t end = parts.size() - behind_name;
    for (std::size_t i = 1; i < end; ++i) description.name += (i > 1 ? " " : "") + parts[i];
    if (is_of_slicer) std::replace(description.name.begin(), description.name.end(), '_', ' ');
    description.color =
        Rgb{maker.color(parts[end]), maker.color(parts[end + 1]), maker.color(parts[end + 2])};
    maker.color(parts[end + 3]);
    maker.add(maker.label(parts[0]), std::move(description));
}

// IDX R G B A VIS MSH "LABEL" of ITK-SNAP.
template <class Maker>
void add_snap_row(const TextLines& lines, const std::string& line, Maker& maker) {
    const std::size_t first = line.find('"'), last = line.rfind('"');
    const std::vector<std::string> parts = words(line.substr(0, first));
    constexpr std::size_t before_name = 7;
    if (first == last || parts.size() != before_name || !trimmed(line.substr(last + 1)).empty())
        lines.refuse(
            "it is no row of label descriptions: label, red, green, blue, opacity, visibility, "
            "visibility of the mesh and a name in quotation marks");
    LabelDescription description{line.substr(first + 1, last - first - 1)};
    description.color = Rgb{maker.color(parts[1]), maker.color(parts[2]), maker.color(parts[3])};
    maker.add(maker.label(parts[0]), std::move(description));
}

bool is_number(const std::string& word) { return !std::isnan(finite_number(word)); }

enum class ListKind { columns, color_table, snap };

// By the first line that is no comment.
ListKind kind_of(const fs::path& path) {
    TextLines lines(path);
    std::string_view line;
    while (lines.next(line)) {
        const std::vector<std::string> parts = words(std::string(line));
        if (parts.empty() || parts[0].starts_with('#')) continue;
        if (parts.size() < 2 || !whole_number<std::uint32_t>(parts[0])) return ListKind::columns;
        return is_number(parts[1]) && line.find('"') != line.npos ? ListKind::snap
                                                                  : ListKind::color_table;
    }
    throw unsupported(path, "it lists no names of labels");
}

LabelTable read_list(const fs::path& path, ListKind kind) {
    TextLines lines(path);
    TableMaker maker(lines);
    bool is_of_slicer = lower(path.extension().string()) == ".ctbl";
    std::string_view next;
    while (lines.next(next)) {
        const std::string line = trimmed(next);
        is_of_slicer |= line.starts_with("# Color table file");
        if (line.empty() || line[0] == '#') continue;
        if (kind == ListKind::snap)
            add_snap_row(lines, line, maker);
        else
            add_color_table_row(lines, line, is_of_slicer, maker);
    }
    return maker.take();
}

}  // namespace

LabelTable read_label_names(const fs::path& path) {
    constexpr std::int64_t longest = 64 << 20;
    if (InputFile(path).size() > longest)
        throw unsupported(path, "it is larger than 64 MiB, and no list of labels");
    const ListKind kind = kind_of(path);
    return kind == ListKind::columns ? ColumnReader(path).read() : read_list(path, kind);
}

}  // namespace tesela::io
