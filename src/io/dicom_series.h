// Which series the DICOM files of a folder are of.
#pragma once

#include <string>
#include <vector>

#include "io/file.h"
#include "tesela/io.h"

namespace tesela::io {

struct SeriesFiles {
    DicomSeries facts;
    std::vector<fs::path> files;  // by name
};

// The files of the series that `choice` names, or of the only one. Says in `warnings` how many
// files hold no image. Throws UnreadableInput where none does, UnsupportedFormat for several series
// of which none is chosen, and InvalidArgument for a choice that fits none, or several.
SeriesFiles chosen_series(const fs::path& folder, const PlaneChoice& choice,
                          std::int64_t most_bytes, std::vector<std::string>& warnings);

}  // namespace tesela::io
