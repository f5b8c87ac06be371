// What takes the files of a Zarr hierarchy that is written: a new folder, or a zip archive.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "io/json_file.h"

namespace tesela::io::zarr {

class Sink {
  public:
    virtual ~Sink() = default;

    // Throw UnwritableOutput. A folder takes files from several threads at once.
    virtual void put(const std::string& key, std::span<const std::uint8_t> bytes) = 0;
    virtual void finish() = 0;
    void put_json(const std::string& key, const Json& json);
};

std::unique_ptr<Sink> create_folder_sink(const fs::path& staged, const fs::path& shown);
// An archive where the name that is shown ends in .zip. Throws UnwritableOutput.
std::unique_ptr<Sink> create_sink(const fs::path& staged, const fs::path& shown);

}  // namespace tesela::io::zarr
