// Files of series of sections, and of their pairs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tesela/io.h"
#include "tesela/section_stack.h"

namespace tesela::files {

// The pictures of a folder, or those that a text file lists, one on a line. They are numbered by
// the first number in their names that is another one in each, in a folder in the order of these
// numbers. Lists whose numbers do not increase, and names without numbers, are counted from 0.
// Throws UnreadableInput, and InvalidArgument where two pictures of a folder have one number or
// only some have numbers.
SectionSeries read_sections(const std::filesystem::path& path, const io::ReadOptions& options);

// A transform as other transforms are, with what else is known of the pair. Throws UnreadableInput.
RegisteredPair read_section_pair(const std::filesystem::path& path, const io::ReadOptions& options);
void write_section_pair(const RegisteredPair& pair, const std::filesystem::path& path);

// The pictures of a folder, by the alphabet, or those that a text file lists, one on a line. Throws
// UnreadableInput, and InvalidArgument for a picture.
std::vector<std::filesystem::path> series_pictures(const std::filesystem::path& path);

// The numbers of pictures by their names; empty where these have none.
std::vector<std::int64_t> section_numbers(const std::vector<std::string>& names);

}  // namespace tesela::files
