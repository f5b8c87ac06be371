#include "io/zarr/store.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "io/zip_file.h"

namespace tesela::io::zarr {
namespace {

using Bytes = std::vector<std::uint8_t>;

// One of them is at the root of each group and array; .zattrs is for those that were written with
// nothing else.
constexpr std::array root_files{".zgroup", ".zarray", ".zattrs", "zarr.json"};

UnreadableInput too_long(const Store& store, const std::string& key, std::int64_t bytes,
                         std::int64_t longest) {
    return unreadable(store.path(), "its '" + printable(key) + "' has " + std::to_string(bytes) +
                                        " bytes, where at most " + std::to_string(longest) +
                                        " can be");
}

struct Extent {
    std::int64_t begin = 0, count = 0;
};
// The part of what lies at `whole` in a file.
Bytes part_of(const Store& store, const InputFile& file, const std::string& key,
              const Extent& whole, const Extent& part) {
    const std::int64_t begin = part.begin < 0 ? whole.count + part.begin : part.begin;
    if (begin < 0 || begin > whole.count || part.count > whole.count - begin)
        throw unreadable(store.path(), "its '" + printable(key) + "' ends early, after " +
                                           std::to_string(whole.count) + " bytes");
    Bytes bytes(static_cast<std::size_t>(part.count));
    file.read(whole.begin + begin, bytes);
    return bytes;
}

class FolderStore : public Store {
  public:
    explicit FolderStore(const fs::path& path) : path_(path), root_(fs::canonical(path)) {}

    const fs::path& path() const override { return path_; }
    std::optional<Bytes> find(const std::string& key, std::int64_t longest) const override {
        const auto input = open(key);
        if (!input) return {};
        if (input->size() > longest) throw too_long(*this, key, input->size(), longest);
        return input->head(static_cast<std::size_t>(input->size()));
    }
    std::optional<Bytes> find_part(const std::string& key, std::int64_t offset,
                                   std::int64_t count) const override {
        const auto input = open(key);
        if (!input) return {};
        return part_of(*this, *input, key, {0, input->size()}, {offset, count});
    }

  private:
    std::optional<InputFile> open(const std::string& key) const {
        std::error_code error;
        const fs::path file = fs::canonical(path_ / key, error);
        if (error == std::errc::no_such_file_or_directory) return {};
        if (error) throw unreadable(path_ / key, error.message());
        const auto [end, inside] =
            std::mismatch(root_.begin(), root_.end(), file.begin(), file.end());
        if (end != root_.end() || inside == file.end())
            throw unreadable(path_, "its '" + printable(key) + "' lies outside of the folder");
        return InputFile(path_ / key);
    }

    fs::path path_, root_;
};

// The root is that of the archive, or a folder in it that holds all.
class ArchiveStore : public Store {
  public:
    explicit ArchiveStore(const fs::path& path) : file_(path) {
        std::vector<ZipMember> members = zip_members(file_);
        const std::string root = root_of(members);
        for (ZipMember& member : members)
            if (member.name.starts_with(root))
                members_.insert_or_assign(member.name.substr(root.size()), std::move(member));
    }

    const fs::path& path() const override { return file_.path(); }
    std::optional<Bytes> find(const std::string& key, std::int64_t longest) const override {
        const auto found = members_.find(key);
        if (found == members_.end()) return {};
        const ZipMember& member = found->second;
        if (member.unpacked > longest) throw too_long(*this, key, member.unpacked, longest);
        return zip_head(file_, member, static_cast<std::size_t>(member.unpacked));
    }

    std::optional<Bytes> find_part(const std::string& key, std::int64_t offset,
                                   std::int64_t count) const override {
        const auto found = members_.find(key);
        if (found == members_.end()) return {};
        const ZipMember& member = found->second;
        if (member.deflated)
            throw unsupported(path(), "its '" + printable(key) +
                                          "' is packed by the archive, so that no part of it can "
                                          "be read; unpack the archive");
        return part_of(*this, file_, key, {member.offset, member.unpacked}, {offset, count});
    }

    // What stands before the names of all; nothing where the archive has no root.
    static std::optional<std::string> find_root(const std::vector<ZipMember>& members) {
        std::optional<std::string> root;
        for (const ZipMember& member : members)
            for (const std::string_view name : root_files) {
                const std::string_view all = member.name;
                const bool is_one = all == name || (all.ends_with(name) &&
                                                    all[all.size() - name.size() - 1] == '/');
                if (is_one && (!root || all.size() - name.size() < root->size()))
                    root = all.substr(0, all.size() - name.size());
            }
        return root;
    }

  private:
    std::string root_of(const std::vector<ZipMember>& members) const {
        if (auto root = find_root(members)) return *root;
        throw unsupported(file_.path(), "its zip archive holds no Zarr group or array");
    }

    InputFile file_;
    std::map<std::string, ZipMember, std::less<>> members_;
};

}  // namespace

std::unique_ptr<Store> open_store(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return std::make_unique<FolderStore>(path);
    return std::make_unique<ArchiveStore>(path);
}

bool is_zarr_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored) &&
           std::any_of(root_files.begin(), root_files.end(),
                       [&](const char* name) { return fs::is_regular_file(path / name, ignored); });
}

bool is_zarr_archive(const InputFile& file) {
    constexpr std::string_view mark = "PK\3\4";
    const Bytes head = file.head(mark.size());
    return std::equal(head.begin(), head.end(), mark.begin(), mark.end()) &&
           ArchiveStore::find_root(zip_members(file)).has_value();
}

}  // namespace tesela::io::zarr
