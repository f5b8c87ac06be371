// Where outputs lie while they are written, and how they get their names. Labels in an image of
// OME-Zarr are written within its folder, and listed there once they are complete.
#pragma once

#include "io/file.h"

namespace tesela::io {

// Whether a folder is an output as a whole, by its name and by what it holds: one of OME-Zarr,
// labels in one, or a DICOM series that was written here, which may be replaced as a file may.
bool is_output_folder(const fs::path& path);

// The folder in which the hidden folder of an output is made: its own, of labels in an OME-Zarr
// that of the image.
fs::path staging_folder(const fs::path& target);

// What follows throws fs::filesystem_error, and UnwritableOutput or UnreadableInput where labels
// cannot be listed.

// Gives a complete output its name, which is free or that of a file.
void give_name(const fs::path& staged, const fs::path& target);
// Keeps what is about to be replaced under another name. A file stays under its own name too: a
// program that is killed leaves it there.
void keep_old(const fs::path& target, const fs::path& kept);

// Brings back what was kept, and removes an output, as far as that can be done.
void put_back(const fs::path& kept, const fs::path& target) noexcept;
void remove_output(const fs::path& target) noexcept;

}  // namespace tesela::io
