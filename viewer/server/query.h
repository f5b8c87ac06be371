// Numbers in the query of an address.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "viewer/server/message.h"

namespace tesela::viewer {

// Each throws Refused (400) that names the key. A key that is not there gives nothing.
std::optional<std::int64_t> find_whole(const Query& query, std::string_view key);
std::optional<double> find_number(const Query& query, std::string_view key);
// 0 to `count` - 1 of `what`, such as "this image"; `absent` where it is not there.
std::int64_t index_in(const Query& query, std::string_view key, std::int64_t count,
                      std::int64_t absent, std::string_view what = "this image");
// `lowest` to `highest`.
std::int64_t whole_in(const Query& query, std::string_view key, std::int64_t lowest,
                      std::int64_t highest, std::int64_t absent);
void allow_keys(const Query& query, std::initializer_list<std::string_view> keys);

}  // namespace tesela::viewer
