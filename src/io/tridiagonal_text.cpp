#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include "io/text_file.h"
#include "tesela/error.h"
#include "tesela/tridiagonal_io.h"

namespace tesela::io {
namespace {

// Reads the lines of a file into systems.
class Reader {
  public:
    Reader(const fs::path& path, std::int64_t max_bytes) : lines_(path), max_bytes_(max_bytes) {}

    TridiagonalSystems read(const Progress& progress) {
        constexpr std::int64_t lines_between_looks = 4096;
        for (std::string_view line; lines_.next(line);) {
            if (lines_.number() % lines_between_looks == 0) progress.throw_if_cancelled();
            take(line.substr(0, line.find('#')), line.find('#') == line.npos);
        }
        end_system();
        if (systems_ == 0) throw unreadable(lines_.path(), "it has no rows");
        made_.lines = contiguous_lines(rows_of_first_, systems_);
        return std::move(made_);
    }

  private:
    [[noreturn]] void refuse(std::int64_t line, const std::string& reason) const {
        throw unreadable(lines_.path(), "line " + std::to_string(line) + ": " + reason);
    }

    // A line of comments alone ends no system.
    void take(std::string_view line, bool may_end_system) {
        // A comma between semicolons belongs to a number, which is then refused.
        const std::string_view separators = line.find(';') == line.npos ? " \t," : " \t;";
        std::array<double, 4> row{};
        std::size_t columns = 0;
        for (std::size_t at = line.find_first_not_of(separators); at != line.npos;
             at = line.find_first_not_of(separators, at)) {
            const std::size_t end = std::min(line.find_first_of(separators, at), line.size());
            const double value = number(line.substr(at, end - at));
            if (columns < row.size()) row[columns] = value;
            ++columns;
            at = end;
        }
        if (columns == 0) {
            if (may_end_system) end_system();
            return;
        }
        if (columns != row.size())
            lines_.refuse(std::to_string(columns) + (columns == 1 ? " column" : " columns") +
                          "; there must be four, a, b, c and d, whose decimals follow a point");
        if (rows_ == 0) first_line_ = lines_.number();
        check_last_c();
        add(row);
    }

    void add(const std::array<double, 4>& row) {
        const auto [a, b, c, d] = row;
        if (rows_ > 0 && !std::isfinite(a)) lines_.refuse("a is not a finite number");
        if (!std::isfinite(b)) lines_.refuse("b is not a finite number");
        if (!std::isfinite(d)) lines_.refuse("d is not a finite number");
        // Lists double as they grow.
        constexpr std::int64_t of_row = 2 * sizeof(row);
        lines_.require_list(of_row * (std::ssize(made_.b) + 1), max_bytes_);
        made_.a.push_back(a);
        made_.b.push_back(b);
        made_.c.push_back(c);
        made_.d.push_back(d);
        last_line_ = lines_.number();
        ++rows_;
    }

    // The last c of a system is not used: only once a row follows it must be a number.
    void check_last_c() const {
        if (rows_ > 0 && !std::isfinite(made_.c.back()))
            refuse(last_line_, "c is not a finite number");
    }

    // nan and inf may be where a number is not used.
    double number(std::string_view text) const {
        double value = 0;
        const char* end = text.data() + text.size();
        const char* begin = text.data() + (text.size() > 1 && text.front() == '+' ? 1 : 0);
        const auto [stop, error] = std::from_chars(begin, end, value);
        if (error != std::errc() || stop != end)
            lines_.refuse(
                "'" + printable(std::string(text.substr(0, 40))) + "' is no number" +
                (text.find(',') == text.npos ? "" : "; decimals follow a point, not a comma"));
        return value;
    }

    void end_system() {
        if (rows_ == 0) return;
        if (systems_ == 0) rows_of_first_ = rows_;
        if (rows_ != rows_of_first_)
            refuse(first_line_, "system " + std::to_string(systems_ + 1) + " has " +
                                    std::to_string(rows_) + " rows, the first one " +
                                    std::to_string(rows_of_first_) +
                                    "; put systems of another length into another file");
        ++systems_;
        rows_ = 0;
    }

    TextLines lines_;
    std::int64_t max_bytes_;
    TridiagonalSystems made_;
    std::int64_t rows_ = 0, rows_of_first_ = 0, systems_ = 0;
    std::int64_t first_line_ = 0, last_line_ = 0;
};

}  // namespace

TridiagonalSystems read_tridiagonal(const fs::path& path, const ReadOptions& options,
                                    const Progress& progress) {
    TridiagonalSystems systems;
    with_memory_guard(path, [&] { systems = Reader(path, options.max_bytes).read(progress); });
    return systems;
}

void write_solutions(const TridiagonalSolutions& solutions, const fs::path& path) {
    std::ofstream file(path);
    char line[40];
    for (std::size_t i = 0; i < solutions.x.size(); ++i) {
        if (i > 0 && i % static_cast<std::size_t>(solutions.lines.rows) == 0) file.put('\n');
        file.write(line,
                   std::snprintf(line, sizeof line, "%.*g\n", solutions.digits, solutions.x[i]));
    }
    file.close();
    if (!file) throw UnwritableOutput("cannot write '" + path.string() + "'");
}

}  // namespace tesela::io
