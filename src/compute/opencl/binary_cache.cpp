#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>

#include "compute/opencl/program.h"
#include "core/temporary_folder.h"
#include "tesela/error.h"
#include "tesela/warnings.h"

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

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
struct EntryFile {
    std::unique_ptr<std::FILE, CloseFile> stream;  // null where there is no regular file
    std::uint64_t bytes = 0;
};

// Opening a pipe would wait for somebody to write into it.
EntryFile open_entry(const fs::path& entry) {
    const int descriptor = open(entry.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return {};
    struct stat facts {};
    if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        close(descriptor);
        return {};
    }
    EntryFile file;
    file.stream.reset(fdopen(descriptor, "rb"));
    file.bytes = static_cast<std::uint64_t>(facts.st_size);
    return file;
}

bool read(const EntryFile& file, void* data, std::size_t bytes) {
    return std::fread(data, 1, bytes, file.stream.get()) == bytes;
}

UnwritableOutput unwritable(const fs::path& folder, const std::error_code& error) {
    return UnwritableOutput("cannot write '" + folder.string() + "': " + error.message());
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
    const EntryFile file = open_entry(entry);
    Header header{};
    if (!file.stream || !read(file, &header, sizeof(header))) return {};
    if (std::memcmp(header.magic, magic, sizeof(magic)) != 0 || header.format != format_number ||
        header.key_bytes != key.size() || header.binary_bytes == 0 ||
        header.binary_bytes > file.bytes ||
        sizeof(header) + key.size() + header.binary_bytes != file.bytes)
        return {};
    std::string stored_key(key.size(), '\0');
    if (!read(file, stored_key.data(), stored_key.size()) || stored_key != key) return {};
    std::string binary(header.binary_bytes, '\0');
    if (!read(file, binary.data(), binary.size()) || hash_of(binary) != header.binary_hash)
        return {};
    return binary;
}

void write_cached(const fs::path& entry, const std::string& key, const std::string& binary) try {
    const fs::path folder = entry.parent_path();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw unwritable(folder, error);
    const TemporaryFolder hidden(folder, folder);
    const fs::path complete = hidden.path() / entry.filename();
    Header header{{}, format_number, key.size(), binary.size(), hash_of(binary)};
    std::memcpy(header.magic, magic, sizeof(magic));
    std::ofstream file(complete, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&header), sizeof(header));
    file.write(key.data(), static_cast<std::streamsize>(key.size()));
    file.write(binary.data(), static_cast<std::streamsize>(binary.size()));
    file.close();
    if (file.fail()) throw unwritable(folder, {errno, std::generic_category()});
    fs::rename(complete, entry, error);
    if (error) throw unwritable(folder, error);
} catch (const UnwritableOutput& error) {
    warn_once("OpenCL kernels are compiled anew by every run: " + std::string(error.what()) +
              "; name a folder by TESELA_CACHE_DIR, or 'off' for none");
}

}  // namespace tesela::detail::opencl
