// The one place of core that asks the system for something that the standard library has not.
#include <cstdint>

#include "tesela/image.h"

#ifdef __linux__
    #include <sys/mman.h>
#endif

namespace tesela::detail {

#ifdef MADV_HUGEPAGE
void prefer_large_pages(void* memory, std::size_t bytes) noexcept {
    constexpr std::uintptr_t page = 1 << 21;
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (begin + page - 1) / page * page;  // whole pages only
    const std::uintptr_t end = (begin + bytes) / page * page;
    if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}
#else
void prefer_large_pages(void*, std::size_t) noexcept {}
#endif

}  // namespace tesela::detail
