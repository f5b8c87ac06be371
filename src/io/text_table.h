// Tables as spreadsheets and QuPath save them.
#pragma once

#include <string>
#include <vector>

#include "io/text_file.h"

namespace tesela::io {

// The first row names the columns. Cells are separated by commas, or by semicolons or tabs where
// that gives the first row more cells. A quoted cell may hold separators, quotes and line breaks;
// blanks around other cells do not count, and rows whose cells are all empty are passed over.
class TextTable {
  public:
    // Throws UnreadableInput, as do all below.
    explicit TextTable(const fs::path& path);

    const std::vector<std::string>& header() const { return header_; }
    // Column of a name in the header; npos where it has none.
    std::size_t column(std::string_view name) const;
    static constexpr std::size_t npos = ~std::size_t{0};

    // Goes to the next row; false where there is none. Throws for one with more cells than the
    // header.
    bool next();
    const std::vector<std::string>& cells() const { return cells_; }
    const std::string& at(std::size_t column) const;
    // Throws where the cell is no finite number.
    double number(std::size_t column) const;

    const TextLines& lines() const { return lines_; }
    [[noreturn]] void refuse(const std::string& reason) const { lines_.refuse(reason); }

  private:
    bool read_row();

    TextLines lines_;
    char separator_ = ',';
    std::vector<std::string> header_, cells_;
};

// A cell of a table that is separated by commas: quoted where it has to be.
std::string csv_field(const std::string& text);

}  // namespace tesela::io
