#include "io/zarr/metadata.h"

namespace tesela::io::zarr {

void check_inside(const std::string& path) {
    const fs::path parts(path);
    const bool leads_up =
        std::any_of(parts.begin(), parts.end(), [](const fs::path& part) { return part == ".."; });
    if (path.empty() || parts.is_absolute() || leads_up || path.find('\0') != path.npos)
        throw InvalidArgument("the path '" + printable(path) + "' is none within it");
}

std::optional<Json> find_json(const Store& store, const std::string& key) {
    constexpr std::int64_t longest = 1 << 26;
    const auto bytes = store.find(key, longest);
    if (!bytes) return {};
    return parse_json(store.path() / key,
                      {reinterpret_cast<const char*>(bytes->data()), bytes->size()}, 0);
}

std::optional<Group> find_group(const Store& store, const std::string& path) {
    std::string key = key_in(path, ".zattrs");
    if (auto json = find_json(store, key)) return Group{path, key, std::move(*json)};
    key = key_in(path, "zarr.json");
    const auto json = find_json(store, key);
    if (!json || !json->is_object()) return {};
    return from_json(store.path() / key, *json, [&](const Json& group) {
        const Json attributes = group.value("attributes", Json::object());
        return std::optional(Group{path, key, attributes.value("ome", attributes), true});
    });
}

bool has(const Json& json, const char* key) { return json.is_object() && json.contains(key); }

std::string text_of(const Json& json, const char* key) {
    return has(json, key) && json.at(key).is_string() ? json.at(key).get<std::string>()
                                                      : std::string();
}

}  // namespace tesela::io::zarr
