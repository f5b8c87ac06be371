#include "io/json_file.h"

#include "io/text_file.h"

namespace tesela::io {

Json parse_json(std::string_view text) {
    try {
        return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
            if (depth > deepest_json)
                throw InvalidArgument("it is nested more than " + std::to_string(deepest_json) +
                                      " levels deep");
            return true;
        });
    } catch (const Json::exception& error) {
        throw InvalidArgument("it is no valid JSON: " + printable(json_reason(error)));
    }
}

Json parse_json(const fs::path& path, std::string_view text, std::int64_t longest) {
    require_memory(path, 0, longest, json_bytes_per_character * std::ssize(text));
    try {
        return parse_json(text);
    } catch (const InvalidArgument& error) {
        throw unreadable(path, error.what());
    }
}

Json read_json(const fs::path& path, std::int64_t longest) {
    return parse_json(path, whole_text(InputFile(path), longest), longest);
}

}  // namespace tesela::io
