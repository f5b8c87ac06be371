// The one seam between the CPU back end and its thread library: oneTBB, or std::thread where
// ThreadSanitizer has to see every synchronization (TESELA_STD_THREADS).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace tesela::detail {

class Workers {
  public:
    explicit Workers(int threads);  // 0: all that the process may use
    ~Workers();

    int threads() const { return threads_; }

    // Calls body(first, last) on disjoint parts that make up [begin, end), each of at least `grain`
    // but for the last, and returns when all are done. Parts run in no order.
    void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                      const std::function<void(std::int64_t first, std::int64_t last)>& body) const;

    struct Arena;

  private:
    int threads_;
    std::unique_ptr<Arena> arena_;
};

}  // namespace tesela::detail
