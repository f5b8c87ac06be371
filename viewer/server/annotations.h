// What was drawn on slides, from files of GeoJSON, by number. A file is read when somebody asks.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "viewer/server/json.h"
#include "viewer/server/message.h"

namespace tesela::viewer {

class SlideAnnotations {
  public:
    // `max_bytes`: of a file's shapes, while it is read.
    explicit SlideAnnotations(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

    // `of`: the image that it was drawn on.
    void add(const std::filesystem::path& path, int of);
    // [{"id": 1, "name": "cells.geojson", "of": 1}, ...]
    Json list() const;
    // "api/annotations/N" has the classes, ".../shapes" all points (viewer/README.md).
    Response answer(const Request& request);

  private:
    struct File {
        std::filesystem::path path;
        int of = 0;
        std::mutex reading = {};
        Json facts = {};  // null: not read yet
        Response shapes = {};
    };
    void read(int id, File& file) const;

    const std::int64_t max_bytes_;
    std::map<int, std::unique_ptr<File>> files_;  // all are there before anybody asks
};

// Whether it is a file of annotations by its name.
bool is_annotations_name(const std::filesystem::path& path);

}  // namespace tesela::viewer
