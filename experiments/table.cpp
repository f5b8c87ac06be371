#include "experiments/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <system_error>

#include "messages.h"
#include "tesela/error.h"

namespace tesela::experiments {

std::string cell(double value) { return std::isnan(value) ? "" : fmt::format("{:.6g}", value); }

std::string Table::csv() const {
    std::string csv;
    for (const std::vector<std::string>& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) {
            std::string quoted = row[i];
            if (quoted.find_first_of(",\"\n") != std::string::npos) {
                for (std::size_t at = 0; (at = quoted.find('"', at)) != std::string::npos; at += 2)
                    quoted.insert(at, 1, '"');
                quoted = '"' + quoted + '"';
            }
            csv += quoted + (i + 1 < row.size() ? "," : "\n");
        }
    return csv;
}

std::string Table::text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const std::vector<std::string>& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const std::vector<std::string>& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += fmt::format("{:<{}}", row[i], widths[i] + 2);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

void write_text_file(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::path unfinished = path;
    unfinished += ".part";
    std::ofstream file(unfinished, std::ios::binary);
    file << text;
    file.close();
    std::error_code error;
    if (file) std::filesystem::rename(unfinished, path, error);
    if (!file || error) {
        std::filesystem::remove(unfinished, error);
        throw UnwritableOutput("cannot write " + path.string() +
                               "; check that the folder can be written to and has room");
    }
}

void say_lines(const Table& table) {
    std::istringstream lines(table.text());
    for (std::string line; std::getline(lines, line);) cli::say(line);
}

}  // namespace tesela::experiments
