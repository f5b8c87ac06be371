#include "http_samples.h"

namespace tesela::fuzz {
namespace {

const std::string host = "Host: localhost\r\n";
const std::string origin = "Origin: http://localhost\r\n";

std::string get(const std::string& address) {
    return "GET " + address + " HTTP/1.1\r\n" + host + "Accept-Encoding: gzip\r\n\r\n";
}
std::string remove(const std::string& address) {
    return "DELETE " + address + " HTTP/1.1\r\n" + host + origin + "\r\n";
}
std::string post(const std::string& address, const std::string& body) {
    return "POST " + address + " HTTP/1.1\r\n" + host + origin +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
// Behind labels that are begun: image 5 of a new site, in revision 0.
std::string edit(const std::string& body) {
    return post("/api/labels", R"({"from": 3})") + post("/api/labels/5/edits", body);
}

}  // namespace

std::vector<HttpSample> http_samples() {
    return {
        {"page", get("/") + get("/app.js"), false},
        {"base", get("/user/me/api/session")},
        {"session", get("/api/session") + get("/api/devices")},
        {"image", get("/api/images/1") + get("/api/images/2")},
        {"slice", get("/api/images/1/slice?axis=z&index=2&t=0&step=1")},
        {"slice-of-color", get("/api/images/2/slice?axis=x&index=7&channel=1&step=2")},
        {"tile",
         get("/api/images/4/tile?level=1&column=0&row=0&size=64&low=3&high=200&quality=50")},
        {"tile-of-picture", get("/api/images/2/tile?level=0&column=0&row=0&size=512")},
        {"annotations", get("/api/annotations/1") + get("/api/annotations/1/shapes")},
        {"operations", get("/api/operations") + get("/api/operations/grow%20tolerance")},
        {"events", get("/api/events")},
        {"job",
         post(
             "/api/jobs",
             R"({"operation": "grow tolerance", "view": "a", "device": "cpu", "inputs": {"input": )"
             R"({"image": 1}, "seeds": {"seeds": "2,3,1=1;4,4,2=2"}}, "options": {"tolerance": 20}, )"
             R"("outputs": ["labels"]})") +
             get("/api/jobs/1") + remove("/api/jobs/1")},
        {"job-of-lengths",
         post(
             "/api/jobs",
             R"({"operation": "mean-shift", "automatic": true, "inputs": {"input": {"image": 2}}, )"
             R"("options": {"spatial": "2mm", "range": 8.5, "min-region": 20}})")},
        {"job-of-labels",
         post(
             "/api/jobs",
             R"({"operation": "measure", "inputs": {"input": {"image": 3}, "on": [{"image": 1}]}})")},
        {"save", post("/api/images/1/save", R"({"name": "a.nii.gz", "overwrite": true})")},
        {"frame",
         post("/api/views/frame",
              R"({"view": "a", "device": "cpu", "inputs": {"input": {"image": 1}, "labels": )"
              R"({"image": 3}, "transfer": {"text": "ct-bone"}}, "options": {"size": "32x24"}, )"
              R"("jpeg": 80})")},
        {"pick",
         post(
             "/api/views/pick",
             R"({"view": "a", "inputs": {"input": {"image": 1}, "camera": {"text": "{\"position\": )"
             R"([3, -40, 2], \"target\": [3, 2, 2], \"up\": [0, 0, 1], \"height\": 9}"}}, "options": )"
             R"({"size": "32x24"}, "at": [3, 4]})")},
        {"scene", post("/api/views/scene", R"({"inputs": {"input": {"image": 1}}})")},
        {"lines", post("/api/views/lines", R"({"inputs": {"input": {"image": 1}}})")},
        {"labels", post("/api/labels", R"({"from": 3})") + get("/api/labels/5?search=liver") +
                       get("/api/labels/5/place?label=1") + remove("/api/images/5") +
                       post("/api/labels", R"({"of": 1})")},
        {"stroke",
         edit(
             R"({"edit": "stroke", "revision": 0, "label": 4, "points": [[1, 2, 2], [5, 3.5, 2]], )"
             R"("radius": 1.5, "across": "z", "t": 0, "over": 0})") +
             get("/api/images/5/slice?axis=z&index=2&revision=1&since=0") +
             post("/api/labels/5/edits", R"({"edit": "undo", "revision": 1})") +
             post("/api/labels/5/edits", R"({"edit": "redo", "revision": 2})")},
        {"box",
         edit(
             R"({"edit": "box", "revision": 0, "label": 3, "first": [0, 1, 1], "last": [4, 4, 2]})")},
        {"component",
         edit(R"({"edit": "component", "revision": 0, "label": 9, "at": [2, 2, 1], "from": 3})")},
        {"take", edit(R"({"edit": "take", "revision": 0, "from": 3, "label": 2})")},
        {"fill", edit(R"({"edit": "fill", "revision": 0, "label": 1, "across": "z", "index": 1})")},
        {"split", edit(R"({"edit": "split", "revision": 0, "label": 1, "depth": 1})")},
        {"merge", edit(R"({"edit": "merge", "revision": 0, "labels": [2, 3], "label": 1})")},
        {"delete", edit(R"({"edit": "delete", "revision": 0, "label": 1})")},
        {"describe",
         edit(
             R"({"edit": "describe", "revision": 0, "label": 1, "name": "liver", "color": "#a0b1c2"})")},
        {"table",
         edit(R"({"edit": "delete", "revision": 0, "label": 2})") +
             post("/api/labels/5/table", R"({"name": "a.csv", "image": 1})") +
             post("/api/labels/5/overlay", R"({"name": "a.png", "image": 1})"),
         false},
        {"chunked",
         "POST /api/jobs HTTP/1.1\r\n" + host + origin +
             "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
         false},
        {"old", "GET /api/session HTTP/1.0\r\n" + host + "Connection: keep-alive\r\n\r\n"},
    };
}

}  // namespace tesela::fuzz
