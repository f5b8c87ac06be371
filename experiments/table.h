// Tables as comma-separated values, and small text files.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace tesela::experiments {

// A figure as a table shows it: six significant digits, empty for NaN.
std::string cell(double value);
// What a thesis does not print.
inline constexpr double not_printed = std::numeric_limits<double>::quiet_NaN();

class Table {
  public:
    explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}

    // As many cells as the header has.
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    const std::vector<std::vector<std::string>>& rows() const { return rows_; }  // header first

    // Cells with a comma, a quote or a line break stand in quotes (RFC 4180).
    std::string csv() const;
    // In columns, for people.
    std::string text() const;

  private:
    std::vector<std::vector<std::string>> rows_;
};

// Writes beside the target and renames. Throws UnwritableOutput.
void write_text_file(const std::filesystem::path& path, const std::string& text);

// Shows a table on standard error, a message a line.
void say_lines(const Table& table);

}  // namespace tesela::experiments
