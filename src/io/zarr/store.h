// Where the files of a Zarr hierarchy lie: in a folder, or in a zip archive.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/file.h"

namespace tesela::io::zarr {

// All functions may be called from several threads at once.
class Store {
  public:
    virtual ~Store() = default;

    // Folder or archive.
    virtual const fs::path& path() const = 0;
    // The bytes under a key, such as "0/.zarray"; nothing where there are none. Throws
    // UnreadableInput where they are more than `longest` or lie elsewhere, by ".." or a link.
    virtual std::optional<std::vector<std::uint8_t>> find(const std::string& key,
                                                          std::int64_t longest) const = 0;
    // So many bytes from `offset` on, from the end where it is negative. Throws UnreadableInput
    // where there are less, and UnsupportedFormat in an archive that has packed them.
    virtual std::optional<std::vector<std::uint8_t>> find_part(const std::string& key,
                                                               std::int64_t offset,
                                                               std::int64_t count) const = 0;
};

// Throws UnreadableInput, UnsupportedFormat.
std::unique_ptr<Store> open_store(const fs::path& path);

// Whether a folder holds what the root of a Zarr group or array has.
bool is_zarr_folder(const fs::path& path);
// The same of a file that begins as a zip archive.
bool is_zarr_archive(const InputFile& file);

}  // namespace tesela::io::zarr
