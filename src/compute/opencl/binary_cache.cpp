#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

#include "compute/opencl/program.h"

namespace tesela::detail::opencl {
namespace {

namespace fs = std::filesystem;

constexpr char magic[8] = {'T', 'E', 'S', 'E', 'L', 'A', 'C', 'L'};
constexpr std::uint64_t format_number = 1;

struct Header {
    char magic[8];
    std::uint64_t format, key_bytes, binary_bytes, binary_hash;
};

// FNV-1a, 64 bits: against damage and for names, not against malice.
std::uint64_t hash_of(const std::string& bytes) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

fs::path environment_path(const char* name) {
    const char* value = std::getenv(name);
    return value ? fs::path(value) : fs::path();
}

}  // namespace

fs::path cache_folder() {
    if (const char* chosen = std::getenv("TESELA_CACHE_DIR"))
        return std::strcmp(chosen, "off") == 0 ? fs::path() : fs::path(chosen);
    if (const fs::path base = environment_path("XDG_CACHE_HOME"); base.is_absolute())
        return base / "tesela";
    if (const fs::path home = environment_path("HOME"); home.is_absolute())
        return home / ".cache" / "tesela";
    return {};
}

fs::path cache_entry(const fs::path& folder, const std::string& key) {
    char name[40];
    std::snprintf(name, sizeof(name), "opencl-%016llx.bin",
                  static_cast<unsigned long long>(hash_of(key)));
    return folder / name;
}

std::optional<std::string> read_cached(const fs::path& entry, const std::string& key) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(entry, error);
    std::ifstream file(entry, std::ios::binary);
    Header header{};
    if (error || !file.read(reinterpret_cast<char*>(&header), sizeof(header))) return {};
    if (std::memcmp(header.magic, magic, sizeof(magic)) != 0 || header.format != format_number ||
        header.key_bytes != key.size() || header.binary_bytes == 0 || header.binary_bytes > bytes ||
        sizeof(header) + key.size() + header.binary_bytes != bytes)
        return {};
    std::string stored_key(key.size(), '\0'), binary(header.binary_bytes, '\0');
    if (!file.read(stored_key.data(), static_cast<std::streamsize>(stored_key.size())) ||
        !file.read(binary.data(), static_cast<std::streamsize>(binary.size())))
        return {};
    if (stored_key != key || hash_of(binary) != header.binary_hash) return {};
    return binary;
}

void write_cached(const fs::path& entry, const std::string& key, const std::string& binary) {
    std::error_code error;
    fs::create_directories(entry.parent_path(), error);
    const fs::path temporary =
        entry.string() + '.' + std::to_string(getpid()) + '.' +
        std::to_string(std::hash<std::thread::id>{}(std::this_thread::get_id()));
    Header header{{}, format_number, key.size(), binary.size(), hash_of(binary)};
    std::memcpy(header.magic, magic, sizeof(magic));
    bool written = false;
    {
        std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
        file.write(reinterpret_cast<const char*>(&header), sizeof(header));
        file.write(key.data(), static_cast<std::streamsize>(key.size()));
        file.write(binary.data(), static_cast<std::streamsize>(binary.size()));
        file.close();
        written = !file.fail();
    }
    if (written) fs::rename(temporary, entry, error);
    if (!written || error) fs::remove(temporary, error);
}

}  // namespace tesela::detail::opencl
