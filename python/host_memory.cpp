#include "python/host_memory.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "tesela/image.h"

namespace tesela::python {
namespace {

constexpr std::size_t least_kept = 8 << 20, most_kept = 256 << 20;
constexpr std::size_t large_page = 2 << 20, small_page = 4096;

struct Block {
    void* memory;
    std::size_t bytes;
};

class Kept {
  public:
    // Of at most a quarter more than is asked for; none where there is no such block.
    Block take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) {
            return block.bytes >= bytes && block.bytes - bytes <= bytes / 4;
        });
        if (found == blocks_.end()) return {};
        const Block block = *found;
        blocks_.erase(found);
        bytes_ -= block.bytes;
        return block;
    }
    // In any thread. The oldest make room.
    void put(const Block& block) noexcept {
        std::vector<Block> ended;
        {
            const std::lock_guard lock(mutex_);
            try {
                blocks_.push_back(block);
            } catch (const std::bad_alloc&) {
                std::free(block.memory);
                return;
            }
            bytes_ += block.bytes;
            try {
                while (bytes_ > most_kept) {
                    ended.push_back(blocks_.front());
                    blocks_.erase(blocks_.begin());
                    bytes_ -= ended.back().bytes;
                }
            } catch (const std::bad_alloc&) {  // then more is kept for a while
            }
        }
        for (const Block& one : ended) std::free(one.memory);
    }
    void clear() {
        std::vector<Block> ended;
        {
            const std::lock_guard lock(mutex_);
            ended.swap(blocks_);
            bytes_ = 0;
        }
        for (const Block& one : ended) std::free(one.memory);
    }

  private:
    std::mutex mutex_;
    std::vector<Block> blocks_;  // in the order in which they ended
    std::size_t bytes_ = 0;
};

// Arrays may end after everything else of the process.
Kept& kept() {
    static Kept* const all = new Kept;
    return *all;
}

Block allocated(std::size_t bytes) {
    const bool is_large = bytes >= least_kept;
    const std::size_t page = is_large ? large_page : small_page;
    const std::size_t whole = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
    Block block{nullptr, whole};
    if (posix_memalign(&block.memory, page, whole) != 0) throw std::bad_alloc();
    if (is_large) detail::prefer_large_pages(block.memory, whole);
    return block;
}

}  // namespace

std::shared_ptr<void> host_memory(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    Block block = kept().take(size);
    if (!block.memory) block = allocated(size);
    return {block.memory, [block](void*) {
                if (block.bytes >= least_kept && block.bytes <= most_kept)
                    kept().put(block);
                else
                    std::free(block.memory);
            }};
}

void trim_host_memory() { kept().clear(); }

}  // namespace tesela::python
