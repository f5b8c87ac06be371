// Large pages for memory that is not written whole at once.
#pragma once

#include <cstddef>

namespace tesela::detail {

// As prefer_large_pages, which touches the memory, too.
void advise_large_pages(void* memory, std::size_t bytes) noexcept;

}  // namespace tesela::detail
