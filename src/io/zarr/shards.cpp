#include "io/zarr/shards.h"

#include <algorithm>

#include "io/zarr/chunk_codec.h"

namespace tesela::io::zarr {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint64_t load64(const Bytes& bytes, std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | bytes[at + i];
    return value;
}

}  // namespace

std::optional<Bytes> Shards::find(const Store& store, const std::string& key, std::int64_t number,
                                  std::int64_t longest) {
    const auto index = index_of(store, key);
    if (index->empty()) return {};
    const Place& place = (*index)[static_cast<std::size_t>(number)];
    constexpr std::uint64_t missing = ~std::uint64_t{0};
    if (place.offset == missing && place.bytes == missing) return {};
    constexpr std::uint64_t farthest = std::uint64_t{1} << 62;
    if (place.offset > farthest || place.bytes > static_cast<std::uint64_t>(longest))
        throw unreadable(store.path(), "a chunk in its shard '" + printable(key) +
                                           "' has no valid place or more than " +
                                           std::to_string(longest) + " bytes");
    return store.find_part(key, static_cast<std::int64_t>(place.offset),
                           static_cast<std::int64_t>(place.bytes));
}

std::shared_ptr<const Shards::Index> Shards::index_of(const Store& store, const std::string& key) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = indices_.find(key); found != indices_.end()) return found->second;
    }
    auto index = read_index(store, key);
    constexpr std::int64_t most_shards = 64, most_places = 1 << 22;
    const std::int64_t most = std::clamp<std::int64_t>(most_places / form_.chunks, 1, most_shards);
    const std::lock_guard lock(mutex_);
    if (std::ssize(indices_) >= most) indices_.clear();
    indices_[key] = index;
    return index;
}

std::shared_ptr<const Shards::Index> Shards::read_index(const Store& store,
                                                        const std::string& key) const {
    constexpr std::int64_t entry = 16, checksum = 4;
    const std::int64_t bytes = entry * form_.chunks + (form_.index_checksum ? checksum : 0);
    auto stored = store.find_part(key, form_.index_first ? 0 : -bytes, bytes);
    Index index;
    if (!stored) return std::make_shared<const Index>();
    if (form_.index_checksum && !take_checksum(*stored))
        throw unreadable(store.path(),
                         "the index of its shard '" + printable(key) + "' is damaged");
    for (std::size_t at = 0; at < stored->size(); at += entry)
        index.push_back({load64(*stored, at), load64(*stored, at + 8)});
    return std::make_shared<const Index>(std::move(index));
}

}  // namespace tesela::io::zarr
