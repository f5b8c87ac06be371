// Batches of windows, read from slides while a device works on those before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/threads.h"
#include "tesela/progress.h"

namespace tesela {

// Calls `work` with the first number of each batch of `count` things and what `read` has made of
// it; `read` makes the next batch meanwhile, in another thread.
template <class Read, class Work>
void for_each_batch(std::int64_t count, std::int64_t batch, const Progress& progress,
                    const Read& read, const Work& work) {
    if (count == 0) return;
    auto next = read(std::int64_t{0}, std::min(batch, count));
    for (std::int64_t first = 0; first < count; first += batch) {
        progress.report(static_cast<double>(first) / static_cast<double>(count), "match");
        const auto here = std::move(next);
        const std::int64_t second = first + batch;
        detail::for_each_index(2, 2, [&](std::int64_t what) {
            if (what == 0) return work(first, here);
            if (second < count) next = read(second, std::min(batch, count - second));
        });
    }
}

}  // namespace tesela
