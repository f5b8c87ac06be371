// The files of a Zarr hierarchy that describe it.
#pragma once

#include <optional>
#include <string>

#include "io/json_file.h"
#include "io/zarr/store.h"

namespace tesela::io::zarr {

// The key of what lies in a group, "" the root.
inline std::string key_in(const std::string& group, const std::string& name) {
    return group.empty() ? name : group + "/" + name;
}

// Throws InvalidArgument for the path of a group or array that leads out of its hierarchy.
void check_inside(const std::string& path);

// Nothing where there is no such file. Throws UnreadableInput.
std::optional<Json> find_json(const Store& store, const std::string& key);

}  // namespace tesela::io::zarr
