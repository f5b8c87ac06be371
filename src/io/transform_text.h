// Text files of ITK's transforms.
#pragma once

#include <string>

#include "io/file.h"
#include "tesela/transform.h"

namespace tesela::io {

inline constexpr std::string_view itk_mark = "#Insight Transform File V1.0";

// Throws UnreadableInput, UnsupportedFormat.
Transform itk_transform(const std::string& text, const fs::path& path);
std::string itk_text(const Transform& transform);

}  // namespace tesela::io
