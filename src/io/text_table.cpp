#include "io/text_table.h"

#include <algorithm>
#include <cmath>

namespace tesela::io {
namespace {

constexpr std::string_view blanks = " \t";

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Takes the lines of a row, several where a quoted cell holds line breaks.
class RowSplitter {
  public:
    explicit RowSplitter(char separator) : separator_(separator) {}

    // Whether the row ends with the line.
    bool take(std::string_view line) {
        if (open_) cells_.back() += '\n';
        for (std::size_t i = 0; i < line.size(); ++i) {
            const bool doubled = open_ && line.substr(i, 2) == "\"\"";
            take(line[i], doubled);
            if (doubled) ++i;
        }
        if (!open_) end_cell();
        return !open_;
    }
    std::vector<std::string>& cells() { return cells_; }

  private:
    void take(char c, bool doubled) {
        std::string& cell = cells_.back();
        if (open_ && c == '"' && !doubled) {
            open_ = false;
        } else if (c == '"' && !open_ && !quoted_ &&
                   cell.find_first_not_of(blanks) == std::string::npos) {
            open_ = quoted_ = true;
            cell.clear();
        } else if (!open_ && c == separator_) {
            end_cell();
            cells_.emplace_back();
        } else if (open_ || !quoted_ || blanks.find(c) == std::string_view::npos) {
            cell += c;
        }
    }
    void end_cell() {
        if (!quoted_) cells_.back() = trimmed(cells_.back());
        quoted_ = false;
    }

    char separator_;
    std::vector<std::string> cells_{1};
    bool open_ = false, quoted_ = false;  // the quote, the cell
};

char separator_of(std::string_view header) {
    char best = ',';
    std::size_t most = 0;
    for (const char separator : {',', ';', '\t'}) {
        RowSplitter row(separator);
        row.take(header);
        if (row.cells().size() <= most) continue;
        most = row.cells().size();
        best = separator;
    }
    return best;
}

}  // namespace

TextTable::TextTable(const fs::path& path) : lines_(path) {
    std::string_view first;
    if (lines_.next(first)) separator_ = separator_of(first);
    RowSplitter row(separator_);
    if (!row.take(first)) refuse("a quote is not closed");
    header_ = std::move(row.cells());
}

std::size_t TextTable::column(std::string_view name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    return found == header_.end() ? npos : static_cast<std::size_t>(found - header_.begin());
}

bool TextTable::read_row() {
    std::string_view line;
    if (!lines_.next(line)) return false;
    RowSplitter row(separator_);
    auto bytes = std::ssize(line);
    const std::string first = std::to_string(lines_.number());
    while (!row.take(line)) {
        if (!lines_.next(line) || bytes > TextLines::longest)
            refuse("a quote that begins in line " + first + " is not closed");
        bytes += std::ssize(line) + 1;
    }
    cells_ = std::move(row.cells());
    return true;
}

bool TextTable::next() {
    const auto is_empty = [](const std::string& cell) { return cell.empty(); };
    do {
        if (!read_row()) return false;
    } while (std::all_of(cells_.begin(), cells_.end(), is_empty));
    // What spreadsheets leave behind the last column.
    while (cells_.size() > header_.size() && cells_.back().empty()) cells_.pop_back();
    if (cells_.size() > header_.size())
        refuse("it has " + std::to_string(cells_.size()) + " cells and the first row " +
               std::to_string(header_.size()) +
               (separator_ == ',' ? "; decimals follow a point, not a comma" : ""));
    return true;
}

const std::string& TextTable::at(std::size_t column) const {
    if (column >= cells_.size())
        refuse("it is too short: it ends before column " + std::to_string(column + 1) + ", '" +
               printable(header_[column].substr(0, 40)) + "'");
    return cells_[column];
}

double TextTable::number(std::size_t column) const {
    const std::string& cell = at(column);
    const double value = finite_number(cell);
    if (std::isnan(value))
        refuse(
            "column " + std::to_string(column + 1) + " holds '" + printable(cell.substr(0, 40)) +
            "', which is no number" +
            (cell.find(',') == std::string::npos ? "" : "; decimals follow a point, not a comma"));
    return value;
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos && trimmed(text) == text) return text;
    std::string field = "\"";
    for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
    return field + "\"";
}

}  // namespace tesela::io
