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

struct Group {
    std::string path;  // within the store
    std::string file;  // the key of its attributes
    Json attributes;   // of format 3 those of OME, which lie one level deeper
    bool is_format_3 = false;
};
// Nothing where there is no such group, or it has no attributes. Throws UnreadableInput.
std::optional<Group> find_group(const Store& store, const std::string& path);

bool has(const Json& json, const char* key);
// Empty where there is no text.
std::string text_of(const Json& json, const char* key);

}  // namespace tesela::io::zarr
