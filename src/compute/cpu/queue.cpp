#include "compute/cpu/queue.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "kernels/cpu_box.h"
#include "tesela/image.h"

namespace tesela::detail {
namespace {

constexpr std::size_t alignment = 64;

// Calls work(first, end) for the pieces of a part in turn, until the token is cancelled. Pieces are
// short at first, `least`, and grow up to `most` as long as they take little time: how long an item
// takes is the kernel's affair, and a user who cancels must not wait for it.
template <class Work>
void in_pieces(std::int64_t first, std::int64_t last, std::int64_t least, std::int64_t most,
               const CancelToken* stop, const Work& work) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds short_time{2}, long_time{8};
    std::int64_t length = least;
    Clock::time_point begin = Clock::now();
    while (first < last && !(stop && stop->cancelled())) {
        const std::int64_t end = std::min(last, first + length);
        work(first, end);
        first = end;
        const Clock::time_point now = Clock::now();
        if (now - begin < short_time)
            length = std::min(most, 2 * length);
        else if (now - begin > long_time)
            length = std::max(least, length / 2);
        begin = now;
    }
}

T_Box whole(const std::array<std::int64_t, 3>& size) {
    T_Box box{};
    for (int axis = 0; axis < 3; ++axis) {
        box.end[axis] = static_cast<int>(size[axis]);
        box.size[axis] = box.end[axis];
    }
    return box;
}

}  // namespace

CpuQueue::CpuQueue(int level, const QueueOptions& options)
    : level_(level), profile_(options.profile), workers_(options.threads) {}

void* CpuQueue::allocate(std::int64_t bytes) {
    // The system would promise more than there is and end the process when it is touched.
    if (bytes > available_host_memory()) return nullptr;
    void* pointer = nullptr;
    if (posix_memalign(&pointer, alignment, static_cast<std::size_t>(bytes)) != 0) return nullptr;
    prefer_large_pages(pointer, static_cast<std::size_t>(bytes));
    return pointer;
}

void CpuQueue::release(void* pointer) noexcept { std::free(pointer); }

std::string CpuQueue::adopt(const ForeignMemory& memory) {
    if (reinterpret_cast<std::uintptr_t>(memory.pointer) % memory.alignment == 0) return {};
    return "begins at an address that is no multiple of " + std::to_string(memory.alignment) +
           ", the bytes of an element: copy it";
}

void CpuQueue::copy_in(void* target, const void* host, std::int64_t bytes) {
    copy(target, host, bytes);
}
void CpuQueue::copy_out(const void* source, std::span<const HostPiece> pieces) {
    for (const HostPiece& piece : pieces)
        copy(piece.host, static_cast<const char*>(source) + piece.offset, piece.bytes);
}

void CpuQueue::copy(void* target, const void* source, std::int64_t bytes) {
    constexpr std::int64_t grain = 1 << 20;
    workers_.parallel_for(0, bytes, grain, [=](std::int64_t first, std::int64_t last) {
        std::memcpy(static_cast<char*>(target) + first, static_cast<const char*>(source) + first,
                    static_cast<std::size_t>(last - first));
    });
}

void CpuQueue::fill(void* target, std::int64_t bytes, const void* value, std::size_t value_bytes) {
    constexpr std::int64_t pattern_bytes = 4096;
    alignas(8) char pattern[pattern_bytes];
    for (std::size_t i = 0; i < pattern_bytes; i += value_bytes)
        std::memcpy(pattern + i, value, value_bytes);
    const std::int64_t blocks = (bytes + pattern_bytes - 1) / pattern_bytes;
    workers_.parallel_for(0, blocks, 64, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t block = first; block < last; ++block) {
            const std::int64_t at = block * pattern_bytes;
            std::memcpy(static_cast<char*>(target) + at, pattern,
                        static_cast<std::size_t>(std::min(pattern_bytes, bytes - at)));
        }
    });
}

void CpuQueue::launch(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                      std::span<const Argument> arguments) {
    const auto start = std::chrono::steady_clock::now();
    void* values[64];
    if (arguments.size() > std::size(values))
        throw InvalidArgument(std::string("kernel ") + code.name + " has too many arguments");
    std::transform(arguments.begin(), arguments.end(), values,
                   [](const Argument& argument) { return const_cast<void*>(argument.value); });

    const CpuEntry entry = code.cpu[level_];
    const T_Box box = whole(size);
    const bool is_group_kernel = code.group[0] > 0;
    // Whole rows are shared out; a launch of few rows is cut along x instead. Item kernels keep
    // pieces long enough for the vectorized loop.
    const std::int64_t most =
        is_group_kernel ? std::clamp<std::int64_t>(size[0] / 64, 1, 64) : std::int64_t{1} << 16;
    const std::int64_t least = is_group_kernel ? 1 : 64;
    // Of the rows of `part`.
    const auto take_along_x = [&](T_Box part, std::int64_t first, std::int64_t last,
                                  std::int64_t longest) {
        in_pieces(first, last, least, longest, stop_, [&](std::int64_t from, std::int64_t to) {
            part.begin[0] = static_cast<int>(from);
            part.end[0] = static_cast<int>(to);
            entry(&part, values);
        });
    };
    const std::int64_t rows = size[1] * size[2];
    if (rows >= 8 * static_cast<std::int64_t>(workers_.threads())) {
        const std::int64_t most_rows = std::max<std::int64_t>(1, most / size[0]);
        // A piece ends with its plane, since a box has the same rows in each of its planes. A row
        // may take long by itself, so one alone is cut again.
        const auto take_rows = [&](std::int64_t row, std::int64_t last) {
            const bool is_alone = last - row == 1;
            T_Box part = box;
            while (row < last) {
                const std::int64_t plane = row / size[1];
                const std::int64_t end = std::min(last, (plane + 1) * size[1]);
                part.begin[2] = static_cast<int>(plane);
                part.end[2] = part.begin[2] + 1;
                part.begin[1] = static_cast<int>(row - plane * size[1]);
                part.end[1] = static_cast<int>(end - plane * size[1]);
                if (is_alone)
                    take_along_x(part, 0, size[0], size[0]);
                else
                    entry(&part, values);
                row = end;
            }
        };
        workers_.parallel_for(0, rows, 1, [&](std::int64_t first, std::int64_t last) {
            in_pieces(first, last, 1, most_rows, stop_, take_rows);
        });
    } else {
        workers_.parallel_for(0, size[0], least, [&](std::int64_t first, std::int64_t last) {
            take_along_x(box, first, last, most);
        });
    }
    if (profile_) {
        const std::chrono::duration<double, std::milli> taken =
            std::chrono::steady_clock::now() - start;
        times_.push_back({code.name, taken.count()});
    }
}

std::vector<BackendQueue::Time> CpuQueue::take_times() { return std::exchange(times_, {}); }

}  // namespace tesela::detail
