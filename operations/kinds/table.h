// Tables of numbers and words.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "operations/kind.h"

namespace tesela::operations {

// Rows of a table, made as they are asked for.
struct Table {
    using Cell = std::variant<std::int64_t, double, std::string>;

    std::vector<std::string> columns;
    std::int64_t rows = 0;
    std::function<Cell(std::int64_t row, std::size_t column)> cell;
};

namespace kinds {
inline constexpr Kind table = kind_of<Table>("table");
}

}  // namespace tesela::operations
