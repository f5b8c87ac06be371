#include "tridiagonal_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include "option_types.h"

namespace tesela::cli {
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
        throw UnreadableInput(fmt::format("'{}', line {}: {}", path_.string(), line, reason));
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
            refuse(number_, fmt::format("{} column{}; there must be four: a, b, c and d", columns,
                                        columns == 1 ? "" : "s"));
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
            refuse(number_, fmt::format("'{}' is no number", text.substr(0, 40)));
        return value;
    }

    void end_system() {
        if (rows_ == 0) return;
        if (systems_ == 0) rows_of_first_ = rows_;
        if (rows_ != rows_of_first_)
            refuse(first_line_,
                   fmt::format("system {} has {} rows, the first one {}; put systems of another "
                               "length into another file",
                               systems_ + 1, rows_, rows_of_first_));
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

void write_solutions(const std::filesystem::path& path, const TridiagonalLines& lines,
                     const std::vector<double>& x, int digits) {
    std::ofstream file(path);
    fmt::memory_buffer text;
    const auto flush = [&] {
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        text.clear();
    };
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (i > 0 && i % static_cast<std::size_t>(lines.rows) == 0) text.push_back('\n');
        fmt::format_to(std::back_inserter(text), "{:.{}g}\n", x[i], digits);
        constexpr std::size_t enough = 1 << 20;
        if (text.size() > enough) flush();
    }
    flush();
    file.close();
    if (!file) throw UnwritableOutput("cannot write '" + path.string() + "'");
}

TridiagonalSystems random_tridiagonal(const TridiagonalLines& lines, TridiagonalKind kind,
                                      std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    // Not a distribution of the standard library, whose numbers differ between libraries.
    const auto any = [&] { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1; };
    TridiagonalSystems made;
    made.lines = lines;
    const auto count = static_cast<std::size_t>(lines.elements());
    for (std::vector<double>* values : {&made.a, &made.b, &made.c, &made.d}) values->reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool random = kind == TridiagonalKind::dominant;
        const double beside = kind == TridiagonalKind::toeplitz ? 1 : -1;
        const double a = random ? any() : beside, c = random ? any() : beside;
        const double dominant = (1.1 + std::abs(any())) * (std::abs(a) + std::abs(c));
        made.a.push_back(a);
        made.b.push_back(random ? std::copysign(dominant, any())
                                : (kind == TridiagonalKind::toeplitz ? 4 : 2));
        made.c.push_back(c);
        made.d.push_back(any());
    }
    return made;
}

TridiagonalLines parse_tridiagonal_size(std::string_view text) {
    const std::size_t cross = text.find('x');
    if (cross == text.npos)
        throw InvalidArgument("--random is '" + std::string(text) +
                              "'; it must be rows and systems, such as 1000x64");
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    return contiguous_lines(parse_integer("random", text.substr(0, cross), 1, most),
                            parse_integer("random", text.substr(cross + 1), 1, most));
}

}  // namespace tesela::cli
