// Files of several chunks, with an index of where each lies
// (zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/zarr/store.h"

namespace tesela::io::zarr {

struct ShardForm {
    std::int64_t chunks = 1;  // in a shard
    bool index_first = false, index_checksum = false;
};
inline constexpr std::int64_t most_in_shard = 1 << 20;

// Holds the indices that were read last. May be used from several threads at once.
class Shards {
  public:
    explicit Shards(const ShardForm& form) : form_(form) {}

    // The stored bytes of the chunk with this number in the shard `key`; nothing where either is
    // missing. Throws UnreadableInput where they are more than `longest`, or damaged.
    std::optional<std::vector<std::uint8_t>> find(const Store& store, const std::string& key,
                                                  std::int64_t number, std::int64_t longest);

  private:
    struct Place {
        std::uint64_t offset = 0, bytes = 0;
    };
    using Index = std::vector<Place>;  // empty: there is no such shard

    std::shared_ptr<const Index> index_of(const Store& store, const std::string& key);
    std::shared_ptr<const Index> read_index(const Store& store, const std::string& key) const;

    ShardForm form_;
    std::mutex mutex_;  // guards what follows
    std::map<std::string, std::shared_ptr<const Index>> indices_;
};

}  // namespace tesela::io::zarr
