#include "viewer/server/page.h"

#include <algorithm>
#include <array>
#include <utility>

#include "viewer/server/gzip.h"

namespace tesela::viewer {
namespace {

constexpr std::string_view policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' "
    "data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> types{
    {{".html", "text/html; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".svg", "image/svg+xml"},
     {".png", "image/png"},
     {".ico", "image/x-icon"}}};

std::string_view type_of(std::string_view name) {
    for (const auto& [suffix, type] : types)
        if (name.ends_with(suffix)) return type;
    return "application/octet-stream";
}

}  // namespace

constinit const std::string_view no_page =
    "this tesela was built without the page of the viewer: run 'npm ci' in viewer/web and build it "
    "again";

Response page_response(const Page& page, const Request& request) {
    const std::string_view name =
        request.path.back().empty() ? std::string_view("index.html") : request.path.back();
    if (page.empty() && request.path.size() == 1)
        return {503, "text/plain; charset=utf-8", std::string(no_page) + "\n"};
    const auto found = std::find_if(page.begin(), page.end(),
                                    [&](const PageFile& file) { return file.name == name; });
    if (request.path.size() != 1 || found == page.end())
        return error_response(404, "there is nothing at this address");
    Response response{200, std::string(type_of(name)), {}};
    response.headers = {{"Content-Security-Policy", std::string(policy)},
                        {"X-Frame-Options", "DENY"},
                        {"Cross-Origin-Opener-Policy", "same-origin"},
                        {"Cache-Control", "no-cache"},
                        {"Vary", "Accept-Encoding"}};
    if (request.accepts_gzip) {
        response.headers.emplace_back("Content-Encoding", "gzip");
        response.body = found->packed;
    } else {
        response.body = unpacked(found->packed);
    }
    return response;
}

}  // namespace tesela::viewer
