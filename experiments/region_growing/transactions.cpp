#include "experiments/region_growing/transactions.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace tesela::experiments {
namespace {

constexpr std::int64_t segment = 32;

// Calls `use` for every group of `threads` consecutive threads of every block, with the bytes that
// it reads: (row, first byte, last byte) each.
template <class Use>
void for_parts(const BlockShape& block, const PlaneReads& reads, int threads, const Use& use) {
    struct Part {
        std::int64_t row, first, last;
    };
    const int items = block.width * block.height;
    for (int by = 0; by < reads.height / block.height; ++by)
        for (int bx = 0; bx < reads.pitch / block.width; ++bx)
            for (int begin = 0; begin < items; begin += threads) {
                std::vector<Part> parts;
                const int end = std::min(begin + threads, items);
                for (int t = begin; t < end;) {
                    const int row_end = std::min(end, (t / block.width + 1) * block.width);
                    const std::int64_t x = std::int64_t{bx} * block.width + reads.shift;
                    parts.push_back({std::int64_t{by} * block.height + t / block.width,
                                     (x + t % block.width) * reads.step,
                                     (x + (row_end - 1) % block.width) * reads.step});
                    t = row_end;
                }
                use(parts, end - begin);
            }
}

}  // namespace

Transactions count_transactions(const BlockShape& block, const PlaneReads& reads) {
    Transactions counted;
    for_parts(block, reads, 16, [&](const auto& parts, int) {
        for (const auto& part : parts)
            ++(part.first / segment == part.last / segment ? counted.of_32 : counted.of_64);
    });
    return counted;
}

Sectors count_sectors(const BlockShape& block, const PlaneReads& reads) {
    Sectors counted;
    for_parts(block, reads, 32, [&](const auto& parts, int threads) {
        std::set<std::pair<std::int64_t, std::int64_t>> touched;
        for (const auto& part : parts)
            for (std::int64_t at = part.first; at <= part.last; at += reads.step)
                touched.emplace(part.row, at / segment);
        ++counted.requests;
        counted.sectors += static_cast<std::int64_t>(touched.size());
        counted.useful_bytes += threads;
    });
    return counted;
}

int segments_of_block(int k, int width, int pitch) {
    const int last = std::min((k + 1) * width, pitch) - 1;
    return last / static_cast<int>(segment) - k * width / static_cast<int>(segment) + 1;
}

int columns_before_boundary(int k, int width) {
    const int left = static_cast<int>(segment) - k * width % static_cast<int>(segment);
    return left < width ? left : 0;
}

}  // namespace tesela::experiments
