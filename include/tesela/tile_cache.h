// One bounded memory of decoded tiles for the whole process.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>

#include "tesela/image.h"

namespace tesela {

// A tile is shared by the cache and its readers; none of them changes it.
using Tile = std::shared_ptr<const AnyImage>;

struct TileKey {
    std::uint64_t source = 0;  // from TileCache::new_source
    int level = 0;
    std::int64_t column = 0, row = 0;

    auto operator<=>(const TileKey&) const = default;
};

// All functions may be called from any thread.
class TileCache {
  public:
    struct Counts {
        std::int64_t hits = 0;     // found, or decoded meanwhile by another thread
        std::int64_t decoded = 0;  // by the caller
    };

    static constexpr std::int64_t default_capacity = std::int64_t{512} << 20;

    explicit TileCache(std::int64_t capacity_bytes = default_capacity);
    ~TileCache();
    TileCache(const TileCache&) = delete;
    TileCache& operator=(const TileCache&) = delete;

    // The cache of this process, which every TileSource uses.
    static TileCache& global();

    // The tile, decoded where it is not there. A tile that several threads want at once is decoded
    // once; the others wait, and get the same tile or the same error. The least recently used tiles
    // leave where the capacity is exceeded. A tile larger than the capacity is given but not kept.
    Tile get(const TileKey& key, const std::function<AnyImage()>& decode);

    // Fewer bytes drop tiles at once. Throws InvalidArgument for a negative number; 0 keeps none.
    void set_capacity(std::int64_t bytes);
    std::int64_t capacity() const;
    std::int64_t used_bytes() const;  // of pixels that it keeps
    Counts counts() const;

    std::uint64_t new_source();
    void forget(std::uint64_t source);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tesela
