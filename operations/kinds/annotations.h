// Shapes on an image.
#pragma once

#include "operations/kind.h"
#include "operations/kinds/table.h"
#include "tesela/annotation.h"

namespace tesela::operations {

// Rows of a table, and the same things as shapes on the image.
struct Outlines {
    Table table;
    Annotations shapes;
};

namespace kinds {
inline constexpr Kind annotations = kind_of<Annotations>("annotations");
inline constexpr Kind outlines = kind_of<Outlines>("outlines");
}  // namespace kinds

}  // namespace tesela::operations
