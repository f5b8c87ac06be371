#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include "tesela/error.h"
#include "tesela/tridiagonal_io.h"

namespace tesela::io {
namespace {

constexpr std::string_view separators = " \t,;\r";

// Reads the lines of a file into systems.
class Reader {
  public:
    explicit Reader(const std::filesystem::path& path) : path_(path) {}

    TridiagonalSystems read(const Progress& progress) {
        std::ifstream file(path_);
        if (!file)
            throw UnreadableInput("cannot open '" + path_.string() +
                                  "'; give a text file with the columns a, b, c and d");
        constexpr std::int64_t lines_between_looks = 4096;
        for (std::string line; std::getline(file, line);) {
            if (++number_ % lines_between_looks == 0) progress.throw_if_cancelled();
            take(std::string_view(line).substr(0, line.find('#')), line.find('#') == line.npos);
        }
        if (file.bad()) throw UnreadableInput("'" + path_.string() + "' cannot be read to its end");
        end_system();
        if (systems_ == 0) throw UnreadableInput("'" + path_.string() + "' has no rows");
        made_.lines = contiguous_lines(rows_of_first_, systems_);
        return std::move(made_);
    }

  private:
    [[noreturn]] void refuse(std::int64_t line, const std::string& reason) const {
        throw UnreadableInput("'" + path_.string() + "', line " + std::to_string(line) + ": " +
                              reason);
    }

    // A line of comments alone ends no system.
    void take(std::string_view line, bool may_end_system) {
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
            refuse(number_, std::to_string(columns) + (columns == 1 ? " column" : " columns") +
                                "; there must be four: a, b, c and d");
        if (rows_ == 0) first_line_ = number_;
        check_last_c();
        add(row);
    }

    void add(const std::array<double, 4>& row) {
        const auto [a, b, c, d] = row;
        if (rows_ > 0 && !std::isfinite(a)) refuse(number_, "a is not a finite number");
        if (!std::isfinite(b)) refuse(number_, "b is not a finite number");
        if (!std::isfinite(d)) refuse(number_, "d is not a finite number");
        made_.a.push_back(a);
        made_.b.push_back(b);
        made_.c.push_back(c);
        made_.d.push_back(d);
        last_line_ = number_;
        ++rows_;
    }

    // The last c of a system is not used: only once a row follows it must be a number.
    void check_last_c() const {
        if (rows_ > 0 && !std::isfinite(made_.c.back()))
            refuse(last_line_, "c is not a finite number");
    }

    double number(std::string_view text) const {
        double value = 0;
        const char* end = text.data() + text.size();
        const char* begin = text.data() + (text.size() > 1 && text.front() == '+' ? 1 : 0);
        const auto [stop, error] = std::from_chars(begin, end, value);
        if (error != std::errc() || stop != end)
            refuse(number_, "'" + std::string(text.substr(0, 40)) + "' is no number");
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

    const std::filesystem::path& path_;
    TridiagonalSystems made_;
    std::int64_t number_ = 0;  // of the line
    std::int64_t rows_ = 0, rows_of_first_ = 0, systems_ = 0;
    std::int64_t first_line_ = 0, last_line_ = 0;
};

}  // namespace

TridiagonalSystems read_tridiagonal(const std::filesystem::path& path, const Progress& progress) {
    return Reader(path).read(progress);
}

void write_solutions(const TridiagonalSolutions& solutions, const std::filesystem::path& path) {
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
