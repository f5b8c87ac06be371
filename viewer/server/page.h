// The page, which is part of the program.
#pragma once

#include <span>
#include <string_view>

#include "viewer/server/message.h"

namespace tesela::viewer {

struct PageFile {
    std::string_view name;    // "index.html"
    std::string_view packed;  // by gzip
};
using Page = std::span<const PageFile>;

// What was built from viewer/web; empty where it was not.
Page built_page();

// A file of the page, "index.html" for the page itself, with the policy that lets it load nothing
// but its own files.
Response page_response(const Page& page, const Request& request);

// Why there is no page, and what to do about it.
extern const std::string_view no_page;

}  // namespace tesela::viewer
