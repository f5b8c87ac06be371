// Images as a DICOM series that is derived from another one.
#pragma once

#include <string>
#include <vector>

#include "io/file.h"
#include "tesela/image.h"
#include "tesela/io.h"

namespace tesela::io {

// Whether a name is that of a folder, as "smooth/" is, which gets a series.
bool is_dicom_folder_name(const fs::path& path);
// Whether a folder holds nothing but the files of one series as it was written here.
bool is_own_dicom_folder(const fs::path& folder);

// Writes a file for each slice. Of CT and MR they are of the same kind where the pixels are gray,
// else secondary captures with places. Values are kept where 65,536 different ones in steps of 1,
// or in the scaling of the source, hold them, else rounded to that many steps, and a sentence says
// how much. Throws UnsupportedFormat for several times, channels that are no color and values that
// are not finite, UnwritableOutput, and as read_dicom_source.
std::vector<std::string> write_dicom_series(const AnyImage& image, const fs::path& path,
                                            const WriteOptions& options);

}  // namespace tesela::io
