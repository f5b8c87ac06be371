// Builds the embedded OpenCL texts, and keeps the binaries on disk.
//
// The cache. Folder: $TESELA_CACHE_DIR, or $XDG_CACHE_HOME/tesela, or ~/.cache/tesela;
// TESELA_CACHE_DIR empty or "off" switches the cache off. It may be removed at any time.
//
// Key: format number, platform, vendor, device name, device and driver version, build options and
// the whole text of the kernel file. A new driver or a changed kernel has a new key; nothing is
// ever looked up by date. The entry's file name is a hash of the key, and the key stands in the
// entry, so that two keys of one hash only displace one another.
//
// An entry (OpenCL binaries do not travel between machines, so neither do its integers):
//     8 bytes   "TESELACL"
//     u64       format number
//     u64, u64  bytes of the key, of the binary
//     u64       hash of the binary
//     key, binary
//
// Races: an entry is written in a folder of its own, then renamed; a reader sees the old entry, the
// new one or none. A damaged, foreign or short entry, one that is no regular file, and a binary
// that the driver refuses, are built again and replaced. A folder that cannot be written is no
// error: a warning says so once.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compute/opencl/device.h"

namespace tesela::detail::opencl {

// Throws DeviceUnavailable: with the compiler's log when the text does not build, and when it needs
// fp64 on a device without.
cl_program build_program(const OpenClDevice& device, cl_context context, const KernelText& text);

// Empty where the cache is off. Read from the environment on each call.
std::filesystem::path cache_folder();
std::filesystem::path cache_entry(const std::filesystem::path& folder, const std::string& key);
std::optional<std::string> read_cached(const std::filesystem::path& entry, const std::string& key);
void write_cached(const std::filesystem::path& entry, const std::string& key,
                  const std::string& binary);

}  // namespace tesela::detail::opencl
