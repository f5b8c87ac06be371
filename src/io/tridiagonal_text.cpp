#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

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
        if (columns_ > four) put_sides_one_behind_the_other();
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
        row_.clear();
        for (std::size_t at = line.find_first_not_of(separators); at != line.npos;
             at = line.find_first_not_of(separators, at)) {
            const std::size_t end = std::min(line.find_first_of(separators, at), line.size());
            row_.push_back(number(line.substr(at, end - at)));
            at = end;
        }
        if (row_.empty()) {
            if (may_end_system) end_system();
            return;
        }
        check_columns();
        refuse_decimal_commas(line);
        if (rows_ == 0) first_line_ = lines_.number();
        check_last_c();
        add();
    }

    // Between columns that blanks separate, a comma within a word separates no columns.
    void refuse_decimal_commas(std::string_view line) const {
        if (line.find(';') != line.npos) return;
        bool has_blank = false, has_comma = false;
        for (std::size_t i = 1; i + 1 < line.size(); ++i) {
            const bool is_between = is_of_word(line[i - 1]) && is_of_word(line[i + 1]);
            has_blank |= is_between && (line[i] == ' ' || line[i] == '\t');
            has_comma |= is_between && line[i] == ',';
        }
        if (has_blank && has_comma)
            lines_.refuse(std::to_string(row_.size()) +
                          " columns, some of which commas separate and some blanks; decimals "
                          "follow a point");
    }
    static bool is_of_word(char c) { return c != ' ' && c != '\t' && c != ',' && c != '\r'; }

    // Those of the first row are those of all.
    void check_columns() {
        const std::string found =
            std::to_string(row_.size()) + (row_.size() == 1 ? " column" : " columns");
        if (row_.size() < four)
            lines_.refuse(found +
                          "; there must be four, a, b, c and d, whose decimals follow a point");
        if (columns_ == 0) columns_ = row_.size();
        if (row_.size() != columns_)
            lines_.refuse(found + ", but the first row has " + std::to_string(columns_));
        if (columns_ > four && systems_ > 0)
            lines_.refuse(
                "a second matrix; put a matrix that has several right-hand sides into a file of "
                "its own");
    }

    void add() {
        const double a = row_[0], b = row_[1], c = row_[2];
        if (rows_ > 0 && !std::isfinite(a)) lines_.refuse("a is not a finite number");
        if (!std::isfinite(b)) lines_.refuse("b is not a finite number");
        for (std::size_t column = 3; column < columns_; ++column)
            if (!std::isfinite(row_[column]))
                lines_.refuse((columns_ == four ? "d" : "column " + std::to_string(column + 1)) +
                              " is not a finite number");
        // Lists double as they grow.
        const std::int64_t of_row =
            2 * static_cast<std::int64_t>(sizeof(double)) * std::ssize(row_);
        lines_.require_list(of_row * (std::ssize(made_.b) + 1), max_bytes_);
        made_.a.push_back(a);
        made_.b.push_back(b);
        made_.c.push_back(c);
        made_.d.insert(made_.d.end(), row_.begin() + 3, row_.end());
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

    // Right-hand sides were read row by row.
    void put_sides_one_behind_the_other() {
        const std::size_t sides = columns_ - 3, rows = made_.b.size();
        std::vector<double> sorted(made_.d.size());
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t side = 0; side < sides; ++side)
                sorted[side * rows + r] = made_.d[r * sides + side];
        made_.d = std::move(sorted);
        made_.lines = contiguous_lines(std::ssize(made_.b), static_cast<std::int64_t>(sides));
        made_.is_shared = true;
    }

    static constexpr std::size_t four = 4;  // columns of systems of one right-hand side each

    TextLines lines_;
    std::int64_t max_bytes_;
    std::vector<double> row_;
    std::size_t columns_ = 0;
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
    char text[40];
    const auto put = [&](std::size_t i, char behind) {
        const int length =
            std::snprintf(text, sizeof text, "%.*g%c", solutions.digits, solutions.x[i], behind);
        file.write(text, length);
    };
    const auto rows = static_cast<std::size_t>(solutions.lines.rows), count = solutions.x.size();
    if (solutions.is_shared) {
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t i = r; i < count; i += rows) put(i, i + rows < count ? ',' : '\n');
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0 && i % rows == 0) file.put('\n');
            put(i, '\n');
        }
    }
    file.close();
    if (!file) throw UnwritableOutput("cannot write '" + path.string() + "'");
}

}  // namespace tesela::io
