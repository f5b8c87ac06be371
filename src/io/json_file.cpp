#include "io/json_file.h"

#include "io/text_file.h"

namespace tesela::io {

Json parse_json(const fs::path& path, std::string_view text, std::int64_t longest) {
    require_memory(path, 0, longest, json_bytes_per_character * std::ssize(text));
    try {
        return Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
            if (depth > deepest_json)
                throw unreadable(path, "it is nested more than " + std::to_string(deepest_json) +
                                           " levels deep");
            return true;
        });
    } catch (const Json::exception& error) {
        throw unreadable(path, "it is no valid JSON: " + printable(json_reason(error)));
    }
}

Json read_json(const fs::path& path, std::int64_t longest) {
    return parse_json(path, whole_text(InputFile(path), longest), longest);
}

}  // namespace tesela::io
