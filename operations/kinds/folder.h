// Folders of files, each of which is written as soon as it is made.
#pragma once

#include <any>
#include <functional>
#include <string>

#include "operations/kind.h"

namespace tesela::operations {

// Writes a file of the folder: its name, its kind, and the value of that kind. From any thread.
using WriteFile = std::function<void(const std::string& name, Kind kind, std::any value)>;

namespace kinds {
inline constexpr Kind folder = kind_of<WriteFile>("folder");
}

}  // namespace tesela::operations
