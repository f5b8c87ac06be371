// Requests and responses, as they are between the sockets and the functions that answer.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "viewer/server/json.h"

namespace tesela::viewer {

using Query = std::map<std::string, std::string, std::less<>>;

struct Request {
    std::string method;
    std::vector<std::string> path;  // decoded parts of the address: "api", "images", "3"
    Query query = {};
    std::string host = {}, origin = {}, token = {};
    bool accepts_gzip = false;
    std::string body = {};
    // Whether nobody waits for the response any more; of tiles alone. From the thread that answers.
    std::function<bool()> is_gone = {};

    bool is_api() const { return path.front() == "api"; }
    // Whether it asks for a picture of a volume, or about one (api/views/...).
    bool is_view() const { return is_api() && path.size() > 1 && path[1] == "views"; }
    // Whether it asks for a tile (api/images/N/tile), which nobody needs whose view has moved on.
    bool is_tile() const {
        return method == "GET" && path.size() == 4 && is_api() && path[1] == "images" &&
               path[3] == "tile";
    }
    // Whether it asks for the stream of events.
    bool is_events() const {
        return method == "GET" && path.size() == 2 && is_api() && path[1] == "events";
    }
};

// Sets path and query from "/api/images/3/slice?axis=z". False where that is malformed.
bool parse_target(std::string_view target, Request& request);
// Leaves out the parts that `base_path`, such as "/user/me/proxy", puts before the page's own.
void leave_out_base(std::string_view base_path, Request& request);

struct Response {
    int status = 200;
    std::string type = "application/json";
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
};

Response json_response(const Json& json, int status = 200);
// `field`: the option or input, where it is one that is wrong.
Response error_response(int status, std::string_view sentence, std::string_view field = {});

// What answers a request that cannot be served.
class Refused : public std::exception {
  public:
    Refused(int status, std::string sentence, std::string field = {})
        : status_(status), sentence_(std::move(sentence)), field_(std::move(field)) {}
    const char* what() const noexcept override { return sentence_.c_str(); }
    int status() const { return status_; }
    const std::string& field() const { return field_; }

  private:
    int status_;
    std::string sentence_, field_;
};

// Of an address where there is nothing (404), and of a method that it does not have (405).
Refused nothing_here();
Refused other_method();
// A number above 0; nothing: the text is none.
std::optional<int> number_of(const std::string& text);
// The number behind "images", "jobs" or "labels". Throws Refused (404).
int number_in(const Request& request);

// Takes the response to a request, at once or later and from any thread.
using Respond = std::function<void(Response)>;

// Nothing, or the response that says what went wrong in `work`.
std::optional<Response> failure_of(const std::function<void()>& work);

}  // namespace tesela::viewer
