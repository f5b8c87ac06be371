// The one place of core that asks the system for something that the standard library has not.
#include "core/large_pages.h"

#include <algorithm>
#include <cstdint>

#include "core/threads.h"
#include "tesela/image.h"

#ifdef __linux__
    #include <sys/mman.h>
#endif

namespace tesela::detail {

#ifdef MADV_HUGEPAGE
void advise_large_pages(void* memory, std::size_t bytes) noexcept {
    constexpr std::uintptr_t page = 1 << 21;
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (begin + page - 1) / page * page;  // whole pages only
    const std::uintptr_t end = (begin + bytes) / page * page;
    if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}
#else
void advise_large_pages(void*, std::size_t) noexcept {}
#endif

// The system clears a page when it is first touched, each thread its own at the same time.
void prefer_large_pages(void* memory, std::size_t bytes) noexcept {
    advise_large_pages(memory, bytes);
    constexpr std::size_t least_share = 8 << 20, small_page = 4096, most = 4;
    const std::size_t threads =
        std::min({bytes / least_share, most, static_cast<std::size_t>(hardware_threads())});
    if (threads < 2) return;
    auto* const touched = static_cast<volatile char*>(memory);
    try {
        for_each_index(
            static_cast<std::int64_t>(threads), static_cast<int>(threads), [&](std::int64_t i) {
                const auto share = static_cast<std::size_t>(i);
                const std::size_t end = bytes * (share + 1) / threads;
                for (std::size_t at = bytes * share / threads; at < end; at += small_page)
                    touched[at] = touched[at];  // as it was, where it is in use
            });
    } catch (...) {  // no memory for a thread: whoever writes meets the pages
    }
}

}  // namespace tesela::detail
