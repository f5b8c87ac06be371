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

}  // namespace tesela::io::zarr
