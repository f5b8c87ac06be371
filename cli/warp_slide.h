// Slides that are warped tile by tile.
#pragma once

#include <filesystem>

#include "operation_settings.h"
#include "report.h"
#include "tesela/progress.h"

namespace tesela::cli {

bool is_ome_tiff(const std::filesystem::path& path);

// Whether it warps, and writes OME-TIFF (.ome.tif).
bool is_slide_warp(const operations::Operation& operation, const OperationSettings& settings);

// Gives the exit code.
int run_slide_warp(const operations::Operation& operation, const OperationSettings& settings,
                   Json parameters, const CancelToken& token);

}  // namespace tesela::cli
