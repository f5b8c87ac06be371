#include "tesela/tile_cache.h"

#include <condition_variable>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <string>

namespace tesela {
namespace {

std::int64_t bytes_of(const AnyImage& image) {
    return shape_of(image).elements() * pixel_type_bytes(pixel_type_of(image));
}

// A tile that is being decoded.
struct Pending {
    bool done = false;
    Tile tile;
    std::exception_ptr error;
};

struct Kept {
    TileKey key;
    Tile tile;
    std::int64_t bytes = 0;
};

}  // namespace

struct TileCache::State {
    mutable std::mutex mutex;  // guards all below
    std::condition_variable decoded;
    std::int64_t capacity = 0, used = 0;
    Counts counts;
    std::uint64_t sources = 0;
    std::list<Kept> kept;  // the most recently used first
    std::map<TileKey, std::list<Kept>::iterator> places;
    std::map<TileKey, std::shared_ptr<Pending>> pending;

    // Dropped tiles go to the caller, who gives their memory back when others may use the cache.
    void drop(std::list<Kept>::iterator tile, std::list<Kept>& dropped) {
        used -= tile->bytes;
        places.erase(tile->key);
        dropped.splice(dropped.end(), kept, tile);
    }
    std::list<Kept> shrink() {
        std::list<Kept> dropped;
        while (used > capacity) drop(std::prev(kept.end()), dropped);
        return dropped;
    }
    std::list<Kept> keep(const TileKey& key, const Tile& tile) {
        const std::int64_t bytes = bytes_of(*tile);
        if (bytes > capacity) return {};
        kept.push_front({key, tile, bytes});
        places[key] = kept.begin();
        used += bytes;
        return shrink();
    }
};

TileCache::TileCache(std::int64_t capacity_bytes) : state_(std::make_unique<State>()) {
    set_capacity(capacity_bytes);
}

TileCache::~TileCache() = default;

TileCache& TileCache::global() {
    static TileCache cache;
    return cache;
}

Tile TileCache::get(const TileKey& key, const std::function<AnyImage()>& decode) {
    State& s = *state_;
    std::list<Kept> dropped;
    std::unique_lock lock(s.mutex);
    if (const auto place = s.places.find(key); place != s.places.end()) {
        ++s.counts.hits;
        s.kept.splice(s.kept.begin(), s.kept, place->second);
        return place->second->tile;
    }
    if (const auto other = s.pending.find(key); other != s.pending.end()) {
        const std::shared_ptr<Pending> awaited = other->second;
        s.decoded.wait(lock, [&] { return awaited->done; });
        if (awaited->error) std::rethrow_exception(awaited->error);
        ++s.counts.hits;
        return awaited->tile;
    }
    const auto mine = std::make_shared<Pending>();
    s.pending[key] = mine;
    ++s.counts.decoded;
    lock.unlock();
    try {
        mine->tile = std::make_shared<const AnyImage>(decode());
    } catch (...) {
        mine->error = std::current_exception();
    }
    lock.lock();
    mine->done = true;
    s.pending.erase(key);
    s.decoded.notify_all();
    if (mine->error) std::rethrow_exception(mine->error);
    dropped = s.keep(key, mine->tile);
    return mine->tile;
}

void TileCache::set_capacity(std::int64_t bytes) {
    if (bytes < 0)
        throw InvalidArgument("the tile cache cannot have " + std::to_string(bytes) + " bytes");
    std::list<Kept> dropped;
    const std::lock_guard lock(state_->mutex);
    state_->capacity = bytes;
    dropped = state_->shrink();
}

std::int64_t TileCache::capacity() const {
    const std::lock_guard lock(state_->mutex);
    return state_->capacity;
}

std::int64_t TileCache::used_bytes() const {
    const std::lock_guard lock(state_->mutex);
    return state_->used;
}

TileCache::Counts TileCache::counts() const {
    const std::lock_guard lock(state_->mutex);
    return state_->counts;
}

std::uint64_t TileCache::new_source() {
    const std::lock_guard lock(state_->mutex);
    return ++state_->sources;
}

void TileCache::forget(std::uint64_t source) {
    std::list<Kept> dropped;
    const std::lock_guard lock(state_->mutex);
    // Keys are in the order of their sources.
    auto place = state_->places.lower_bound({source, 0, 0, 0});
    while (place != state_->places.end() && place->first.source == source)
        state_->drop((place++)->second, dropped);
}

}  // namespace tesela
