// What is made of labels for other programs: a table of their measures, and a picture of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "operations/registry.h"
#include "viewer/server/images.h"

namespace tesela::viewer {

// The table of `tesela measure`, as CSV or JSON, with the values of an image that lies on the same
// grid where there is one. Gives sentences for the user. Throws Refused (422) for a file that
// cannot hold it, and as the operation and writing do.
std::vector<std::string> write_table(const Image& labels, const Image* image,
                                     const std::filesystem::path& path,
                                     const operations::Registry& registry);

// The picture of `tesela overlay` on an image, with the labels half transparent. Throws as
// write_table, and Refused (400) without an image.
std::vector<std::string> write_overlay(const Image& labels, const Image* image,
                                       const std::filesystem::path& path,
                                       const operations::Registry& registry);

}  // namespace tesela::viewer
