// Where paths lead. Outputs are compared with inputs, and with each other, by this and not by how
// they are written.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tesela::cli {

// The folder that holds what `path` names.
std::filesystem::path folder_of(const std::filesystem::path& path);

// A file or folder that is there, or a name in a folder where nothing is yet.
struct Place {
    std::uint64_t device = 0, number = 0;  // of the file or folder, as the file system has them
    std::string name;                      // of what is not there yet

    auto operator<=>(const Place&) const = default;
};
Place place_of(const std::filesystem::path& path);

// The file of --config, which is an input of every job from now on.
void count_as_input(const std::filesystem::path& config);

// The files that a job reads, and the folders that they lie in.
class InputPlaces {
  public:
    // Of each the files that io::files_read tells, and the file of --config.
    InputPlaces(const std::vector<std::filesystem::path>& inputs = {});

    bool has_file(const std::filesystem::path& path) const;
    // Whether the folder is an input or holds one.
    bool has_folder(const std::filesystem::path& path) const;
    // Whether the folder holds an input at any depth.
    bool has_below(const std::filesystem::path& path) const;

  private:
    void add_file(const std::filesystem::path& file);

    std::set<Place> files_, folders_, above_;
};

// Throws UnwritableOutput where no file or folder can be made or replaced at `path`: its name is
// too long, also as it is while it is written, or a link that leads nowhere.
std::filesystem::file_status status_of_output(const std::filesystem::path& path);

}  // namespace tesela::cli
